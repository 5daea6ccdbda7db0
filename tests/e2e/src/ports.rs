//! Free ports on loopback.

use std::net::{Ipv4Addr, TcpListener};

use crate::Error;

/// The ports of one control plane.
#[derive(Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) etcd_clients: u16,
    pub(crate) etcd_peers: u16,
    pub(crate) apiserver: u16,
    pub(crate) manager: u16,
    pub(crate) scheduler: u16,
    pub(crate) kubelet: u16,
}

impl Ports {
    /// Returns ports that nobody listens on, all different. Another process may take one before
    /// it is used, so whoever uses them must be ready to ask again.
    pub(crate) fn free() -> Result<Self, Error> {
        let [
            etcd_clients,
            etcd_peers,
            apiserver,
            manager,
            scheduler,
            kubelet,
        ] = free()?;
        Ok(Self {
            etcd_clients,
            etcd_peers,
            apiserver,
            manager,
            scheduler,
            kubelet,
        })
    }
}

/// Any number of such ports.
fn free<const N: usize>() -> Result<[u16; N], Error> {
    let error = |e: std::io::Error| Error::because("find a free port on 127.0.0.1", &e);
    // All are held until the last is found, so that none is found twice.
    let mut held = Vec::with_capacity(N);
    let mut ports = [0; N];
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(error)?;
        *port = listener.local_addr().map_err(error)?.port();
        held.push(listener);
    }
    Ok(ports)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn ports_differ() {
        let ports = super::free::<20>().unwrap_or([0; 20]);
        assert_eq!(BTreeSet::from(ports).len(), 20, "{ports:?}");
    }
}

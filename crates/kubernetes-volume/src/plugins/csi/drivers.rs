//! The CSI drivers that are registered on the node.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::{NodeClient, NodeInfo};
use crate::plugins::names;
use crate::{Error, Result};

/// The version of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CsiVersion {
    /// Changes when older drivers can't be used any more.
    pub major: u64,
    /// Changes with each release.
    pub minor: u64,
    /// Changes with corrections.
    pub patch: u64,
}

impl CsiVersion {
    /// Reads at least two numbers with dots between them, such as `1.0.0` or `v1.3`. What follows
    /// the third number, or is no number, is ignored as in Kubernetes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let end = text.find(|c: char| c != '.' && !c.is_ascii_digit());
        let numbers = text.split_at(end.unwrap_or(text.len())).0;
        let mut parts = numbers.split('.').take_while(|part| !part.is_empty());
        let first = parts.next()?;
        if first.len() > 1 && first.starts_with('0') {
            return None;
        }
        Some(Self {
            major: first.parse().ok()?,
            minor: parts.next()?.parse().ok()?,
            patch: parts.next().map_or(Ok(0), str::parse).ok()?,
        })
    }
}

impl fmt::Display for CsiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// A CSI driver that is registered on the node.
#[derive(Clone)]
pub struct RegisteredDriver {
    /// Its node service.
    pub client: Arc<dyn NodeClient>,
    /// Its socket.
    pub endpoint: PathBuf,
    /// The highest supported version of CSI, of those with the major version 1.
    pub version: CsiVersion,
    /// Its answer about this node.
    pub info: NodeInfo,
}

/// The CSI drivers that are registered on the node, by their names.
///
/// A program registers the drivers whose sockets it finds. Until then, operations on their volumes
/// fail with [`Error::Transient`].
#[derive(Default)]
pub struct DriversStore {
    drivers: RwLock<BTreeMap<String, RegisteredDriver>>,
}

impl DriversStore {
    /// Returns an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a driver: checks the versions of CSI that it supports, and asks it about this node
    /// (`RegisterPlugin`). If that fails, a driver of that name is not registered any more.
    ///
    /// The caller writes the answer to the CSINode object.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate), and when the driver doesn't answer.
    pub fn register(
        &self,
        name: &str,
        endpoint: impl Into<PathBuf>,
        versions: &[&str],
        client: Arc<dyn NodeClient>,
    ) -> Result<NodeInfo> {
        let version = self.validate(name, versions)?;
        let info = client.node_get_info().map_err(|source| {
            self.unregister(name);
            Error::Csi {
                driver: name.to_owned(),
                call: "NodeGetInfo",
                source,
            }
        })?;
        let driver = RegisteredDriver {
            client,
            endpoint: endpoint.into(),
            version,
            info: info.clone(),
        };
        let mut drivers = self.drivers.write().unwrap_or_else(PoisonError::into_inner);
        drivers.insert(name.to_owned(), driver);
        Ok(info)
    }

    /// Returns the highest supported version of CSI (`ValidatePlugin`).
    ///
    /// # Errors
    ///
    /// When the name can't be that of a directory, when no version has the major version 1, or when
    /// the driver of that name has the same version or a higher one.
    pub fn validate(&self, name: &str, versions: &[&str]) -> Result<CsiVersion> {
        names::check("name of the CSI driver", name)?;
        let supported = versions.iter().filter_map(|text| CsiVersion::parse(text));
        let highest = supported.filter(|version| version.major <= 1).max();
        let highest = highest.filter(|version| version.major == 1).ok_or_else(|| {
            Error::invalid(format!(
                "the CSI driver {name} supports the versions {versions:?} of CSI, of which none is \
                 of 1.x"
            ))
        })?;
        match self.get(name) {
            Some(other) if other.version >= highest => Err(Error::invalid(format!(
                "the CSI driver {name} is registered already, with the version {} of CSI, which is \
                 not below {highest}",
                other.version
            ))),
            _ => Ok(highest),
        }
    }

    /// Forgets a driver, whose socket is gone (`DeRegisterPlugin`). Returns whether there was one.
    pub fn unregister(&self, name: &str) -> bool {
        let mut drivers = self.drivers.write().unwrap_or_else(PoisonError::into_inner);
        drivers.remove(name).is_some()
    }

    /// Returns the driver of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<RegisteredDriver> {
        self.read().get(name).cloned()
    }

    /// Returns the names of the drivers.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.read().keys().cloned().collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, RegisteredDriver>> {
        self.drivers.read().unwrap_or_else(PoisonError::into_inner)
    }
}

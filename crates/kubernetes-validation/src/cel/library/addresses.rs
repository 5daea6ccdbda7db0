//! IP addresses and ranges of them.

use std::net::IpAddr;

use super::{Failure, Result, is_cidr, is_ip};

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(IpAddr);

/// An address with the length of a prefix, which is a range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    length: u32,
}

/// Reads an address.
#[inline]
pub fn ip(text: &str) -> Result<Ip> {
    let address = text.parse().ok().filter(|_| is_ip(text));
    address.map(Ip).ok_or(Failure::Form)
}

/// Returns true if an address is written as it is usual.
#[inline]
pub fn is_canonical_ip(text: &str) -> Result<bool> {
    Ok(ip(text)?.0.to_string() == text)
}

/// Reads a range.
#[inline]
pub fn cidr(text: &str) -> Result<Cidr> {
    let parts = text.split_once('/').filter(|_| is_cidr(text));
    let parts = parts.and_then(|(address, length)| {
        Some(Cidr {
            address: address.parse().ok()?,
            length: length.parse().ok()?,
        })
    });
    parts.ok_or(Failure::Form)
}

impl Ip {
    /// Returns 4 or 6.
    #[must_use]
    #[inline]
    pub fn family(self) -> i64 {
        if self.0.is_ipv4() { 4 } else { 6 }
    }

    /// Returns true for an address of the host itself.
    #[must_use]
    #[inline]
    pub fn is_loopback(self) -> bool {
        self.0.is_loopback()
    }

    /// Returns true for the address of zeros.
    #[must_use]
    #[inline]
    pub fn is_unspecified(self) -> bool {
        self.0.is_unspecified()
    }

    /// Returns true for an address of several hosts on the same link.
    #[must_use]
    #[inline]
    pub fn is_link_local_multicast(self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.octets().starts_with(&[224, 0, 0]),
            IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
        }
    }

    /// Returns true for an address of a host on the same link.
    #[must_use]
    #[inline]
    pub fn is_link_local_unicast(self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
        }
    }

    /// Returns true for any other address of one host, of private networks too.
    #[must_use]
    #[inline]
    pub fn is_global_unicast(self) -> bool {
        let is_broadcast = matches!(self.0, IpAddr::V4(address) if address.is_broadcast());
        let is_special = self.is_unspecified() || self.is_loopback() || self.0.is_multicast();
        !is_broadcast && !is_special && !self.is_link_local_unicast()
    }

    /// Writes it as it is usual.
    #[must_use]
    #[inline]
    pub fn to_text(self) -> String {
        self.0.to_string()
    }
}

impl Cidr {
    /// Returns the address.
    #[must_use]
    #[inline]
    pub fn ip(self) -> Ip {
        Ip(self.address)
    }

    /// Returns the length of the prefix.
    #[must_use]
    #[inline]
    pub fn prefix_length(self) -> i64 {
        self.length.into()
    }

    /// Returns the range with its first address.
    #[must_use]
    #[inline]
    pub fn masked(self) -> Self {
        let cut = |bits: u128, all: u32| {
            let rest = all.saturating_sub(self.length);
            bits.checked_shr(rest)
                .and_then(|bits| bits.checked_shl(rest))
                .unwrap_or(0)
        };
        let address = match self.address {
            IpAddr::V4(address) => {
                let bits = cut(address.to_bits().into(), 32);
                IpAddr::V4(u32::try_from(bits).unwrap_or_default().into())
            }
            IpAddr::V6(address) => IpAddr::V6(cut(address.to_bits(), 128).into()),
        };
        Self { address, ..self }
    }

    /// Returns true if an address is in the range.
    #[must_use]
    #[inline]
    pub fn contains_ip(self, ip: &Ip) -> bool {
        let other = Self {
            address: ip.0,
            ..self
        };
        self.address.is_ipv4() == ip.0.is_ipv4() && self.masked() == other.masked()
    }

    /// Returns true if all of another range is in the range.
    #[must_use]
    #[inline]
    pub fn contains_cidr(self, other: &Self) -> bool {
        self.contains_ip(&other.ip()) && self.length <= other.length
    }

    /// Returns true if the address that a text is is in the range.
    #[inline]
    pub fn contains_ip_text(self, text: &str) -> Result<bool> {
        Ok(self.contains_ip(&ip(text)?))
    }

    /// Returns true if all of the range that a text is is in the range.
    #[inline]
    pub fn contains_cidr_text(self, text: &str) -> Result<bool> {
        Ok(self.contains_cidr(&cidr(text)?))
    }

    /// Writes it as it is usual.
    #[must_use]
    #[inline]
    pub fn to_text(self) -> String {
        format!("{}/{}", self.address, self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let none = Ip(IpAddr::from([0; 4]));
        let read = |text| ip(text).unwrap_or(none);
        assert_eq!((read("10.0.0.1").family(), read("::1").family()), (4, 6));
        assert!(read("127.1.2.3").is_loopback() && read("::").is_unspecified());
        assert!(read("224.0.0.9").is_link_local_multicast());
        assert!(
            read("ff12::1").is_link_local_multicast() && !read("ff11::1").is_link_local_multicast()
        );
        assert!(
            read("169.254.1.1").is_link_local_unicast() && read("febf::1").is_link_local_unicast()
        );
        assert!(
            read("10.0.0.1").is_global_unicast() && !read("255.255.255.255").is_global_unicast()
        );
        assert_eq!(
            (is_canonical_ip("::1"), is_canonical_ip("0::1")),
            (Ok(true), Ok(false))
        );
        assert_eq!(is_canonical_ip("1.2.3"), Err(Failure::Form));
    }

    #[test]
    fn ranges() {
        let none = Cidr {
            address: IpAddr::from([0; 4]),
            length: 0,
        };
        let read = |text| cidr(text).unwrap_or(none);
        let range = read("10.1.2.3/8");
        assert_eq!(
            (range.masked(), range.prefix_length()),
            (read("10.0.0.0/8"), 8)
        );
        assert_eq!(read("::ff/0").masked(), read("::/0"));
        assert_eq!(
            (
                range.contains_ip_text("10.9.9.9"),
                range.contains_ip_text("11.0.0.0")
            ),
            (Ok(true), Ok(false))
        );
        assert_eq!(range.contains_ip_text("a"), Err(Failure::Form));
        assert!(
            range.contains_cidr(&read("10.2.0.0/16")) && !range.contains_cidr(&read("10.0.0.0/7"))
        );
        assert_eq!(read("0.0.0.0/0").contains_cidr_text("::/0"), Ok(false));
        assert_eq!(
            (range.to_text(), range.ip().to_text()),
            ("10.1.2.3/8".into(), "10.1.2.3".into())
        );
    }
}

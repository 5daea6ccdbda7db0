//! Terms that schemas and the run-time share: formats and types of errors.

use serde::{Deserialize, Serialize};

/// The forms of names that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum NameFormat {
    DnsSubdomain,
    DnsLabel,
    QualifiedName,
    LabelValue,
}

impl NameFormat {
    /// Their names in `format`.
    pub(crate) const NAMES: [&str; 4] = [
        "dns1123Subdomain",
        "dns1123Label",
        "qualifiedName",
        "labelValue",
    ];

    /// Returns true if a format is meant for one of them and is none. Documents have many other
    /// formats.
    pub(crate) fn is_misspelt(name: &str) -> bool {
        let start = |name: &str| {
            name.to_ascii_lowercase()
                .chars()
                .take(3)
                .collect::<String>()
        };
        let similar = Self::NAMES.iter().any(|known| start(known) == start(name));
        similar && Self::parse(name).is_none()
    }

    /// The form that `format` names; the other formats are types.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "dns1123Subdomain" => Self::DnsSubdomain,
            "dns1123Label" => Self::DnsLabel,
            "qualifiedName" => Self::QualifiedName,
            "labelValue" => Self::LabelValue,
            _ => return None,
        })
    }
}

/// The formats of texts that a server checks in custom resources, and that can be checked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum TextFormat {
    BsonObjectId,
    Cidr,
    Date,
    HexColor,
    Ipv4,
    Ipv6,
    Mac,
    Ssn,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
}

impl TextFormat {
    const ALL: [(&'static str, Self); 12] = [
        ("bsonobjectid", Self::BsonObjectId),
        ("cidr", Self::Cidr),
        ("date", Self::Date),
        ("hexcolor", Self::HexColor),
        ("ipv4", Self::Ipv4),
        ("ipv6", Self::Ipv6),
        ("mac", Self::Mac),
        ("ssn", Self::Ssn),
        ("uuid", Self::Uuid),
        ("uuid3", Self::Uuid3),
        ("uuid4", Self::Uuid4),
        ("uuid5", Self::Uuid5),
    ];

    /// The format of that name; a server ignores dashes in it.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let name = name.replace('-', "");
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, format)| *format == self);
        found.map_or("", |(name, _)| name)
    }
}

/// The types of errors, as Kubernetes' `field.ErrorType` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(crate) enum ErrorType {
    Required,
    Invalid,
    NotSupported,
    Duplicate,
    TooLong,
    TooMany,
    Forbidden,
}

impl ErrorType {
    /// Reads `TooLong`, or `FieldValueTooLong` as Kubernetes' reasons are spelt.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let name = text.strip_prefix("FieldValue").unwrap_or(text);
        serde_json::from_value(name.into()).ok()
    }
}

//! Formats that rules name, such as `format.dns1123Label()`.

use kubernetes_schema_terms::{NameFormat, TextFormat, is_date_time};

use super::{is_base64, is_url};

/// A format that a rule has looked up.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    name: &'static str,
    is: Matches,
}

/// Returns true for a text of the format.
type Matches = fn(&str) -> bool;

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Format {
    /// Returns true for a text of another form.
    #[must_use]
    #[inline]
    pub fn has_problems(self, text: &str) -> bool {
        !(self.is)(text)
    }
}

/// The formats by name.
const FORMATS: [(&str, Matches); 13] = [
    ("byte", is_base64),
    ("date", is_date),
    ("datetime", is_datetime),
    ("dns1035Label", is_dns1035_label),
    ("dns1035LabelPrefix", is_dns1035_label_prefix),
    ("dns1123Label", is_dns1123_label),
    ("dns1123LabelPrefix", is_dns1123_label_prefix),
    ("dns1123Subdomain", is_dns1123_subdomain),
    ("dns1123SubdomainPrefix", is_dns1123_subdomain_prefix),
    ("labelValue", is_label_value),
    ("qualifiedName", is_qualified_name),
    ("uri", is_url),
    ("uuid", is_uuid),
];

/// Returns the format of a name, if there is one.
#[must_use]
#[inline]
pub fn named_format(name: &str) -> Option<Format> {
    let found = FORMATS.into_iter().find(|(known, _)| *known == name);
    found.map(|(name, is)| Format { name, is })
}

/// Makes a function for each format.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident: $text:ident => $is:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        #[inline]
        pub fn $name($text: &str) -> bool {
            $is
        }
    )*};
}

formats! {
    /// Returns true for a DNS label.
    is_dns1123_label: text => NameFormat::DnsLabel.matches(text);
    /// Returns true for DNS labels between dots.
    is_dns1123_subdomain: text => NameFormat::DnsSubdomain.matches(text);
    /// Returns true for a DNS label that starts with a letter.
    is_dns1035_label: text => {
        let starts = text.starts_with(|first: char| first.is_ascii_lowercase());
        starts && NameFormat::DnsLabel.matches(text)
    };
    /// Returns true for the start of a DNS label.
    is_dns1123_label_prefix: text => is_dns1123_label(&completed(text));
    /// Returns true for the start of DNS labels between dots.
    is_dns1123_subdomain_prefix: text => is_dns1123_subdomain(&completed(text));
    /// Returns true for the start of a DNS label that starts with a letter.
    is_dns1035_label_prefix: text => is_dns1035_label(&completed(text));
    /// Returns true for the key of a label.
    is_qualified_name: text => NameFormat::QualifiedName.matches(text);
    /// Returns true for the value of a label.
    is_label_value: text => NameFormat::LabelValue.matches(text);
    /// Returns true for a UUID.
    is_uuid: text => TextFormat::Uuid.matches(text);
    /// Returns true for a day.
    is_date: text => TextFormat::Date.matches(text);
    /// Returns true for a time.
    is_datetime: text => is_date_time(text);
}

/// A name that ends with a dash, as if more followed.
#[inline]
fn completed(text: &str) -> String {
    let is_cut = text.len() > 1 && text.ends_with('-');
    match text.get(..text.len().saturating_sub(2)) {
        Some(start) if is_cut => format!("{start}a"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        assert!(is_dns1123_label("1a") && !is_dns1123_label("a-") && !is_dns1123_label("a.b"));
        assert!(is_dns1123_label_prefix("ab-") && !is_dns1123_label_prefix("-"));
        assert!(
            is_dns1035_label("a1") && !is_dns1035_label("1a") && is_dns1035_label_prefix("a1-")
        );
        assert!(is_dns1123_subdomain("a.b") && is_dns1123_subdomain_prefix("a.b-"));
        assert!(is_qualified_name("a/b") && is_label_value("") && !is_qualified_name(""));
        assert!(is_date("2024-02-29") && !is_date("2023-02-29"));
        assert!(is_datetime("2024-02-29t00:00:00z") && !is_uuid("a"));
        let format = named_format("labelValue");
        assert!(format.is_some_and(|format| !format.has_problems("") && format.has_problems("-")));
        assert!(named_format("email").is_none() && named_format("uri") != named_format("uuid"));
    }
}

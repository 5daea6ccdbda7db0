//! Formats that rules name, such as `format.dns1123Label()`.

use kubernetes_schema_terms::{NameFormat, TextFormat, is_date_time};

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
    }
}

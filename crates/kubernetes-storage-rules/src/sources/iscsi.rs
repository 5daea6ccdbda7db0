//! Names of iSCSI.

/// Returns true if a server accepts the text as a name of iSCSI.
///
/// The server searches the text for one of these expressions, chosen by its beginning, `iqn`, `eui`
/// or `naa`; here they are plain code because a library for them is larger than this crate:
///
/// * `iqn\.[0-9]{4}-[0-9]{2}\.[0-9A-Za-z.-]+:[^,;*&$|\t\n\f\r ]+$`
/// * `^eui.[0-9A-Za-z]{16}$`
/// * `^naa.[0-9A-Za-z]{32}$`
#[inline]
pub(super) fn is_iscsi_name(text: &str) -> bool {
    if text.starts_with("iqn") {
        // The server searches for the name, so it may begin anywhere.
        text.match_indices("iqn.")
            .any(|(at, prefix)| text.get(at + prefix.len()..).is_some_and(is_iqn))
    } else if let Some(rest) = text.strip_prefix("eui") {
        is_identifier(rest, 16)
    } else if let Some(rest) = text.strip_prefix("naa") {
        is_identifier(rest, 32)
    } else {
        false
    }
}

/// Returns true if the text is the rest of a qualified name after `iqn.`: a year and a month, the
/// naming authority, a colon and any text without spaces and some special characters.
#[inline]
fn is_iqn(text: &str) -> bool {
    let Some((date, rest)) = text.split_at_checked("2001-04.".len()) else {
        return false;
    };
    let is_date = date
        .bytes()
        .zip("dddd-dd.".bytes())
        .all(|(found, form)| match form {
            b'd' => found.is_ascii_digit(),
            other => found == other,
        });
    let is_authority = |text: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        !text.is_empty() && text.chars().all(is_part)
    };
    let refused = [',', ';', '*', '&', '$', '|', '\t', '\n', '\u{c}', '\r', ' '].as_slice();
    is_date
        && rest.split_once(':').is_some_and(|(authority, name)| {
            is_authority(authority) && !name.is_empty() && !name.contains(refused)
        })
}

/// Returns true if the text is any character, which should be a dot, and that many letters and
/// digits.
#[inline]
fn is_identifier(text: &str, length: usize) -> bool {
    let mut chars = text.chars();
    let rest = chars
        .next()
        .filter(|first| *first != '\n')
        .map(|_| chars.as_str());
    rest.is_some_and(|rest| {
        rest.len() == length && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_three_forms() {
        let right = [
            "iqn.2001-04.com.example:storage:diskarrays-sn-a8675309",
            "iqn.2001-04.a:b",
            "iqn.0000-99.-:\u{1f980}",
            "iqn.2001-04.a:iqn.",
            "iqn, iqn.2001-04.a:b",
            "eui.0123456789abcDEF",
            "euix0123456789abcDEF",
            "eui\u{e9}0123456789abcDEF",
            "naa.0123456789abcdef0123456789ABCDEF",
        ];
        for name in right {
            assert!(is_iscsi_name(name), "{name}");
        }
        let wrong = [
            "",
            "iqn",
            "iqn.2001-04.com.example",
            "iqn.2001-04.com.example:",
            "iqn.2001-04.:a",
            "iqn.2001-4.a:b",
            "iqn.2001-04a:b",
            "iqn.2001-04.a_b:c",
            "iqn.2001-04.a:b c",
            "iqn.2001-04.a:b\n",
            "xiqn.2001-04.a:b",
            "iqn.2001-\u{e9}4.a:b",
            "eui.0123456789abcDE",
            "eui.0123456789abcDEF0",
            "eui\n0123456789abcDEF",
            "eui.0123456789abcDE\u{e9}",
            "naa.0123456789abcdef",
            "EUI.0123456789abcDEF",
        ];
        for name in wrong {
            assert!(!is_iscsi_name(name), "{name}");
        }
    }
}

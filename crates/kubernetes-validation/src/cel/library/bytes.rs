//! Bytes.

use std::fmt::Write;

use super::{Failure, Result};

/// Returns the text that bytes are, in UTF-8.
#[inline]
pub fn text_of(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Failure::Form)
}

/// Writes bytes with two digits each.
#[must_use]
#[inline]
pub fn hex(of: impl AsRef<[u8]>) -> String {
    let bytes = of.as_ref().iter();
    bytes.fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns true for bytes in base64.
#[must_use]
#[inline]
pub fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let is_padded = text.len().is_multiple_of(4) && text.len() - digits.len() <= 2;
    !text.is_empty() && is_padded && digits.bytes().all(is_digit)
}

/// Returns the bytes of a field. A server fails to read those in which `+` or `/` are, as its rules
/// read another alphabet than its schemas ask for.
#[inline]
pub fn written_bytes(bytes: &[u8]) -> Result<&[u8]> {
    let is_other = |three: &[u8]| {
        let at = |index| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        [18, 12, 6, 0]
            .into_iter()
            .any(|shift| bits >> shift & 63 >= 62)
    };
    match bytes.chunks(3).any(is_other) {
        true => Err(Failure::Form),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes() {
        assert_eq!(
            (text_of(b"a"), text_of(b"\xff")),
            (Ok("a"), Err(Failure::Form))
        );
        assert_eq!((hex("\u{e9}"), hex(b"\x00")), ("c3a9".into(), "00".into()));
        for text in ["YQ==", "YWE=", "+/+/"] {
            assert!(is_base64(text), "{text}");
        }
        for text in ["", "YQ", "Y===", "====", "Y-==", "Y=Q="] {
            assert!(!is_base64(text), "{text}");
        }
        assert_eq!(written_bytes(b"abcd"), Ok(b"abcd".as_slice()));
        for other in [b"\xfb".as_slice(), b"aaa\x00\x0f\xc0", b"~", b"aa?"] {
            let is_read = matches!(other, b"~");
            assert_eq!(written_bytes(other).is_ok(), is_read, "{other:?}");
        }
    }
}

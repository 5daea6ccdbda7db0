//! The parameters of a request.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::refusal::Refusal;
use crate::selector::Selector;

/// The decoded parameters of a URL.
#[derive(Clone, Debug)]
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    pub(crate) fn new(query: &str) -> Self {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Self(
            pairs
                .map(|(name, value)| (decode(name), decode(value)))
                .collect(),
        )
    }

    /// A parameter that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| value == "true" || value == "1")
    }

    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, Refusal> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value.parse().map(Some);
        number.map_err(|_| Refusal::bad_request(format!("{name}: \"{value}\" is not a number")))
    }

    pub(crate) fn selector(&self) -> Result<Selector, Refusal> {
        let labels = self.get("labelSelector").unwrap_or_default();
        let fields = self.get("fieldSelector").unwrap_or_default();
        Selector::parse(labels, fields).map_err(Refusal::bad_request)
    }
}

/// Undoes the escapes of a form, `%2C` and `+`.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => digit(*high).zip(digit(*low)),
            _ => None,
        };
        bytes.push(match (escaped, first) {
            (Some((high, low)), _) => {
                rest = after.get(2..).unwrap_or_default();
                high * 16 + low
            }
            (None, b'+') => b' ',
            (None, byte) => *byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

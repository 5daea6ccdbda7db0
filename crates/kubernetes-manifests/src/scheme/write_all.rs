//! Writes streams of objects.

use super::object::AnyObject;
use crate::error::SchemeError;

/// Writes objects as JSON, each on a line of its own;
/// [`Scheme::decode_json_all`](super::Scheme::decode_json_all) reads them back.
///
/// # Errors
///
/// When serializing one fails.
pub fn to_json_all<'o>(
    objects: impl IntoIterator<Item = &'o AnyObject>,
) -> Result<String, SchemeError> {
    let mut text = String::new();
    for object in objects {
        text += &object.to_json()?;
        text.push('\n');
    }
    Ok(text)
}

/// Writes objects as a stream of YAML documents, with `---` between them;
/// [`Scheme::decode_yaml_all`](super::Scheme::decode_yaml_all) reads them back.
///
/// # Errors
///
/// When serializing one fails.
#[cfg(feature = "yaml")]
pub fn to_yaml_all<'o>(
    objects: impl IntoIterator<Item = &'o AnyObject>,
) -> Result<String, SchemeError> {
    let mut text = String::new();
    for object in objects {
        if !text.is_empty() {
            text += "---\n";
        }
        text += &object.to_yaml()?;
    }
    Ok(text)
}

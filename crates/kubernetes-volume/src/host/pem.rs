//! Certificates in PEM.

use k8s_openapi::ByteString;
use serde_json::Value;

/// The characters of a line of data.
const LINE: usize = 64;

/// Returns the content of the blocks of a text, in their order. What is between blocks, headers and
/// blocks that are no PEM are left out.
pub(super) fn blocks(text: &str) -> Vec<Vec<u8>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in text.lines().map(str::trim_end) {
        if let Some(label) = boundary(line, "-----BEGIN ") {
            open = Some((label, String::new()));
        } else if let Some(label) = boundary(line, "-----END ") {
            let closed = open.take().filter(|(begun, _)| *begun == label);
            blocks.extend(closed.and_then(|(_, data)| decoded(data)));
        } else if let Some((_, data)) = open.as_mut().filter(|_| !line.contains(':')) {
            data.extend(line.split_whitespace());
        }
    }
    blocks
}

/// Returns the label of a line that begins or ends a block.
fn boundary<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    line.strip_prefix(start)?.strip_suffix("-----")
}

fn decoded(data: String) -> Option<Vec<u8>> {
    let bytes: ByteString = serde_json::from_value(Value::String(data)).ok()?;
    Some(bytes.0)
}

/// Returns blocks as certificates, and nothing else.
pub(super) fn certificates(blocks: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut text = String::new();
    for block in blocks {
        text.push_str("-----BEGIN CERTIFICATE-----\n");
        let data = serde_json::to_value(ByteString(block)).unwrap_or_default();
        for (index, character) in data.as_str().unwrap_or_default().chars().enumerate() {
            if index > 0 && index % LINE == 0 {
                text.push('\n');
            }
            text.push(character);
        }
        text.push_str("\n-----END CERTIFICATE-----\n");
    }
    text.into_bytes()
}

//! The paths that files can have.

use super::Payload;
use crate::{Error, Result};

/// The longest part of a path, and the longest path, in bytes.
const MOST_OF_PART: usize = 255;
const MOST: usize = 4096;

/// Checks that all files can be written, and that none is in the way of another.
pub(super) fn check(payload: &Payload) -> Result<()> {
    for path in payload.keys() {
        if let Some(reason) = reason(path) {
            return Err(Error::invalid(format!(
                "the path {path:?} of a file {reason}"
            )));
        }
        // Each directory above the file.
        for (at, _) in path.match_indices('/') {
            if let Some(above) = path.get(..at)
                && payload.contains_key(above)
            {
                return Err(Error::invalid(format!(
                    "the path {path:?} of a file is below {above:?}, which is a file too"
                )));
            }
        }
    }
    Ok(())
}

fn reason(path: &str) -> Option<String> {
    if path.is_empty() {
        return Some("is empty".to_owned());
    }
    if path.starts_with('/') {
        return Some("is absolute; it has to be relative to the volume".to_owned());
    }
    if path.len() > MOST {
        return Some(format!("has {} bytes; {MOST} are allowed", path.len()));
    }
    if path.contains('\0') {
        return Some("has a null byte".to_owned());
    }
    if path.starts_with("..") {
        return Some("begins with \"..\", which is for the links behind the files".to_owned());
    }
    for part in path.split('/') {
        match part {
            "" | "." | ".." => return Some(format!("has the part {part:?}")),
            part if part.len() > MOST_OF_PART => {
                return Some(format!(
                    "has a part of {} bytes; {MOST_OF_PART} are allowed",
                    part.len()
                ));
            }
            _ => {}
        }
    }
    None
}

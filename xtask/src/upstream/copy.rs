//! Copies the files of a module that tests read.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::list::{FILE, Module, matches};
use crate::{checksum, workspace};

/// Copies the listed files of a module, checks their checksum and returns their number.
pub(super) fn files(module: &Module, from: &Path, to: &Path) -> Result<usize, Box<dyn Error>> {
    let mut sums = BTreeMap::new();
    for copy in &module.copies {
        let folder = from.join(&copy.from);
        let mut found = Vec::new();
        list(&folder, "", &mut found)?;
        for pattern in &copy.only {
            if !found.iter().any(|path| matches(pattern, path)) {
                let pattern = Path::new(&copy.from).join(pattern);
                return Err(format!(
                    "error: {FILE}: {module} has no file `{}`",
                    pattern.display()
                )
                .into());
            }
        }
        let is_listed = |path: &&String| copy.only.iter().any(|pattern| matches(pattern, path));
        for path in found.iter().filter(is_listed) {
            let name = format!("{}/{}", copy.to, copy.names.apply(path));
            let sum = one(&folder.join(path), &to.join(&name))?;
            sums.insert(name, sum);
        }
    }
    check(module, &sums)?;
    Ok(sums.len())
}

/// Copies a file and returns its SHA-256.
fn one(from: &Path, to: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = fs::read(from).map_err(|e| workspace::error("can't read", from, &e))?;
    let parent = to.parent().unwrap_or(to);
    fs::create_dir_all(parent).map_err(|e| workspace::error("can't make", parent, &e))?;
    fs::write(to, &bytes).map_err(|e| workspace::error("can't write", to, &e))?;
    Ok(checksum::sha256(&bytes))
}

/// Go checks a module when it is downloaded, but not what is in its cache later.
fn check(module: &Module, sums: &BTreeMap<String, String>) -> Result<(), Box<dyn Error>> {
    let mut all = Sha256::new();
    for (name, sum) in sums {
        all.update(format!("{sum}  {name}\n"));
    }
    let found = format!("h1:{}", base64(&all.finalize()));
    if found == module.files {
        return Ok(());
    }
    Err(format!(
        "error: the files of {module} have the checksum {found}, but {FILE} has {}\n  help: if {FILE} \
         is not new, Go's cache was changed: run `go clean -modcache`",
        module.files
    )
    .into())
}

/// Lists the files below a folder by their paths from there, with `/` on every system.
fn list(folder: &Path, start: &str, found: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    let report = |e| workspace::error("can't read", folder, &e);
    for entry in fs::read_dir(folder).map_err(report)? {
        let entry = entry.map_err(report)?;
        let path = format!("{start}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(report)?.is_dir() {
            list(&entry.path(), &format!("{path}/"), found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// Encodes bytes as go.sum does.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | usize::from(chunk.get(at).copied().unwrap_or_default())
        });
        for at in 0..4 {
            match at <= chunk.len() {
                true => text.push(char::from(DIGITS[bits >> (18 - 6 * at) & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

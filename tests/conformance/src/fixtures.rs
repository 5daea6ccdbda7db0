//! Kubernetes' own fixtures, as its round-trip tests keep them for each release.
//!
//! They are not part of this repository. The environment variable `UPSTREAM_DIR` names a
//! folder with `golden/RELEASE/GROUP.VERSION.KIND.json`, `.yaml` and `.pb`. The tests that need it
//! are ignored unless they are asked for, and fail without it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The environment variable that names the folder.
pub const VARIABLE: &str = "UPSTREAM_DIR";

/// The suffix of a fixture that holds what Kubernetes' current release writes after
/// reading an older one.
const AFTER_ROUND_TRIP: &str = "after_roundtrip";

/// One object in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Release and file name, for messages.
    pub name: String,
    /// True if the release wrote this after it had read the fixture.
    pub after_round_trip: bool,
    /// The contents, in JSON.
    pub json: String,
    /// The same contents, in YAML.
    pub yaml: String,
    /// The same contents, in protobuf.
    pub protobuf: Vec<u8>,
}

/// Returns the folder with fixtures.
///
/// # Errors
///
/// When the variable is not set, or names something else.
pub fn folder() -> io::Result<PathBuf> {
    let error = |what: String| {
        let message = format!("{VARIABLE} {what}; see docs/testing.md");
        io::Error::new(io::ErrorKind::NotFound, message)
    };
    let folder = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    let folder = folder.ok_or_else(|| error("is not set".to_owned()))?;
    // Tests run in the folder of their crate; a relative path is meant from the root.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    if folder.join("golden").is_dir() {
        Ok(folder)
    } else {
        Err(error(format!(
            "names {}, which has no golden/",
            folder.display()
        )))
    }
}

/// All fixtures of one kind, of every release under `folder`, in order.
///
/// # Errors
///
/// When the folder can't be read, when no fixture is in it, or when one format is missing.
pub fn load(folder: &Path, api_version: &str, kind: &str) -> io::Result<Vec<Fixture>> {
    let group_version = match api_version.contains('/') {
        true => api_version.replace('/', "."),
        false => format!("core.{api_version}"),
    };
    let stem = format!("{group_version}.{kind}");
    let mut releases = fs::read_dir(folder.join("golden"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    releases.sort();
    let mut fixtures = Vec::new();
    for release in releases {
        for suffix in ["", AFTER_ROUND_TRIP] {
            let stem = match suffix {
                "" => stem.clone(),
                suffix => format!("{stem}.{suffix}"),
            };
            let json = release.join(format!("{stem}.json"));
            if json.exists() {
                let folder = release.file_name().unwrap_or_default().to_string_lossy();
                fixtures.push(Fixture {
                    name: format!("{folder}/{stem}"),
                    after_round_trip: !suffix.is_empty(),
                    json: fs::read_to_string(&json)?,
                    yaml: fs::read_to_string(json.with_extension("yaml"))?,
                    protobuf: fs::read(json.with_extension("pb"))?,
                });
            }
        }
    }
    if fixtures.is_empty() {
        let message = format!("no fixture {stem}.json under {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    Ok(fixtures)
}

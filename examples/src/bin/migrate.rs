//! Brings the manifests of a folder to storage.k8s.io/v1.
//!
//! ```text
//! cargo run --bin migrate -- examples/manifests > v1.yaml
//! ```
//!
//! Reads every `.yaml`, `.yml` and `.json` file of the folder, in whatever version each object
//! of storage.k8s.io and csi.storage.k8s.io is, and writes all of them to standard output as
//! one stream of YAML. Other objects pass through. Standard error reports the changes, and the fields
//! that v1 can't represent, which an annotation preserves. If a file can't be read, nothing is
//! written.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kubernetes_kinds::GroupVersion;
use kubernetes_kinds::convert::CONVERSION_DATA_ANNOTATION;
use kubernetes_manifests::scheme::{AnyObject, Scheme, to_yaml_all};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: migrate FOLDER");
        return ExitCode::from(2);
    };
    match migrate(Path::new(&folder)) {
        Ok((yaml, report)) => {
            eprint!("{report}");
            print!("{yaml}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns a scheme of every version that this program knows.
fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    storage_all::add_to_scheme(&mut scheme);
    scheme
}

/// Returns the objects of all files in v1, as YAML, and the report.
fn migrate(folder: &Path) -> Result<(String, String), Box<dyn Error>> {
    let scheme = scheme();
    let mut migrated = Vec::new();
    let mut report = String::new();
    for path in manifests(folder)? {
        let named = |error: &dyn Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| named(&error))?;
        // JSON is YAML.
        let objects = scheme.decode_yaml_all(&text).map_err(|error| named(&error))?;
        for object in objects {
            let object = newest(object, &scheme).map_err(|error| named(&*error))?;
            report += &line(&path, &object);
            migrated.push(object);
        }
    }
    Ok((to_yaml_all(&migrated)?, report))
}

/// The manifests of a folder, by name.
fn manifests(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<_> = paths.collect::<Result<_, _>>()?;
    paths.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("yaml" | "yml" | "json"))
    });
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{}: no .yaml, .yml or .json file", folder.display()).into());
    }
    Ok(paths)
}

/// Returns the version that replaces that of an object, if it has been replaced.
fn replacement(object: &AnyObject, scheme: &Scheme) -> Option<GroupVersion> {
    let replacement = scheme.kind(&object.kind())?.lifecycle?.replacement?;
    Some(GroupVersion::from_api_version(replacement.api_version))
}

/// Converts an object to the newest version if its group is registered.
fn newest(mut object: AnyObject, scheme: &Scheme) -> Result<AnyObject, Box<dyn Error>> {
    let kind = object.kind();
    let mut known = scheme.group_versions().map(|known| &known.group);
    if scheme.recognizes(&kind) {
        while let Some(version) = replacement(&object, scheme) {
            object = object.convert_to(scheme, &version)?;
        }
        Ok(object)
    } else if known.any(|group| *group == kind.group_version.group) {
        Err(format!("{}: {kind} is of no version that is known", object.location())
            .into())
    } else {
        Ok(object)
    }
}

/// Returns the lines of the report for an object.
fn line(path: &Path, object: &AnyObject) -> String {
    let (path, name) = (path.display(), object.name().unwrap_or("without a name"));
    let (before, now) = (object.read(), object.kind());
    if *before == now {
        return format!("{path}: {before} {name} stays as it is\n");
    }
    let mut line = format!("{path}: {before} {name} becomes {now}\n");
    for field in object.unrepresentable() {
        line += &format!("    preserved in {CONVERSION_DATA_ANNOTATION}: {field}\n");
    }
    line
}

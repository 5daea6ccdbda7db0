//! The definitions that crates are made of.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use codegen::{
    Config, CustomVersion, Diagnostics, DocumentSource, Inputs, NO_DEFINITION, Part, Parts,
    Release, Source,
};

use crate::{Found, TypeChoices, files};

/// The definitions to read.
#[derive(Clone, Copy, Debug)]
pub struct Definitions<'a> {
    /// The files of manifests, folders with such, or `-` for the standard input.
    pub paths: &'a [PathBuf],
    /// Texts that are at hand already, each with the name of its file.
    pub given: &'a [(PathBuf, String)],
    /// The folder with the run-time crates that the generated ones depend on; those of the registry
    /// if not given.
    pub runtime: Option<&'a Path>,
    /// The release for which the crates are made; the newest if not given.
    pub release: Option<Release>,
    /// What is made of them.
    pub choices: &'a Choices,
}

/// What crates are made of definitions.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Choices {
    /// An overlay for the definitions; may be repeated. Its `x-prefix` names the group and version
    /// that it is for, such as `com.example.v1.`; without one it is for all.
    #[arg(long, value_name = "FILE", requires = "crd")]
    overlay: Vec<PathBuf>,

    /// Only these versions, such as `v1`; all that are served if not given.
    #[arg(long, value_name = "VERSION", requires = "crd", value_delimiter = ',')]
    only: Vec<String>,

    /// The parts of the crates beside their types: `builders`, `apply`, `definition`,
    /// `k8s-openapi-types`, `manifests`, `merge`, `schemars`, `validation`, or `types` for none of
    /// them; all if not given.
    #[arg(long, value_name = "PART", requires = "crd", value_delimiter = ',')]
    parts: Vec<String>,

    /// Make one type of the objects inside the schemas of a group and version that are equal but
    /// for their descriptions. It has the shortest of the names that they have otherwise.
    #[arg(long, requires = "crd")]
    pub merge_equal: bool,

    /// Make types of all objects inside the schemas. Without it, small ones that are equal to a
    /// type of k8s-openapi, such as LabelSelector or ObjectReference, are that type.
    #[arg(long, requires = "crd")]
    own_types: bool,

    /// Write a file for each group and version instead of a crate, as in `cert_manager_io_v1.rs`: a
    /// module for a crate of your own. It has types, and builders unless `--parts` says `types`.
    #[arg(long, requires = "crd")]
    pub(crate) single_file: bool,

    /// Refuse definitions with rules that the crates can't check, and say how to mend them. Without
    /// it the crates list such rules, and so does this command.
    #[arg(long, requires = "crd")]
    deny_unchecked: bool,

    #[command(flatten)]
    types: TypeChoices,
}

/// The newest release that the generator knows.
pub(crate) fn newest() -> Result<Release, Box<dyn Error>> {
    Ok(NEWEST.parse()?)
}

/// As in `codegen.toml`; a test compares them.
const NEWEST: &str = "1.37";

/// The version of k8s-openapi whose traits the crates implement, as in the workspace.
const K8S_OPENAPI: &str = "0.29";

/// The version of kube whose trait they implement for definitions, as in the workspace.
const KUBE: &str = "5";

/// The edition of generated crates.
pub(crate) const EDITION: &str = "2024";

/// Reads definitions, and makes the configuration of a crate for each group and version in them.
///
/// # Errors
///
/// A file can't be read or isn't a manifest, two have the same name, there is no definition, or
/// none of a version that is asked for.
pub fn read(definitions: &Definitions<'_>) -> Result<Found, Box<dyn Error>> {
    let Choices { overlay, only, .. } = definitions.choices;
    let release = match definitions.release {
        Some(release) => release,
        None => newest()?,
    };
    let (mut inputs, mut paths) = (Inputs::default(), BTreeMap::new());
    let mut crates: BTreeMap<CustomVersion, Vec<String>> = BTreeMap::new();
    let given = definitions.given.iter().cloned();
    for (path, text) in texts(definitions.paths)?.into_iter().chain(given) {
        let name = match path.as_os_str() == STDIN {
            true => "stdin.yaml".to_owned(),
            false => file_name(&path),
        };
        let mut source = Source::new(format!("v{release}/{name}"), text);
        let versions = match codegen::custom_versions(&source) {
            Ok(versions) => versions,
            // Another file of a folder only mentions definitions.
            Err(errors) if !definitions.paths.contains(&path) && has_none(&errors) => continue,
            Err(errors) => return Err(shown(errors, &path).into()),
        };
        source.drop_read_text();
        for version in versions {
            crates.entry(version).or_default().push(name.clone());
        }
        if paths.insert(source.name.clone(), path).is_some() {
            return Err(format!(
                "error: two files are named {name}\n  help: rename one of them; the generated code \
                 names its source"
            )
            .into());
        }
        let document = DocumentSource { source, release };
        inputs
            .documents
            .insert(document.source.name.clone(), document);
    }
    if crates.is_empty() {
        let none = "error: no CustomResourceDefinition in any of the files";
        return Err(none.into());
    }
    keep_only(&mut crates, only)?;
    let mut overlays = Vec::new();
    for path in overlay {
        let name = file_name(path);
        let source = Source::new(name.as_str(), files::read(path)?);
        let prefix = codegen::overlay_prefix(&source).map_err(|errors| shown(errors, path))?;
        check_overlay(path, prefix.as_deref(), &crates)?;
        if paths.insert(name.clone(), path.clone()).is_some() {
            return Err(format!("error: two files are named {name}\n  help: rename one").into());
        }
        inputs.overlays.insert(name.clone(), source);
        overlays.push((name, prefix));
    }
    let config = config(&crates, release, &overlays, definitions)?;
    // As errors in it name it.
    paths.insert("codegen.toml".to_owned(), "the options".into());
    let config = Source::new("the options", config);
    let config = Config::parse(&config)?;
    Ok(Found {
        config,
        inputs,
        paths,
    })
}

/// Leaves out the versions that aren't asked for.
fn keep_only(
    crates: &mut BTreeMap<CustomVersion, Vec<String>>,
    only: &[String],
) -> Result<(), Box<dyn Error>> {
    for wanted in only {
        if !crates.keys().any(|known| known.version == *wanted) {
            let mut known: Vec<_> = crates.keys().map(|known| known.version.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            return Err(format!(
                "error: --only {wanted}: no definition serves it\n  help: there is {}",
                known.join(", ")
            )
            .into());
        }
    }
    crates.retain(|known, _| only.is_empty() || only.contains(&known.version));
    Ok(())
}

/// Returns true if all that is wrong with a file is that it has no definition.
fn has_none(errors: &Diagnostics) -> bool {
    let mut errors = errors.iter();
    errors.all(|error| error.message == NO_DEFINITION)
}

/// Errors of one file, under the path that the user gave.
fn shown(errors: Diagnostics, path: &Path) -> Diagnostics {
    errors.renamed(|_| Some(path.display().to_string()))
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The word for no part beside the types.
const TYPES: &str = "types";

/// The parts of crates that the user names; all if none is named.
fn parts(names: &[String]) -> Result<Parts, Box<dyn Error>> {
    if names.is_empty() {
        return Ok(Parts::from_iter(Part::ALL));
    }
    let parts = names.iter().filter(|name| *name != TYPES);
    let parts: Result<Parts, _> = parts.map(|name| name.parse::<Part>()).collect();
    Ok(parts.map_err(|error| format!("error: --parts: {error}, and `{TYPES}` for none"))?)
}

/// What a file with a definition has, in YAML or JSON.
const DEFINES: [&str; 2] = [
    "kind: CustomResourceDefinition",
    "\"CustomResourceDefinition",
];

/// The path that stands for the standard input.
const STDIN: &str = "-";

/// The texts of files, of the files in folders that have definitions, and of the standard input,
/// each with its path.
fn texts(paths: &[PathBuf]) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let mut texts = Vec::new();
    for path in paths {
        if path.as_os_str() == STDIN {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            texts.push((path.clone(), text));
        } else if path.is_dir() {
            let before = texts.len();
            for file in manifests(path)? {
                let text = files::read(&file)?;
                if DEFINES.iter().any(|part| text.contains(part)) {
                    texts.push((file, text));
                }
            }
            if texts.len() == before {
                let path = path.display();
                return Err(format!(
                    "error: {path}: no file with a CustomResourceDefinition\n  help: files of \
                     manifests end in .yaml, .yml or .json"
                )
                .into());
            }
        } else if is_manifest(path) {
            texts.push((path.clone(), files::read(path)?));
        } else {
            return Err(format!(
                "error: {} is no .yaml, .yml or .json\n  help: an OpenAPI document belongs into \
                 codegen.toml",
                path.display()
            )
            .into());
        }
    }
    Ok(texts)
}

/// The files of manifests in a folder and those in it, sorted.
fn manifests(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("error: {}: {e}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        // Not through links, which may lead in a circle.
        if entry.file_type()?.is_dir() {
            found.extend(manifests(&path)?);
        } else if is_manifest(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn is_manifest(path: &Path) -> bool {
    let end = path.extension().and_then(OsStr::to_str);
    end.is_some_and(|end| ["yaml", "yml", "json"].contains(&end))
}

/// Checks that an overlay is for a group and version that there is.
fn check_overlay(
    path: &Path,
    prefix: Option<&str>,
    crates: &BTreeMap<CustomVersion, Vec<String>>,
) -> Result<(), Box<dyn Error>> {
    let Some(prefix) = prefix else { return Ok(()) };
    if crates.keys().any(|version| version.prefix == prefix) {
        return Ok(());
    }
    let known: Vec<_> = crates.keys().map(|v| format!("`{}`", v.prefix)).collect();
    Err(format!(
        "error: {} is for `{prefix}`, of which there is no definition\n  help: correct its \
         `x-prefix`; there is {}",
        path.display(),
        known.join(", ")
    )
    .into())
}

fn config(
    crates: &BTreeMap<CustomVersion, Vec<String>>,
    release: Release,
    overlays: &[(String, Option<String>)],
    definitions: &Definitions<'_>,
) -> Result<String, Box<dyn Error>> {
    let mut text = format!("newest = \"{release}\"\n");
    let choices = definitions.choices;
    let parts = match choices.single_file && choices.parts.is_empty() {
        true => Parts::from_iter([Part::Builders]),
        false => parts(&choices.parts)?,
    };
    let single = choices.single_file;
    if let Some(part) = parts.iter().find(|part| single && *part != Part::Builders) {
        return Err(format!(
            "error: --single-file can't have the part {part}\n  help: it has types and builders; \
             leave the option out to make a crate"
        )
        .into());
    }
    let parts: Vec<_> = parts.iter().map(Part::name).collect();
    let (version, package) = choices.types.package()?;
    let standalone = standalone(definitions.runtime, &version)? + &package;
    let standalone = standalone + &choices.types.tables()?;
    let keys = choices.types.keys();
    for (
        CustomVersion {
            group: of,
            version,
            prefix,
        },
        files,
    ) in crates
    {
        let name = format!("{}-{version}", of.replace('.', "-"));
        let _ = write!(
            text,
            "\n[[crate]]\nname = {name:?}\ndescription = \"Types of {of}/{version}\"\nparts = {parts:?}\nsingle-file = {single}\n\
             {keys}{standalone}"
        );
        // One that names no group is for all.
        let mine = overlays
            .iter()
            .filter(|(_, of)| of.as_ref().is_none_or(|of| of == prefix));
        let mine: Vec<_> = mine.map(|(name, _)| name).collect();
        // Objects that are equal are found in one document, and a file is of one.
        let documents = match choices.merge_equal || choices.single_file {
            true => vec![files.as_slice()],
            false => files.chunks(1).collect(),
        };
        for (file, more) in documents.into_iter().filter_map(<[_]>::split_first) {
            let _ = write!(
                text,
                "\n[[crate.document]]\nfile = {file:?}\nmore-files = {more:?}\nprefix = {prefix:?}\noverlays = {mine:?}\n\
                 list-unchecked = {}\nmerge-equal = {}\nkubernetes-types = {}\n",
                !choices.deny_unchecked, choices.merge_equal, !choices.own_types,
            );
        }
    }
    Ok(text
        + "\n[[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n\
         \n[[extern]]\nprefix = \"io.k8s.api.\"\npath = \"k8s_openapi::api\"\n")
}

/// What the manifests say, which inherit nothing: the run-time crates are of one release with the
/// generator.
fn standalone(runtime: Option<&Path>, version: &toml::Value) -> Result<String, Box<dyn Error>> {
    let path = match runtime {
        Some(folder) => {
            let folder = std::path::absolute(folder)?.display().to_string();
            format!("runtime-path = {}\n", toml::Value::from(folder))
        }
        None => String::new(),
    };
    Ok(format!(
        "[crate.standalone]\nversion = {version}\nedition = \"{EDITION}\"\nrust-version = {:?}\n\
         k8s-openapi = \"{K8S_OPENAPI}\"\nkube = \"{KUBE}\"\nruntime = {:?}\n{path}",
        env!("CARGO_PKG_RUST_VERSION"),
        env!("CARGO_PKG_VERSION"),
    ))
}

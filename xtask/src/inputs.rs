//! Finds and reads what the generator works on.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};

use codegen::{Config, ConversionRule, DocumentConfig, DocumentSource, Inputs, Release, Source};

pub(crate) use kubernetes_crdgen::Found;

use crate::fetch::Record;
use crate::workspace;

/// A folder of documents.
pub(crate) struct Folder<'a> {
    /// The folder.
    pub(crate) path: &'a Path,
    /// The release of its documents, where its name doesn't say it.
    pub(crate) release: Option<Release>,
}

/// Reads the configuration of the workspace, cut down to the crates that are named and those
/// into which they are converted.
pub(crate) fn config(root: &Path, crates: &[String]) -> Result<Config, Box<dyn Error>> {
    let text = workspace::read(&root.join(workspace::CONFIG))?;
    let mut config = Config::parse(&Source::new(workspace::CONFIG, text))?;
    let bundle = config.bundle.as_ref().map(|bundle| &bundle.name);
    let known: Vec<_> = config
        .crates
        .iter()
        .map(|krate| &krate.name)
        .chain(bundle)
        .collect();
    for wanted in crates {
        if !known.contains(&wanted) {
            let known: Vec<_> = known.iter().map(|name| name.as_str()).collect();
            return Err(format!(
                "error: {} has no crate `{wanted}`\n  help: it has {}",
                workspace::CONFIG,
                known.join(", ")
            )
            .into());
        }
    }
    if !crates.is_empty() && !bundle.is_some_and(|bundle| crates.contains(bundle)) {
        config.bundle = None;
        let needed = with_targets(&config, crates);
        config.crates.retain(|krate| needed.contains(&krate.name));
    }
    Ok(config)
}

/// Crates with those into which they are converted, whose types their own are compared with.
fn with_targets(config: &Config, crates: &[String]) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    let mut next = crates.to_vec();
    while let Some(name) = next.pop() {
        let krate = config.crates.iter().find(|krate| krate.name == name);
        let target = krate.and_then(|krate| krate.conversion.as_ref());
        if needed.insert(name) {
            next.extend(target.map(|conversion| conversion.to.clone()));
        }
    }
    needed
}

/// Reads all documents and overlays that the configuration names. All that are missing are
/// reported; of a folder of one release only those that are there are read, but some for each
/// crate that is named.
pub(crate) fn read(
    root: &Path,
    folder: &Folder<'_>,
    config: Config,
    crates: &[String],
) -> Result<Found, Box<dyn Error>> {
    if folder.path.is_dir() {
        Record::checked(folder.path)?;
    }
    let mut all = Found::new(config, Inputs::default());
    let documents = |config: &Config| -> Vec<_> {
        config
            .crates
            .iter()
            .flat_map(|krate| &krate.documents)
            .flat_map(DocumentConfig::each_file)
            .collect()
    };
    if !documents(&all.config)
        .iter()
        .any(|document| folder.is_laid_out_for(document))
    {
        all.config = folder.cut_down(all.config, crates)?;
    }
    let mut errors = BTreeSet::new();
    for document in documents(&all.config) {
        match find(folder, &document) {
            Ok((found, path)) => {
                all.paths.insert(found.source.name.clone(), path);
                all.inputs.documents.insert(document.path(), found);
            }
            Err(error) => {
                errors.insert(error.to_string());
            }
        }
        for overlay in &document.overlays {
            let path = root.join("spec").join("overlays").join(overlay);
            match workspace::read(&path) {
                Ok(text) => {
                    let source = Source::new(format!("overlays/{overlay}"), text);
                    all.paths.insert(source.name.clone(), path);
                    all.inputs.overlays.insert(overlay.clone(), source);
                }
                Err(error) => {
                    errors.insert(error.to_string());
                }
            }
        }
    }
    if let Some(protobuf) = &all.config.protobuf {
        all.inputs.protos = protos(&root.join("spec"), &protobuf.folder)?;
    }
    if errors.is_empty() {
        return Ok(all);
    }
    Err(errors.into_iter().collect::<Vec<_>>().join("\n\n").into())
}

/// Reads the `.proto` files in a folder and those in it, named by their paths below `spec`. They
/// are the project's own for documents of any release: the number of a field never changes.
pub(crate) fn protos(spec: &Path, folder: &str) -> Result<Vec<Source>, Box<dyn Error>> {
    let files = workspace::files(&spec.join(folder))?;
    let protos = files.into_iter().filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "proto")
    });
    protos
        .map(|path| {
            let name = workspace::relative(&path, spec);
            Ok(Source::new(name, workspace::read(&path)?))
        })
        .collect()
}

impl Folder<'_> {
    /// Returns true if a document is in the folder of its release below this one.
    fn is_laid_out_for(&self, document: &DocumentConfig) -> bool {
        let wanted = self
            .release
            .is_none_or(|release| release == document.release);
        wanted && self.path.join(document.path()).exists()
    }

    /// The configuration for what a folder of one release has: of several documents of one
    /// group-version, the first that still served as late as that. Versions that it doesn't
    /// have are left out, since no release has all of them.
    fn cut_down(&self, mut config: Config, named: &[String]) -> Result<Config, Box<dyn Error>> {
        let release = self.release.or_else(|| release_of(self.path));
        let mut missing = Vec::new();
        for krate in &mut config.crates {
            let all = &krate.documents;
            let serving = all
                .iter()
                .filter(|d| serving(all, &d.file, release) == Some(d.release));
            let (there, gone): (Vec<_>, Vec<_>) = serving
                .cloned()
                .partition(|d| self.path.join(&d.file).exists());
            if there.is_empty() && named.contains(&krate.name) {
                return Err(none_found(self, &gone));
            }
            // Texts about all versions, above all examples, may not hold for some.
            if there.len() < krate.documents.len() {
                krate.about.clear();
            }
            // Hand-written modules for the kinds of our own documents may not fit either.
            krate.by_hand.clear();
            krate.prelude = None;
            if let Some(conversion) = &mut krate.conversion {
                let of = |rule: &ConversionRule, document: &DocumentConfig| {
                    rule.schema.starts_with(&document.prefix)
                };
                conversion
                    .rules
                    .retain(|rule| there.iter().any(|d| of(rule, d)));
            }
            krate.documents = there;
            missing.extend(gone);
        }
        config.crates.retain(|krate| !krate.documents.is_empty());
        if let Some(bundle) = config.bundle.as_mut().filter(|_| !missing.is_empty()) {
            bundle.about.clear();
        }
        if config.crates.is_empty() {
            return Err(none_found(self, &missing));
        }
        for document in missing {
            eprintln!("note: {} has no {}", self.path.display(), document.file);
        }
        Ok(config)
    }
}

/// The release of the document that describes what `release` served of a group-version.
fn serving(documents: &[DocumentConfig], file: &str, release: Option<Release>) -> Option<Release> {
    let of_file = documents.iter().filter(|document| document.file == file);
    let mut releases: Vec<_> = of_file.map(|document| document.release).collect();
    releases.sort();
    let stayed = release.and_then(|release| releases.iter().find(|at| **at >= release));
    stayed.or(releases.last()).copied()
}

/// Finds one document: in the folder of its release, or in the folder itself.
fn find(
    folder: &Folder<'_>,
    document: &DocumentConfig,
) -> Result<(DocumentSource, PathBuf), Box<dyn Error>> {
    let below = folder.path.join(document.path());
    if folder.is_laid_out_for(document) {
        let source = Source::new(document.path(), workspace::read(&below)?);
        let release = document.described();
        return Ok((DocumentSource { source, release }, below));
    }
    let here = folder.path.join(&document.file);
    if !here.exists() {
        return Err(not_found(folder, document));
    }
    let release = match (folder.release, release_of(folder.path)) {
        (Some(given), Some(named)) if given != named => {
            return Err(format!(
                "error: --release {given}, but {} is named after {named}\n  \
                 help: leave --release out, or rename the folder",
                folder.path.display()
            )
            .into());
        }
        (given, named) => given.or(named).unwrap_or_else(|| {
            eprintln!(
                "note: taking {} for a document of Kubernetes {}, as {} says; name the folder \
                 after its release (v1.34) or say --release 1.34 if it is another",
                here.display(),
                document.release,
                workspace::CONFIG
            );
            document.release
        }),
    };
    let name = format!("v{release}/{}", document.file);
    let source = Source::new(name, workspace::read(&here)?);
    Ok((DocumentSource { source, release }, here))
}

/// The release that a folder is named after, as in `openapi/v1.34`.
pub(crate) fn release_of(folder: &Path) -> Option<Release> {
    let folder = folder.canonicalize().ok()?;
    folder.file_name()?.to_str()?.parse().ok()
}

/// The folders in a folder that are named after releases.
pub(crate) fn releases_in(folder: &Path) -> Result<Vec<(PathBuf, Release)>, Box<dyn Error>> {
    let entries =
        std::fs::read_dir(folder).map_err(|e| workspace::error("can't read", folder, &e))?;
    let paths = entries.flatten().map(|entry| entry.path());
    Ok(paths
        .filter_map(|path| Some((path.clone(), release_of(&path)?)))
        .collect())
}

fn none_found(folder: &Folder<'_>, documents: &[DocumentConfig]) -> Box<dyn Error> {
    let errors = documents
        .iter()
        .map(|document| not_found(folder, document).to_string());
    errors.collect::<Vec<_>>().join("\n\n").into()
}

fn not_found(folder: &Folder<'_>, document: &DocumentConfig) -> Box<dyn Error> {
    let others = releases_with(folder.path, &document.file);
    let others: Vec<_> = others
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let help = if others.is_empty() {
        "give --spec the folder that holds it".to_owned()
    } else {
        format!("give --spec one of {}", others.join(", "))
    };
    format!(
        "error: no {}\n  --> neither {} nor {}\n  help: {help}",
        document.file,
        folder.path.join(document.path()).display(),
        folder.path.join(&document.file).display()
    )
    .into()
}

/// The folders of releases below a folder that hold a file of this name.
fn releases_with(folder: &Path, file: &str) -> BTreeSet<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.join(file).is_file())
        .collect()
}

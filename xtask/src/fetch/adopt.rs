//! `cargo xtask spec fetch --into-spec`: makes a release the newest that `spec/` describes.

use std::error::Error;
use std::path::Path;

use codegen::{Adopted, Config, DocumentConfig, Release, Source, adopt, compare};

use super::Documents;
use crate::differences::{self, Differences, Schemas};
use crate::inputs::{self, Folder, Found};
use crate::{spec, workspace};
use kubernetes_crdgen::output::{self, Change, Plan};

/// Writes the documents of the newest versions into the folder of the release, and the release into
/// the configuration. All files are written, or none.
pub(super) fn run(documents: &Documents, release: Release) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let spec_folder = root.join("spec");
    let config = inputs::config(&root, &[])?;
    let newest = newest(&config, release)?;
    let folder = Folder {
        path: &spec_folder,
        release: None,
    };
    let found = inputs::read(&root, &folder, config, &[])?;
    let schemas = spec::schemas(&found)?;
    let listed = Differences::read(&root, &schemas)?;
    let mut plan = Plan {
        changes: Vec::new(),
        unchanged: 0,
    };
    let configured = found
        .config
        .crates
        .iter()
        .flat_map(|krate| &krate.documents);
    let moved: Vec<_> = configured
        .filter(|document| document.release == newest)
        .collect();
    for document in &moved {
        let ours = found.inputs.documents.get(&document.path());
        let ours = &ours.ok_or("error: no document of ours")?.source;
        let adopted = match document.file.ends_with(".json") {
            true => Some(adopted(
                &found,
                document,
                ours,
                documents,
                (&listed, &schemas),
                release,
            )?),
            // Definitions of custom resources have releases of their own.
            false => None,
        };
        let text = adopted.as_ref().map_or(&ours.text, |adopted| &adopted.text);
        let path = spec_folder.join(format!("v{release}")).join(&document.file);
        report(&root, &path, adopted.as_ref());
        plan.changes.extend(change(
            &spec_folder.join(document.path()),
            &path,
            &ours.text,
            text,
        ));
    }
    if release != newest {
        let path = root.join(workspace::CONFIG);
        let text = with_newest(&workspace::read(&path)?, newest, release)?;
        plan.changes.push(Change::Replace { path, text });
        let path = root.join(differences::FILE);
        let before = workspace::read(&path)?;
        let text = with_moved(&before, &moved, release);
        plan.changes.extend(change(&path, &path, &before, &text));
    }
    output::carry_out(&root, &[plan])
}

/// Returns the newest release of the configuration, which this one must not precede.
fn newest(config: &Config, release: Release) -> Result<Release, Box<dyn Error>> {
    let newest = config.newest.ok_or_else(|| {
        format!(
            "error: {0} has no `newest` release\n  help: set it, so that documents can follow it",
            workspace::CONFIG
        )
    })?;
    if release < newest {
        return Err(format!(
            "error: spec/ describes Kubernetes {newest}, which is newer than {release}\n  help: \
             compare with it: cargo xtask spec verify --upstream"
        )
        .into());
    }
    Ok(newest)
}

fn adopted(
    found: &Found,
    document: &DocumentConfig,
    ours: &Source,
    documents: &Documents,
    (listed, schemas): (&Differences, &Schemas),
    release: Release,
) -> Result<Adopted, Box<dyn Error>> {
    let text = documents.texts.get(&document.file).ok_or_else(|| {
        format!(
            "error: Kubernetes {release} has no {0}\n  help: fetch its group too, or, if it is no \
             longer served, give the document `release = \"{1}\"` in {2}",
            document.file,
            document.release,
            workspace::CONFIG
        )
    })?;
    let upstream = Source::new(format!("v{release}/{}", document.file), text.clone());
    let comparison =
        compare(ours, &upstream, &document.kinds).map_err(|errors| found.locate(errors))?;
    let at = (release, comparison.from_server);
    let expected = listed.expected(&document.path(), schemas, at);
    let is_expected = |difference: &_| expected.iter().any(|known| known.is(difference));
    adopt(ours, &upstream, &document.kinds, is_expected)
        .map_err(|errors| found.locate(errors).into())
}

/// Prints what became of a document, and what is left to do.
fn report(root: &Path, path: &Path, adopted: Option<&Adopted>) {
    let shown = path.strip_prefix(root).unwrap_or(path).display();
    let Some(adopted) = adopted else {
        println!("{shown}: moved");
        return;
    };
    println!(
        "{shown}: {} places changed, {} descriptions to write",
        adopted.changes,
        adopted.to_describe.len()
    );
    for pointer in &adopted.to_describe {
        println!("  {pointer}");
    }
    for difference in &adopted.remaining {
        println!("  {} {}: edit it", difference.change, difference.pointer);
    }
}

/// Returns the changes that give a document its new text and place.
fn change(old: &Path, new: &Path, before: &str, text: &str) -> Vec<Change> {
    let (path, text) = (new.to_owned(), text.to_owned());
    if old != new {
        let path = path.clone();
        return vec![
            Change::Create { path, text },
            Change::Remove {
                path: old.to_owned(),
            },
        ];
    }
    match before == text {
        true => Vec::new(),
        false => vec![Change::Replace { path, text }],
    }
}

/// Returns the list of differences with the keys of documents in another folder.
fn with_moved(text: &str, moved: &[&DocumentConfig], release: Release) -> String {
    moved.iter().fold(text.to_owned(), |text, document| {
        let key = |path: &str| format!("[\"{path}\".");
        let new = format!("v{release}/{}", document.file);
        text.replace(&key(&document.path()), &key(&new))
    })
}

/// Returns the configuration with another newest release.
fn with_newest(text: &str, old: Release, new: Release) -> Result<String, Box<dyn Error>> {
    let line = format!("newest = \"{old}\"\n");
    // Tables have keys of that name too; the first is at the top.
    let top = text.split("\n[").next().unwrap_or_default();
    match top.matches(&line).count() {
        1 => Ok(text.replacen(&line, &format!("newest = \"{new}\"\n"), 1)),
        _ => Err(format!(
            "error: {} has no line `{}`\n  help: write `newest` so",
            workspace::CONFIG,
            line.trim_end()
        )
        .into()),
    }
}

//! `cargo xtask spec fetch`: gets the documents of a release.

mod adopt;
mod group;
mod index;
mod origin;
mod record;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use codegen::diff::{Complete, Snapshot};
use codegen::{Release, Source};
use serde::Deserialize;

use crate::{checksum, inputs, workspace};
use kubernetes_crdgen::output::{self, Change, Plan};

pub(crate) use group::group;
use group::shown;
use index::Index;
pub(crate) use origin::Origin;
pub(crate) use record::Record;

/// Get the OpenAPI documents of a release from a cluster, a URL or a folder.
///
/// Writes them into a folder that is named after the release, with their checksums in
/// fetched.toml, which `diff` and `codegen --spec` check. All documents are read and checked before
/// any is written; if anything is wrong, nothing is.
///
/// `kubectl` is used for clusters, `curl` for URLs.
#[derive(Args)]
pub(crate) struct Fetch {
    /// The release, such as 1.37. A server of another is an error.
    release: Release,

    /// `cluster` for that of the kubeconfig, `cluster:CONTEXT` for another one of it, the URL of an
    /// API server or of `kubectl proxy`, or a folder of documents.
    #[arg(long, default_value = "cluster", value_name = "SOURCE")]
    from: Origin,

    /// The parent of the release's folder; target/openapi if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Make the release the newest that spec/ describes: bring our documents of the newest versions
    /// into line with these, without their texts. Descriptions that are still to be written are
    /// listed.
    #[arg(long, conflicts_with = "out")]
    into_spec: bool,

    /// Fetch the documents of this group only; may be repeated. `core` is the group of Pod.
    #[arg(long = "group", value_name = "GROUP")]
    groups: Vec<String>,
}

/// The documents of a release, by the names of their files.
pub(crate) struct Documents {
    pub(crate) texts: BTreeMap<String, String>,
    /// The version of the server that published them.
    pub(crate) server: Option<String>,
    pub(crate) snapshot: Snapshot,
}

/// Runs the command.
pub(crate) fn run(arguments: &Fetch) -> Result<(), Box<dyn Error>> {
    let Fetch {
        release,
        from,
        groups,
        ..
    } = arguments;
    let documents = read(from, groups)?;
    if let Some(found) = documents.snapshot.release.filter(|found| found != release) {
        return Err(format!(
            "error: {from} has Kubernetes {found}, not {release}\n  help: fetch {found}, or name \
             documents of {release}"
        )
        .into());
    }
    if arguments.into_spec {
        return adopt::run(&documents, *release);
    }
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => workspace::root()?.join("target").join("openapi"),
    };
    let folder = out.join(format!("v{release}"));
    let record = Record {
        release: *release,
        server: documents.server.clone(),
        complete: documents.snapshot.complete != Complete::Unknown,
        groups: match &documents.snapshot.complete {
            Complete::Groups(all) => all.iter().map(|group| shown(group).to_owned()).collect(),
            Complete::All | Complete::Unknown => Vec::new(),
        },
        sha256: documents
            .texts
            .iter()
            .map(|(name, text)| (name.clone(), checksum::sha256(text.as_bytes())))
            .collect(),
    };
    let mut texts = documents.texts;
    texts.insert(record::FILE.to_owned(), record.text()?);
    let plan = plan(&folder, texts)?;
    let written = plan
        .changes
        .iter()
        .filter(|change| change.text().is_some())
        .count();
    let (removed, unchanged) = (plan.changes.len() - written, plan.unchanged);
    output::carry_out(&out, &[plan])?;
    println!(
        "{}: {} documents of Kubernetes {release}, {written} files written, {unchanged} unchanged, \
         {removed} removed",
        folder.display(),
        record.sha256.len()
    );
    Ok(())
}

/// Plans the changes of the folder of a release. Only files of an earlier run are replaced.
fn plan(folder: &Path, texts: BTreeMap<String, String>) -> Result<Plan, Box<dyn Error>> {
    let earlier = Record::read(folder)?;
    let is_ours = |name: &str| {
        name == record::FILE
            || earlier
                .as_ref()
                .is_some_and(|record| record.sha256.contains_key(name))
    };
    let mut plan = Plan::default();
    let earlier_names = earlier.iter().flat_map(|record| record.sha256.keys());
    for name in earlier_names.filter(|name| !texts.contains_key(*name)) {
        let path = folder.join(name);
        if path.exists() {
            plan.changes.push(Change::Remove { path });
        }
    }
    for (name, text) in texts {
        let path = folder.join(&name);
        plan.put(path, text, |_| is_ours(&name), |path| {
            format!(
                "error: {} is there already, and was not fetched\n  help: give another folder with \
                 --out, or move it away",
                path.display()
            )
        })?;
    }
    Ok(plan)
}

/// Reads the documents of some or all groups, and checks them.
pub(crate) fn read(from: &Origin, groups: &[String]) -> Result<Documents, Box<dyn Error>> {
    let documents = match from {
        Origin::Folder(folder) => of_folder(folder, groups)?,
        server => of_server(server, groups)?,
    };
    if documents.texts.is_empty() {
        let of = match groups {
            [] => String::new(),
            groups => format!(" of {}", groups.join(", ")),
        };
        return Err(format!("error: {from} has no OpenAPI documents{of}{}", others(from)).into());
    }
    Ok(documents)
}

/// A hint at the folders of releases that a folder has.
fn others(from: &Origin) -> String {
    let Origin::Folder(folder) = from else {
        return String::new();
    };
    let releases = inputs::releases_in(folder).unwrap_or_default();
    let mut releases: Vec<_> = releases
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    releases.sort();
    match releases.as_slice() {
        [] => {
            "\n  help: give a folder of OpenAPI documents, such as `cargo xtask spec fetch` writes"
                .to_owned()
        }
        releases => format!("\n  help: give one of {}", releases.join(", ")),
    }
}

fn of_server(from: &Origin, groups: &[String]) -> Result<Documents, Box<dyn Error>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        git_version: String,
    }
    let text = origin::get(from, "/version")?;
    let version: Version = serde_json::from_str(&text)
        .map_err(|e| format!("error: /version of {from} is not that of an API server: {e}"))?;
    let server = version.git_version;
    let release = release_of(&server).ok_or_else(|| {
        format!(
            "error: {from} has the version `{}`, of no release",
            server.escape_debug()
        )
    })?;
    let index = Index::get(from)?;
    let mut snapshot = Snapshot::new(from.to_string(), Some(release));
    let mut texts = BTreeMap::new();
    for (name, entry) in index.0 {
        if !groups.is_empty() && !groups.iter().any(|wanted| group(wanted) == entry.group) {
            continue;
        }
        let text = entry.get(from)?;
        let source = Source::new(format!("{from}, {name}"), text);
        snapshot.add(&name, &source)?;
        texts.insert(name, source.text);
    }
    snapshot.complete = of_groups(groups);
    Ok(Documents {
        texts,
        server: Some(server),
        snapshot,
    })
}

/// The release of a version, `v1.36.3+k3s1`.
fn release_of(version: &str) -> Option<Release> {
    let mut parts = version.splitn(3, '.');
    let (major, minor) = (parts.next()?, parts.next()?);
    format!("{major}.{minor}").parse().ok()
}

fn of_groups(groups: &[String]) -> Complete {
    if groups.is_empty() {
        return Complete::All;
    }
    Complete::Groups(groups.iter().map(|name| group(name).to_owned()).collect())
}

/// The documents in every complete folder: each release since 1.9 has served them.
const ALWAYS_SERVED: [&str; 2] = ["api__v1_openapi.json", "apis__apps__v1_openapi.json"];

/// The folder of `.proto` files in one of documents.
const PROTOBUF: &str = "protobuf";

fn of_folder(folder: &Path, groups: &[String]) -> Result<Documents, Box<dyn Error>> {
    let record = Record::checked(folder)?;
    let named = inputs::release_of(folder);
    let release = record.as_ref().map(|record| record.release).or(named);
    let mut snapshot = Snapshot::new(folder.display().to_string(), release);
    let mut texts = BTreeMap::new();
    let is_complete = ALWAYS_SERVED.iter().all(|name| folder.join(name).exists());
    let entries = fs::read_dir(folder).map_err(|e| workspace::error("can't read", folder, &e))?;
    for entry in entries {
        let path = entry
            .map_err(|e| workspace::error("can't read", folder, &e))?
            .path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.ends_with(".json") && (groups.is_empty() || is_of(&name, groups)) {
            let source = Source::new(path.display().to_string(), workspace::read(&path)?);
            snapshot.add(&name, &source)?;
            texts.insert(name, source.text);
        }
    }
    if folder.join(PROTOBUF).is_dir() {
        snapshot.add_protos(&inputs::protos(folder, PROTOBUF)?)?;
    }
    let published = snapshot.server_release();
    if let (Some(release), Some(published)) = (release, published)
        && release != published
    {
        return Err(format!(
            "error: {} is of Kubernetes {release}, but its documents are of {published}\n  help: \
             rename the folder",
            folder.display()
        )
        .into());
    }
    snapshot.release = release.or(published);
    let complete = match &record {
        Some(record) => record.completeness(),
        None if is_complete => Complete::All,
        None => Complete::Unknown,
    };
    snapshot.complete = match (complete, of_groups(groups)) {
        (Complete::All, wanted) => wanted,
        (known, Complete::All) => known,
        (Complete::Groups(known), Complete::Groups(wanted)) => {
            Complete::Groups(known.intersection(&wanted).cloned().collect())
        }
        (_, _) => Complete::Unknown,
    };
    Ok(Documents {
        texts,
        server: record.and_then(|record| record.server),
        snapshot,
    })
}

/// Returns true if a file has the name of a document of one of these groups.
fn is_of(name: &str, groups: &[String]) -> bool {
    let group_of = match name.split("__").collect::<Vec<_>>().as_slice() {
        ["api", _] => Some(""),
        ["apis", group, _] => Some(*group),
        _ => None,
    };
    group_of.is_some_and(|found| groups.iter().any(|wanted| group(wanted) == found))
}

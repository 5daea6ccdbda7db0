//! The workspace that all documents of a release become.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Outcome, upstream};

/// The crate that bundles all of them.
pub const BUNDLE: &str = "all-groups";

/// The crate of CustomResourceDefinitions, and its types: documents don't say what may be in place
/// of a schema.
const DEFINITIONS: &str = "name = \"apiextensions-v1\"\n";
const SCHEMAS: &str = "types = { JSONSchemaProps = \
    \"k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps\" }\n";

/// Types that only Jobs hold are in the document of these only.
const SCHEDULING: &str = "prefix = \"io.k8s.api.scheduling.v1alpha3.\"\n";

/// The group-versions of the documents in a folder: the file, the name of the crate, and what the
/// names of its schemas start with.
pub fn documents(folder: &Path) -> Vec<(String, String, String)> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names.retain(|name| name.contains("__v") && name.ends_with("_openapi.json"));
    let one = |file: String| {
        let text = fs::read_to_string(folder.join(&file)).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let (start, version) = file
            .strip_suffix("_openapi.json")?
            .rsplit_once("__")
            .unwrap();
        let group = start.strip_prefix("apis__").unwrap_or("core");
        let group = match group {
            "internal.apiserver.k8s.io" => "apiserverinternal",
            group => group.split('.').next().unwrap(),
        };
        let end = format!(".{group}.{version}.");
        let schemas = document["components"]["schemas"].as_object()?.keys();
        let prefixes: BTreeSet<_> = schemas
            .map(|name| &name[..=name.rfind('.').unwrap()])
            .filter(|prefix| prefix.ends_with(&end))
            .collect();
        let prefix = prefixes.first().expect(&file).to_owned().to_owned();
        assert_eq!(prefixes.len(), 1, "{file}");
        let name = format!("{group}-{version}");
        Some((file.clone(), name, prefix))
    };
    names.into_iter().filter_map(one).collect()
}

/// Writes the workspace in which the crates are generated, with other members beside them.
pub fn workspace(
    root: &Path,
    folder: &Path,
    release: &str,
    documents: &[(String, String, String)],
    others: &[&str],
) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("spec/overlays")).unwrap();
    let mut config = format!(
        "newest = \"{}\"\n\n[bundle]\nname = \"{BUNDLE}\"\ndescription = \"All groups\"\n\n\
         [[extern]]\nprefix = \"io.k8s.apimachinery.\"\npath = \"k8s_openapi::apimachinery\"\n\n\
         [[extern]]\nprefix = \"io.k8s.api.\"\npath = \"k8s_openapi::api\"\n",
        release.trim_start_matches('v')
    );
    for (file, name, prefix) in documents {
        write!(
            config,
            "\n[[crate]]\nname = \"{name}\"\ndescription = \"Types of {name}\"\n\n\
             [[crate.document]]\nfile = \"{file}\"\nprefix = \"{prefix}\"\n\n\
             [[extern]]\nprefix = \"{prefix}\"\npath = \"{}\"\n",
            name.replace('-', "_")
        )
        .unwrap();
    }
    fs::write(folder.join("codegen.toml"), config).unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut manifest: toml::Table = manifest.parse().unwrap();
    let workspace = manifest["workspace"].as_table_mut().unwrap();
    let crates = documents.iter().map(|(_, name, _)| name.as_str());
    let crates: Vec<_> = crates.chain([BUNDLE]).collect();
    let members = crates.iter().chain(others).map(|name| (*name).into());
    workspace.insert("members".to_owned(), toml::Value::Array(members.collect()));
    let dependencies = workspace["dependencies"].as_table_mut().unwrap();
    let support = [
        "kubernetes-kinds",
        "kubernetes-manifests",
        "kubernetes-validation",
    ];
    dependencies
        .retain(|name, dependency| dependency.get("path").is_none() || support.contains(&name));
    for krate in support {
        dependencies[krate]["path"] = root.join("crates").join(krate).display().to_string().into();
    }
    for krate in crates {
        let path = toml::Table::from_iter([("path".to_owned(), krate.into())]);
        dependencies.insert(krate.to_owned(), path.into());
    }
    fs::write(folder.join("Cargo.toml"), manifest.to_string()).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}

/// The folder of Kubernetes' `.proto` files in that of upstream files.
pub fn protos(upstream: &Path, release: &str) -> PathBuf {
    upstream.join("protobuf").join(format!("v{release}"))
}

/// Adds the numbers of protobuf to the workspace, from Kubernetes' own files. Needs Go. `xtask` is
/// the path of the program.
pub fn add_protobuf(root: &Path, folder: &Path, release: &str, xtask: &str) {
    let out = folder.join("spec").join(format!("v{release}/protobuf"));
    let mut command = Command::new(xtask);
    command
        .args(["spec", "protobuf", "--all", "--from"])
        .arg(protos(&upstream(root), release))
        .arg("--out")
        .arg(out)
        .current_dir(root);
    Outcome::of(&mut command).succeeds();
    let path = folder.join("codegen.toml");
    let text = fs::read_to_string(&path).unwrap();
    for part in [DEFINITIONS, SCHEDULING] {
        assert!(text.contains(part), "{part}");
    }
    let mut config = text.replace(DEFINITIONS, &format!("{DEFINITIONS}{SCHEMAS}"));
    let more = format!(
        "{SCHEDULING}\n[[crate.document]]\nfile = \"apis__batch__v1_openapi.json\"\n{SCHEDULING}"
    );
    config = config.replacen(SCHEDULING, &more, 1);
    // The tables of k8s-openapi's types are in `kubernetes-kinds`.
    let ours: toml::Table = fs::read_to_string(root.join("codegen.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let protobuf = ours["protobuf"].clone();
    let mut table = toml::Table::new();
    table.insert("protobuf".to_owned(), protobuf);
    config += &format!("\n{table}");
    fs::write(path, config).unwrap();
}

/// Generates the crates of the workspace from the documents in a folder. `xtask` is the
/// path of the program.
pub fn generate(folder: &Path, release: &str, spec: &Path, xtask: &str) {
    let mut command = Command::new(xtask);
    command
        .args(["codegen", "--release", release, "--spec"])
        .arg(spec)
        .current_dir(folder);
    Outcome::of(&mut command).succeeds();
}

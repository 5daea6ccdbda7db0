//! CustomResourceDefinitions of other projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{Config, DocumentSource, Inputs, Source};
use serde_json::Value;
use xtask_testing::nested::{SHARED, share_dependencies, strict};
use xtask_testing::{objects, upstream, upstream_part};

use crate::common::{Outcome, Sandbox, XTASK, cargo, real_root};

/// The files of manifests in a folder that have definitions and aren't templates.
fn definitions(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            definitions(&path, found);
        } else if path.extension().is_some_and(|end| end == "yaml") {
            let text = fs::read_to_string(&path).unwrap();
            if text.contains("\nkind: CustomResourceDefinition") && !text.contains("{{") {
                found.push(path);
            }
        }
    }
}

/// The crates for files, in a workspace of their own.
fn generated(root: &Path, name: &str, files: &[PathBuf], options: &[&str]) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("crds")
        .join(name);
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(XTASK);
    command
        .arg("codegen")
        .arg("--out")
        .arg(&out)
        .args(options)
        .current_dir(root);
    for file in files {
        command.arg("--crd").arg(file);
    }
    Outcome::of(&mut command).succeeds();
    share_dependencies(root, &out);
    out
}

/// Returns true for the definitions of many projects.
fn is_of_ecosystem(file: &Path) -> bool {
    file.components()
        .any(|part| part.as_os_str() == "ecosystem")
}

/// Those of them that are compiled, for what is special in them: names that meet, combinations of
/// schemas, durations, lists, numbers of properties.
const COMPILED: [&str; 4] = [
    "httproutes.gateway.networking.k8s.io.yaml",
    "kafkabridges.kafka.strimzi.io.yaml",
    "requestauthentications.security.istio.io.yaml",
    "servicemonitors.monitoring.coreos.com.yaml",
];

/// No definition of many projects is refused, and few of their rules are left to a server.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn every_definition_of_the_ecosystem_is_accepted() {
    let Some(root) = real_root() else { return };
    let Some(folder) = upstream_part(&root, "crds/ecosystem") else {
        return;
    };
    let folders = fs::read_dir(folder).unwrap();
    let folders = folders.map(|folder| folder.unwrap().path());
    let files = folders.filter(|folder| folder.is_dir()).flat_map(|folder| {
        let files = fs::read_dir(folder).unwrap();
        files.map(|file| file.unwrap().path()).collect::<Vec<_>>()
    });
    let mut files: Vec<_> = files
        .filter(|file| file.extension() == Some("yaml".as_ref()))
        .collect();
    files.sort();
    let mut left = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let source = Source::new("v1.37/crd.yaml", text);
        let mut config = "newest = \"1.37\"\n[[extern]]\nprefix = \"io.k8s.apimachinery.\"\n\
                          path = \"k8s_openapi::apimachinery\"\n"
            .to_owned();
        for version in codegen::custom_versions(&source).unwrap() {
            config += &format!(
                "[[crate]]\nname = \"of-{}\"\ndescription = \"Types\"\n[[crate.document]]\n\
                 file = \"crd.yaml\"\nprefix = \"{}\"\nlist-unchecked = true\n",
                version.version, version.prefix
            );
        }
        let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
        let mut inputs = Inputs::default();
        let release = "1.37".parse().unwrap();
        let document = DocumentSource { source, release };
        inputs
            .documents
            .insert("v1.37/crd.yaml".to_owned(), document);
        let unchecked = codegen::unchecked(&config, &inputs);
        left.extend(unchecked.unwrap_or_else(|errors| panic!("{}: {errors}", file.display())));
    }
    println!(
        "{} definitions, {} rules left: {left:#?}",
        files.len(),
        left.len()
    );
    assert!(files.len() >= 167, "{}", files.len());
    assert_eq!(left.len(), 0);
}

/// Definitions of others become crates that compile and have documentation without a warning.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn definitions_of_others_become_crates() {
    let Some(root) = real_root() else { return };
    let mut files = Vec::new();
    definitions(&upstream(&root), &mut files);
    // Without definitions of other projects there are those of snapshots.
    let (most, kinds) = match upstream_part(&root, "manifests") {
        Some(_) => (9, 31),
        None => (6, 6),
    };
    // The same definitions again, those of another distribution, and most of those of many
    // projects: to compile all of them takes half an hour.
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        !file.ends_with("longhorn-okd.yaml")
            && !file.ends_with("templates/crds.yaml")
            && (!is_of_ecosystem(file) || COMPILED.contains(&&*name))
    });
    println!("{files:#?}");
    assert!(files.len() >= most, "{files:?}");
    let out = generated(&root, "others", &files, &[]);
    for command in ["clippy", "doc"] {
        let arguments = ["--workspace", "--all-features", "--no-deps"];
        strict(cargo(&out, command).args(arguments));
    }
    let read = come_back(&root, &out, &files);
    assert!(read >= kinds, "{read}");
    // The same with little more than types, of which one is for all that are equal.
    let options = ["--merge-equal", "--parts", "manifests"];
    let out = generated(&root, "merged", &files, &options);
    let read = come_back(&root, &out, &files);
    assert!(read >= kinds, "{read}");
}

/// Reads objects, one in a line, with a scheme, and compares what is written.
const READER: &str = r#"
fn main() {
    let mut scheme = kubernetes_manifests::scheme::Scheme::new();
    register(&mut scheme);
    let mut counts = std::collections::BTreeMap::<String, [usize; 2]>::new();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let wanted: serde_json::Value = serde_json::from_str(&line).unwrap();
        let kind = format!("{} {}", wanted["apiVersion"], wanted["kind"]);
        let counts = counts.entry(kind).or_default();
        counts[0] += 1;
        let objects = match scheme.decode_json_all(&line) {
            Ok(objects) => objects,
            Err(error) => {
                eprintln!("{error}\n{line}");
                continue;
            }
        };
        assert!(objects[0].as_value().is_none(), "{line}");
        let written = objects[0].to_value().unwrap();
        if written == wanted {
            counts[1] += 1;
        } else {
            eprintln!("{written}\nis not\n{wanted}");
        }
    }
    for (kind, [read, same]) in &counts {
        println!("{kind}: {same} of {read}");
    }
    assert!(counts.values().all(|[read, same]| read == same));
}
"#;

/// The number of random objects of each kind that are read and written.
const OBJECTS: usize = 200;

/// Checks that random objects that the definitions allow come back as they were, and returns the
/// number of their kinds.
fn come_back(root: &Path, out: &Path, files: &[PathBuf]) -> usize {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut lines = String::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        for object in objects::of_definitions(&text, &mut rng, OBJECTS) {
            lines += &format!("{object}\n");
        }
    }
    let folder = out.with_extension("reader");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("objects.ndjson"), &lines).unwrap();
    let mut crates: Vec<_> = fs::read_dir(out)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    crates.retain(|path| path.join("src").is_dir() && !path.ends_with(SHARED));
    let mut manifest = "[workspace]\n\n[package]\nname = \"reader\"\nedition = \"2024\"\n\n\
        [dependencies]\nserde_json = \"1\"\n"
        .to_owned();
    manifest += "k8s-openapi = { version = \"0.29\", default-features = false }\n";
    manifest += &format!(
        "kubernetes-manifests.path = {:?}\n",
        root.join("crates/kubernetes-manifests")
    );
    let mut register = String::new();
    for path in &crates {
        let name = path.file_name().unwrap().to_str().unwrap();
        manifest += &format!("{name} = {{ path = {path:?}, features = [\"manifests\"] }}\n");
        register += &format!("    {}::add_to_scheme(scheme);\n", name.replace('-', "_"));
    }
    let register = format!(
        "fn register(scheme: &mut kubernetes_manifests::scheme::Scheme) {{\n{register}}}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/main.rs"), READER.to_owned() + &register).unwrap();
    share_dependencies(root, &folder);
    let objects = fs::File::open(folder.join("objects.ndjson")).unwrap();
    let outcome = strict(cargo(&folder, "run").stdin(objects));
    println!("{}", outcome.out);
    outcome.out.lines().count()
}

/// The types that the generator makes, by their schemas, without documentation: a server describes
/// lists and metadata in its own words, and three files don't link to one another.
fn types(model: &str) -> BTreeMap<String, Value> {
    fn undocumented(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let members = members.into_iter().filter(|(name, _)| name != "docs");
                members
                    .map(|(name, value)| (name, undocumented(value)))
                    .collect()
            }
            Value::Array(items) => items.into_iter().map(undocumented).collect(),
            other => other,
        }
    }
    let model: Value = serde_json::from_str(model).unwrap();
    let versions = model.as_array().unwrap().iter();
    let versions = versions.flat_map(|krate| krate["versions"].as_array().unwrap());
    let types = versions.flat_map(|version| version["types"].as_object().unwrap());
    types
        .map(|(schema, ty)| (schema.clone(), undocumented(ty.clone())))
        .collect()
}

/// Takes the short names of all kinds.
fn take_short_names(types: &mut BTreeMap<String, Value>) -> Vec<String> {
    fn take(value: &mut Value, to: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                let names = fields.remove("short_names");
                let names = names.iter().filter_map(Value::as_array).flatten();
                to.extend(names.filter_map(Value::as_str).map(str::to_owned));
                fields.values_mut().for_each(|value| take(value, to));
            }
            Value::Array(values) => values.iter_mut().for_each(|value| take(value, to)),
            _ => (),
        }
    }
    let mut names = Vec::new();
    types.values_mut().for_each(|value| take(value, &mut names));
    names
}

/// Definitions and the documents that a server publishes for them become the same types.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn definitions_and_the_documents_of_a_server_are_the_same() {
    let Some(root) = real_root() else { return };
    let folder = upstream(&root).join("crds/snapshot-v8.7.0");
    let Some(documents) = upstream_part(&root, "crds/snapshot-v8.7.0/openapi") else {
        return;
    };
    let sandbox = Sandbox::new();
    for group in ["snapshot", "groupsnapshot"] {
        for version in ["v1", "v1beta1", "v1beta2"] {
            let file = format!("apis__{group}.storage.k8s.io__{version}_openapi.json");
            let Ok(document) = fs::read_to_string(documents.join(&file)) else {
                continue;
            };
            let prefix = format!("io.k8s.storage.{group}.{version}.");
            let model = |files: &[(String, String)]| {
                let mut config = "newest = \"1.36\"\n[[crate]]\nname = \"snapshots\"\n\
                    description = \"Snapshots\"\n"
                    .to_owned();
                for (file, text) in files {
                    sandbox.write(&format!("root/spec/v1.36/{file}"), text);
                    config +=
                        &format!("[[crate.document]]\nfile = {file:?}\nprefix = {prefix:?}\n");
                }
                config += "[[extern]]\nprefix = \"io.k8s.apimachinery.\"\n\
                    path = \"k8s_openapi::apimachinery\"\n";
                sandbox.write("root/codegen.toml", &config);
                types(&sandbox.run(&["--dump"]).succeeds().out)
            };
            let mut published = model(&[(file, document)]);
            let mut manifests = Vec::new();
            for entry in fs::read_dir(folder.join("manifests")).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.starts_with(&format!("{group}.")) {
                    manifests.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
            assert_eq!(manifests.len(), 3);
            let mut defined = model(&manifests);
            // A server's document has no short names of kinds.
            assert!(take_short_names(&mut published).is_empty());
            let short = take_short_names(&mut defined);
            let is_of_group =
                |name: &String| name.starts_with(if group == "snapshot" { "vs" } else { "vgs" });
            assert!(
                short.len() > 3 && short.iter().all(is_of_group),
                "{short:?}"
            );
            assert!(published.len() > 10, "{}", published.len());
            let lines = |types: &BTreeMap<String, Value>| {
                let text = serde_json::to_string_pretty(types).unwrap();
                text.lines().map(str::to_owned).collect::<Vec<_>>()
            };
            let left = lines(&published);
            // A server's document doesn't say which versions are deprecated.
            let is_said = |line: &String| line.contains("\"deprecation\":");
            let (said, right): (Vec<_>, Vec<_>) = lines(&defined).into_iter().partition(is_said);
            let is_deprecated = group == "groupsnapshot" && version == "v1beta1";
            assert_eq!(!said.is_empty(), is_deprecated, "{group} {version}");
            for (number, (left, right)) in left.iter().zip(&right).enumerate() {
                assert_eq!(left, right, "{group} {version}, line {number}");
            }
            assert_eq!(left.len(), right.len());
            println!("{group} {version}: {} types", published.len());
        }
    }
}

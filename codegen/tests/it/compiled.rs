//! The goldens are compiled, documented, formatted and run, as one workspace that lies
//! outside this one and builds with nothing but what this one's Cargo.lock has fetched.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::common::dependencies::{self, SHARED, share};
use crate::common::rustfmt::formatted;
use crate::common::{goldens, inputs_of, plausible};
use codegen::{Config, GeneratedFile, Inputs, Source, generate};
use serde_json::Value;

/// The features of generated crates, as TOML.
const FEATURES: &str =
    r#"["apply", "k8s-openapi-types", "manifests", "merge", "schemars", "validation"]"#;

/// The crate that holds the tests in `compiled/`.
const RUNNER: &str = "golden-run";

/// The crate that is made of random documents: `PLAUSIBLE_DOCUMENTS` of them, 30 by default, from
/// `PLAUSIBLE_SEED`.
const PLAUSIBLE: &str = "plausible";

#[test]
fn goldens_compile_without_warnings_and_work() {
    cargo(&[
        "test",
        "--offline",
        "--quiet",
        "--workspace",
        "--no-fail-fast",
    ]);
}

#[test]
fn goldens_have_documentation_without_warnings() {
    cargo(&[
        "doc",
        "--offline",
        "--quiet",
        "--workspace",
        "--no-deps",
        "--keep-going",
    ]);
    let Some(workspace) = &*WORKSPACE else { return };
    // Rustdoc's search takes the names from here: of fields and of a value. Aliases of types, which
    // the root re-exports, are lost by rustdoc 1.95, not by that of docs.rs; goldens show them.
    let names = workspace.join("target/doc/search.index/name");
    let files = fs::read_dir(&names).unwrap_or_else(|e| panic!("{}: {e}", names.display()));
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let index = texts.collect::<Vec<_>>().concat();
    for name in ["x-kubernetes-flag", "south-west", "unknownFields"] {
        assert!(index.contains(name), "rustdoc doesn't find {name}");
    }
}

/// Links of the documentation, too, lead to what is there without the features.
#[test]
fn goldens_without_features_compile_and_have_documentation() {
    for command in ["check", "doc"] {
        let without = ["--workspace", "--exclude", RUNNER];
        let options: &[&str] = match command {
            "doc" => &["--no-deps", "--keep-going"],
            _ => &["--keep-going"],
        };
        let fixed = [command, "--offline", "--quiet"];
        cargo(&[fixed.as_slice(), &without, options].concat());
    }
}

/// Beside others it would get the features of the run-time crates that those need.
#[test]
fn a_custom_resource_without_patterns_compiles_alone() {
    let features = "validation,k8s-openapi/latest";
    let package = ["--package", "golden-rivals", "--features", features];
    cargo(&[["check", "--offline", "--quiet"].as_slice(), &package].concat());
}

#[test]
fn goldens_are_formatted_as_rustfmt_does() {
    let version = Command::new(env!("CARGO"))
        .args(["fmt", "--version"])
        .output();
    if version.is_ok_and(|output| output.status.success()) {
        // The random documents are left out: prettyplease breaks very long lines elsewhere.
        let names = goldens()
            .into_iter()
            .flat_map(|golden| golden.config.crates);
        let names: Vec<_> = names.map(|krate| krate.name).collect();
        let packages = names.iter().flat_map(|name| ["--package", name.as_str()]);
        let packages = packages.chain(["--package", RUNNER]);
        cargo(&Vec::from_iter(
            ["fmt", "--check"].into_iter().chain(packages),
        ));
    } else {
        eprintln!("skipped: no rustfmt here");
    }
}

static WORKSPACE: LazyLock<Option<PathBuf>> = LazyLock::new(workspace);

/// Runs cargo in the workspace of the goldens, in which nothing may be worth a warning.
fn cargo(arguments: &[&str]) {
    let Some(workspace) = &*WORKSPACE else {
        eprintln!("skipped: a packaged crate has no workspace around it");
        return;
    };
    let mut cargo = dependencies::cargo(workspace, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let output = cargo.args(arguments).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let run = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "cargo {arguments:?}:\n{run}\n{told}"
    );
}

/// Writes the workspace; its folder is kept, so that what hasn't changed isn't compiled again.
fn workspace() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    if !root.join("codegen.toml").is_file() {
        return None;
    }
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("goldens");
    if workspace.is_dir() {
        fs::remove_dir_all(&workspace).unwrap();
    }
    write_workspace(root, &workspace);
    Some(workspace)
}

fn write_workspace(root: &Path, workspace: &Path) {
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let mut members = vec![RUNNER.to_owned()];
    let mut features = BTreeMap::new();
    for golden in goldens() {
        for generated in formatted(golden.generated()) {
            let to = workspace.join(&generated.name);
            for file in generated.files {
                write(to.join(&file.path), &file.text);
            }
            for path in generated.hand_written {
                let by_hand = golden.folder.join(Path::new(&path).file_name().unwrap());
                write(to.join(&path), &fs::read_to_string(by_hand).unwrap());
            }
            features.insert(generated.name.clone(), golden_features(&to));
            members.push(generated.name);
        }
    }
    let (files, documents) = plausible();
    for file in files {
        write(workspace.join(PLAUSIBLE).join(&file.path), &file.text);
    }
    let runner_source = workspace.join(RUNNER).join("src");
    let (schemas, types) = plausible_types(&documents);
    write(runner_source.join("plausible.json"), &schemas);
    write(runner_source.join("plausible_types.rs"), &types);
    write(runner_source.join("single.rs"), &single());
    members.push(PLAUSIBLE.to_owned());
    let shared = ["fastrand", "k8s-openapi", "kube-core", "proptest"];
    share(root, &shared, workspace);
    let mut runner = format!(
        "[package]\nname = \"{RUNNER}\"\nedition.workspace = true\npublish = false\n\n\
         [lints]\nworkspace = true\n\n\
         [dependencies]\nfastrand.workspace = true\nk8s-openapi.workspace = true\nkubernetes-kinds.workspace = true\n\
         kube-core.workspace = true\nkubernetes-manifests.workspace = true\nkubernetes-validation.workspace = true\n\
         proptest.workspace = true\nserde_json.workspace = true\n"
    );
    for name in &members[1..] {
        let features = features.get(name).map_or(FEATURES, String::as_str);
        runner += &format!("{name} = {{ path = \"../{name}\", features = {features} }}\n");
    }
    write(workspace.join(RUNNER).join("Cargo.toml"), &runner);
    for (file, tests) in [
        ("lib.rs", include_str!("../compiled/run.rs")),
        ("applied.rs", include_str!("../compiled/applied.rs")),
        ("bundle.rs", include_str!("../compiled/bundle.rs")),
        (
            "counterparts.rs",
            include_str!("../compiled/counterparts.rs"),
        ),
        ("custom.rs", include_str!("../compiled/custom.rs")),
        ("definition.rs", include_str!("../compiled/definition.rs")),
        ("equal.rs", include_str!("../compiled/equal.rs")),
        ("known.rs", include_str!("../compiled/known.rs")),
        ("rivals.rs", include_str!("../compiled/rivals.rs")),
        ("cases.json", include_str!("../golden/custom/cases.json")),
        ("merged.rs", include_str!("../compiled/merged.rs")),
        ("plausible.rs", include_str!("../compiled/plausible.rs")),
        ("schemas.rs", include_str!("../compiled/schemas.rs")),
        ("server.rs", include_str!("../compiled/server.rs")),
    ] {
        write(workspace.join(RUNNER).join("src").join(file), tests);
    }
    members.push(SHARED.to_owned());
    write(workspace.join("Cargo.toml"), &manifest(root, &members));
    for file in ["Cargo.lock", ".cargo/config.toml"] {
        write(
            workspace.join(file),
            &fs::read_to_string(root.join(file)).unwrap(),
        );
    }
}

/// The types of a golden as a module.
fn single() -> String {
    let mut goldens = goldens().into_iter();
    let mut golden = goldens.find(|golden| golden.name == "types").unwrap();
    for krate in &mut golden.config.crates {
        krate.single_file = true;
    }
    let generated = formatted(golden.generated());
    let files = generated.iter().flat_map(|krate| &krate.files);
    let texts: Vec<_> = files.map(|file| file.text.clone()).collect();
    assert_eq!(texts.len(), 1);
    texts.concat()
}

/// The features of the crate in a folder, as TOML.
fn golden_features(folder: &Path) -> String {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let names: Vec<_> = features.into_iter().flat_map(toml::Table::keys).collect();
    format!("{names:?}")
}

/// The schemas of documents as JSON, and a table of the structs among them in Rust: how each is
/// read and written. Of each, 20 values are tried; of more documents than usual,
/// `PLAUSIBLE_VALUES`.
fn plausible_types(documents: &BTreeMap<String, String>) -> (String, String) {
    let mut schemas = serde_json::Map::new();
    let mut rows = String::new();
    for (module, text) in documents {
        let document: Value = serde_json::from_str(text).unwrap();
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            let Some(short) = name.strip_prefix(&format!("com.example.{module}.")) else {
                continue;
            };
            if schema["properties"].is_object() {
                rows += &format!("    (\"{name}\", check::<{PLAUSIBLE}::{module}::{short}>),\n");
            }
            schemas.insert(name.clone(), schema.clone());
        }
    }
    let values = std::env::var("PLAUSIBLE_VALUES").map_or(20, |n| n.parse().unwrap());
    let types = format!(
        "const VALUES: usize = {values};\n\n#[allow(clippy::type_complexity)]\n\
         const TYPES: &[(&str, fn(Value) -> Result<Value, String>)] = &[\n{rows}];\n"
    );
    (Value::Object(schemas).to_string(), types)
}

/// The files of a crate that has a module for each random document which isn't refused, and these
/// documents.
fn plausible() -> (Vec<GeneratedFile>, BTreeMap<String, String>) {
    let number = |variable: &str, default: u64| {
        let given = std::env::var(variable).ok().map(|text| text.parse());
        given.map_or(default, |number| number.expect(variable))
    };
    let (count, seed) = (
        number("PLAUSIBLE_DOCUMENTS", 30),
        number("PLAUSIBLE_SEED", 1),
    );
    let head = format!("[[crate]]\nname = \"{PLAUSIBLE}\"\ndescription = \"Random\"\n");
    let externs = ["api.core.v1", "apimachinery"].map(|prefix| {
        let path = prefix.replace('.', "::");
        format!("[[extern]]\nprefix = \"io.k8s.{prefix}.\"\npath = \"k8s_openapi::{path}\"\n")
    });
    let (mut all, mut inputs, mut refused) = (String::new(), Inputs::default(), 0);
    for at in 0..count {
        let document = format!(
            "\n[[crate.document]]\nfile = \"m{at}.json\"\nrelease = \"1.37\"\n\
             prefix = \"com.example.m{at}.\"\nmodule = \"m{at}\"\n"
        );
        let text = plausible::document(seed * 1_000_000 + at, &format!("com.example.m{at}."));
        let one = inputs_of([(format!("m{at}.json"), text)]);
        let config = format!("{head}{document}\n{}", externs.concat());
        let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
        match generate(&config, &one) {
            Ok(_) => {
                all += &document;
                inputs.documents.extend(one.documents);
            }
            Err(errors) => {
                println!("document {at} is refused: {errors}");
                refused += 1;
            }
        }
    }
    println!("{refused} of {count} documents are refused");
    assert!(refused * 10 <= count, "{refused} of {count} are refused");
    let config = format!("{head}{all}\n{}", externs.concat());
    let config = Config::parse(&Source::new("codegen.toml", config)).unwrap();
    let mut crates = generate(&config, &inputs).unwrap();
    let documents = inputs.documents.into_iter().map(|(path, document)| {
        let module = path.trim_start_matches("v1.37/").trim_end_matches(".json");
        (module.to_owned(), document.source.text)
    });
    (crates.remove(0).files, documents.collect())
}

/// The workspace's own manifest, with the goldens for its members.
fn manifest(root: &Path, members: &[String]) -> String {
    let text = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut manifest: toml::Table = text.parse().unwrap();
    // Dependencies are compiled already only with the same profile.
    manifest.retain(|key, _| ["profile", "workspace"].contains(&key));
    let workspace = manifest["workspace"].as_table_mut().unwrap();
    // Not in RUSTFLAGS, with which all dependencies would be compiled again.
    let lints = workspace["lints"]["rust"].as_table_mut().unwrap();
    lints.insert("warnings".to_owned(), "deny".into());
    let names = members
        .iter()
        .map(|member| toml::Value::from(member.as_str()));
    workspace.insert("members".to_owned(), toml::Value::Array(names.collect()));
    let dependencies = workspace["dependencies"].as_table_mut().unwrap();
    for member in members {
        let path = toml::Table::from_iter([("path".to_owned(), member.as_str().into())]);
        dependencies.insert(member.clone(), path.into());
    }
    for krate in [
        "kubernetes-kinds",
        "kubernetes-manifests",
        "kubernetes-validation",
    ] {
        let path = root.join("crates").join(krate).display().to_string();
        dependencies[krate]["path"] = toml::Value::from(path);
    }
    toml::to_string(&manifest).unwrap()
}

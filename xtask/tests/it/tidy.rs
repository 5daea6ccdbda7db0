//! The invariants of ARCHITECTURE.md that can be checked by reading the files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates that generated ones use, by the features that bring them.
const RUNTIME: [(&str, Option<&str>); 3] = [
    ("kubernetes-kinds", None),
    ("kubernetes-manifests", Some("manifests")),
    ("kubernetes-validation", Some("validation")),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Every text file below a folder of the workspace, by its path from the root.
fn files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.push((name, text));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} is empty");
    found
}

fn table(path: &str) -> toml::Table {
    fs::read_to_string(root().join(path))
        .unwrap()
        .parse()
        .unwrap()
}

/// The folder of a package: generated ones are at the root.
fn folder(krate: &str) -> String {
    let library = format!("crates/{krate}");
    if root().join(&library).is_dir() {
        library
    } else {
        krate.to_owned()
    }
}

fn dependencies(krate: &str) -> Vec<String> {
    let manifest = table(&format!("{}/Cargo.toml", folder(krate)));
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    dependencies
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}

/// The crates that codegen.toml names, the bundle last.
fn generated() -> Vec<String> {
    let config = table("codegen.toml");
    let crates = config["crate"].as_array().unwrap().iter();
    let crates = crates.chain([&config["bundle"]]);
    crates
        .map(|krate| krate["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The packages with the hand-written rules of a crate.
fn rules_packages(krate: &str) -> Vec<String> {
    let config = table("codegen.toml");
    let mut crates = config["crate"].as_array().unwrap().iter();
    let own = crates
        .find(|own| own["name"].as_str() == Some(krate))
        .unwrap();
    let packages = own.get("rules-packages").and_then(toml::Value::as_array);
    let packages = packages.into_iter().flatten();
    packages
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// The crate into whose types those of a crate are converted.
fn newer(krate: &str) -> Option<String> {
    let config = table("codegen.toml");
    let mut crates = config["crate"].as_array().unwrap().iter();
    let own = crates
        .find(|own| own["name"].as_str() == Some(krate))
        .unwrap();
    Some(own.get("conversion")?["to"].as_str().unwrap().to_owned())
}

/// `cargo xtask tidy` prints the places of what is exceeded.
#[test]
fn counts_are_within_their_limits() {
    let mut command = Command::new(crate::common::XTASK);
    let outcome = crate::common::Outcome::of(command.arg("tidy").current_dir(root()));
    println!("{}", outcome.out);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

#[test]
fn generated_crates_depend_on_the_support_only() {
    let mut crates = generated();
    let bundle = crates.pop().unwrap();
    for krate in &crates {
        // Older versions know the newest, never the reverse.
        let newest = newer(krate);
        let rules = rules_packages(krate);
        let mut wanted = vec!["k8s-openapi".to_owned()];
        wanted.extend(RUNTIME.map(|(name, _)| name.to_owned()));
        wanted.extend(newest);
        wanted.extend(rules.clone());
        // A table is read in the order of its keys.
        wanted.sort();
        assert_eq!(dependencies(krate), wanted, "{krate}");
        let manifest = table(&format!("{krate}/Cargo.toml"));
        let rules = rules.iter().map(|name| (name.as_str(), Some("validation")));
        for (name, feature) in RUNTIME.into_iter().chain(rules) {
            let optional = manifest["dependencies"][name].get("optional");
            assert_eq!(optional.is_some(), feature.is_some(), "{krate}: {name}");
            let feature = feature.map(|feature| manifest["features"][feature].to_string());
            assert!(feature.is_none_or(|parts| parts.contains(&format!("dep:{name}"))));
        }
        assert!(manifest["features"].get("default").is_none(), "{krate}");
        schemas_bring_no_dependency(krate, &manifest);
    }
    let support = ["k8s-openapi", "kubernetes-kinds", "kubernetes-manifests"];
    let mut wanted = support.map(str::to_owned).to_vec();
    wanted.extend(crates);
    wanted.sort();
    assert_eq!(dependencies(&bundle), wanted, "{bundle}");
    let runtime = RUNTIME.map(|(name, _)| name);
    let written = ["codegen", "xtask", "kubernetes-storage-rules"];
    for krate in written.into_iter().chain(runtime) {
        for generated in generated() {
            assert!(
                !dependencies(krate).contains(&generated),
                "{krate} uses {generated}"
            );
        }
    }
}

/// The trait is that of the version that k8s-openapi has.
fn schemas_bring_no_dependency(krate: &str, manifest: &toml::Table) {
    let enabled = manifest["features"]["schemars"].as_array().unwrap();
    let enabled: Vec<_> = enabled.iter().map(|part| part.as_str().unwrap()).collect();
    let mut wanted = vec!["k8s-openapi/schemars", "kubernetes-kinds/schemars"];
    let newer = newer(krate).map(|newer| format!("{newer}/schemars"));
    wanted.extend(newer.as_deref());
    assert_eq!(enabled, wanted, "{krate}");
}

/// Crates that every program builds stay light, and features that are off bring nothing.
#[test]
fn the_runtime_crates_keep_apart() {
    let none: [&str; 0] = [];
    assert_eq!(dependencies("kubernetes-schema-terms"), none);
    assert_eq!(
        dependencies("kubernetes-kinds"),
        ["k8s-openapi", "kubernetes-schema-terms", "serde_json"]
    );
    // For a feature of it that k8s-openapi doesn't switch on.
    let kinds = table(&format!("{}/Cargo.toml", folder("kubernetes-kinds")));
    assert_eq!(
        kinds["dependencies"]["serde_json"]["optional"].as_bool(),
        Some(true)
    );
    for (krate, other) in [
        ("kubernetes-manifests", "kubernetes-validation"),
        ("kubernetes-validation", "kubernetes-manifests"),
    ] {
        assert!(dependencies(krate).contains(&"kubernetes-kinds".to_owned()));
        assert!(!dependencies(krate).contains(&other.to_owned()), "{krate}");
    }
}

/// The hand-written modules of a crate that codegen.toml lists.
fn listed_by_hand(krate: &str) -> Vec<String> {
    let config = table("codegen.toml");
    let mut crates = config["crate"].as_array().unwrap().iter();
    let Some(own) = crates.find(|own| own["name"].as_str() == Some(krate)) else {
        return Vec::new();
    };
    let listed = own.get("by-hand").and_then(toml::Value::as_array);
    let names = listed
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap());
    let rules = own.get("rules").and_then(toml::Value::as_str);
    let rules = rules.and_then(|rules| rules.strip_prefix("crate::"));
    let names = names
        .map(|name| name.trim_start_matches("pub "))
        .chain(rules);
    names.map(str::to_owned).collect()
}

#[test]
fn generated_files_say_so() {
    let config = fs::read_to_string(root().join("codegen.toml")).unwrap();
    for krate in generated() {
        for (name, text) in files(&format!("{krate}/src")) {
            // Modules that the configuration lists, or whose functions it calls, are
            // hand-written.
            let module = name.trim_start_matches(&format!("{krate}/src/"));
            let module = module.trim_end_matches(".rs").replace('/', "::");
            let is_in =
                |listed: &String| module == *listed || module.starts_with(&format!("{listed}::"));
            let by_hand = config.contains(&format!("\"crate::{module}::"))
                || listed_by_hand(&krate).iter().any(is_in);
            assert_eq!(codegen::is_generated(&text), !by_hand, "{name}: header");
        }
    }
}

#[test]
fn modules_keep_to_themselves() {
    for (name, text) in files("codegen/src") {
        let module = name.trim_start_matches("codegen/src/");
        let may = |modules: &[&str]| modules.iter().any(|m| module.starts_with(m));
        let uses = |path: &str| {
            let mut code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            code.any(|line| line.contains(path))
        };
        assert!(
            !uses("openapiv3::") || may(&["load/", "lower/"]),
            "{name} knows OpenAPI"
        );
        let tokens = uses("quote::") || uses("proc_macro2::");
        assert!(
            !tokens || may(&["emit/", "grpc/", "render/", "name/"]),
            "{name} makes tokens"
        );
        for outside in [
            "std::fs",
            "std::env",
            "std::process",
            "std::net",
            "std::time",
        ] {
            assert!(!uses(outside), "{name} uses {outside}");
        }
    }
}

#[test]
fn libraries_leave_the_release_to_programs() {
    let runtime = RUNTIME.map(|(name, _)| name.to_owned());
    for krate in generated().into_iter().chain(runtime) {
        let manifest = table(&format!("{}/Cargo.toml", folder(&krate)));
        let dependency = manifest["dependencies"]["k8s-openapi"].to_string();
        let workspace = table("Cargo.toml");
        let inherited = workspace["workspace"]["dependencies"]["k8s-openapi"].to_string();
        for text in [dependency, inherited] {
            let release = ["v1_", "latest", "earliest"]
                .into_iter()
                .find(|f| text.contains(f));
            assert_eq!(release, None, "{krate} chooses a release");
        }
    }
}

/// Tests that need something are ignored without it; `.ci/run` has to run each of them, unless they
/// name the run of `cargo xtask proof` that has them. It selects them by a module of their path.
#[test]
fn ci_runs_the_tests_that_are_ignored() {
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    let proof = table("xtask/proof.toml");
    let mut count = 0;
    for member in table("Cargo.toml")["workspace"]["members"]
        .as_array()
        .unwrap()
    {
        for (name, text) in files(member.as_str().unwrap()) {
            // In an attribute, or given to a macro that makes one.
            if name.ends_with(".rs") && text.contains("ignore = \"needs ") {
                let (_, path) = name.split_once("/tests/").expect("an integration test");
                let ignored = text.matches("ignore = \"needs ").count();
                let runs = text.split("run cargo xtask proof ").skip(1);
                let runs: Vec<_> = runs.filter_map(|rest| rest.split('"').next()).collect();
                let are_proven =
                    runs.len() == ignored && runs.iter().all(|run| is_proven(path, run, &proof));
                assert!(are_proven || is_selected(path, &text, &script), "{name}");
                count += 1;
            }
        }
    }
    assert!(count > 5, "{count} files");
}

/// Returns true if the script runs the ignored tests of a file: those of a module of the binary
/// `it`, or all of another binary.
fn is_selected(path: &str, text: &str, script: &str) -> bool {
    let mut modules = path.trim_end_matches(".rs").split('/');
    let target = modules.next().unwrap();
    if target != "it" {
        return script.contains(&format!(" --test {target} "));
    }
    let declared = ["upstream", "cluster"].into_iter();
    let declared = declared.filter(|module| text.contains(&format!("mod {module} {{")));
    let runs: Vec<_> = script
        .lines()
        .filter(|line| line.contains("--test it -- --ignored "))
        .collect();
    modules.chain(declared).any(|module| {
        let selection = format!(" {module}::");
        runs.iter().any(|run| run.contains(&selection))
    })
}

/// Returns true if a run of the proof selects a file by a module of its path.
fn is_proven(path: &str, run: &str, proof: &toml::Table) -> bool {
    let mut runs = proof["run"].as_array().unwrap().iter();
    let found = runs.find(|found| found["name"].as_str() == Some(run));
    let command = found.and_then(|found| found["command"].as_array());
    let mut words = command
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_str);
    let modules: Vec<_> = path.trim_end_matches(".rs").split('/').collect();
    words.any(|word| {
        word.strip_suffix("::")
            .is_some_and(|module| modules.contains(&module))
    })
}

#[test]
fn no_file_names_a_machine() {
    let homes = ["/home/", "/root/", "/Users/", "C:\\Users"];
    let packages = ["crates", "examples", "programs", "tests"];
    let folders = ["spec", "codegen/src", "xtask/src"]
        .into_iter()
        .chain(packages)
        .map(str::to_owned);
    for folder in folders.chain(generated()) {
        for (name, text) in files(&folder) {
            let path = homes.iter().find(|path| text.contains(**path));
            assert!(path.is_none(), "{name} holds a path of a machine: {path:?}");
        }
    }
}

#[test]
fn the_documents_name_what_is_there() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (architecture, readme) = (read("ARCHITECTURE.md"), read("README.md"));
    let changelog = read("CHANGELOG.md");
    for member in table("Cargo.toml")["workspace"]["members"]
        .as_array()
        .unwrap()
    {
        let member = member.as_str().unwrap();
        assert!(
            architecture.contains(&format!("`{member}/`")),
            "{member} in ARCHITECTURE.md"
        );
    }
    for krate in generated() {
        assert!(
            readme.contains(&format!("`{krate}`")),
            "{krate} in README.md"
        );
        assert!(
            changelog.contains(&format!("`{krate}`")),
            "{krate} in CHANGELOG.md"
        );
    }
    let newest = newest();
    let heading = changelog.lines().find(|line| line.starts_with("## "));
    assert!(
        heading.is_some_and(|line| line.ends_with(&format!("Kubernetes {newest}"))),
        "the newest part of CHANGELOG.md names Kubernetes {newest}"
    );
    // `cargo xtask codegen` writes the table, and `--check` compares it.
    assert!(readme.contains("<!-- The table is written by `cargo xtask codegen`. -->"));
}

fn newest() -> String {
    table("codegen.toml")["newest"].as_str().unwrap().to_owned()
}

fn minor(release: &str) -> u16 {
    release[2..].parse().unwrap()
}

/// The releases that k8s-openapi can be built for, each with its second number.
fn releases_of_k8s_openapi() -> Vec<u16> {
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .args(["--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let k8s_openapi = packages
        .iter()
        .find(|package| package["name"] == "k8s-openapi");
    let features = k8s_openapi.unwrap()["features"].as_object().unwrap();
    let releases = features
        .keys()
        .filter_map(|feature| feature.strip_prefix("v1_"));
    let mut releases: Vec<u16> = releases.map(|minor| minor.parse().unwrap()).collect();
    releases.sort_unstable();
    releases
}

/// codegen.toml has the newest release; the release of k8s-openapi's types is the same, or the
/// newest that k8s-openapi has.
#[test]
fn the_release_of_the_core_types_follows_the_newest() {
    let releases = releases_of_k8s_openapi();
    let wanted = (*releases.last().unwrap()).min(minor(&newest()));
    let enabled = table(".cargo/config.toml");
    let enabled = enabled["env"]["K8S_OPENAPI_ENABLED_VERSION"]
        .as_str()
        .unwrap();
    assert_eq!(minor(enabled), wanted, "in .cargo/config.toml");

    let known = &table("codegen.toml")["k8s-openapi"];
    let known = ["oldest", "newest"].map(|key| minor(known[key].as_str().unwrap()));
    assert_eq!(
        [releases[0], *releases.last().unwrap()],
        known,
        "in codegen.toml"
    );
    // All but the one that the workspace is built for: CI tests the first of them.
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    let others = releases.iter().filter(|minor| **minor != wanted);
    let others: Vec<_> = others.map(|minor| format!("1.{minor}")).collect();
    let (first, others) = others.split_first().unwrap();
    let proof = fs::read_to_string(root().join("xtask/proof.toml")).unwrap();
    for release in others {
        let run = format!("env = {{ K8S_OPENAPI_ENABLED_VERSION = \"{release}\" }}");
        assert!(proof.contains(&run), "xtask/proof.toml has no `{run}`");
    }
    let tested = format!("K8S_OPENAPI_ENABLED_VERSION={first} ");
    assert!(ci.contains(&tested), ".ci/run has no `{tested}`");
}

/// `.ci/run` compiles some packages with the oldest toolchain, and this run all of them.
#[test]
fn proof_compiles_with_the_oldest_rust() {
    let version = &table("Cargo.toml")["workspace"]["package"]["rust-version"];
    let version = version.as_str().unwrap();
    let proof = fs::read_to_string(root().join("xtask/proof.toml")).unwrap();
    let run = format!("[\"xtask\", \"release\", \"--check\", \"--toolchain\", \"{version}\"]");
    assert!(proof.contains(&run), "xtask/proof.toml has no `{run}`");
}

//! One small document a feature, and the code that is generated from it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p storage-codegen --test it golden` writes the files anew; read
//! what changed before it is committed. `compiled.rs` checks that the files compile.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::common::rustfmt::formatted;
use crate::common::{Golden, goldens};
use codegen::{GeneratedFile, Part};

#[test]
fn generated_files_are_as_they_were_approved() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differences = String::new();
    for golden in goldens() {
        if update {
            write_anew(&golden);
        }
        compare(&golden, &mut differences);
    }
    assert!(
        differences.is_empty(),
        "{differences}\nif that is as it should be, run\n\n    \
         UPDATE_GOLDEN=1 cargo test -p storage-codegen --test it golden\n\nand read the changes"
    );
}

/// Whoever writes the files shows rustfmt the rest only.
#[test]
fn rustfmt_leaves_the_formatted_parts_as_they_are() {
    let mut parts = 0;
    for golden in goldens() {
        let generated = golden.generated();
        for (before, after) in generated.iter().zip(formatted(generated.clone())) {
            for (before, after) in before.files.iter().zip(after.files) {
                let (text, mut rest) = (&before.text, &*after.text);
                for part in &before.formatted {
                    let found = rest.split_once(&text[part.clone()]);
                    let (_, below) = found.unwrap_or_else(|| {
                        panic!("{}: {}:\n{}", golden.name, before.path, &text[part.clone()])
                    });
                    rest = below;
                    parts += 1;
                }
            }
        }
    }
    assert!(parts > 0);
}

/// The manifests differ in the name and the description only, so they aren't golden files.
#[test]
fn manifests_say_what_the_configuration_says() {
    for golden in goldens() {
        for (config, generated) in golden.config.crates.iter().zip(golden.generated()) {
            let manifest = generated
                .files
                .iter()
                .find(|file| file.path == "Cargo.toml");
            let manifest: toml::Table = manifest.unwrap().text.parse().unwrap();
            let package = |key: &str| manifest["package"][key].as_str().unwrap().to_owned();
            assert_eq!(package("name"), config.name);
            assert_eq!(package("description"), config.description);
            let into = config
                .conversion
                .iter()
                .map(|conversion| conversion.to.as_str());
            for dependency in ["kubernetes-kinds", "k8s-openapi"].into_iter().chain(into) {
                let inherited = &manifest["dependencies"][dependency]["workspace"];
                assert_eq!(inherited.as_bool(), Some(true), "{dependency}");
            }
            let into = config
                .conversion
                .iter()
                .map(|conversion| conversion.to.as_str());
            let features = manifest.get("features").and_then(toml::Value::as_table);
            let has = features.map_or(0, toml::Table::len);
            // The builders are no feature, and protobuf is one only with numbers.
            let parts = config.parts.iter().filter(|part| match part {
                Part::Builders => false,
                Part::Protobuf => golden.config.protobuf.is_some(),
                _ => true,
            });
            assert_eq!(has, parts.count(), "{}", config.name);
            for feature in ["apply", "manifests", "validation"] {
                let Some(parts) = features.and_then(|features| features.get(feature)) else {
                    continue;
                };
                let parts = parts.as_array().unwrap();
                let parts: Vec<_> = parts.iter().filter_map(|p| p.as_str()).collect();
                for into in into.clone() {
                    assert!(parts.contains(&format!("{into}/{feature}").as_str()));
                }
                if feature != "apply" {
                    let package = format!("kubernetes-{feature}");
                    assert!(parts.contains(&format!("dep:{package}").as_str()));
                    let optional = &manifest["dependencies"][&package]["optional"];
                    assert_eq!(optional.as_bool(), Some(true), "{package}");
                }
            }
            assert!(features.is_none_or(|features| !features.contains_key("default")));
        }
    }
}

/// Only a crate with a regular expression makes its users build a library for them, and only one
/// whose rules call functions of CEL those functions.
#[test]
fn the_validation_feature_brings_what_the_rules_use() {
    let language = [
        include_str!("../../../crates/kubernetes-validation/src/cel.rs"),
        include_str!("../../../crates/kubernetes-validation/src/cel/same.rs"),
    ]
    .concat();
    let calls_library = |text: &str| {
        text.split("cel::").skip(1).any(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap()];
            let declared = ["fn", "trait"].map(|item| format!("pub {item} {name}"));
            !declared.iter().any(|item| language.contains(item))
        })
    };
    let has_pattern = |text: &str| text.contains("Pattern::new");
    for (feature, expected, uses) in [
        ("pattern", 2, &has_pattern as &dyn Fn(&str) -> bool),
        ("cel-library", 1, &calls_library),
    ] {
        let mut enabled = 0;
        for krate in goldens().iter().flat_map(Golden::generated) {
            let mut rules = krate.files.iter();
            let rules = rules.any(|file| file.path.contains("/validation/") && uses(&file.text));
            let mut manifests = krate.files.iter().filter(|file| file.path == "Cargo.toml");
            let feature = format!("\"kubernetes-validation/{feature}\"");
            let is_enabled = manifests.any(|file| file.text.contains(&feature));
            assert_eq!(is_enabled, rules, "{}: {feature}", krate.name);
            enabled += usize::from(is_enabled);
        }
        assert_eq!(enabled, expected, "{feature}");
    }
}

#[test]
fn every_file_starts_with_the_header() {
    for golden in goldens() {
        for file in golden.generated().into_iter().flat_map(|krate| krate.files) {
            assert!(codegen::is_generated(&file.text), "{}", file.path);
            assert!(file.text.contains(codegen::MARK), "{}", file.path);
            assert!(file.text.ends_with('\n') && !file.text.ends_with("\n\n"));
        }
    }
}

/// A crate with some of its parts has all files that it declares, and all features that it names.
#[test]
fn each_part_stands_without_the_others() {
    let goldens = goldens().into_iter();
    let wanted = ["custom", "counterparts", "merged"];
    let mut goldens: Vec<_> = goldens.filter(|g| wanted.contains(&&*g.name)).collect();
    assert_eq!(goldens.len(), wanted.len());
    let pairs = Part::ALL
        .into_iter()
        .flat_map(|one| Part::ALL.map(|other| [one, other]));
    for parts in pairs.filter(|[one, other]| one <= other) {
        let mut crates = Vec::new();
        for golden in &mut goldens {
            golden.config.crates[0].parts = parts.into_iter().collect();
            crates.extend(golden.generated());
        }
        // rustfmt looks for the file of each module.
        for krate in formatted(crates) {
            let has = |feature: &str| parts.iter().any(|part| part.name() == feature);
            for file in &krate.files {
                for rest in file.text.split("feature = \"").skip(1) {
                    let feature = rest.split('"').next().unwrap();
                    assert!(has(feature), "{parts:?}: {}: {feature}", file.path);
                }
            }
        }
    }
}

/// The analysed model, of goldens that keep it.
fn models(golden: &Golden) -> Option<(PathBuf, String)> {
    let path = golden.folder.join("model.json");
    let model = || {
        codegen::dump(&golden.config, &golden.inputs)
            .unwrap_or_else(|errors| panic!("{}: {errors}", golden.name))
    };
    path.is_file().then(|| (path, model()))
}

fn compare(golden: &Golden, differences: &mut String) {
    if let Some((path, model)) = models(golden) {
        let approved = fs::read_to_string(&path).unwrap();
        if approved != model {
            let line = first_difference(&approved, &model);
            writeln!(differences, "{}/model.json: {line}", golden.name).unwrap();
        }
    }
    let mut wanted = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for (path, file) in rust_files(golden) {
        let approved = fs::read_to_string(&path).unwrap_or_default();
        if approved != file.text {
            let line = first_difference(&approved, &file.text);
            writeln!(differences, "{}/{}: {line}", golden.name, file.path).unwrap();
        }
        folders.insert(path.parent().unwrap().to_owned());
        wanted.insert(path);
    }
    for entry in folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter())
        .flatten()
    {
        let path = entry.unwrap().path();
        if path.is_file() && !wanted.contains(&path) {
            let name = path.file_name().unwrap().to_string_lossy();
            writeln!(
                differences,
                "{}/src/{name}: no longer generated",
                golden.name
            )
            .unwrap();
        }
    }
}

fn first_difference(approved: &str, now: &str) -> String {
    let mut number = 0;
    let (mut approved, mut now) = (approved.lines(), now.lines());
    loop {
        number += 1;
        match (approved.next(), now.next()) {
            (None, None) => return "differs in the ends of lines".to_owned(),
            (before, after) if before != after => {
                return format!("line {number}: was {before:?}, is {after:?}");
            }
            _ => {}
        }
    }
}

fn write_anew(golden: &Golden) {
    if let Some((path, model)) = models(golden) {
        fs::write(path, model).unwrap();
    }
    for krate in golden.generated() {
        let src = golden.folder_of(&krate).join("src");
        if src.is_dir() {
            fs::remove_dir_all(&src).unwrap();
        }
    }
    for (path, file) in rust_files(golden) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.text).unwrap();
    }
}

fn rust_files(golden: &Golden) -> Vec<(PathBuf, GeneratedFile)> {
    let mut files = Vec::new();
    for krate in formatted(golden.generated()) {
        let folder = golden.folder_of(&krate);
        let rust = krate
            .files
            .into_iter()
            .filter(|file| file.path.ends_with(".rs"));
        files.extend(rust.map(|file| (folder.join(&file.path), file)));
    }
    files
}

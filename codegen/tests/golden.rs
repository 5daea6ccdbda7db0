//! One small document a feature, and the code that is generated from it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p storage-codegen --test golden` writes the files anew; read what
//! changed before it is committed. That the files compile is for `compiled.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use common::{Golden, goldens};

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
         UPDATE_GOLDEN=1 cargo test -p storage-codegen --test golden\n\nand read the changes"
    );
}

/// The manifests differ in the name and the description only, so they are no golden files.
#[test]
fn manifests_say_what_the_configuration_says() {
    for golden in goldens() {
        let generated = golden.generated();
        let manifest = generated.files.iter().find(|file| file.path == "Cargo.toml");
        let manifest: toml::Table = manifest.unwrap().text.parse().unwrap();
        let config = &golden.config.crates[0];
        let package = |key: &str| manifest["package"][key].as_str().unwrap().to_owned();
        assert_eq!(package("name"), config.name);
        assert_eq!(package("description"), config.description);
        for dependency in ["apimachinery", "k8s-openapi"] {
            let inherited = &manifest["dependencies"][dependency]["workspace"];
            assert_eq!(inherited.as_bool(), Some(true), "{dependency}");
        }
    }
}

#[test]
fn every_file_starts_with_the_header() {
    for golden in goldens() {
        for file in golden.generated().files {
            assert!(codegen::is_generated(&file.text), "{}", file.path);
            assert!(file.text.contains(codegen::MARK), "{}", file.path);
            assert!(file.text.ends_with('\n') && !file.text.ends_with("\n\n"));
        }
    }
}

fn compare(golden: &Golden, differences: &mut String) {
    let mut wanted = BTreeSet::new();
    for file in rust_files(golden) {
        let path = golden.folder.join(&file.path);
        let approved = fs::read_to_string(&path).unwrap_or_default();
        if approved != file.text {
            let line = first_difference(&approved, &file.text);
            writeln!(differences, "{}/{}: {line}", golden.name, file.path).unwrap();
        }
        wanted.insert(path);
    }
    for entry in fs::read_dir(golden.folder.join("src")).into_iter().flatten() {
        let path = entry.unwrap().path();
        if !wanted.contains(&path) {
            let name = path.file_name().unwrap().to_string_lossy();
            writeln!(differences, "{}/src/{name}: no longer generated", golden.name)
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
    let src = golden.folder.join("src");
    if src.is_dir() {
        fs::remove_dir_all(&src).unwrap();
    }
    fs::create_dir(&src).unwrap();
    for file in rust_files(golden) {
        fs::write(golden.folder.join(Path::new(&file.path)), file.text).unwrap();
    }
}

fn rust_files(golden: &Golden) -> Vec<codegen::GeneratedFile> {
    let mut files = golden.generated().files;
    files.retain(|file| file.path.ends_with(".rs"));
    files
}

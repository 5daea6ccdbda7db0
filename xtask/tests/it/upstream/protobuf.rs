//! Kubernetes' own `.proto` files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::protobuf::Protos;
use codegen::{Diagnostics, Source};
use xtask_testing::upstream;

use crate::common::{Outcome, XTASK, real_root};

/// Returns the folder of Kubernetes' files of the release whose messages we have.
fn theirs(root: &Path) -> PathBuf {
    let spec = fs::read_dir(root.join("spec")).unwrap();
    let mut releases = spec.map(|entry| entry.unwrap());
    let release = releases.find(|release| release.path().join("protobuf").is_dir());
    let name = release.unwrap().file_name();
    upstream(root).join("protobuf").join(name)
}

/// Kubernetes 1.37 has 70 packages. Each release has some of another number.
const FEWEST_PACKAGES: usize = 60;

fn read(sources: &[Source]) -> Protos {
    let mut diagnostics = Diagnostics::default();
    let protos = Protos::read(sources, &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics}");
    protos
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The messages of a package without their lines.
fn shape(protos: &Protos, package: &str) -> Vec<String> {
    let messages = protos.messages(package);
    let shape = messages.map(|message| {
        let fields = message.fields.iter();
        let fields: Vec<_> = fields
            .map(|field| (&field.name, field.number, field.label, &field.ty))
            .collect();
        format!("{} {fields:?}", message.name)
    });
    shape.collect()
}

#[test]
#[ignore = "needs UPSTREAM_DIR"]
fn printed_files_are_read_as_the_same() {
    let Some(root) = real_root() else { return };
    let mut paths = Vec::new();
    files(&theirs(&root), &mut paths);
    let sources = paths.iter().map(|path| {
        let text = fs::read_to_string(path).unwrap();
        Source::new(path.display().to_string(), text)
    });
    let protos = read(&sources.collect::<Vec<_>>());
    let print = |protos: &Protos| -> Vec<Source> {
        let packages = protos.packages();
        let texts =
            packages.map(|(package, file)| Source::new(file, protos.print(package, "").unwrap()));
        texts.collect()
    };
    let printed = print(&protos);
    assert!(printed.len() >= FEWEST_PACKAGES, "{}", printed.len());
    let again = read(&printed);
    for (package, _) in protos.packages() {
        assert_eq!(shape(&again, package), shape(&protos, package));
    }
    for (once, twice) in printed.iter().zip(print(&again)) {
        assert_eq!(once.text, twice.text);
    }
}

#[test]
#[ignore = "needs UPSTREAM_DIR and Go"]
fn our_files_are_up_to_date() {
    let Some(root) = real_root() else { return };
    let from = theirs(&root);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(XTASK);
        command.args(["spec", "protobuf", "--from"]).arg(&from);
        let outcome = Outcome::of(command.args(arguments).current_dir(&root));
        println!("{}", outcome.succeeds().out);
    };
    run(&["--check"]);
    // Go and the files agree in all packages.
    let folder = tempfile::tempdir().unwrap();
    run(&["--all", "--out", folder.path().to_str().unwrap()]);
    let mut written = Vec::new();
    files(folder.path(), &mut written);
    assert!(written.len() >= FEWEST_PACKAGES, "{}", written.len());
}

//! The program that judges objects with the generated code.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use kubernetes_crdgen::definitions::{Choices, Definitions};
use kubernetes_kinds::Release;
use serde_json::{Value, json};
use xtask_testing::nested::{self, SHARED, share_dependencies};

use super::corpus::{Case, Corpus, Kind};

/// The source without the table of kinds.
const JUDGE: &str = include_str!("judge.rs");

/// A program that is compiled.
pub(super) struct Program(PathBuf);

impl Program {
    pub(super) fn build(root: &Path, corpus: &Corpus) -> Self {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("judged");
        let _ = fs::remove_dir_all(&out);
        let mut choices = Choices::default();
        choices.merge_equal = true;
        let definitions = Definitions {
            paths: &corpus.files,
            given: &[],
            runtime: Some(&root.join("crates")),
            release: None,
            choices: &choices,
        };
        kubernetes_crdgen::generate(&definitions, &out, false).unwrap_or_else(|e| panic!("{e}"));
        let folder = out.with_extension("judge");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("Cargo.toml"), manifest(root, &out, corpus)).unwrap();
        let source = format!("{JUDGE}\n{}", table(corpus));
        fs::write(folder.join("src/main.rs"), source).unwrap();
        share_dependencies(root, &folder);
        let program = Self(folder);
        nested::strict(&mut program.cargo("build"));
        program
    }

    fn cargo(&self, command: &str) -> std::process::Command {
        nested::cargo(&self.0, Path::new(env!("CARGO_TARGET_TMPDIR")), command)
    }

    /// What the generated code says of each case: `errors`, the `object` as it is stored or as it
    /// is written, or why it is `unread`.
    pub(super) fn judge(&self, cases: &[&Case], release: Release) -> Vec<Value> {
        let lines: String = cases
            .iter()
            .map(|case| {
                let request = json!({
                    "kind": case.kind, "operation": case.operation.name(),
                    "object": case.object, "stored": case.stored,
                });
                format!("{request}\n")
            })
            .collect();
        let file = self.0.join("requests.ndjson");
        fs::write(&file, lines).unwrap();
        let mut run = self.cargo("run");
        let release = [release.major, release.minor].map(|number| number.to_string());
        run.arg("--").args(release).stdin(File::open(file).unwrap());
        let outcome = nested::strict(&mut run);
        let lines = outcome.out.lines();
        let verdicts: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(verdicts.len(), cases.len());
        verdicts
    }
}

fn package(kind: &Kind) -> String {
    format!("{}-{}", kind.group.replace('.', "-"), kind.version)
}

fn manifest(root: &Path, out: &Path, corpus: &Corpus) -> String {
    let mut manifest = "[workspace]\n\n[package]\nname = \"judge\"\nedition = \"2024\"\n\n\
        [dependencies]\nserde = \"1\"\nserde_json = \"1\"\n\
        k8s-openapi = { version = \"0.29\", default-features = false }\n"
        .to_owned();
    for krate in ["kubernetes-kinds", "kubernetes-validation"] {
        manifest += &format!("{krate}.path = {:?}\n", root.join("crates").join(krate));
    }
    let packages: BTreeSet<_> = corpus.kinds.iter().map(package).collect();
    for name in packages.iter().filter(|name| *name != SHARED) {
        let path = out.join(name);
        manifest += &format!("{name} = {{ path = {path:?}, features = [\"validation\"] }}\n");
    }
    manifest
}

/// The function that judges an object of each kind.
fn table(corpus: &Corpus) -> String {
    let mut rows = String::new();
    for kind in &corpus.kinds {
        let module = package(kind).replace('-', "_");
        rows += &format!("    judge::<{module}::{}>,\n", kind.kind);
    }
    format!("const KINDS: &[fn(&Value, &Target) -> Value] = &[\n{rows}];\n")
}

//! Definitions and objects from folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fastrand::Rng;
use serde_json::{Value, json};
use xtask_testing::objects;

use super::mutation::Words;
use crate::cluster::definitions::manifests;

/// What is asked of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Create,
    Update,
    UpdateStatus,
    /// An object is read and written.
    Rewrite,
}

impl Operation {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::UpdateStatus => "status",
            Self::Rewrite => "rewrite",
        }
    }
}

/// An object, and what is stored before.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The place of the kind in [`Corpus::kinds`].
    pub(super) kind: usize,
    pub(super) name: String,
    pub(super) operation: Operation,
    pub(super) stored: Option<Value>,
    pub(super) object: Value,
    /// The number of mutants of the object to make once it is known what the server stores.
    pub(super) mutants: usize,
}

/// The version of a definition that is stored.
#[derive(Debug)]
pub(super) struct Kind {
    /// The name of the definition.
    pub(super) definition: String,
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    pub(super) has_status: bool,
    pub(super) schema: Value,
    /// The texts for mutants.
    pub(super) words: Words,
}

/// Definitions and objects.
#[derive(Debug)]
pub(super) struct Corpus {
    /// The files with definitions.
    pub(super) files: Vec<PathBuf>,
    pub(super) definitions: Vec<Value>,
    pub(super) kinds: Vec<Kind>,
    cases: Vec<Case>,
}

impl Corpus {
    pub(super) fn read(folders: &[PathBuf]) -> Self {
        let mut corpus = Self {
            files: Vec::new(),
            definitions: Vec::new(),
            kinds: Vec::new(),
            cases: Vec::new(),
        };
        let mut files = Vec::new();
        folders
            .iter()
            .for_each(|folder| manifests(folder, &mut files));
        let mut objects = Vec::new();
        for file in files.iter().filter(|file| !file.ends_with("cases.json")) {
            let text = fs::read_to_string(file).unwrap();
            let documents: Vec<Value> = serde_saphyr::from_multiple(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let documents = documents.into_iter().flat_map(inside);
            let (definitions, others): (Vec<_>, Vec<_>) =
                documents.partition(|document| document["kind"] == "CustomResourceDefinition");
            if !definitions.is_empty() {
                corpus.files.push(file.clone());
            }
            corpus.definitions.extend(definitions);
            objects.extend(others);
        }
        corpus.kinds = corpus.definitions.iter().flat_map(kinds).collect();
        for (number, object) in objects.into_iter().enumerate() {
            corpus.add(format!("object {number}"), Operation::Create, None, object);
        }
        for file in files.iter().filter(|file| file.ends_with("cases.json")) {
            let cases: Vec<Value> =
                serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            cases.iter().for_each(|case| corpus.add_case(case));
        }
        corpus
    }

    /// Adds a case as the golden has them. What was stored when the definition asked less can't be
    /// stored here.
    fn add_case(&mut self, case: &Value) {
        let operation = match case["operation"].as_str() {
            Some("update") => Operation::Update,
            Some("status") => Operation::UpdateStatus,
            _ => Operation::Create,
        };
        if case["before"] != true {
            let stored = case.get("stored").filter(|stored| stored.is_object());
            let name = case["case"].as_str().unwrap_or_default().to_owned();
            self.add(name, operation, stored.cloned(), case["object"].clone());
        }
    }

    fn add(&mut self, name: String, operation: Operation, stored: Option<Value>, object: Value) {
        let is_of = |kind: &Kind| {
            let is_only = self.kinds.len() == 1 && object.get("kind").is_none();
            is_only
                || object["kind"] == *kind.kind
                    && object["apiVersion"] == format!("{}/{}", kind.group, kind.version)
        };
        if let Some(kind) = self.kinds.iter().position(is_of) {
            let of = &self.kinds[kind];
            let object = of.complete(object);
            let stored = stored.map(|stored| of.complete(stored));
            self.cases.push(Case {
                kind,
                name,
                operation,
                stored,
                object,
                mutants: 0,
            });
        }
    }

    /// The cases of the folders, and one for each kind that has none, with the number of mutants
    /// of each.
    pub(super) fn cases(&self, mutants: usize, rng: &mut Rng) -> Vec<Case> {
        let mut cases = self.cases.clone();
        let known: BTreeSet<_> = cases.iter().map(|case| case.kind).collect();
        for (number, kind) in self.kinds.iter().enumerate() {
            if !known.contains(&number)
                && let Some(object @ Value::Object(_)) = objects::value(&kind.schema, rng)
            {
                cases.push(Case {
                    kind: number,
                    name: format!("a random {}", kind.kind),
                    operation: Operation::Create,
                    stored: None,
                    object: kind.complete(object),
                    mutants: 0,
                });
            }
        }
        let mut of_kinds = vec![Vec::new(); self.kinds.len()];
        for (place, case) in cases.iter().enumerate() {
            of_kinds[case.kind].push(place);
        }
        for _ in 0..mutants {
            // Each kind has as many as another.
            let of_kind = &of_kinds[rng.usize(..self.kinds.len())];
            if !of_kind.is_empty() {
                cases[of_kind[rng.usize(..of_kind.len())]].mutants += 1;
            }
        }
        cases
    }
}

impl Kind {
    /// Adds what the objects of cases may lack. What a server generates can't be compared, and
    /// finalizers are in the way of deletion.
    fn complete(&self, mut object: Value) -> Value {
        object["apiVersion"] = format!("{}/{}", self.group, self.version).into();
        object["kind"] = self.kind.as_str().into();
        if !object["metadata"].is_object() {
            object["metadata"] = json!({});
        }
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.retain(|name, _| ["name", "labels", "annotations"].contains(&name.as_str()));
        if !metadata.contains_key("name") {
            metadata.insert("name".to_owned(), "object".into());
        }
        if self.is_namespaced {
            metadata.insert("namespace".to_owned(), "default".into());
        }
        object
    }
}

/// The objects of a document, which may be a list.
fn inside(document: Value) -> Vec<Value> {
    match document {
        Value::Array(items) => items,
        Value::Object(mut object) => match object.remove("items") {
            Some(Value::Array(items)) => items,
            _ => vec![Value::Object(object)],
        },
        _ => Vec::new(),
    }
}

/// The version in which a definition stores. A server without the program that converts drops
/// fields of others which this one lacks, and sets its defaults.
fn kinds(definition: &Value) -> Vec<Kind> {
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let versions = spec["versions"].as_array().unwrap().iter();
    let served = versions.filter(|version| version["served"] == true && version["storage"] == true);
    let kinds = served.map(|version| Kind {
        definition: text(&definition["metadata"]["name"]),
        group: text(&spec["group"]),
        version: text(&version["name"]),
        kind: text(&spec["names"]["kind"]),
        plural: text(&spec["names"]["plural"]),
        is_namespaced: spec["scope"] == "Namespaced",
        has_status: version["subresources"]["status"].is_object(),
        schema: version["schema"]["openAPIV3Schema"].clone(),
        words: Words::of(&version["schema"]["openAPIV3Schema"]),
    });
    kinds.collect()
}

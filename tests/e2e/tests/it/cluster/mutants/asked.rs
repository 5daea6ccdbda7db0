//! What a server says of cases.

use std::collections::BTreeSet;
use std::time::Duration;

use e2e::{Answer, send};
use fastrand::Rng;
use http::Method;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, PostParams};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::corpus::{Case, Corpus, Kind, Operation};
use super::mutation::mutate;

/// A case as it was sent, and the answer.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) case: Case,
    pub(super) answer: Answer,
}

/// Asks a server about all cases and their mutants. What it can't store before an update is left
/// out.
pub(super) async fn ask(
    client: &Client,
    corpus: &Corpus,
    cases: Vec<Case>,
    rng: &mut Rng,
) -> Vec<Asked> {
    let defined = define_all(client, corpus).await;
    let mut asked = Vec::new();
    for case in cases {
        let kind = &corpus.kinds[case.kind];
        if !defined.contains(&kind.definition) {
            continue;
        }
        match case.operation {
            Operation::Create => creation(client, kind, case, rng, &mut asked).await,
            _ => update(client, kind, case, rng, &mut asked).await,
        }
    }
    asked
}

/// Creates the definitions, and returns the names of those that the server takes.
async fn define_all(client: &Client, corpus: &Corpus) -> BTreeSet<String> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let mut defined = BTreeSet::new();
    for mut definition in corpus.definitions.iter().cloned() {
        // A server that has no controllers finds no program that converts.
        definition["spec"]["conversion"] = json!({"strategy": "None"});
        definition.as_object_mut().unwrap().remove("status");
        let definition: CustomResourceDefinition = serde_json::from_value(definition).unwrap();
        let name = definition.name_any();
        match definitions
            .create(&PostParams::default(), &definition)
            .await
        {
            Ok(_) => drop(defined.insert(name)),
            Err(error) => println!("left out: {name}: {error}"),
        }
    }
    for kind in &corpus.kinds {
        let is_defined = defined.contains(&kind.definition);
        while is_defined && !get(client, &kind.path("")).await.is_success() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    defined
}

async fn get(client: &Client, path: &str) -> Answer {
    send(client, Method::GET, path, None).await.unwrap()
}

impl Kind {
    /// Returns true if a server reads a field unless it is of the subresource. It drops a status of
    /// any type; a type reads it first.
    fn is_read(&self, name: &str) -> bool {
        !self.has_status || name != "status"
    }

    pub(super) fn path(&self, end: &str) -> String {
        let namespace = if self.is_namespaced {
            "/namespaces/default"
        } else {
            ""
        };
        let (group, version, plural) = (&self.group, &self.version, &self.plural);
        format!("/apis/{group}/{version}{namespace}/{plural}{end}")
    }
}

/// Asks of a new object and of its mutants; if it can be stored, of updates that change it to
/// mutants, too.
async fn creation(client: &Client, kind: &Kind, case: Case, rng: &mut Rng, asked: &mut Vec<Asked>) {
    let mutants = case.mutants;
    for number in 0..mutants / 2 {
        let mut mutant = case.clone();
        mutant.name = format!("{}, mutant {number}", case.name);
        mutate(
            &mut mutant.object,
            (&kind.schema, &kind.words),
            |name| kind.is_read(name),
            rng,
        );
        asked.push(one(client, kind, mutant).await);
    }
    let update = Case {
        stored: Some(case.object.clone()),
        mutants: mutants - mutants / 2,
        operation: Operation::Update,
        ..case.clone()
    };
    asked.push(one(client, kind, case).await);
    if update.mutants > 0 {
        self::update(client, kind, update, rng, asked).await;
    }
}

/// Stores an object, asks of the update, and of those that change the object to mutants.
async fn update(
    client: &Client,
    kind: &Kind,
    mut case: Case,
    rng: &mut Rng,
    asked: &mut Vec<Asked>,
) {
    let Some(stored) = store(client, kind, case.stored.as_ref().unwrap()).await else {
        return;
    };
    let version = stored["metadata"]["resourceVersion"].clone();
    for number in 0..case.mutants {
        let mut mutant = case.clone();
        mutant.name = format!("{}, update {number}", case.name);
        mutant.object = stored.clone();
        let is_status = kind.has_status && rng.u8(..3) == 0;
        mutant.operation = match is_status {
            true => Operation::UpdateStatus,
            false => Operation::Update,
        };
        let changes = |name: &str| match is_status {
            true => name == "status",
            false => kind.is_read(name),
        };
        let of = (&kind.schema, &kind.words);
        mutate(&mut mutant.object, of, changes, rng);
        mutant.stored = Some(stored.clone());
        asked.push(one(client, kind, mutant).await);
    }
    let name = stored["metadata"]["name"].as_str().unwrap();
    let path = kind.path(&format!("/{name}"));
    case.object["metadata"]["resourceVersion"] = version;
    case.object["metadata"]["name"] = name.into();
    case.stored = Some(stored.clone());
    asked.push(one(client, kind, case).await);
    let deleted = send(client, Method::DELETE, &path, None).await.unwrap();
    assert!(deleted.is_success(), "{deleted:?}");
}

/// Stores an object and its status; `None` if it is refused.
pub(super) async fn store(client: &Client, kind: &Kind, object: &Value) -> Option<Value> {
    let body = serde_json::to_vec(object).unwrap();
    let created = send(client, Method::POST, &kind.path(""), Some(body)).await;
    let mut stored = created.unwrap();
    assert_ne!(stored.status, 409, "{object}");
    if stored.is_success() && kind.has_status && object["status"].is_object() {
        let mut with_status = stored.body.clone();
        with_status["status"] = object["status"].clone();
        let name = stored.body["metadata"]["name"].as_str().unwrap();
        let path = kind.path(&format!("/{name}/status"));
        let body = serde_json::to_vec(&with_status).unwrap();
        let answer = send(client, Method::PUT, &path, Some(body)).await.unwrap();
        if answer.is_success() {
            stored = answer;
        }
    }
    stored.is_success().then_some(stored.body)
}

/// Asks without storing.
async fn one(client: &Client, kind: &Kind, case: Case) -> Asked {
    let name = case.object["metadata"]["name"].as_str().unwrap();
    let (method, end) = match case.operation {
        Operation::Create => (Method::POST, String::new()),
        Operation::Update => (Method::PUT, format!("/{name}")),
        Operation::UpdateStatus => (Method::PUT, format!("/{name}/status")),
        Operation::Rewrite => unreachable!("it is not asked of a server"),
    };
    let path = kind.path(&format!("{end}?dryRun=All"));
    let body = serde_json::to_vec(&case.object).unwrap();
    let answer = send(client, method, &path, Some(body)).await.unwrap();
    let is_answer = answer.is_success() || [400, 422].contains(&answer.status.as_u16());
    assert!(is_answer, "{}: {answer:?}", case.object);
    Asked { case, answer }
}

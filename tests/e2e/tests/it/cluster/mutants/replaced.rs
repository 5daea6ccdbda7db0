//! Objects that are read and replaced: to a server, nothing has changed.

use e2e::send;
use http::Method;
use kube::Client;
use serde_json::{Value, json};

use super::asked::store;
use super::corpus::{Case, Corpus, Operation};

/// The most times that an object is written back until a server changes nothing of it.
const SETTLES: usize = 4;

/// Stores objects under names of their own, each until the server changes nothing more when it gets
/// its own answer back. Those that it refuses are left out.
pub(super) async fn store_all(client: &Client, corpus: &Corpus, cases: &[Case]) -> Vec<Case> {
    let mut stored = Vec::new();
    let created = cases
        .iter()
        .filter(|case| case.operation == Operation::Create);
    for (number, case) in created.enumerate() {
        let kind = &corpus.kinds[case.kind];
        let mut object = case.object.clone();
        object["metadata"]["name"] = json!(format!("replaced-{number}"));
        let Some(mut found) = store(client, kind, &object).await else {
            continue;
        };
        for _ in 0..SETTLES {
            let answer = put(client, corpus, case.kind, &found).await;
            let is_settled = answer.as_ref().is_none_or(|answer| is_same(&found, answer));
            found = answer.unwrap_or(found);
            if is_settled {
                stored.push(Case {
                    operation: Operation::Rewrite,
                    object: found,
                    ..case.clone()
                });
                break;
            }
        }
    }
    stored
}

/// Replaces the stored objects by what has been written of them.
pub(super) async fn replace_all(
    client: &Client,
    corpus: &Corpus,
    stored: &[Case],
    written: &[Value],
) {
    let mut changed = Vec::new();
    for (case, written) in stored.iter().zip(written) {
        let answer = put(client, corpus, case.kind, &written["object"]).await;
        if !answer.is_some_and(|answer| is_same(&case.object, &answer)) {
            changed.push(format!("{}: {}\n  {written}", case.name, case.object));
        }
    }
    println!(
        "{} objects read and replaced, {} changed",
        stored.len(),
        changed.len()
    );
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// Returns true if a server has changed nothing.
fn is_same(one: &Value, other: &Value) -> bool {
    ["resourceVersion", "generation"]
        .iter()
        .all(|name| one["metadata"][name] == other["metadata"][name])
}

/// Writes an object; `None` if it is refused.
async fn put(client: &Client, corpus: &Corpus, kind: usize, object: &Value) -> Option<Value> {
    let name = object["metadata"]["name"].as_str()?;
    let path = corpus.kinds[kind].path(&format!("/{name}"));
    let body = serde_json::to_vec(object).unwrap();
    let answer = send(client, Method::PUT, &path, Some(body)).await.unwrap();
    answer.is_success().then_some(answer.body)
}

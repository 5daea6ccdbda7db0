//! Claims inside other objects: a server and `kubernetes-storage lint` find the same.

use std::collections::BTreeSet;

use e2e::send;
use http::Method;
use kubernetes_kinds::Release;
use kubernetes_manifests::scheme::Syntax;
use kubernetes_storage::lint::{Linter, Severity};
use kubernetes_validation::Target;
use serde_json::{Value, json};

use super::run;

/// A claim that a server takes, with some fields of its `spec` in place of others.
fn claim(spec: &Value) -> Value {
    let mut claim = json!({"metadata": {"labels": {"a": "b"}}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
    }});
    for (name, value) in spec.as_object().into_iter().flatten() {
        claim["spec"][name] = value.clone();
    }
    claim
}

/// Claims that a server refuses for one reason each, or takes.
fn claims() -> Vec<Value> {
    let mut claims: Vec<_> = [
        json!({}),
        json!({"accessModes": []}),
        json!({"accessModes": ["ReadWriteOnc"]}),
        json!({"accessModes": ["ReadWriteOncePod", "ReadWriteOnce"]}),
        json!({"resources": {}}),
        json!({"resources": {"requests": {"storage": "0"}}}),
        json!({"resources": {"requests": {"storage": "-1Gi"}}}),
        json!({"resources": {"requests": {"storage": "0.5"}}}),
        json!({"storageClassName": "A B"}),
        json!({"storageClassName": ""}),
        json!({"storageClassname": "a"}),
        json!({"volumeMode": "Blok"}),
        json!({"volumeMode": null}),
        json!({"selector": {"matchLabels": {"a b": "c"}}}),
        json!({"selector": {"matchLabels": {"a": "c d"}}}),
        json!({"dataSource": {"kind": "PersistentVolumeClaim", "name": ""}}),
        json!({"dataSource": {"kind": "PersistentVolumeClaim", "name": "a"}}),
        json!({"dataSourceRef": {"kind": "", "name": "a"}}),
        json!({"volumeAttributesClassName": "A B"}),
        json!({"unknown": [{"a": 1}]}),
    ]
    .iter()
    .map(claim)
    .collect();
    let metadata = [
        json!({"labels": {"a b": "c"}}),
        json!({"labels": {"a": "c d"}}),
        json!({"annotations": {"a b": "c"}}),
        json!({"annotations": {"volume.beta.kubernetes.io/storage-class": "a"}}),
        json!({"name": "A B"}),
        json!({"name": "a", "namespace": "b", "finalizers": ["c"], "generateName": "d"}),
        json!({"unknown": "a"}),
        json!({"creationTimestamp": null}),
        json!(null),
    ];
    claims.extend(metadata.map(|metadata| {
        let mut claim = claim(&json!({}));
        claim["metadata"] = metadata;
        claim
    }));
    for (name, value) in [
        ("apiVersion", json!("v1")),
        ("kind", json!("PersistentVolumeClaim")),
        ("kind", json!("Other")),
        ("status", json!({"phase": "Bound"})),
        ("spce", json!({})),
        ("spec", json!(null)),
    ] {
        let mut claim = claim(&json!({}));
        claim[name] = value;
        claims.push(claim);
    }
    claims
}

/// The objects that can have a claim, with the path of the request and that of the claim.
fn holders(claim: &Value) -> Vec<(&'static str, String, Value)> {
    let pod = |volumes: Value, policy: &str| {
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {
            "containers": [{"name": "a", "image": "b"}], "volumes": volumes,
            "restartPolicy": policy,
        }})
    };
    let volumes = json!([
        {"name": "first", "emptyDir": {}},
        {"name": "second", "ephemeral": {"volumeClaimTemplate": claim}},
    ]);
    let inside = "spec.volumes[1].ephemeral.volumeClaimTemplate";
    let metadata = json!({"name": "claims"});
    let object = |version: &str, kind: &str, spec: Value| json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec});
    let [sets, deployments, jobs, pods] = [
        "/apis/apps/v1/namespaces/default/statefulsets",
        "/apis/apps/v1/namespaces/default/deployments",
        "/apis/batch/v1/namespaces/default/cronjobs",
        "/api/v1/namespaces/default/pods",
    ];
    let set = |template: Value, claims: Value| {
        json!({
            "serviceName": "a", "selector": {"matchLabels": {"a": "b"}}, "template": template,
            "volumeClaimTemplates": claims,
        })
    };
    let mut named = claim.clone();
    if named["metadata"]["name"].is_null() {
        named["metadata"]["name"] = json!("a");
    }
    let whole = pod(volumes.clone(), "Always")["spec"].take();
    vec![
        (
            sets,
            "spec.volumeClaimTemplates[0]".to_owned(),
            object(
                "apps/v1",
                "StatefulSet",
                set(pod(json!([]), "Always"), json!([named])),
            ),
        ),
        (
            sets,
            format!("spec.template.{inside}"),
            object(
                "apps/v1",
                "StatefulSet",
                set(pod(volumes.clone(), "Always"), json!([])),
            ),
        ),
        (
            deployments,
            format!("spec.template.{inside}"),
            object(
                "apps/v1",
                "Deployment",
                json!({
                    "selector": {"matchLabels": {"a": "b"}}, "template": pod(volumes.clone(), "Always"),
                }),
            ),
        ),
        (
            jobs,
            format!("spec.jobTemplate.spec.template.{inside}"),
            object(
                "batch/v1",
                "CronJob",
                json!({
                    "schedule": "* * * * *",
                    "jobTemplate": {"spec": {"template": pod(volumes, "Never")}},
                }),
            ),
        ),
        (pods, inside.to_owned(), object("v1", "Pod", whole)),
    ]
}

/// Returns the texts of an object: as it is, and with fields of a claim twice.
fn texts(object: &Value) -> Vec<String> {
    let text = object.to_string();
    let mut texts = vec![text.clone()];
    for field in [r#""accessModes":"#, r#""storage":"#, r#""a":"#] {
        texts.push(text.replace(field, &format!("{field}null,{field}")));
    }
    texts
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn claims_in_other_objects_are_checked_as_by_a_server() {
    run(async |server| {
        // The server has all gates.
        let target = Target::new(server.release).with_gate("AllAlpha", true);
        let linter = Linter::new(target.with_gate("AllBeta", true));
        let (mut asked, mut refused, mut wrong) = (0, 0, Vec::new());
        for claim in claims() {
            for (path, place, object) in holders(&claim) {
                // Older servers leave what is in a StatefulSet to its controller.
                if path.ends_with("/statefulsets") && server.release < Release::new(1, 34) {
                    continue;
                }
                for text in texts(&object) {
                    let url = format!("{path}?dryRun=All&fieldValidation=Strict");
                    let body = Some(text.clone().into_bytes());
                    let answer = send(&server.client, Method::POST, &url, body);
                    let theirs = theirs(&answer.await.unwrap().body, &place);
                    let report = linter.check("a.json", &text, Syntax::Json);
                    let errors = report
                        .findings
                        .iter()
                        .filter(|finding| finding.message.severity == Severity::Error);
                    let ours: BTreeSet<_> = errors
                        .map(|finding| finding.message.field.clone().unwrap_or_default())
                        .collect();
                    asked += 1;
                    refused += usize::from(!theirs.is_empty());
                    if theirs != ours {
                        wrong.push(format!("{text}\n  server {theirs:?}\n  ours {ours:?}"));
                    }
                    // A server that can't read an object strictly doesn't validate it.
                    if !theirs.is_empty() {
                        break;
                    }
                }
            }
        }
        println!("{asked} objects, of which the server refuses {refused}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// Objects with something in the place of a claim or of a list of claims, by the requests' paths.
fn without_claims() -> Vec<(&'static str, Value)> {
    let good = claim(&json!({}));
    let mut objects = Vec::new();
    for (path, _, object) in holders(&good) {
        let is_set = object.pointer("/spec/volumeClaimTemplates/0").is_some();
        let place = match (is_set, object["kind"].as_str().unwrap_or_default()) {
            (true, _) => "/spec/volumeClaimTemplates",
            (_, "Pod") => "/spec/volumes/1/ephemeral",
            (_, "CronJob") => "/spec/jobTemplate/spec/template/spec/volumes/1/ephemeral",
            _ => "/spec/template/spec/volumes/1/ephemeral",
        };
        let others = match is_set {
            true => vec![
                json!([]),
                json!(null),
                json!({}),
                json!(["a"]),
                json!([[]]),
                json!([null]),
            ],
            false => vec![
                json!({}),
                json!({"volumeClaimTemplate": null}),
                json!({"volumeClaimTemplate": {}}),
                json!({"volumeClaimTemplate": "a"}),
                json!({"volumeClaimTemplate": []}),
            ],
        };
        for other in others {
            let mut object = object.clone();
            *object.pointer_mut(place).unwrap() = other;
            objects.push((path, object));
        }
    }
    objects
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn what_is_no_claim_is_refused_as_by_a_server() {
    run(async |server| {
        let linter = Linter::new(Target::new(server.release));
        let (mut asked, mut refused, mut wrong) = (0, 0, Vec::new());
        for (path, object) in without_claims() {
            let text = object.to_string();
            // Older servers leave what is in a StatefulSet to its controller.
            let is_empty = text.contains("\"volumeClaimTemplates\":[null]");
            if is_empty && server.release < Release::new(1, 34) {
                continue;
            }
            let url = format!("{path}?dryRun=All&fieldValidation=Strict");
            let body = Some(text.clone().into_bytes());
            let answer = send(&server.client, Method::POST, &url, body)
                .await
                .unwrap();
            let is_refused = !answer.status.is_success();
            let report = linter.check("a.json", &text, Syntax::Json);
            asked += 1;
            refused += usize::from(is_refused);
            if is_refused == report.findings.is_empty() {
                let message = &answer.body["message"];
                wrong.push(format!(
                    "{text}\n  server {message}\n  ours {:?}",
                    report.findings
                ));
            }
        }
        println!("{asked} objects without claims, of which the server refuses {refused}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

/// The fields of the claim that a server refuses: those of causes, and of the message about unknown
/// and duplicate fields.
fn theirs(answer: &Value, place: &str) -> BTreeSet<String> {
    let causes = answer["details"]["causes"].as_array();
    let causes = causes.into_iter().flatten();
    let mut found: BTreeSet<_> = causes
        .filter_map(|cause| cause["field"].as_str().map(str::to_owned))
        .collect();
    let message = answer["message"].as_str().unwrap_or_default();
    for kind in ["unknown field \"", "duplicate field \""] {
        let named = message.split(kind).skip(1);
        found.extend(named.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
    }
    found.retain(|field| field.starts_with(place));
    found
}

//! The custom resource of the generator's golden, whose rules in CEL and keywords the server checks
//! as the generated code does: `cases.json` has objects and what a server says of them, and the
//! tests of the generator compare the same cases with the generated code.
//!
//! The stored object of a case with `before` was stored when the definition asked less. A case with
//! `since` is of servers from that release on.
//!
//! `UPDATE_CASES=1` writes what the server says into the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, PostParams};
use kubernetes_kinds::Release;
use serde_json::{Value, json};

use super::run;
use crate::cluster::definitions::{define, lenient, replace};

fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    root.join("codegen/tests/golden/custom")
}

fn parse(release: &str) -> Release {
    let (major, minor) = release.split_once('.').unwrap();
    Release::new(major.parse().unwrap(), minor.parse().unwrap())
}

fn garden(number: usize, parts: &Value, version: Option<String>) -> DynamicObject {
    let mut object = parts.clone();
    object["apiVersion"] = "example.com/v1".into();
    object["kind"] = "Garden".into();
    let name = match parts["metadata"]["name"].as_str() {
        Some(name) => name.to_owned(),
        None => format!("case-{number}"),
    };
    object["metadata"] = json!({"name": name, "resourceVersion": version});
    serde_json::from_value(object).unwrap()
}

/// The definition without the fields whose rules have functions that a server doesn't know yet.
fn known(definition: &CustomResourceDefinition, release: Release) -> CustomResourceDefinition {
    let mut definition = serde_json::to_value(definition).unwrap();
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let properties = definition.pointer_mut(spec).unwrap().as_object_mut();
    let properties = properties.unwrap();
    for (field, _) in SINCE.iter().filter(|(_, since)| release < *since) {
        properties.remove(*field).unwrap();
    }
    serde_json::from_value(definition).unwrap()
}

/// The fields with newer functions, and the releases from which on rules may have them: the formats
/// and the macros with two variables, versions, and the orders of lists.
pub(crate) const SINCE: [(&str, Release); 3] = [
    ("almanac", Release::new(1, 33)),
    ("edition", Release::new(1, 34)),
    ("workbench", Release::new(1, 35)),
];

/// Stores the object of a case, and its status.
async fn store(gardens: &Api<DynamicObject>, number: usize, parts: &Value) -> DynamicObject {
    let params = PostParams::default();
    let created = gardens.create(&params, &garden(number, parts, None)).await;
    let created = created.unwrap();
    if !parts["status"].is_object() {
        return created;
    }
    let status = garden(number, parts, created.metadata.resource_version);
    let name = format!("case-{number}");
    gardens
        .replace_status(&name, &params, &status)
        .await
        .unwrap()
}

/// Fills in what the server says of a case.
async fn ask(gardens: &Api<DynamicObject>, number: usize, case: &mut Value) {
    let object = |parts: &Value, version| garden(number, parts, version);
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let name = format!("case-{number}");
    let (new, operation) = (case["object"].clone(), case["operation"].clone());
    let answer = if case["stored"].is_object() {
        let stored = match case["before"].as_bool() {
            Some(true) => gardens.get(&name).await.unwrap(),
            _ => store(gardens, number, &case["stored"]).await,
        };
        let version = stored.metadata.resource_version;
        match operation.as_str() {
            Some("status") => {
                gardens
                    .replace_status(&name, &dry, &object(&new, version))
                    .await
            }
            _ => gardens.replace(&name, &dry, &object(&new, version)).await,
        }
    } else {
        gardens.create(&dry, &object(&new, None)).await
    };
    let case = case.as_object_mut().unwrap();
    case.remove("errors");
    case.remove("stores");
    match answer {
        Ok(stored) => {
            let parts = ["spec", "status"].map(|part| (part.to_owned(), stored.data[part].clone()));
            let parts = parts.into_iter().filter(|(_, value)| !value.is_null());
            case.insert("stores".to_owned(), Value::Object(parts.collect()));
        }
        Err(kube::Error::Api(status)) => {
            let details = status.details.as_ref();
            let details = details.unwrap_or_else(|| panic!("{number}: {status:?}"));
            let causes = details.causes.iter();
            let mut errors: Vec<_> = causes
                .map(|cause| format!("{} {}", cause.reason, cause.field))
                .collect();
            errors.sort();
            case.insert("errors".to_owned(), errors.into());
        }
        Err(error) => panic!("{number}: {error}"),
    }
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_golden_custom_resource_is_checked_as_its_cases_say() {
    run(async |server| {
        let definition = fs::read_to_string(folder().join("crd.yaml")).unwrap();
        let definition: CustomResourceDefinition = serde_saphyr::from_str(&definition).unwrap();
        let definition = known(&definition, server.release);
        define(&server.client, &[lenient(&definition, &[])]).await;
        let resource = ApiResource {
            group: "example.com".to_owned(),
            version: "v1".to_owned(),
            api_version: "example.com/v1".to_owned(),
            kind: "Garden".to_owned(),
            plural: "gardens".to_owned(),
        };
        let gardens: Api<DynamicObject> = Api::all_with(server.client.clone(), &resource);
        let file = folder().join("cases.json");
        let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        for (number, case) in cases.iter().enumerate() {
            if case["before"] == true {
                store(&gardens, number, &case["stored"]).await;
            }
        }
        replace(&server.client, &[definition]).await;
        let bad = garden(
            cases.len(),
            &json!({"spec": {"owner": "", "size": 0}}),
            None,
        );
        let dry = PostParams {
            dry_run: true,
            ..PostParams::default()
        };
        while gardens.create(&dry, &bad).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let mut answered = cases.clone();
        for (number, case) in answered.iter_mut().enumerate() {
            let since = case["since"].as_str();
            if since.is_none_or(|since| server.release >= parse(since)) {
                ask(&gardens, number, case).await;
            }
        }
        if std::env::var_os("UPDATE_CASES").is_some() {
            let lines: Vec<_> = answered.iter().map(Value::to_string).collect();
            fs::write(&file, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        } else {
            assert_eq!(answered, cases);
        }
        println!("{} cases", cases.len());
    });
}

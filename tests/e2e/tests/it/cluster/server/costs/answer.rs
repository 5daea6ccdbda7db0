//! Answers of a server about a definition, and those that the generator expects.

use std::collections::BTreeSet;

use codegen::{CostOf, CostlyRule};
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use serde_json::Value;

/// A rule that a server refuses, or all together.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Refusal {
    /// `rule`, `messageExpression` or `total`.
    pub(super) of: &'static str,
    /// The place in the objects.
    path: String,
    /// The cost as so many times what is allowed, as the server writes it.
    times: String,
}

/// The refusal that the generator expects.
#[allow(clippy::cast_precision_loss)]
pub(super) fn expected(rule: &CostlyRule) -> Refusal {
    let times = rule.cost as f64 / rule.of.limit() as f64;
    Refusal {
        of: match rule.of {
            CostOf::Rule => "rule",
            CostOf::Message => "messageExpression",
            CostOf::All => "total",
        },
        path: rule.path.clone(),
        times: match times {
            times if times > 100.0 => "more than 100x".to_owned(),
            times if times < 1.5 => format!("{times:.6}x"),
            times => format!("{times:.1}x"),
        },
    }
}

/// Asks a server whether it would take a definition. It must refuse none for anything but costs.
pub(super) async fn ask(client: &Client, definition: &Value) -> BTreeSet<Refusal> {
    let kind = "CustomResourceDefinition";
    let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", kind);
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&kind));
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let object: DynamicObject = serde_json::from_value(definition.clone()).unwrap();
    match api.create(&dry, &object).await {
        Ok(_) => BTreeSet::new(),
        Err(kube::Error::Api(status)) => {
            let details = status.details.as_ref();
            let details = details.unwrap_or_else(|| panic!("{status:?}"));
            let causes = details.causes.iter();
            causes
                .filter_map(|cause| refusal(&cause.field, &cause.message))
                .collect()
        }
        Err(error) => panic!("{error}"),
    }
}

/// The refusal that an error is; errors about parts of the total are none by themselves.
fn refusal(field: &str, message: &str) -> Option<Refusal> {
    if message.contains("contributed to estimated rule cost total") {
        return None;
    }
    let (_, times) = message
        .split_once("exceeds budget by factor of ")
        .unwrap_or_else(|| panic!("{field}: {message}"));
    let (times, _) = times.split_once(" (").unwrap();
    let (_, place) = field.split_once("openAPIV3Schema").unwrap();
    let (place, of) = match place.split_once(".x-kubernetes-validations[") {
        Some((place, rule)) if rule.ends_with(".rule") => (place, "rule"),
        Some((place, _)) => (place, "messageExpression"),
        None => (place, "total"),
    };
    let place = place
        .replace(".additionalProperties", "[*]")
        .replace(".items", "[*]");
    let mut path = String::new();
    let mut rest = place.as_str();
    while let Some((before, after)) = rest.split_once(".properties[") {
        let (name, after) = after.split_once(']').unwrap();
        path.push_str(before);
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        rest = after;
    }
    Some(Refusal {
        of,
        path: path + rest,
        times: times.to_owned(),
    })
}

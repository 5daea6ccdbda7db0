//! The generator's estimates of the costs of rules against those of the server, which refuses
//! definitions with rules that can cost too much, and says how many times too much.
//!
//! `rules.txt` has rules with all functions. A rule is about the values of a map that may have as
//! many entries as the server just refuses, where it tells the cost to seven digits, and as many as
//! it just takes.
//!
//! With `UPSTREAM_DIR`, the definitions of other projects are posted too, as they are and without
//! some or all of their limits.

mod answer;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use codegen::{CostOf, Source};
use fastrand::Rng;
use kubernetes_kinds::Release;
use serde_json::{Map, Value, json};
use xtask_testing::{real_root, upstream_part};

use super::run_within;
use crate::cluster::definitions::manifests;
use answer::{Refusal, ask, expected};

/// The first release that knows all of the functions.
const SINCE: Release = Release::new(1, 36);

/// Returns true for a server that lacks functions, and says so.
fn is_older(release: Release) -> bool {
    if release < SINCE {
        println!("nothing to test: Kubernetes {release} lacks functions of rules");
    }
    release < SINCE
}

/// The rules.
fn rules() -> Vec<&'static str> {
    let lines = include_str!("rules.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
}

/// The schema of the value that the rules are about.
fn value() -> Map<String, Value> {
    let text = |longest: u32| json!({"type": "string", "maxLength": longest});
    let int = || json!({"type": "integer"});
    let list = |longest: u32, of: Value| json!({"type": "array", "maxItems": longest, "items": of});
    let mut properties = json!({
        "s": text(20),
        "t": text(30),
        "a-b": text(6),
        "e": {"type": "string", "enum": ["red", "green"]},
        "n": int(),
        "d": {"type": "number"},
        "f": {"type": "boolean"},
        "by": {"type": "string", "format": "byte", "maxLength": 10},
        "du": {"type": "string", "format": "duration"},
        "ti": {"type": "string", "format": "date-time"},
        "ios": {"x-kubernetes-int-or-string": true, "maxLength": 8},
        "ls": list(10, text(12)),
        "ln": list(9, int()),
        "lln": list(4, list(5, int())),
        "m": {"type": "object", "maxProperties": 7, "additionalProperties": text(15)},
    });
    let inner = json!({"s": text(20), "n": int(), "ls": list(10, text(12))});
    properties["lo"] = list(5, json!({"type": "object", "properties": inner}));
    let schema = json!({"type": "object", "properties": properties});
    schema.as_object().unwrap().clone()
}

/// A definition whose objects have these properties in `spec`.
fn definition(properties: Map<String, Value>) -> Value {
    let spec = json!({"type": "object", "properties": properties});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "costs.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Cost", "plural": "costs"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// A definition with the rules, each about the values of a map with so many entries at most.
fn with_rules(rules: &[&str], entries: &[u64]) -> Value {
    let maps = rules.iter().zip(entries).enumerate();
    let maps = maps.map(|(nth, (rule, entries))| {
        let mut value = value();
        value.insert(
            "x-kubernetes-validations".to_owned(),
            json!([{"rule": rule}]),
        );
        let map = json!({
            "type": "object",
            "maxProperties": entries,
            "additionalProperties": value,
        });
        (format!("p{nth}"), map)
    });
    definition(maps.collect())
}

/// The refusals that the generator expects for a definition.
fn estimated(definition: &Value) -> BTreeSet<Refusal> {
    let source = Source::new("crd.yaml", definition.to_string());
    codegen::costly([&source]).iter().map(expected).collect()
}

/// The cost of each rule for one value.
fn costs(rules: &[&str]) -> Vec<u64> {
    let many = CostOf::Rule.limit();
    let definition = with_rules(rules, &vec![many + 1; rules.len()]);
    let source = Source::new("crd.yaml", definition.to_string());
    let costly = codegen::costly([&source]);
    let found = costly.iter().filter(|rule| rule.of == CostOf::Rule);
    let found: Vec<_> = found
        .map(|rule| (rule.path.clone(), rule.cost / (many + 1)))
        .collect();
    let of = |nth: usize| {
        let path = format!("spec.p{nth}[*]");
        let cost = found.iter().find(|(other, _)| *other == path);
        cost.unwrap_or_else(|| panic!("no estimate of `{}`", rules[nth]))
            .1
    };
    (0..rules.len()).map(of).collect()
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn rules_cost_as_much_as_the_server_says() {
    run_within(Duration::from_secs(120), async |server| {
        if is_older(server.release) {
            return;
        }
        let rules = rules();
        let limit = CostOf::Rule.limit();
        let costs = costs(&rules);
        for more in [0, 1] {
            let entries: Vec<_> = costs.iter().map(|cost| limit / cost + more).collect();
            // Few at a time, so that all together aren't too many times too much.
            for (rules, entries) in rules.chunks(20).zip(entries.chunks(20)) {
                let definition = with_rules(rules, entries);
                let found = ask(&server.client, &definition).await;
                assert_eq!(found, estimated(&definition));
                let is_refused = |refusal: &&Refusal| refusal.of == "rule";
                let refused = found.iter().filter(is_refused).count();
                assert_eq!(refused, if more == 0 { 0 } else { rules.len() });
            }
        }
        println!("{} rules", rules.len());
    });
}

/// Definitions in which not each rule costs too much by itself: unlimited values, lists in lists,
/// messages, and all rules together.
fn others() -> Vec<Value> {
    let text = json!({"type": "string"});
    let list = |of: Value| json!({"type": "array", "items": of});
    let ruled = |mut schema: Value, rule: Value| {
        schema["x-kubernetes-validations"] = json!([rule]);
        schema
    };
    let each = json!({"rule": "self.all(x, x.startsWith('a'))"});
    let pattern = json!({"rule": "self.matches('^[a-z]+$')"});
    let message = |of: &str| json!({"rule": "self == ''", "messageExpression": of});
    let short = json!({"type": "string", "maxLength": 100});
    let object = json!({
        "type": "object",
        "required": ["name"],
        "properties": {"name": text, "other": short},
    });
    let sort = json!({"rule": "self.all(a, self.exists_one(b, a.name == b.name))"});
    let schemas = [
        ruled(text.clone(), pattern.clone()),
        ruled(list(text.clone()), each.clone()),
        ruled(list(object.clone()), sort),
        list(ruled(text.clone(), json!({"rule": "self != ''"}))),
        list(ruled(object, json!({"rule": "self.name == self.other"}))),
        list(list(ruled(short.clone(), pattern.clone()))),
        json!({"type": "object", "additionalProperties": ruled(short.clone(), pattern)}),
        ruled(text.clone(), message("self + self")),
        ruled(text.clone(), message("self.replace('', self)")),
        list(ruled(short.clone(), message("self.split('').join(self)"))),
    ];
    let mut found: Vec<_> = schemas
        .iter()
        .map(|schema| definition(Map::from_iter([("value".to_owned(), schema.clone())])))
        .collect();
    // Rules of which each is within its limit.
    for count in 9..13 {
        let mut short = short.clone();
        short["x-kubernetes-validations"] = json!([{"rule": "self == 'ab'"}]);
        let list = json!({"type": "array", "maxItems": 4_500_000, "items": short});
        found.push(definition(
            (0..count)
                .map(|nth| (format!("p{nth}"), list.clone()))
                .collect(),
        ));
    }
    found
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn unlimited_values_and_whole_definitions_cost_as_much() {
    run_within(Duration::from_secs(60), async |server| {
        if is_older(server.release) {
            return;
        }
        let (mut refused, all) = (0, others());
        for definition in &all {
            let found = ask(&server.client, definition).await;
            assert_eq!(found, estimated(definition), "{definition}");
            refused += usize::from(!found.is_empty());
        }
        assert!(
            refused > 5 && refused < all.len(),
            "{refused} of {}",
            all.len()
        );
    });
}

/// The definitions of other projects.
fn real() -> Vec<Value> {
    let is_given = std::env::var_os("UPSTREAM_DIR").is_some();
    let root = real_root().filter(|_| is_given);
    let mut files = Vec::new();
    if let Some(folder) = root.and_then(|root| upstream_part(&root, "crds/ecosystem")) {
        manifests(&folder, &mut files);
    }
    files.iter().flat_map(|path| definitions(path)).collect()
}

/// The definitions in a file that have rules.
fn definitions(path: &Path) -> Vec<Value> {
    if path.extension() != Some("yaml".as_ref()) {
        return Vec::new();
    }
    let text = fs::read_to_string(path).unwrap();
    if !text.contains("x-kubernetes-validations") {
        return Vec::new();
    }
    let objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
    let is_definition = |object: &Value| object["kind"] == "CustomResourceDefinition";
    objects.into_iter().filter(is_definition).collect()
}

/// Takes limits out of a schema, and those in it.
fn unlimit(schema: &mut Value, takes: &mut dyn FnMut() -> bool) {
    match schema {
        Value::Object(members) => {
            for limit in ["maxItems", "maxLength", "maxProperties"] {
                if members.get(limit).is_some_and(Value::is_number) && takes() {
                    members.remove(limit);
                }
            }
            members.values_mut().for_each(|value| unlimit(value, takes));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| unlimit(item, takes)),
        _ => {}
    }
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn rules_of_other_projects_cost_as_much() {
    run_within(Duration::from_secs(600), async |server| {
        if is_older(server.release) {
            return;
        }
        let mut rng = Rng::with_seed(37);
        let (mut asked, mut refused) = (0, 0);
        for real in real() {
            for share in [0, 1, 2, 4] {
                let mut definition = real.clone();
                unlimit(&mut definition["spec"], &mut || rng.u32(0..4) < share);
                let found = ask(&server.client, &definition).await;
                assert_eq!(
                    found,
                    estimated(&definition),
                    "{}",
                    real["metadata"]["name"]
                );
                // Servers have taken them as they are.
                assert!(
                    share > 0 || found.is_empty(),
                    "{}",
                    real["metadata"]["name"]
                );
                asked += 1;
                refused += usize::from(!found.is_empty());
            }
        }
        match asked {
            0 => println!("left out: UPSTREAM_DIR has no definitions, which no Go module has"),
            _ => println!("{refused} of {asked} definitions are refused"),
        }
    });
}

//! Changes to the health of the storage of a node, and of the volume of a claim.

use conformance::valid::Kind;
use serde_json::{Value, json};

use super::damage::{Damage, at, expand};
use super::metadata;

const REASONS: &[&str] = &[
    "", "R", "r_", "a:b,c", "1x", "a:", "_a", "a b", "é", "r*256", "r*257", "-*257",
];

/// Returns the conditions of one member with each of these values, and odd lists of conditions.
fn conditions(status: &str, members: &[(&str, Vec<Value>)]) -> Vec<Value> {
    let of = |reason: &str| json!({"status": status, "reason": reason});
    let mut all = Vec::new();
    for (member, values) in members {
        for value in values {
            let mut condition = of("Some");
            condition[*member] = value.clone();
            all.push(json!([condition]));
        }
    }
    let many = |count: usize| (0..count).map(|n| of(&format!("R{n}"))).collect::<Value>();
    all.extend([many(16), many(17)]);
    let mut odd = many(17);
    odd[3]["reason"] = "1x".into();
    all.extend([
        odd,
        json!([]),
        json!([null]),
        json!([of("R"), of("R")]),
        json!([of("R"), of("S")]),
        json!([{"status": status}, {"reason": "R"}, {}]),
    ]);
    all
}

fn values<'t>(texts: impl IntoIterator<Item = &'t &'t str>) -> Vec<Value> {
    texts.into_iter().map(|text| expand(text).into()).collect()
}

/// Returns the members that both kinds have.
fn members(statuses: &[&str]) -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("status", values(statuses)),
        ("reason", values(REASONS)),
        ("message", values(&["", "m*1024", "m*1025", "é b"])),
    ]
}

/// Returns the changes to the status of a node.
pub(crate) fn of_node() -> Vec<Damage> {
    let mut members = members(&["", "StorageDegraded", "StorageUnreachable", "Degraded"]);
    let modes = ["", "Foo", "ReadWriteOnce", "ReadWriteOncePod"];
    members.push(("accessMode", values(&modes)));
    members.push(("volumeMode", values(&["", "Foo", "Filesystem", "Block"])));
    let health = |name: &str| json!({"name": expand(name)});
    let mut lists: Vec<_> = conditions("StorageDegraded", &members)
        .into_iter()
        .map(|conditions| json!([{"name": "d.Example.com", "healthConditions": conditions}]))
        .collect();
    let names = [
        "", "a", "A.b", "a_b", "a*63", "a*64", "_*64", "\u{130}", "\u{212a}",
    ];
    lists.extend(names.map(|name| json!([health(name)])));
    lists.extend([
        json!([]),
        json!([null]),
        json!([health("a"), health("b")]),
        json!([health("a"), health("A")]),
        json!([health("a"), health("a"), health("a")]),
        json!([health(""), health("")]),
    ]);
    let mut all = metadata::all(Kind::CsiNode, false);
    all.extend(at("/status/storageHealth", lists));
    all.extend(at("/status", [json!({}), Value::Null]));
    all
}

/// Returns the changes to the health of a claim's volume.
pub(crate) fn of_claim() -> Vec<Damage> {
    let members = members(&[
        "",
        "Degraded",
        "DataLoss",
        "Inaccessible",
        "StorageDegraded",
    ]);
    let conditions = conditions("Degraded", &members);
    let health = conditions
        .into_iter()
        .map(|conditions| json!({"healthConditions": conditions}));
    let mut all = at("/status/healthStatus", health);
    let time = json!({"lastTransitionTime": "2024-01-02T03:04:05Z"});
    all.extend(at("/status/healthStatus", [time, json!({}), Value::Null]));
    all
}

//! Kubernetes' own fixtures are read and written back without loss.
//!
//! Every field of the fixtures' metadata survives k8s-openapi's `ObjectMeta`, `selfLink` and
//! `managedFields` included, so all comparisons are of whole documents.
//!
//! One difference from Kubernetes is wanted. From 1.37 on it writes `status: {}` into every
//! CSINode, because Go doesn't distinguish an absent struct from an empty one; that is all that the
//! `after_roundtrip` files of CSINode add. Here, absent stays absent and empty stays empty:
//! both files come back exactly as they were.

use conformance::fixtures::{self, Fixture};
use conformance::kind::Kind;
use conformance::older::relabel_json;
use serde_json::{Value, json};

fn load<K: Kind>() -> Vec<Fixture> {
    let folder = fixtures::folder().unwrap();
    fixtures::load(&folder, K::API_VERSION, K::KIND).unwrap()
}

fn value(fixture: &Fixture) -> Value {
    serde_json::from_str(&fixture.json).unwrap()
}

fn round_trip<K: Kind>() {
    for fixture in load::<K>() {
        let name = &fixture.name;
        let from_json: K = serde_json::from_str(&fixture.json).expect(name);
        assert_eq!(
            serde_json::to_value(&from_json).unwrap(),
            value(&fixture),
            "{name}"
        );

        let from_yaml: K = serde_saphyr::from_str(&fixture.yaml).expect(name);
        assert_eq!(from_yaml, from_json, "{name}");

        let yaml = serde_saphyr::to_string(&from_json).unwrap();
        let again: K = serde_saphyr::from_str(&yaml).expect(name);
        assert_eq!(again, from_json, "{name}");
        let again: Value = serde_saphyr::from_str(&yaml).expect(name);
        assert_eq!(again, value(&fixture), "{name}");
    }
}

/// Items of a list from the server have neither apiVersion nor kind.
fn in_lists<K: Kind>() {
    let fixtures = load::<K>();
    let whole: Vec<Value> = fixtures.iter().map(value).collect();
    let mut items = whole.clone();
    for item in &mut items {
        item.as_object_mut()
            .unwrap()
            .retain(|key, _| key != "apiVersion" && key != "kind");
    }
    let document = json!({
        "kind": K::LIST_KIND,
        "apiVersion": K::API_VERSION,
        "metadata": {"resourceVersion": "7", "continue": "more", "remainingItemCount": 3},
        "items": items,
    });
    let list: K::List = serde_json::from_value(document.clone()).unwrap();
    let mut expected = document;
    expected["items"] = Value::from(whole.clone());
    assert_eq!(serde_json::to_value(&list).unwrap(), expected);

    let items: Vec<K> = list.into_iter().collect();
    for (item, expected) in items.iter().zip(whole) {
        assert_eq!(serde_json::to_value(item).unwrap(), expected);
    }
    assert_eq!(items.len(), fixtures.len());
}

/// Kubernetes reads a fixture and writes it again: the result differs in nothing but the
/// `status: {}` explained above. A new difference fails the test.
fn after_round_trip<K: Kind>() {
    let fixtures = load::<K>();
    for after in fixtures.iter().filter(|fixture| fixture.after_round_trip) {
        let before = after.name.trim_end_matches(".after_roundtrip");
        let before = fixtures
            .iter()
            .find(|fixture| fixture.name == before)
            .unwrap();
        assert_eq!(K::KIND, "CSINode", "{} is new", after.name);
        let mut expected = value(before);
        expected["status"] = json!({});
        assert_eq!(value(after), expected, "{}", after.name);
    }
}

/// The fixture in another version is the same document with another `apiVersion`.
fn convert<Old, New>()
where
    Old: Kind + From<New>,
    New: Kind + From<Old>,
{
    let mut count = 0;
    for fixture in load::<Old>() {
        let name = &fixture.name;
        let old: Old = serde_json::from_str(&fixture.json).expect(name);
        let new = New::from(old.clone());
        let mut expected = value(&fixture);
        relabel_json(&mut expected, New::API_VERSION);
        assert_eq!(serde_json::to_value(&new).unwrap(), expected, "{name}");
        assert_eq!(Old::from(new), old, "{name}");
        count += 1;
    }
    assert!(count > 0);
}

mod upstream {
    use conformance::{each_lossless_pair, each_upstream_kind};

    mod objects {
        super::each_upstream_kind!(
            super::super::round_trip,
            ignore = "needs UPSTREAM_DIR: see docs/testing.md"
        );
    }

    mod lists {
        super::each_upstream_kind!(
            super::super::in_lists,
            ignore = "needs UPSTREAM_DIR: see docs/testing.md"
        );
    }

    mod after {
        super::each_upstream_kind!(
            super::super::after_round_trip,
            ignore = "needs UPSTREAM_DIR: see docs/testing.md"
        );
    }

    mod converted {
        super::each_lossless_pair!(
            super::super::convert,
            ignore = "needs UPSTREAM_DIR: see docs/testing.md"
        );
    }
}

/// A wrong folder must not look like success.
#[test]
fn nothing_found_is_an_error() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(fixtures::load(here, "storage.k8s.io/v1", "CSIDriver").is_err());
}

//! The rules of metadata, which are those of every kind.

use conformance::rules::{Probe, domain, entry_of, text};
use serde_json::{Value, json};

type Class = storage_v1::StorageClass;
type Capacity = storage_v1::CSIStorageCapacity;

fn probe() -> Probe<Class> {
    Probe::of(json!({"metadata": {"name": "c"}, "provisioner": "csi.example.com"}))
}

fn namespaced() -> Probe<Capacity> {
    let metadata = json!({"name": "c", "namespace": "n"});
    Probe::of(json!({"metadata": metadata, "storageClassName": "fast"}))
}

fn driver() -> Probe<storage_v1::CSIDriver> {
    Probe::of(json!({"metadata": {"name": "d"}, "spec": {}}))
}

fn metadata(field: &str, value: Value) -> Value {
    json!({"metadata": {field: value}})
}

/// Refused with one error of the type `Invalid` at that path.
#[track_caller]
fn invalid(patch: Value, path: &str) {
    probe().create(patch).refused(&[&format!("Invalid {path}")]);
}

#[test]
fn names() {
    for good in [&domain(252), &domain(253), &text(64), "0", "a-b.c"] {
        probe().create(metadata("name", json!(good))).ok();
    }
    for bad in [
        &domain(254),
        "A",
        "a_b",
        "-a",
        "a-",
        "a..b",
        ".a",
        "a/b",
        " ",
        "ä",
    ] {
        invalid(metadata("name", json!(bad)), "metadata.name");
    }
    for absent in [Value::Null, json!("")] {
        let answer = probe().create(metadata("name", absent));
        answer.refused(&["Required metadata.name"]);
    }
    // A driver's name may be longer than the 63 bytes that are often said.
    driver().create(metadata("name", json!(text(64)))).ok();
    driver()
        .create(metadata("name", json!("A")))
        .refused(&["Invalid metadata.name"]);
}

#[test]
fn generated_names() {
    let given =
        |prefix: &str| probe().create(json!({"metadata": {"name": null, "generateName": prefix}}));
    for good in ["a", "a-", "a.b-", "ab--", &text(253)] {
        given(good).ok();
    }
    // The generated name is invalid too.
    let both = [
        "Invalid metadata.generateName",
        "Invalid metadata.name (metadata.generateName)",
    ];
    given("A").refused(&both);
    given("a_").refused(&both);
    // With a name as well, the prefix is checked all the same.
    let both = json!({"metadata": {"generateName": "A"}});
    probe()
        .create(both.clone())
        .refused(&["Invalid metadata.generateName"]);
    // An update of a CSIDriver doesn't look at it.
    namespaced()
        .update(both.clone(), both.clone())
        .refused(&["Invalid metadata.generateName"]);
    driver().update(both.clone(), both).ok();
}

#[test]
fn namespaces() {
    let given = |namespace: &str| namespaced().create(metadata("namespace", json!(namespace)));
    given(&text(63)).ok();
    for bad in [&text(64), "a.b", "A", "-a"] {
        given(bad).refused(&["Invalid metadata.namespace"]);
    }
    // A server removes that of a cluster-scoped object, whatever it is.
    for namespace in ["", "n", "a.b"] {
        probe().create(metadata("namespace", json!(namespace))).ok();
    }
}

#[test]
fn labels() {
    let given = |key: &str, value: &str| metadata("labels", json!({key: value}));
    probe().create(given("app.kubernetes.io/name", "")).ok();
    probe().create(given(&text(63), &text(63))).ok();
    probe()
        .create(given(&format!("{}/A_b.c", domain(253)), "A_b.c"))
        .ok();
    let keys = [
        &text(64),
        "",
        "a b",
        "A/b",
        "a/b/c",
        &format!("{}/a", domain(254)),
    ];
    for key in keys {
        let path = format!("metadata.labels (metadata.labels[{key}])");
        invalid(given(key, "v"), &path);
    }
    for value in [&text(64), "a b", "-", "a/b"] {
        invalid(given("k", value), "metadata.labels (metadata.labels[k])");
    }
}

#[test]
fn annotations() {
    let given = |annotations: Value| probe().create(metadata("annotations", annotations));
    given(json!({"Example.COM/key": "any\nthing"})).ok();
    given(json!({text(63): ""})).ok();
    for key in [&text(64), "", "a b", "a/b/c"] {
        let path = format!("metadata.annotations (metadata.annotations[{key}])");
        given(json!({key: ""})).refused(&[&format!("Invalid {path}")]);
    }
    given(entry_of((256 << 10) - 1)).ok();
    given(entry_of(256 << 10)).ok();
    given(entry_of((256 << 10) + 1)).refused(&["TooLong metadata.annotations"]);
}

/// The server drops what repeats before it looks.
#[test]
fn repeated_owners() {
    let twice = owner("controller", json!(true));
    let twice = metadata("ownerReferences", json!([twice, twice]));
    let answer = probe().create(twice.clone());
    answer.refused(&[]);
    answer.warned(&["metadata.ownerReferences"]);
    let stored = probe().stored(twice);
    assert_eq!(
        stored["metadata"]["ownerReferences"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// An owner with another member.
fn owner(member: &str, value: Value) -> Value {
    let mut owner = json!({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"});
    owner[member] = value;
    owner
}

#[test]
fn owners() {
    let of = |minor, owners: Value| {
        probe()
            .in_1(minor)
            .create(metadata("ownerReferences", owners))
    };
    let given = |owners: Value| of(37, owners);
    for good in ["v1", "apps/v1", "/v1"] {
        given(json!([owner("apiVersion", json!(good))])).ok();
    }
    let fields = ["apiVersion", "kind", "name", "uid"];
    let bad = ["a/", "/", "a/b/c"].map(|version| ("apiVersion", version));
    for (field, value) in fields.map(|field| (field, "")).into_iter().chain(bad) {
        let exact = format!("metadata.ownerReferences[1].{field}");
        let owners = json!([owner("uid", json!("u")), owner(field, json!(value))]);
        let kind = if value.is_empty() {
            "Required"
        } else {
            "Invalid"
        };
        given(owners.clone()).refused(&[&format!("{kind} {exact}")]);
        let place = format!("metadata.ownerReferences.{field}");
        of(36, owners).refused(&[&format!("Invalid {place} ({exact})")]);
    }
    for version in ["v1", "/v1"] {
        let mut event = owner("kind", json!("Event"));
        event["apiVersion"] = version.into();
        let event = json!([event]);
        given(event.clone()).refused(&["Invalid metadata.ownerReferences[0]"]);
        of(36, event).refused(&["Invalid metadata.ownerReferences (metadata.ownerReferences[0])"]);
    }
    let mut event = owner("kind", json!("Event"));
    event["apiVersion"] = "events.k8s.io/v1".into();
    given(json!([event])).ok();
    let controller = owner("controller", json!(true));
    given(json!([owner("controller", json!(false)), controller])).ok();
    let place = "metadata.ownerReferences (metadata.ownerReferences[1].controller)";
    let mut other = controller.clone();
    other["uid"] = json!("v");
    given(json!([controller, other])).refused(&[&format!("Invalid {place}")]);
}

#[test]
fn finalizers() {
    let given = |finalizers: Value| probe().create(metadata("finalizers", finalizers));
    given(json!(["example.com/a", "kubernetes", "orphan"])).ok();
    given(json!([format!("a/{}", text(63)), "foregroundDeletion"])).ok();
    let place = "metadata.finalizers (metadata.finalizers[1])";
    for bad in ["a/b/c", &format!("a/{}", text(64)), "a/ "] {
        given(json!(["a/b", bad])).refused(&[&format!("Invalid {place}")]);
    }
    let both = given(json!(["orphan", "foregroundDeletion"]));
    both.refused(&["Invalid metadata.finalizers"]);
    given(json!(["a/b", "a/b"])).ok();
}

#[test]
fn no_finalizers_for_what_is_being_deleted() {
    let deleted = |finalizers: Value| {
        let time = "2026-01-01T00:00:00Z";
        json!({"metadata": {"deletionTimestamp": time, "finalizers": finalizers}})
    };
    probe()
        .update(deleted(json!(["a/b", "a/c"])), deleted(json!(["a/c"])))
        .ok();
    let more = probe().update(deleted(json!(["a/b"])), deleted(json!(["a/b", "a/c"])));
    more.refused(&["Forbidden metadata.finalizers (metadata.finalizers[1])"]);
    probe()
        .update(json!({}), metadata("finalizers", json!(["a/c"])))
        .ok();
}

#[test]
fn managers_of_versions_that_the_server_lacks() {
    let class = |minor: u16, api_version: &str| {
        let parameters = json!({"a": "b"});
        let class = json!({"metadata": {"name": "c"}, "driverName": "d", "parameters": parameters});
        let probe = Probe::<storage_v1beta1::VolumeAttributesClass>::of(class).in_1(minor);
        let entry = json!({
            "manager": text(129), "operation": "Update", "apiVersion": api_version,
            "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {"f:labels": {"f:unset": {}}}},
        });
        probe.create(metadata("managedFields", json!([entry])))
    };
    let place = "TooLong metadata.managedFields[0].manager";
    // v1 has the kind since 1.34.
    class(33, "storage.k8s.io/v1").ok();
    class(34, "storage.k8s.io/v1").refused(&[place]);
    for minor in [33, 37] {
        class(minor, "storage.k8s.io/v1beta1").refused(&[place]);
        class(minor, "storage.k8s.io/v1alpha1").ok();
        class(minor, "storage.k8s.io/v9").ok();
        class(minor, "csi.storage.k8s.io/v1alpha1").ok();
        class(minor, "v1").ok();
    }
}

#[test]
fn generation() {
    probe().create(metadata("generation", json!(0))).ok();
    invalid(metadata("generation", json!(-1)), "metadata.generation");
}

#[test]
fn what_an_update_must_not_change() {
    let update = |stored: Value, patch: Value| namespaced().update(stored, patch);
    for field in ["name", "namespace", "uid"] {
        let changed = update(json!({}), metadata(field, json!("other")));
        changed.refused(&[&format!("Invalid metadata.{field}")]);
    }
    update(json!({}), metadata("uid", Value::Null)).ok();
    let field = "deletionTimestamp";
    let time = metadata(field, json!("2026-01-01T00:00:00Z"));
    update(json!({}), time).refused(&[&format!("Invalid metadata.{field}")]);
    let field = "deletionGracePeriodSeconds";
    let grace = |seconds: i64| metadata(field, json!(seconds));
    update(grace(1), grace(2)).refused(&[&format!("Invalid metadata.{field}")]);
    update(grace(1), grace(1)).ok();
    update(grace(1), json!({})).ok();
}

#[test]
fn the_version_that_an_update_is_based_on() {
    let none = || metadata("resourceVersion", Value::Null);
    namespaced()
        .update(json!({}), none())
        .refused(&["Invalid metadata.resourceVersion"]);
    let empty = metadata("resourceVersion", json!(""));
    driver()
        .update(json!({}), empty)
        .refused(&["Invalid metadata.resourceVersion"]);
    // Of a class, an update without one is one of the latest.
    probe().update(json!({}), none()).ok();
}

//! Merging agrees with server-side apply: what two managers have applied to one object is what one
//! manager applies that has merged the two.
//!
//! Each kind is tested twice. To the kind itself, the second manager applies what the server
//! allows to change; our own validation chooses it. To a [copy](super::copies) of the kind,
//! whose fields are all mutable and none of which has a default, it applies anything.
//!
//! Not covered is a first manager that leaves a list to the server's default, because the second
//! then adds to that default: `volumeLifecycleModes` of CSIDriver. So the first sets all defaults.
//!
//! `E2E_MERGE_CASES` is the number of pairs of each kind, 12 unless given, and four times as many
//! of its copy; `E2E_SEED` makes others.

use std::collections::BTreeMap;

use conformance::arbitrary;
use conformance::related::{inside, is_granular, keys_of, related, unique};
use conformance::valid::Kind;
use fastrand::Rng;
use k8s_openapi::DeepMerge;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kubernetes_validation::{Target, Validate};
use serde_json::{Value, json};

use super::applied::Applied;
use super::copies;
use super::run_for_cases;
use super::served::{NAMESPACE, api, kind_of};
use crate::cases::{Differences, number};
use crate::cluster::discovery::Server;

/// The fields of the metadata that aren't compared, and why.
const SERVERS: [(&str, &str); 6] = [
    (
        "creationTimestamp",
        "the time at which the server created the object",
    ),
    (
        "generation",
        "counts the changes, of which one object has had more",
    ),
    (
        "managedFields",
        "names the managers, of which one object has two",
    ),
    ("name", "the objects that are compared have different names"),
    ("resourceVersion", "the server's own count of changes"),
    ("uid", "the server chooses it"),
];

/// The finalizer that an admission plugin of the server adds to each VolumeAttributesClass: it is
/// before what the second manager adds, and after all that one manager applies at once.
const PROTECTION: &str = "kubernetes.io/vac-protection";

/// Random metadata, with parts of which each is often in another's too.
fn metadata(rng: &mut Rng) -> Value {
    let mut some = |names: &[&str]| {
        let mut names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        rng.shuffle(&mut names);
        names.truncate(rng.usize(..=names.len()));
        names
    };
    let [labels, annotations] = [(); 2].map(|()| some(&["a", "b.example.com/c", "d"]));
    let finalizers = some(&["e2e.example.com/a", "e2e.example.com/b", "orphan"]);
    let uids = some(&["uid-1", "uid-2", "uid-3"]);
    let mut value = |name: String| {
        let value = ["", "x", "y"][rng.usize(..3)];
        (name, Value::from(value))
    };
    let [labels, annotations] =
        [labels, annotations].map(|names| names.into_iter().map(&mut value).collect());
    let owners = uids.into_iter().map(|uid| {
        let mut owner = json!({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": uid});
        if rng.bool() {
            owner["blockOwnerDeletion"] = rng.bool().into();
        }
        // Only one owner may be the controller.
        if uid == "uid-1" && rng.bool() {
            owner["controller"] = rng.bool().into();
        }
        owner["name"] = ["n", "m"][rng.usize(..2)].into();
        owner
    });
    let owners: Vec<_> = owners.collect();
    json!({
        "labels": Value::Object(labels), "annotations": Value::Object(annotations),
        "finalizers": finalizers, "ownerReferences": owners,
    })
}

/// The objects of a kind, and what has been compared.
struct Merging {
    api: Api<DynamicObject>,
    differences: Differences,
}

impl Merging {
    async fn apply(&self, manager: &str, name: &str, object: &Value) -> Value {
        let mut object = object.clone();
        object["metadata"]["name"] = name.into();
        let params = PatchParams::apply(manager).force();
        let live = self.api.patch(name, &params, &Patch::Apply(&object)).await;
        let live = live.unwrap_or_else(|error| panic!("{error}\n{object:#}"));
        let mut live = serde_json::to_value(live).unwrap();
        let metadata = live["metadata"].as_object_mut().unwrap();
        metadata.retain(|name, _| SERVERS.iter().all(|(other, _)| name != other));
        if let Some(Value::Array(finalizers)) = metadata.get_mut("finalizers") {
            finalizers.retain(|name| name != PROTECTION);
        }
        live
    }

    /// Compares what two managers have applied with what one applies.
    async fn compare(&mut self, name: &str, one: &Value, two: &Value, merged: &Value) {
        let first = format!("{name}-two");
        self.apply("e2e-one", &first, one).await;
        let server = self.apply("e2e-two", &first, two).await;
        let ours = self
            .apply("e2e-one", &format!("{name}-alone"), merged)
            .await;
        if server != ours {
            self.differences.add(format!(
                "one {one:#}\ntwo {two:#}\nserver {server:#}\nours {ours:#}"
            ));
        }
    }
}

/// The number of pairs.
fn cases() -> u64 {
    number("E2E_MERGE_CASES", 12)
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn written(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Applies what the server allows to the kind itself.
fn legal_changes<K: Applied + Validate + DeepMerge>()
where
    K::Apply: DeepMerge,
{
    let kind = kind_of::<K>();
    run_for_cases(&[kind], cases(), async |server| {
        let target = Target::new(server.release);
        api::<K>(&server.client).await;
        let mut merging = Merging {
            api: dynamic::<K>(&server, kind.is_namespaced()),
            differences: Differences::default(),
        };
        let mut rng = Rng::with_seed(number("E2E_SEED", 1));
        let mut seen = BTreeMap::<String, usize>::new();
        for case in 0..cases() {
            let [one, other] = [(); 2].map(|()| random(&mut rng, kind, &server));
            let mut stored: K = read(&one);
            let report = stored.default_and_validate(&target);
            assert!(report.is_accepted(), "{report:?}\n{one:#}");
            let one = K::Apply::from(stored.clone());
            let two = written(&related_to::<K>(&mut rng, &written(&one), &other));
            let two = legal::<K>(&mut rng, &stored, &two, &target, &mut seen);
            let mut merged = one.clone();
            merged.merge_from(two.clone());
            let [one, two, merged] = [one, two, merged].map(|object| written(&object));
            merging
                .compare(&format!("merged-{case}"), &one, &two, &merged)
                .await;
        }
        println!("{kind:?}: {} pairs, the second with {seen:?}", cases());
        merging.differences.assert_none();
    });
}

fn random(rng: &mut Rng, kind: Kind, server: &Server) -> Value {
    let mut object = kind.object(rng, "merged");
    server.cut_down(kind, &mut object);
    let name = object["metadata"]["name"].take();
    object["metadata"] = metadata(rng);
    object["metadata"]["name"] = name;
    if kind.is_namespaced() {
        object["metadata"]["namespace"] = NAMESPACE.into();
    }
    object
}

/// An object with parts of two others, and the metadata of the second.
fn related_to<K: Applied>(rng: &mut Rng, one: &Value, other: &Value) -> Value {
    let mut related = related(rng, &["apiVersion", "kind"], one, other);
    related["metadata"] = other["metadata"].clone();
    unique::<K>("", &related)
}

/// Merges the parts of an object to apply that make a valid update of the stored one.
fn legal<K: Applied + Validate>(
    rng: &mut Rng,
    stored: &K,
    whole: &Value,
    target: &Target,
    seen: &mut BTreeMap<String, usize>,
) -> K::Apply
where
    K::Apply: DeepMerge,
{
    let mut parts = parts::<K>("", whole);
    rng.shuffle(&mut parts);
    let mut legal = K::Apply::default();
    for (path, part) in parts {
        let mut more = legal.clone();
        more.merge_from(read(&part));
        let mut merged = K::Apply::from(stored.clone());
        merged.merge_from(more.clone());
        let mut changed: K = read(&written(&merged));
        let mut stored = stored.clone();
        for object in [&mut changed, &mut stored] {
            object.metadata_mut().resource_version = Some("1".to_owned());
        }
        if changed
            .default_and_validate_update(&stored, target)
            .is_accepted()
        {
            legal = more;
            *seen.entry(path).or_default() += 1;
        }
    }
    legal
}

/// Each value that has one owner, by its path, in an object that has nothing else.
fn parts<K: Applied>(path: &str, value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(object) if is_granular::<K>(path) => {
            let list = path.strip_suffix("[]");
            let keys = list.and_then(keys_of::<K>).unwrap_or_default();
            let mut all = Vec::new();
            for (name, value) in object {
                for (at, part) in parts::<K>(&inside(path, name), value) {
                    let mut holder = json!({});
                    for key in keys {
                        holder[*key] = object[*key].clone();
                    }
                    holder[name] = part;
                    all.push((at, holder));
                }
            }
            all
        }
        Value::Array(elements) if is_granular::<K>(path) => {
            let inside = format!("{path}[]");
            let parts = elements
                .iter()
                .flat_map(|element| parts::<K>(&inside, element));
            parts.map(|(path, part)| (path, json!([part]))).collect()
        }
        value => vec![(path.to_owned(), value.clone())],
    }
}

fn dynamic<K: Applied>(server: &Server, is_namespaced: bool) -> Api<DynamicObject> {
    let resource = ApiResource::erase::<K>(&());
    let client = server.client.clone();
    match is_namespaced {
        true => Api::namespaced_with(client, NAMESPACE, &resource),
        false => Api::all_with(client, &resource),
    }
}

/// Applies anything to a copy of the kind.
fn any_changes<K: Applied>()
where
    K::Apply: DeepMerge,
{
    let kind = kind_of::<K>();
    run_for_cases(&[kind], cases(), async |server| {
        let mut merging = Merging {
            api: copies::create::<K>(&server).await,
            differences: Differences::default(),
        };
        let seed = number("E2E_SEED", 1);
        let mut rng = Rng::with_seed(seed);
        let count = 4 * usize::try_from(cases()).unwrap();
        let objects = arbitrary::some(&K::arbitrary(), seed, 2 * count);
        for (case, pair) in objects.chunks(2).enumerate() {
            let [one, other] = [0, 1].map(|index| {
                let mut object = plain(&written(&pair[index]));
                server.cut_down(kind, &mut object);
                object["metadata"] = metadata(&mut rng);
                unique::<K>("", &object)
            });
            let two = related_to::<K>(&mut rng, &one, &other);
            let (one, two): (K::Apply, K::Apply) = (read(&one), read(&two));
            let mut merged = one.clone();
            merged.merge_from(two.clone());
            let [one, two, merged] =
                [one, two, merged].map(|object| copies::object(written(&object)));
            merging
                .compare(&format!("merged-{case}"), &one, &two, &merged)
                .await;
        }
        println!("copy of {kind:?}: {count} pairs");
        merging.differences.assert_none();
    });
}

/// The value with texts that YAML can carry, as which the server reads it.
fn plain(value: &Value) -> Value {
    let text = |text: &str| -> String {
        let is_plain = |char: &char| char.is_ascii_graphic();
        text.chars()
            .map(|char| if is_plain(&char) { char } else { '_' })
            .collect()
    };
    match value {
        Value::Object(object) => {
            let fields = object
                .iter()
                .map(|(name, value)| (text(name), plain(value)));
            Value::Object(fields.collect())
        }
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::String(string) => text(string).into(),
        value => value.clone(),
    }
}

each_kind! { legal_changes any_changes }

//! Runs the golden crates: this file and those beside it are a crate of their own, see
//! `../it/compiled.rs`.

#![cfg(test)]

mod applied;
mod bundle;
mod counterparts;
mod custom;
mod definition;
mod equal;
mod known;
mod merged;
mod plausible;
mod rivals;
mod schemas;
mod server;
pub mod single;

use std::collections::BTreeMap;
use std::fmt::Debug;

use golden_conversion_v1 as v1;
use golden_conversion_v1beta1::beta;
use golden_enum_overlay::{Lamp, Light};
use golden_kind::boiling;
use golden_kind::{Kettle, KettleList, KettleSpec, KettleStatus};
use golden_names::{Locals, Type, Verdict};
use golden_namespaced::Box2;
use golden_recursive::{Branch, Fork, Tree};
use golden_unknown_fields_v1 as unknown_v1;
use golden_unknown_fields_v1beta1 as unknown_v1beta1;
use golden_values::Values;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde::{Serialize, de::DeserializeOwned};
use k8s_openapi::{ByteString, ListableResource, Metadata, Resource};
use kubernetes_kinds::convert::{Convert, Converted};
use kubernetes_kinds::{GroupVersionKind, Kind, Release};
use kubernetes_manifests::strict;
use proptest::collection;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads the JSON, checks that writing gives the same again, and hands the object out.
fn round_trip<T: DeserializeOwned + Serialize + PartialEq + Debug>(json: &Value) -> T {
    let object: T = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&object).unwrap(), *json);
    let again: T = serde_json::from_str(&json.to_string()).unwrap();
    assert_eq!(object, again);
    object
}

#[test]
fn a_kind_is_written_with_its_type_and_read_back() {
    let kettle: Kettle = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Kettle", "metadata": {"name": "k"},
        "spec": {"litres": 2, "whistle": true}, "status": {"degrees": 100}
    }));
    assert_eq!(kettle.metadata().name.as_deref(), Some("k"));
    let mut made = Kettle::new("k", KettleSpec::new(2).with_whistle(true));
    assert_eq!(made.status, None);
    made = made.with_status(KettleStatus::new().with_degrees(boiling::POINT));
    assert_eq!(made, kettle);
}

#[test]
fn a_kind_knows_its_place() {
    assert_eq!(Kettle::API_VERSION, "example.com/v1");
    assert_eq!((Kettle::GROUP, Kettle::VERSION), ("example.com", "v1"));
    assert_eq!(
        (Kettle::KIND, Kettle::URL_PATH_SEGMENT),
        ("Kettle", "kettles")
    );
    assert_eq!(Kettle::LIST_KIND, KettleList::KIND);
    assert_eq!(Box2::URL_PATH_SEGMENT, "boxes");
    fn cluster<T: Resource<Scope = k8s_openapi::ClusterResourceScope>>() {}
    fn namespace<T: Resource<Scope = k8s_openapi::NamespaceResourceScope>>() {}
    fn has_status<T: kubernetes_kinds::StatusSubresource>() {}
    cluster::<Kettle>();
    cluster::<KettleList>();
    namespace::<Box2>();
    has_status::<Kettle>();
}

#[test]
fn another_kind_is_refused_and_an_absent_one_is_not() {
    let read = |json: Value| serde_json::from_value::<Kettle>(json);
    assert!(read(json!({"kind": "Pot", "spec": {"litres": 1}})).is_err());
    assert!(read(json!({"apiVersion": "example.com/v2", "kind": "Kettle"})).is_err());
    assert_eq!(read(json!({"spec": {"litres": 1}})).unwrap().spec.litres, 1);
    assert_eq!(
        read(json!({"spec": null, "surprise": [1]})).unwrap(),
        Kettle::default()
    );
}

#[test]
fn a_list_is_a_collection() {
    let list: KettleList = (1..4)
        .map(|l| Kettle::new("k", KettleSpec::new(l)))
        .collect();
    let json = serde_json::to_value(&list).unwrap();
    assert_eq!(json["kind"], "KettleList");
    let again: KettleList = serde_json::from_value(json).unwrap();
    assert_eq!(again, list);
    let litres: Vec<_> = list.into_iter().map(|kettle| kettle.spec.litres).collect();
    assert_eq!(litres, [1, 2, 3]);
    let null: KettleList = serde_json::from_value(json!({"items": null})).unwrap();
    assert!(null.items.is_empty());
}

#[test]
fn a_value_that_is_not_known_is_kept() {
    let lamp: Lamp = round_trip(&json!({"light": "blinking", "before": ["in-turns", "", "x"]}));
    assert_eq!(lamp.light.as_str(), "blinking");
    assert!(matches!(lamp.light, Light::Unknown(_)));
    let before = lamp.before.unwrap();
    assert_eq!(before[..2], [Light::InTurns, Light::Empty]);
    assert_eq!(Light::from("max/100W"), Light::Max100w);
    assert_eq!(Light::parse_known("Steady"), Ok(Light::Steady));
    assert!(Light::parse_known("steady").is_err());
    // The default of a required enumeration is the empty text.
    assert_eq!(Lamp::default().light, Light::Empty);
    assert_eq!(Light::known_values().len(), 4);
    for value in Light::known_values() {
        let light: Light = value.parse().unwrap();
        assert!(!matches!(light, Light::Unknown(_)));
        assert_eq!((light.as_str(), &*light.to_string()), (*value, *value));
    }
    // Made from a known value, it is the known variant, however it is made.
    assert_eq!(
        serde_json::from_value::<Light>(json!("Steady")).unwrap(),
        Light::Steady
    );
    assert_eq!(Light::from("Steady".to_owned()), Light::Steady);
    assert!(matches!(Verdict::from(""), Verdict::Unknown(_)));
}

#[test]
fn every_type_of_value_is_kept() {
    let values: Values = round_trip(&json!({
        "needText": "", "needCount": 0, "needTags": {}, "needDeep": [["a"], []],
        "needBytes": "aGk=", "flag": false, "small": -1, "large": 9_007_199_254_740_993_i64,
        "plain": 1, "single": 0.5, "double": 0.1, "fraction": 1.5, "text": "",
        "secret": "s", "data": "", "at": "2020-01-02T03:04:05Z", "any": {"a": [1, null]},
        "anyToo": "text", "flags": [true], "numbers": [1, 2], "texts": ["t"],
        "tags": {"a": "b"}, "counts": {"c": 0}, "groups": {"g": ["h"]},
        "rows": [{"r": "aGk="}]
    }));
    assert_eq!(values.need_bytes.0, b"hi");
    let made = Values::new(
        ByteString(vec![]),
        1,
        [vec!["x".to_owned()]],
        [("a", "b")],
        "t",
    )
    .with_numbers([1, 2])
    .with_tags([("a", "b")])
    .with_flags([true])
    .with_any(json!({}));
    assert_eq!(made.numbers, Some(vec![1, 2]));
    // Required fields are written, even empty ones; unset fields are not.
    let nothing = serde_json::to_value(Values::default()).unwrap();
    let keys: Vec<_> = nothing.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 5);
}

#[test]
fn a_type_that_holds_itself_can_be_built() {
    let leaf = Branch::new();
    let branch = Branch::new().with_left(Fork::new().with_first(leaf.clone()));
    let tree = Tree::new(branch.with_twigs([leaf])).with_graft(Tree::default());
    let json = serde_json::to_value(&tree).unwrap();
    assert_eq!(
        json,
        json!({"root": {"left": {"first": {}}, "twigs": [{}]}, "graft": {"root": {}}})
    );
    assert_eq!(round_trip::<Tree>(&json), tree);
}

#[test]
fn names_on_the_wire_are_kubernetes() {
    let json = json!({"type": "a", "self": "b", "continue": "c", "crate": true});
    let typed: Type = round_trip(&json);
    assert_eq!((typed.type_.as_str(), typed.self_.as_str()), ("a", "b"));
    assert_eq!(typed.clone().with_crate(false).crate_, Some(false));
    let json = json!({
        "value": "v", "fields": "f", "map": {"m": "n"}, "name": "n", "key": "k",
        "deserializer": "d", "wire": "w", "new": "n", "default": "d", "items": ["i"]
    });
    let _: Locals = round_trip(&json);
}

#[test]
fn a_field_called_name_is_not_the_name_of_the_object() {
    let json = json!({
        "apiVersion": "example.com/v1", "kind": "Box2",
        "metadata": {"name": "b"}, "owner": "o", "name": "n", "label": "l"
    });
    let object: Box2 = round_trip(&json);
    assert_eq!(
        object.metadata,
        ObjectMeta {
            name: Some("b".into()),
            ..Default::default()
        }
    );
    assert_eq!(object.name, "n");
}

fn mug() -> beta::Mug {
    round_trip(&json!({
        "apiVersion": "example.com/v1beta1", "kind": "Mug", "metadata": {"name": "m"},
        "spec": {
            "volume": 3, "handle": "top", "inner": {"volume": 1, "handle": "left"},
            "lids": [{"name": "a"}], "stains": {"b": {"name": "c"}}, "names": ["x"]
        }
    }))
}

#[test]
fn equal_shapes_convert_by_move() {
    let old = mug();
    let buffer = old.spec.names.as_ref().unwrap().as_ptr();
    let new: v1::Mug = old.into();
    assert_eq!(new.spec.names.as_ref().unwrap().as_ptr(), buffer);
    let mut json = serde_json::to_value(mug()).unwrap();
    json["apiVersion"] = "example.com/v1".into();
    assert_eq!(serde_json::to_value(&new).unwrap(), json);
    assert_eq!(beta::Mug::from(new), mug());
    let list: v1::MugList = beta::MugList::new([mug()]).into();
    assert_eq!(beta::MugList::from(list).items, [mug()]);
}

#[test]
fn unequal_shapes_tell_what_is_lost() {
    let old: beta::Tray = round_trip(&json!({
        "apiVersion": "example.com/v1beta1", "kind": "Tray", "metadata": {"name": "t"},
        "count": 4, "color": "red", "cloth": true, "spoon": {"material": "tin"},
        "spoons": [{"material": "tin"}, {"material": "tin", "engraving": "me"}],
        "hooks": {"left": {"engraving": "you"}}
    }));
    let converted: Converted<v1::Tray> = old.clone().convert().unwrap();
    let paths: Vec<_> = converted
        .unrepresentable
        .iter()
        .map(|field| field.path.to_string())
        .collect();
    assert_eq!(paths, ["cloth", "hooks.left.engraving", "spoons"]);
    assert_eq!((converted.object.cups, converted.object.price), (4, 0));
    assert_eq!(converted.object.colors, Some(vec!["red".to_owned()]));

    let mut kept: v1::Tray = old.clone().convert_preserving().unwrap().object;
    let back: Converted<beta::Tray> = kept.clone().convert_preserving().unwrap();
    assert_eq!((back.object, back.unrepresentable), (old.clone(), vec![]));
    kept.cups = 5;
    kept.price = 6;
    let back: Converted<beta::Tray> = kept.clone().convert_preserving().unwrap();
    assert_eq!((back.object.count, back.object.cloth), (5, Some(true)));
    assert_eq!(back.unrepresentable[0].to_string(), "price: 6");
    let mut again: v1::Tray = back.object.convert_preserving().unwrap().object;
    again.metadata = kept.metadata.clone();
    assert_eq!(again, kept);

    // A value with several forms keeps the form that it had.
    let mut two = v1::Tray::new("t", 4, 0);
    two.colors = Some(vec!["blue".to_owned(), "red".to_owned()]);
    two.metadata = kept.metadata.clone();
    let back: Converted<beta::Tray> = two.convert_preserving().unwrap();
    assert_eq!(back.object.color.as_deref(), Some("red"));

    let list = v1::TrayList::new([kept, v1::Tray::new("u", 1, 2)]);
    let lost: Converted<beta::TrayList> = list.convert().unwrap();
    let paths: Vec<_> = lost
        .unrepresentable
        .iter()
        .map(|field| field.path.to_string())
        .collect();
    assert_eq!(paths, ["items[0].price", "items[1].price"]);
}

#[test]
fn what_is_written_by_hand_converts_kinds() {
    let jug = beta::Jug::new("j").with_full(true);
    let jar: Converted<v1::Jar> = jug.convert().unwrap();
    assert_eq!((jar.object.level, jar.unrepresentable), (Some(100), vec![]));
    let jars = v1::JarList::new([v1::Jar::new("a"), v1::Jar::new("b").with_level(-1)]);
    let error = Convert::<beta::JugList>::convert(jars).unwrap_err();
    assert_eq!(error.to_string(), "items[1].level: less than nothing");
}

#[test]
fn kinds_know_when_they_came_and_went() {
    let lifecycle = beta::Mug::LIFECYCLE.unwrap();
    assert_eq!(lifecycle.introduced, Release::new(1, 20));
    assert_eq!(lifecycle.removed, Some(Release::new(1, 36)));
    let replacement = lifecycle.replacement.unwrap().group_version_kind();
    assert_eq!(replacement, GroupVersionKind::of::<v1::Mug>());
    assert_eq!(beta::Jug::LIFECYCLE, None);
    let keyed: &[(&str, &[&str])] = &[("spec.lids", &["name"])];
    assert_eq!(beta::Mug::LIST_MAP_KEYS, keyed);
}

/// A cup with a field that nobody knows in each object of a generated type, and in the list.
fn strange_cups() -> Value {
    let strange = json!({"a": [1, {"b": null}], "c": 0.5});
    let handle = json!({"side": "left", "unknownFields": "known", "zz": strange, "aa": null});
    let mut cup = json!({
        "apiVersion": "example.com/v1beta1", "kind": "Cup", "metadata": {"name": "c"},
        "spec": {
            "handle": handle, "others": [handle, {"kind": "Handle"}],
            "byName": {"n": handle}, "Handle": [handle]
        },
        "status": strange
    });
    cup["spec"][""] = json!({"x": "\u{1f375}"});
    json!({
        "apiVersion": "example.com/v1beta1", "kind": "CupList", "metadata": {},
        "items": [cup, cup], "more": strange
    })
}

#[test]
fn fields_that_are_not_known_are_kept() {
    let json = strange_cups();
    let mut cups: unknown_v1beta1::CupList = round_trip(&json);
    let text = serde_json::to_string(&cups).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json);
    assert_eq!(cups.unknown_fields["more"]["c"], 0.5);
    let handle = &cups.items[0].spec.handle;
    assert_eq!(handle.unknown_fields.as_deref(), Some("known"));
    assert_eq!(handle.unknown_fields_["aa"], Value::Null);

    // Changes are written, and nothing else.
    cups.items[0].spec.handle.side = None;
    let mut changed = json.clone();
    changed["items"][0]["spec"]["handle"]
        .as_object_mut()
        .unwrap()
        .remove("side");
    assert_eq!(serde_json::to_value(&cups).unwrap(), changed);

    // They count when objects are compared.
    let mut other = cups.clone();
    assert_eq!(other, cups);
    other.items[1].unknown_fields.clear();
    assert_ne!(other, cups);

    // A name that is known is written once, with what its own field says.
    let mut cup = other.items.remove(1);
    for name in ["spec", "kind", "apiVersion", "unknownFields"] {
        cup.unknown_fields.insert(name.to_owned(), json!("mine"));
    }
    let text = serde_json::to_string(&cup).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text.matches("mine").count(), 1);
    assert_eq!(
        (&written["kind"], &written["unknownFields"]),
        (&json!("Cup"), &json!("mine"))
    );
}

#[test]
fn fields_that_are_not_known_outlast_conversion() {
    let mut json = strange_cups();
    let old: unknown_v1beta1::CupList = round_trip(&json);
    let new = unknown_v1::CupList::from(old.clone());
    json["apiVersion"] = json!("example.com/v1");
    for item in json["items"].as_array_mut().unwrap() {
        item["apiVersion"] = json!("example.com/v1");
    }
    assert_eq!(serde_json::to_value(&new).unwrap(), json);
    assert_eq!(unknown_v1beta1::CupList::from(new), old);

    let old: unknown_v1beta1::DishList = round_trip(&json!({
        "apiVersion": "example.com/v1beta1", "kind": "DishList", "metadata": {}, "x": 1,
        "items": [{
            "apiVersion": "example.com/v1beta1", "kind": "Dish", "metadata": {"name": "d"},
            "depth": 1, "glaze": "green", "y": [2]
        }]
    }));
    let new: Converted<unknown_v1::DishList> = old.clone().convert_preserving().unwrap();
    let paths: Vec<_> = new
        .unrepresentable
        .iter()
        .map(|field| field.path.to_string())
        .collect();
    assert_eq!(paths, ["items[0].glaze"]);
    let written = serde_json::to_value(&new.object).unwrap();
    assert_eq!(
        (&written["x"], &written["items"][0]["y"]),
        (&json!(1), &json!([2]))
    );
    let back: Converted<unknown_v1beta1::DishList> = new.object.convert_preserving().unwrap();
    assert_eq!((back.object, back.unrepresentable), (old, vec![]));
}

#[test]
fn fields_that_are_kept_are_unknown_nevertheless() {
    let text = strange_cups().to_string();
    let read = strict::from_json::<unknown_v1beta1::CupList>(&text).unwrap();
    assert_eq!(serde_json::to_value(&read.object).unwrap(), strange_cups());
    let told: Vec<_> = read
        .errors
        .iter()
        .map(|error| error.path.as_str())
        .collect();
    let cup = |index: usize| {
        let spec = [
            "spec.",
            "spec.Handle",
            "spec.byName.n.aa",
            "spec.byName.n.zz",
            "spec.handle.aa",
            "spec.handle.zz",
            "spec.others[0].aa",
            "spec.others[0].zz",
            "spec.others[1].kind",
            "status",
        ];
        spec.map(|path| format!("items[{index}].{path}"))
    };
    let mut expected: Vec<_> = cup(0).into_iter().chain(cup(1)).collect();
    expected.push("more".to_owned());
    assert_eq!(told, expected);
}

/// Values of JSON, three levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let simple = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(Value::from),
    ];
    simple.prop_recursive(3, 12, 3, |inner| {
        let field = (any::<String>(), inner.clone());
        prop_oneof![
            collection::vec(inner, 0..3).prop_map(Value::from),
            collection::vec(field, 0..3).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

/// Adds fields to every object that belongs to a generated type.
fn add(object: &mut Value, fields: &mut impl Iterator<Item = BTreeMap<String, Value>>) {
    const EXTERNAL: [&str; 1] = ["metadata"];
    match object {
        Value::Array(items) => items.iter_mut().for_each(|item| add(item, fields)),
        Value::Object(object) => {
            for (name, value) in &mut *object {
                match value {
                    Value::Object(map) if name == "byName" => {
                        map.values_mut().for_each(|value| add(value, fields));
                    }
                    value if !EXTERNAL.contains(&name.as_str()) => add(value, fields),
                    _ => (),
                }
            }
            for (name, value) in fields.next().into_iter().flatten() {
                object.entry(name).or_insert(value);
            }
        }
        _ => (),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a generated type doesn't know is there after reading and writing.
    #[test]
    fn any_field_that_is_not_known_is_kept(
        fields in collection::vec(collection::btree_map("x?.{0,6}", any_json(), 0..3), 7),
    ) {
        let mut json = json!({
            "apiVersion": "example.com/v1beta1", "kind": "CupList", "metadata": {},
            "items": [{
                "apiVersion": "example.com/v1beta1", "kind": "Cup", "metadata": {"name": "c"},
                "spec": {"handle": {}, "others": [{}, {}], "byName": {"n": {"side": "a"}}}
            }]
        });
        add(&mut json, &mut fields.into_iter());
        let cups: unknown_v1beta1::CupList = round_trip(&json);
        prop_assert_eq!(unknown_v1beta1::CupList::from(unknown_v1::CupList::from(cups.clone())), cups);
    }
}

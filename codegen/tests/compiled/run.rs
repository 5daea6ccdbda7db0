//! Runs the golden crates: this file is the only one of a crate of its own, see
//! `../compiled.rs`.

#![cfg(test)]

use std::fmt::Debug;

use apimachinery::convert::{Convert, Converted};
use apimachinery::{GroupVersionKind, Kind, Release};
use golden_apply::{Pantry, PantrySpec, Shelf, Spoon, Step, apply};
use golden_conversion_v1 as v1;
use golden_conversion_v1beta1::beta;
use golden_enum_overlay::{Lamp, Light};
use golden_kind::{Kettle, KettleList, KettleSpec, KettleStatus};
use golden_names::{Locals, Type, Verdict};
use golden_namespaced::Box2;
use golden_recursive::{Branch, Fork, Tree};
use golden_values::Values;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::serde::{Serialize, de::DeserializeOwned};
use k8s_openapi::{ByteString, ListableResource, Metadata, Resource};
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
    made = made.with_status(KettleStatus::new().with_degrees(100));
    assert_eq!(made, kettle);
}

#[test]
fn a_kind_knows_its_place() {
    assert_eq!(Kettle::API_VERSION, "example.com/v1");
    assert_eq!((Kettle::GROUP, Kettle::VERSION), ("example.com", "v1"));
    assert_eq!((Kettle::KIND, Kettle::URL_PATH_SEGMENT), ("Kettle", "kettles"));
    assert_eq!(Kettle::LIST_KIND, KettleList::KIND);
    assert_eq!(Box2::URL_PATH_SEGMENT, "boxes");
    fn cluster<T: Resource<Scope = k8s_openapi::ClusterResourceScope>>() {}
    fn namespace<T: Resource<Scope = k8s_openapi::NamespaceResourceScope>>() {}
    fn has_status<T: apimachinery::StatusSubresource>() {}
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
    assert_eq!(read(json!({"spec": null, "surprise": [1]})).unwrap(), Kettle::default());
}

#[test]
fn a_list_is_a_collection() {
    let list: KettleList =
        (1..4).map(|l| Kettle::new("k", KettleSpec::new(l))).collect();
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
    let lamp: Lamp =
        round_trip(&json!({"light": "blinking", "before": ["in-turns", "", "x"]}));
    assert_eq!(lamp.light.as_str(), "blinking");
    assert!(matches!(lamp.light, Light::Unknown(_)));
    let before = lamp.before.unwrap();
    assert_eq!(before[..2], [Light::InTurns, Light::Empty]);
    assert_eq!(Light::from("max/100W"), Light::Max100w);
    assert_eq!(Light::default(), Light::Empty);
    assert_eq!(Light::known_values().len(), 4);
    for value in Light::known_values() {
        let light: Light = value.parse().unwrap();
        assert!(!matches!(light, Light::Unknown(_)));
        assert_eq!((light.as_str(), &*light.to_string()), (*value, *value));
    }
    // Made from a known value, it is the known variant, however it is made.
    assert_eq!(serde_json::from_value::<Light>(json!("Steady")).unwrap(), Light::Steady);
    assert_eq!(Light::from("Steady".to_owned()), Light::Steady);
    assert!(matches!(Verdict::default(), Verdict::Unknown(_)));
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
    let made =
        Values::new(ByteString(vec![]), 1, [vec!["x".to_owned()]], [("a", "b")], "t")
            .with_numbers([1, 2])
            .with_tags([("a", "b")])
            .with_flags([true])
            .with_any(json!({}));
    assert_eq!(made.numbers, Some(vec![1, 2]));
    // What is required is written, even empty; what is not set is not.
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
    let paths: Vec<_> = converted.losses.iter().map(|loss| loss.path.as_str()).collect();
    assert_eq!(paths, ["cloth", "hooks.left.engraving", "spoons"]);
    assert_eq!((converted.object.cups, converted.object.price), (4, 0));
    assert_eq!(converted.object.colors, Some(vec!["red".to_owned()]));

    let mut kept: v1::Tray = old.clone().convert_keeping().unwrap().object;
    let back: Converted<beta::Tray> = kept.clone().convert_keeping().unwrap();
    assert_eq!((back.object, back.losses), (old.clone(), vec![]));
    kept.cups = 5;
    kept.price = 6;
    let back: Converted<beta::Tray> = kept.clone().convert_keeping().unwrap();
    assert_eq!((back.object.count, back.object.cloth), (5, Some(true)));
    assert_eq!(back.losses[0].to_string(), "price: 6");
    let mut again: v1::Tray = back.object.convert_keeping().unwrap().object;
    again.metadata = kept.metadata.clone();
    assert_eq!(again, kept);

    // Of what can be said in several ways, the way in which it was said.
    let mut two = v1::Tray::new("t", 4, 0);
    two.colors = Some(vec!["blue".to_owned(), "red".to_owned()]);
    two.metadata = kept.metadata.clone();
    let back: Converted<beta::Tray> = two.convert_keeping().unwrap();
    assert_eq!(back.object.color.as_deref(), Some("red"));

    let list = v1::TrayList::new([kept, v1::Tray::new("u", 1, 2)]);
    let lost: Converted<beta::TrayList> = list.convert().unwrap();
    let paths: Vec<_> = lost.losses.iter().map(|loss| loss.path.as_str()).collect();
    assert_eq!(paths, ["items[0].price", "items[1].price"]);
}

#[test]
fn what_is_written_by_hand_converts_kinds() {
    let jug = beta::Jug::new("j").with_full(true);
    let jar: Converted<v1::Jar> = jug.convert().unwrap();
    assert_eq!((jar.object.level, jar.losses), (Some(100), vec![]));
    let jars = v1::JarList::new([v1::Jar::new("a"), v1::Jar::new("b").with_level(-1)]);
    let fault = Convert::<beta::JugList>::convert(jars).unwrap_err();
    assert_eq!(fault.to_string(), "items[1].level: less than nothing");
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
    assert_eq!(beta::Mug::list_map_keys(), keyed);
}

#[test]
fn what_is_applied_is_what_is_set() {
    let nothing = apply::Pantry::new("p");
    let named = json!({
        "apiVersion": "example.com/v1", "kind": "Pantry", "metadata": {"name": "p"}
    });
    assert_eq!(serde_json::to_value(&nothing).unwrap(), named);

    let spec = apply::PantrySpec::new()
        .with_light(false)
        .with_shelves([apply::Shelf::new().with_name("top")])
        .with_smells(Vec::<String>::new())
        .with_by_day([("monday", apply::Step::new())]);
    let pantry = nothing.with_spec(spec);
    let read: apply::Pantry = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Pantry", "metadata": {"name": "p"},
        "spec": {
            "light": false, "shelves": [{"name": "top"}], "smells": [], "byDay": {"monday": {}}
        }
    }));
    assert_eq!(read, pantry);

    let spoon: apply::Spoon = round_trip(&json!({
        "apiVersion": "example.com/v1", "kind": "Spoon",
        "metadata": {"name": "s", "namespace": "n"}, "step": {}
    }));
    let step = apply::Step::new();
    assert_eq!(spoon, apply::Spoon::new("s", "n").with_step(step));
}

#[test]
fn a_full_object_is_applied_with_all_that_it_holds() {
    let shelf = Shelf::new("low").with_above(Shelf::new("high"));
    let spec = PantrySpec::new(false, [shelf]).with_recipe([Step::new("mix")]);
    let pantry = Pantry::new("p", spec);
    let mut live = pantry.clone();
    live.metadata.uid = Some("u".to_owned());
    live.metadata.resource_version = Some("1".to_owned());
    let applied = serde_json::to_value(apply::Pantry::from(live)).unwrap();
    assert_eq!(applied, serde_json::to_value(&pantry).unwrap());
    let spoon = Spoon::new("s").with_step(Step::new("stir"));
    let applied = serde_json::to_value(apply::Spoon::from(spoon.clone())).unwrap();
    assert_eq!(applied, serde_json::to_value(&spoon).unwrap());
}

/// Which of the maps and lists have one owner with all that is in them is in the document.
#[test]
fn what_is_owned_depends_on_the_document() {
    let live: Pantry = serde_json::from_value(json!({
        "metadata": {
            "name": "p",
            "managedFields": [{
                "manager": "me", "operation": "Apply", "apiVersion": "example.com/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {
                    "f:byDay": {}, "f:lock": {}, "f:notes": {}, "f:recipe": {}, "f:smells": {},
                    "f:stamp": {},
                    "f:shelves": {"k:{\"name\":\"top\"}": {"f:above": {}}}
                }}
            }]
        },
        "spec": {
            "light": true,
            "shelves": [{"name": "low"}, {"name": "top", "width": 1, "above": {"name": "x"}}],
            "byDay": {"monday": {"what": "mix"}}, "lock": {"key": "k", "step": {"what": "turn"}},
            "notes": {"a": "b"}, "recipe": [{"what": "mix"}], "smells": ["sweet"],
            "stamp": {"a": "b"}
        }
    }))
    .unwrap();
    let applied = apply::Pantry::extract(&live, "me").unwrap();
    let expected = json!({
        "apiVersion": "example.com/v1", "kind": "Pantry", "metadata": {"name": "p"},
        "spec": {
            "shelves": [{"name": "top", "above": {}}],
            "byDay": {}, "lock": {"key": "k", "step": {"what": "turn"}},
            "notes": {}, "recipe": [{"what": "mix"}], "smells": [], "stamp": {"a": "b"}
        }
    });
    assert_eq!(serde_json::to_value(&applied).unwrap(), expected);
    let status = apply::Pantry::extract_status(&live, "me").unwrap();
    assert_eq!(status, apply::Pantry::new("p"));
}

//! The scheme: its description, decoding from JSON, and conversion.

use crate::common::{PotInfo, PotInfoList, PotV1, PotV1List, PotV1beta1, PotV1beta1List};
use crate::common::{pot, pots, scheme};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kubernetes_kinds::convert::CONVERSION_DATA_ANNOTATION;
use kubernetes_kinds::{GroupVersion, GroupVersionKind, WithMetadata};
use kubernetes_manifests::scheme::{AnyObject, Decoded, Scheme, Scope, Syntax, Unrepresentable};
use proptest::prelude::*;
use serde_json::{Value, json};

const V1: GroupVersion = GroupVersion::from_static("example.com", "v1");
const V1ALPHA1: GroupVersion = GroupVersion::from_static("example.com", "v1alpha1");

fn text(object: &impl serde::Serialize) -> String {
    serde_json::to_string(object).unwrap()
}

#[test]
fn a_negative_zero_is_an_integer() {
    let text = r#"{"apiVersion": "example.com/v1", "kind": "Pot", "size": -0}"#;
    let read: Decoded<PotV1> = scheme().decode_json(text).unwrap();
    assert_eq!(read.object.size, Some(0));
    let text = text.replace("-0", "-0.0");
    scheme().decode_json::<PotV1>(&text).unwrap_err();
}

/// An escape that stands for no character is that of U+FFFD, as Go reads it.
#[test]
fn halves_of_pairs_of_escapes_are_replaced() {
    for (escaped, name) in [
        (r"\ud800", "\u{fffd}"),
        (r"a\uDFFFb", "a\u{fffd}b"),
        (r"\ud83d\ude00", "\u{1f600}"),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\ud83d\u0041\n", "\u{fffd}A\n"),
        (r"\\ud800", r"\ud800"),
        (r#"\"\ud800\""#, "\"\u{fffd}\""),
    ] {
        let text = format!(
            r#"{{"apiVersion": "example.com/v1", "kind": "Pot", "metadata": {{"name": "{escaped}"}}}}"#
        );
        let read: Decoded<PotV1> = scheme().decode_json(&text).unwrap();
        assert_eq!(read.object.metadata.name.as_deref(), Some(name));
        assert_eq!(scheme().decode_json_all(&text).unwrap().len(), 1);
        let texts = format!("{text}\n {text}");
        let parts: Vec<_> = scheme().decode_each(&texts, Syntax::Json).collect();
        let lines: Vec<_> = parts.iter().map(|part| part.location.line).collect();
        assert_eq!(lines, [Some(1), Some(2)]);
        assert_eq!(parts[1].name.as_deref(), Some(name));
    }
}

#[test]
fn tells_what_is_registered() {
    let scheme = scheme();
    let versions: Vec<_> = scheme.group_versions().map(ToString::to_string).collect();
    assert_eq!(
        versions,
        [
            "example.com/v1",
            "example.com/v1alpha1",
            "example.com/v1beta1"
        ]
    );
    let kinds: Vec<_> = scheme.kinds(&V1).collect();
    assert_eq!(kinds.len(), 1);
    assert_eq!(kinds[0].kind, GroupVersionKind::of::<PotV1>());
    assert_eq!(
        kinds[0].list_kind,
        Some(GroupVersionKind::of::<PotV1List>())
    );
    assert_eq!(kinds[0].scope, Scope::Cluster);
    assert!(kinds[0].lifecycle.is_some());
    let infos: Vec<_> = scheme.resource("potinfos").collect();
    assert_eq!(infos.len(), 1);
    assert_eq!(infos[0].kind, GroupVersionKind::of::<PotInfo>());
    assert_eq!(infos[0].scope, Scope::Namespaced);
    assert_eq!(scheme.resource("pots").count(), 2);
    assert_eq!(scheme.resource("Pots").count(), 0);
    assert!(scheme.recognizes(&V1.with_kind("Pot")));
    assert!(scheme.recognizes(&V1.with_kind("PotList")));
    assert!(!scheme.recognizes(&V1ALPHA1.with_kind("Pot")));
    assert!(scheme.kind(&V1.with_kind("PotList")).is_none());
}

#[test]
fn registering_twice_is_harmless() {
    let (once, mut twice) = (scheme(), scheme());
    twice.add_kind::<PotV1>();
    twice.add_list::<PotV1List>();
    twice.add_conversion::<PotV1, PotV1beta1>();
    twice.add_lossy_conversion::<PotV1, PotInfo>();
    assert_eq!(format!("{twice:?}"), format!("{once:?}"));
    let pot = V1.with_kind("Pot");
    assert_eq!(twice.routes(&pot), once.routes(&pot));
}

#[test]
fn tells_the_routes() {
    let scheme = scheme();
    let routes: Vec<_> = scheme
        .routes(&V1ALPHA1.with_kind("PotInfo"))
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        routes,
        [
            "example.com/v1 Pot (lossy)",
            "example.com/v1 Pot (lossy), example.com/v1beta1 Pot",
        ]
    );
    let route = scheme.route::<PotV1beta1, PotInfo>().unwrap();
    assert_eq!(route.steps.len(), 2);
    assert!(route.is_lossy());
    assert_eq!(route.target(), Some(&GroupVersionKind::of::<PotInfo>()));
    assert!(scheme.route::<PotV1, PotV1>().unwrap().steps.is_empty());
    assert_eq!(scheme.route::<PotV1, PotV1List>(), None);
    assert!(scheme.routes(&V1.with_kind("Kettle")).is_empty());
}

#[test]
fn of_equally_long_routes_the_one_with_fewer_losses_counts() {
    let mut scheme = Scheme::new();
    scheme.add_kind::<PotInfo>();
    scheme.add_lossy_conversion::<PotInfo, PotV1>();
    scheme.add_conversion::<PotInfo, Detour>();
    scheme.add_conversion::<PotV1, PotV1beta1>();
    scheme.add_conversion::<Detour, PotV1beta1>();
    let route = scheme.route::<PotInfo, PotV1beta1>().unwrap();
    assert!(!route.is_lossy(), "{route}");
    assert_eq!(route.steps.len(), 2);
}

/// A type of its own on another way from `PotInfo` to v1beta1.
type Detour = k8s_openapi::api::core::v1::ConfigMap;

impl From<PotInfo> for Detour {
    fn from(info: PotInfo) -> Self {
        Self {
            metadata: info.metadata,
            ..Self::default()
        }
    }
}

impl From<Detour> for PotV1beta1 {
    fn from(detour: Detour) -> Self {
        Self {
            metadata: detour.metadata,
            ..Self::default()
        }
    }
}

#[test]
fn decodes_the_version_that_is_asked_for_as_it_is() {
    let decoded: Decoded<PotV1> = scheme().decode_json(text(&pot("a"))).unwrap();
    assert_eq!(decoded.object, pot("a"));
    assert_eq!(decoded.read, GroupVersionKind::of::<PotV1>());
    assert!(decoded.unrepresentable.is_empty());
    // Nothing has to be registered for that.
    let decoded: Decoded<PotV1> = Scheme::new().decode_json(text(&pot("a"))).unwrap();
    assert_eq!(decoded.object, pot("a"));
}

#[test]
fn decodes_whatever_the_order_of_fields() {
    let late = r#"{"size": 5, "items": [{"kind": "X"}], "kind": "Pot", "lids": null,
        "apiVersion": "example.com/v1beta1", "sizeBytes": 7}"#;
    let decoded: Decoded<PotV1> = scheme().decode_json(late).unwrap();
    assert_eq!(decoded.object.size, Some(7));
    let escaped = r#"{"\u006bind": "P\u006ft", "apiVersion": "example.com/v1", "size": 3}"#;
    let decoded: Decoded<PotV1> = scheme().decode_json(escaped).unwrap();
    assert_eq!(decoded.object.size, Some(3));
}

#[test]
fn losses_are_kept_or_dropped_as_told() {
    let json = text(&PotV1beta1::from(pot("a")));
    let kept: Decoded<PotInfo> = scheme().decode_json(&json).unwrap();
    assert_eq!(kept.read, GroupVersionKind::of::<PotV1beta1>());
    assert_eq!(kept.unrepresentable.len(), 1);
    assert_eq!(kept.unrepresentable[0].to_string(), r#"note: "keep dry""#);
    assert!(
        kept.object
            .metadata
            .annotations
            .as_ref()
            .unwrap()
            .contains_key(CONVERSION_DATA_ANNOTATION)
    );
    let back: Decoded<PotV1beta1> = scheme().decode_json(text(&kept.object)).unwrap();
    assert_eq!(back.object, PotV1beta1::from(pot("a")));

    let scheme = scheme().with_unrepresentable(Unrepresentable::Discard);
    let dropped: Decoded<PotInfo> = scheme.decode_json(&json).unwrap();
    assert_eq!(dropped.unrepresentable, kept.unrepresentable);
    assert_eq!(dropped.object.metadata.annotations, None);
    // What has been kept is restored all the same.
    let back: Decoded<PotV1beta1> = scheme.decode_json(text(&kept.object)).unwrap();
    assert_eq!(back.object, PotV1beta1::from(pot("a")));
}

#[test]
fn decodes_lists_with_their_metadata() {
    let list = PotV1List {
        metadata: ListMeta {
            resource_version: Some("7".into()),
            ..ListMeta::default()
        },
        items: vec![pot("a"), pot("b")],
    };
    let decoded: Decoded<PotInfoList> = scheme()
        .decode_json(text(&PotV1beta1List::from(list.clone())))
        .unwrap();
    assert_eq!(decoded.object.metadata, list.metadata);
    let paths: Vec<_> = decoded
        .unrepresentable
        .iter()
        .map(|loss| loss.path.to_string())
        .collect();
    assert_eq!(paths, ["items[0].note", "items[1].note"]);
    let back: Decoded<PotV1List> = scheme().decode_json(text(&decoded.object)).unwrap();
    assert_eq!(back.object, list);
}

#[test]
fn streams_hold_objects_and_lists_of_any_kind() {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    let typed = r#"{"kind": "PotList", "apiVersion": "example.com/v1",
        "items": [{"metadata": {"name": "c"}}, {"kind": "Pot"}]}"#;
    let inner = json!({"apiVersion": "v1", "kind": "List", "items": [pot("b"), map]});
    let plain = json!({"apiVersion": "v1", "kind": "List", "items": [pot("a"), inner]});
    let empty = r#"{"apiVersion": "v1", "kind": "List", "items": null}"#;
    let stream = format!("{plain}\nnull {typed}{empty}");
    let objects = scheme().decode_json_all(stream).unwrap();
    let shown: Vec<_> = objects.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "example.com/v1 Pot a",
            "example.com/v1 Pot b",
            "v1 ConfigMap m",
            "example.com/v1 Pot c",
            "example.com/v1 Pot",
        ]
    );
    assert_eq!(objects[0].downcast_ref::<PotV1>(), Some(&pot("a")));
    assert_eq!(
        objects[1].location().to_string(),
        "document 1, items[1].items[0]"
    );
    assert_eq!(objects[3].location().to_string(), "document 2, items[0]");
    assert_eq!(objects[2].as_value(), Some(&map));
    assert!(scheme().decode_json_all(" \n").unwrap().is_empty());
}

#[test]
fn objects_convert() {
    let scheme = scheme();
    let object = AnyObject::new(pot("a"));
    assert_eq!(object.name(), Some("a"));
    assert_eq!(object.namespace(), None);
    let alpha = object.clone().convert_to(&scheme, &V1ALPHA1).unwrap();
    assert_eq!(alpha.kind(), GroupVersionKind::of::<PotInfo>());
    assert_eq!(alpha.read(), &GroupVersionKind::of::<PotV1>());
    assert_eq!(alpha.unrepresentable().len(), 1);
    assert_ne!(alpha, object);
    let back = alpha.clone().convert_to(&scheme, &V1).unwrap();
    assert_eq!(back, object);
    let decoded: Decoded<PotV1beta1> = alpha.convert(&scheme).unwrap();
    assert_eq!(decoded.object, PotV1beta1::from(pot("a")));
    assert_eq!(decoded.unrepresentable.len(), 1);
    assert_eq!(object.clone().convert_to(&scheme, &V1).unwrap(), object);
    assert_eq!(object.clone().downcast::<PotInfo>(), None);
    assert_eq!(object.downcast::<PotV1>(), Some(pot("a")));
    let namespaced = AnyObject::new(PotInfo::default().with_name("n").with_namespace("s"));
    assert_eq!(namespaced.to_string(), "example.com/v1alpha1 PotInfo s/n");
}

#[test]
fn what_has_no_type_is_kept_and_put_into_order() {
    let text = r#"{"zeta":{"b":1.0,"a":[{"d":1,"c":18446744073709551615}]},"alpha":null,
        "metadata":{"name":"x"},"kind":"Odd","apiVersion":"example.com/v9"}"#;
    let objects = scheme().decode_json_all(text).unwrap();
    assert_eq!(
        objects[0].to_json().unwrap(),
        r#"{"apiVersion":"example.com/v9","kind":"Odd","metadata":{"name":"x"},"alpha":null,"zeta":{"a":[{"c":18446744073709551615,"d":1}],"b":1.0}}"#
    );
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(objects[0].to_value().unwrap(), value);
    assert_eq!(AnyObject::dynamic(value).unwrap(), objects[0]);
}

proptest! {
    #[test]
    fn what_was_written_is_read(pots in proptest::collection::vec(pots(), 0..4)) {
        let scheme = scheme();
        for pot in &pots {
            let beta: Decoded<PotV1beta1> = scheme.decode_json(text(pot)).unwrap();
            let alpha: Decoded<PotInfo> = scheme.decode_json(text(&beta.object)).unwrap();
            let back: Decoded<PotV1> = scheme.decode_json(text(&alpha.object)).unwrap();
            prop_assert_eq!(&back.object, pot);
            let back: Decoded<PotV1beta1> = scheme.decode_json(text(&alpha.object)).unwrap();
            prop_assert_eq!(back.object, beta.object);
        }
        let objects: Vec<_> = pots.into_iter().map(AnyObject::new).collect();
        let stream = kubernetes_manifests::scheme::to_json_all(&objects).unwrap();
        let read = scheme.decode_json_all(&stream).unwrap();
        prop_assert_eq!(&read, &objects);
        prop_assert_eq!(kubernetes_manifests::scheme::to_json_all(&read).unwrap(), stream);
    }
}

//! Errors of input that the scheme can't decode.

use std::error::Error;

use crate::common::{Lid, PotInfo, PotV1, PotV1List, PotV1beta1, pot, scheme};
use kubernetes_kinds::convert::CONVERSION_DATA_ANNOTATION;
use kubernetes_kinds::{GroupVersion, WithMetadata};
use kubernetes_manifests::scheme::{AnyObject, Reason, Scheme, SchemeError};

fn one(text: &str) -> SchemeError {
    scheme().decode_json::<PotV1>(text).unwrap_err()
}

fn stream(text: &str) -> SchemeError {
    scheme().decode_json_all(text).unwrap_err()
}

#[test]
fn syntax() {
    for text in [
        "",
        "{",
        r#"{"kind": "Pot", "apiVersion": "example.com/v1", !}"#,
        "{'a'}",
    ] {
        let error = one(text);
        assert!(
            matches!(error.reason(), Reason::Syntax { .. }),
            "{text}: {error}"
        );
        assert!(error.location().line.is_some(), "{text}: {error}");
    }
    let error = stream("{\"kind\": \"Odd\", \"apiVersion\": \"a/v1\"}\n{]");
    assert_eq!(
        error.to_string(),
        "document 2 (line 2, column 2): key must be a string"
    );
}

#[test]
fn not_an_object() {
    for text in ["[]", "5", "\"a\"", "null"] {
        let error = one(text);
        assert!(
            matches!(error.reason(), Reason::Shape { .. }),
            "{text}: {error}"
        );
    }
    let error = one(r#"{"kind": 5}"#);
    let expected = "line 1, column 10: invalid type: integer `5`, expected a string as kind";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn unnamed() {
    let error = one(r#"{"apiVersion": "example.com/v1", "kind": null}"#);
    assert_eq!(error.reason(), &Reason::Unnamed { field: "kind" });
    let error = one(r#"{"apiVersion": "", "kind": "Pot"}"#);
    assert_eq!(
        error.reason(),
        &Reason::Unnamed {
            field: "apiVersion"
        }
    );
    let error = stream(r#"{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Pot"}]}"#);
    assert_eq!(
        error.to_string(),
        "document 1, items[0]: apiVersion is missing; every object has to name its \
         apiVersion and kind"
    );
}

#[test]
fn not_registered() {
    let error = one(r#"{"apiVersion": "example.com/v2", "kind": "Pot"}"#);
    assert_eq!(
        error.to_string(),
        "example.com/v2 Pot is not registered; registered are example.com/v1 Pot, \
         example.com/v1beta1 Pot"
    );
    let error = one(r#"{"apiVersion": "example.com/v1", "kind": "Kettle"}"#);
    assert!(
        error
            .to_string()
            .contains("example.com/v1alpha1 PotInfoList"),
        "{error}"
    );
    let error = one(r#"{"apiVersion": "v1", "kind": "List"}"#);
    assert!(error.to_string().contains("decode_json_all"), "{error}");
    let error = Scheme::new()
        .decode_json::<PotV1>(r#"{"apiVersion": "a/v1", "kind": "B"}"#)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a/v1 B is not registered; the scheme is empty"
    );
}

#[test]
fn no_route() {
    let list = serde_json::to_string(&PotV1List::default()).unwrap();
    let error = one(&list);
    assert_eq!(
        error.to_string(),
        "nothing leads from example.com/v1 PotList to example.com/v1 Pot; ask for a kind that \
         it can become, or register the conversions"
    );
    let v3 = GroupVersion::from_static("example.com", "v3");
    let error = AnyObject::new(pot("a"))
        .convert_to(&scheme(), &v3)
        .unwrap_err();
    assert!(matches!(error.reason(), Reason::NoRoute { to, .. } if to == "example.com/v3"));
    assert_eq!(
        error.location().object.as_deref(),
        Some("example.com/v1 Pot a")
    );
    let odd = scheme()
        .decode_json_all(r#"{"apiVersion": "a/v1", "kind": "B"}"#)
        .unwrap();
    let error = odd[0].clone().convert::<PotV1>(&scheme()).unwrap_err();
    assert!(matches!(error.reason(), Reason::NoRoute { .. }));
    assert_eq!(error.location().document, Some(1));
    let error = scheme().convert::<PotV1, PotV1List>(pot("a")).unwrap_err();
    assert!(matches!(error.reason(), Reason::NoRoute { .. }));
}

#[test]
fn shape() {
    let error = one(
        "{\"apiVersion\": \"example.com/v1beta1\", \"kind\": \"Pot\",\n \"lids\": [{}, {\"name\": 5}]}",
    );
    assert_eq!(
        error.to_string(),
        "lids[1].name (line 2, column 24): invalid type: integer `5`, expected a string"
    );
    let error =
        one(r#"{"apiVersion": "example.com/v1", "kind": "Pot", "parameters": {"a/b.c": 1}}"#);
    assert_eq!(error.location().path.to_string(), "parameters[a/b.c]");
    let error = one(r#"{"apiVersion": "example.com/v1", "kind": "Pot", "kind": "Pan"}"#);
    assert!(matches!(error.reason(), Reason::Shape { .. }), "{error}");
}

#[test]
fn shape_in_streams() {
    let good = r#"{"apiVersion": "a/v1", "kind": "B"}"#;
    let bad = "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Pot\", \"metadata\":\n\
        {\"name\": \"x\"}, \"size\": \"y\"}";
    let error = stream(&format!("{good}\n  {good} {bad}"));
    assert_eq!(
        error.to_string(),
        "document 3, example.com/v1 Pot x, size (line 3, column 26): invalid type: string \
         \"y\", expected i64"
    );
    let bad = r#"{"apiVersion": "example.com/v1", "kind": "Pot", "size": true}"#;
    let error = stream(&format!("{good}\n  {good} {bad}"));
    assert_eq!(
        (error.location().line, error.location().column),
        (Some(2), Some(98))
    );
    let error = stream(&format!(
        r#"{{"apiVersion": "v1", "kind": "List", "items": [{bad}]}}"#
    ));
    assert_eq!(error.location().path.to_string(), "items[0].size");
    let error = stream(r#"{"apiVersion": "v1", "kind": "List", "items": {}}"#);
    assert_eq!(error.to_string(), "document 1, items: not a list");
}

#[test]
fn items_of_another_kind() {
    let list = r#"{"apiVersion": "example.com/v1", "kind": "PotList",
        "items": [{"kind": "Pot"}, {"kind": "Pan"}]}"#;
    let error = stream(list);
    assert_eq!(error.location().path.to_string(), "items[1].kind");
    assert!(
        error
            .to_string()
            .contains(r#"kind is "Pan", expected "Pot""#),
        "{error}"
    );
    assert_eq!(
        scheme()
            .decode_json::<PotV1List>(list)
            .unwrap_err()
            .location()
            .path
            .to_string(),
        "items[1].kind"
    );
}

#[test]
fn conversion() {
    let broken = PotV1 {
        lids: vec![Lid {
            name: "broken".into(),
            knob: None,
        }],
        ..pot("a")
    };
    let beta = PotV1beta1::from(broken.clone());
    let text = serde_json::to_string(&beta).unwrap();
    let error = scheme().decode_json::<PotInfo>(&text).unwrap_err();
    assert_eq!(error.to_string(), "lids[0].name: may not be broken");
    let Reason::Conversion(reason) = error.reason() else {
        panic!("{error}")
    };
    assert_eq!(reason, &crate::common::broken_lid());
    assert!(error.source().is_some());
    let list = PotV1List {
        items: vec![pot("a"), broken],
        ..PotV1List::default()
    };
    let error = scheme()
        .convert::<_, crate::common::PotInfoList>(list)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "items[1].lids[0].name: may not be broken"
    );
    let objects = scheme().decode_json_all(format!("{text}{text}")).unwrap();
    let error = objects[1]
        .clone()
        .convert::<PotInfo>(&scheme())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "document 2, example.com/v1beta1 Pot a, lids[0].name: may not be broken"
    );
}

#[test]
fn what_is_kept_of_a_third_version_stays_but_not_beside_another() {
    let third = r#"{"apiVersion":"example.com/v0","kind":"Jar","size":1}"#;
    let plain = PotV1 {
        note: None,
        ..pot("a")
    }
    .with_annotation(CONVERSION_DATA_ANNOTATION, third);
    let info = scheme().convert::<PotV1, PotInfo>(plain.clone()).unwrap();
    assert_eq!(info.object.metadata.annotations, plain.metadata.annotations);
    let noted = pot("a").with_annotation(CONVERSION_DATA_ANNOTATION, third);
    let error = scheme().convert::<PotV1, PotInfo>(noted).unwrap_err();
    assert!(error.to_string().contains("third version"), "{error}");
}

#[test]
fn deep_nesting() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let (open, close) = (open.repeat(10_000), close.repeat(10_000));
        let deep = format!("{open}1{close}");
        let odd = format!(r#"{{"apiVersion": "a/v1", "kind": "B", "x": {deep}}}"#);
        let error = stream(&odd);
        assert!(matches!(error.reason(), Reason::Syntax { .. }), "{error}");
        // Skipping needs no stack.
        let pot = format!(r#"{{"x": {deep}, "apiVersion": "example.com/v1", "kind": "Pot"}}"#);
        assert!(scheme().decode_json::<PotV1>(&pot).is_ok());
        assert!(scheme().decode_json::<PotV1>(&deep).is_err());
    }
}

//! Which fields are held in a `Box`.

use crate::common::{document, from_document};

/// A schema of an object with texts `t0`, `t1` and so on, and with objects.
fn schema(name: &str, texts: usize, objects: &[(&str, &str)]) -> String {
    let texts = (0..texts).map(|index| format!(r#""t{index}": {{"type": "string"}}"#));
    let objects = objects.iter().map(|(field, object)| {
        format!(r##""{field}": {{"$ref": "#/components/schemas/com.example.v1.{object}"}}"##)
    });
    let properties: Vec<_> = texts.chain(objects).collect();
    format!(
        r#""com.example.v1.{name}": {{"type": "object", "properties": {{{}}}}}"#,
        properties.join(", ")
    )
}

/// The declarations of the fields that hold objects, without the names of those.
fn declared(fields: &[(&str, &str)]) -> Vec<String> {
    let schemas = [
        schema("Owner", 1, fields),
        schema("Small", 1, &[]),
        schema("Medium", 2, &[]),
        schema("Large", 11, &[]),
        schema("Huge", 41, &[]),
    ];
    let crates = from_document(&document(&schemas.join(",\n"))).unwrap();
    let files = crates[0].files.iter();
    let text = files
        .map(|file| &file.text)
        .find(|text| text.contains("pub struct Owner"))
        .unwrap();
    let (_, owner) = text.split_once("pub struct Owner {").unwrap();
    let (owner, _) = owner.split_once("\n}").unwrap();
    let lines = owner.lines().map(str::trim);
    lines
        .filter(|line| line.starts_with("pub ") && !line.contains("String"))
        .map(|line| line.trim_start_matches("pub ").to_owned())
        .collect()
}

#[test]
fn many_large_objects_are_boxed_and_small_ones_are_not() {
    let union = [
        ("a", "Large"),
        ("b", "Large"),
        ("c", "Large"),
        ("d", "Large"),
        ("e", "Medium"),
        ("f", "Small"),
    ];
    assert_eq!(
        declared(&union),
        [
            "a: Option<Box<Large>>,",
            "b: Option<Box<Large>>,",
            "c: Option<Box<Large>>,",
            "d: Option<Box<Large>>,",
            "e: Option<Box<Medium>>,",
            "f: Option<Small>,",
        ]
    );
}

#[test]
fn few_objects_are_held_as_they_are() {
    let parts = [("template", "Large"), ("spec", "Huge"), ("status", "Huge")];
    assert_eq!(
        declared(&parts),
        [
            "spec: Option<Huge>,",
            "status: Option<Huge>,",
            "template: Option<Large>,"
        ]
    );
}

#[test]
fn objects_of_a_kilobyte_in_all_are_held_as_they_are() {
    let parts = [
        ("a", "Large"),
        ("b", "Large"),
        ("c", "Large"),
        ("d", "Medium"),
        ("e", "Medium"),
    ];
    assert!(
        declared(&parts)
            .iter()
            .all(|declared| !declared.contains("Box"))
    );
}

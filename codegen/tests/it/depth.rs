//! Documents of great depth: an error, and no overflow of the stack. They have a binary of their
//! own, because an overflow ends all tests of a binary.

use crate::common::{document, from_document, thing, with_overlay};

/// Returns the errors of a document. The stack is that of a test's thread, 2 MiB.
fn told(text: &str) -> String {
    from_document(text).map(|_| ()).unwrap_err().to_string()
}

fn lists(depth: usize, inner: &str) -> String {
    let list = "{\"type\": \"array\", \"items\": ";
    format!("{}{inner}{}", list.repeat(depth), "}".repeat(depth))
}

#[test]
fn json_of_great_depth() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [200, 10_000, 1_000_000] {
        assert!(told(&deep(depth)).contains("not valid JSON: recursion limit"));
        let text = format!("{{\"openapi\": \"3.0.0\", \"x\": {}}}", deep(depth));
        assert!(told(&text).contains("recursion limit"));
    }
}

#[test]
fn schemas_of_great_depth() {
    for depth in [10, 30, 60, 90, 110, 118] {
        // With an error, for which the lines are looked up.
        let schema = lists(depth, "{\"type\": \"file\"}");
        told(&thing(&format!("\"a\": {schema}")));
        let schema = lists(depth, "{\"type\": \"string\"}");
        let text = thing(&format!("\"a\": {schema}"));
        let _ = from_document(&text)
            .map(|_| ())
            .map_err(|errors| errors.to_string());
    }
}

#[test]
fn schemas_of_great_depth_through_all_of() {
    for depth in [10, 30, 55] {
        let open = "{\"allOf\": [".repeat(depth);
        let schema = format!("{open}{{\"type\": \"file\"}}{}", "]}".repeat(depth));
        told(&thing(&format!("\"a\": {schema}")));
    }
}

/// Aliases of aliases are deep without any nesting.
#[test]
fn long_chains_of_schemas() {
    let mut schemas = String::new();
    for number in 0..300 {
        schemas += &format!(
            "\"com.example.v1.A{number}\": {{\"type\": \"array\", \"items\": \
             {{\"$ref\": \"#/components/schemas/com.example.v1.A{}\"}}}},\n",
            number + 1
        );
    }
    schemas += "\"com.example.v1.A300\": {\"type\": \"string\"},\n\
        \"com.example.v1.Thing\": {\"type\": \"object\", \"properties\": {\"a\": \
        {\"$ref\": \"#/components/schemas/com.example.v1.A0\"}}}";
    let _ = from_document(&document(&schemas)).map_err(|errors| errors.to_string());
}

fn overlay(action: &str) -> String {
    format!("overlay: 1.0.0\ninfo: {{title: t, version: v}}\nactions:\n- {action}\n")
}

#[test]
fn overlays_of_great_depth() {
    let document = thing("\"a\": {\"type\": \"string\"}");
    for depth in [100, 1_000, 100_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let overlay = overlay(&format!("target: $.components\n  update: {{x: {deep}}}"));
        let _ = with_overlay(&document, &overlay).map_err(|errors| errors.to_string());
    }
}

#[test]
fn targets_of_great_depth() {
    let document = thing("\"a\": {\"type\": \"string\"}");
    for depth in [100, 1_000, 100_000] {
        let target = format!("$[?{}@{}]", "(".repeat(depth), ")".repeat(depth));
        let overlay = overlay(&format!("target: {target}\n  remove: true"));
        assert!(with_overlay(&document, &overlay).is_err());
    }
}

//! Kinds and lists that a document describes badly.

use crate::common::{Expected, assert_error, from_document};

const FILE: &str = "v1.37/document.json";
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// A document of the kind `Thing` and its list, in which a text is replaced; the schema of
/// the kind starts on line 6, that of the list on line 10.
fn changed(from: &str, to: &str) -> String {
    let text = format!(
        r##"{{"openapi": "3.0.0", "paths": {{
"/apis/example.com/v1/things": {{"get": {{
"x-kubernetes-action": "list", "responses": {{}},
"x-kubernetes-group-version-kind": {{"group": "example.com", "version": "v1", "kind": "Thing"}}
}}}}}}, "components": {{"schemas": {{
"com.example.v1.Thing": {{"type": "object", "properties": {{
"metadata": {{"$ref": "#/components/schemas/{META}.ObjectMeta"}},
"text": {{"type": "string"}}}},
"x-kubernetes-group-version-kind": [{{"group": "example.com", "version": "v1", "kind": "Thing"}}]}},
"com.example.v1.ThingList": {{"type": "object", "required": ["items"], "properties": {{
"metadata": {{"$ref": "#/components/schemas/{META}.ListMeta"}},
"items": {{"type": "array", "items": {{"$ref": "#/components/schemas/com.example.v1.Thing"}}}}}},
"x-kubernetes-group-version-kind": [{{"group": "example.com", "version": "v1", "kind": "ThingList"}}]}},
"{META}.ListMeta": {{"type": "object"}},
"{META}.ObjectMeta": {{"type": "object"}}
}}}}}}"##
    );
    assert!(from.is_empty() || text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn bad(text: &str, message: &str, pointer: &str, line: usize) {
    let expected = Expected {
        message,
        pointer: Some(pointer),
        line: Some(line),
    };
    assert_error(from_document(text), FILE, &expected);
}

const THING: &str = "#/components/schemas/com.example.v1.Thing";
const LIST: &str = "#/components/schemas/com.example.v1.ThingList";
const GET: &str = "#/paths/~1apis~1example.com~1v1~1things/get";
const GVK: &str = "x-kubernetes-group-version-kind";

#[test]
fn the_document_itself_is_good() {
    let crates = from_document(&changed("", "")).unwrap();
    assert_eq!((crates[0].structs, crates[0].enums), (2, 0));
}

#[test]
fn a_kind_without_paths() {
    let text = changed("/apis/example.com/v1/things", "/other");
    let errors = from_document(&text).unwrap_err();
    let told = errors.to_string();
    assert!(
        told.contains("no path of the document serves this kind"),
        "{told}"
    );
    assert!(told.contains(&format!("{THING}/{GVK}")), "{told}");
}

#[test]
fn a_kind_without_metadata() {
    bad(
        &changed("\"metadata\"", "\"meta\""),
        "a kind without `metadata`",
        THING,
        6,
    );
}

/// The constructor and the traits need ObjectMeta and nothing else.
#[test]
fn a_kind_whose_metadata_is_something_else() {
    let reference = format!("{{\"$ref\": \"#/components/schemas/{META}.ObjectMeta\"}}");
    for other in [
        "{\"type\": \"string\"}",
        &reference.replace("Object", "List"),
    ] {
        let errors = from_document(&changed(&reference, other)).map(|_| ());
        assert!(errors.is_err(), "{other}");
    }
    let reference = reference.replace("Object", "List");
    let errors = from_document(&changed(&reference, "{\"type\": \"string\"}")).map(|_| ());
    assert!(errors.is_err(), "a list");
}

#[test]
fn a_list_of_what_is_no_kind() {
    let gvk = ",\n\"x-kubernetes-group-version-kind\": \
               [{\"group\": \"example.com\", \"version\": \"v1\", \"kind\": \"Thing\"}]";
    let text = changed(gvk, "\n");
    bad(
        &text,
        "a list of `com.example.v1.Thing`, which is not a kind",
        LIST,
        10,
    );
}

/// `IntoIterator` and `FromIterator` need items that are there, and nothing else.
#[test]
fn a_list_that_is_not_made_of_its_items() {
    let optional = changed("\"required\": [\"items\"],", "");
    assert!(from_document(&optional).is_err(), "items that are optional");
    let more = changed(
        "\"required\": [\"items\"], \"properties\": {",
        "\"required\": [\"items\", \"more\"], \"properties\": {\n\
         \"more\": {\"type\": \"string\"},",
    );
    assert!(from_document(&more).is_err(), "a second required field");
}

#[test]
fn a_second_list_of_one_kind() {
    let schema = format!(
        "\"com.example.v1.OtherList\": {{\"type\": \"object\", \"required\": [\"items\"], \
         \"properties\": {{\"metadata\": {{\"$ref\": \"#/components/schemas/{META}.ListMeta\"}},\
         \"items\": {{\"type\": \"array\", \"items\": {{\"$ref\": \"{THING}\"}}}}}},\n\
         \"{GVK}\": [{{\"group\": \"example.com\", \"version\": \"v1\", \"kind\": \"OtherList\"}}]}},\n"
    );
    let place = "\"com.example.v1.ThingList\"";
    let text = changed(place, &format!("{schema}{place}"));
    let message = "has a second list beside `com.example.v1.OtherList`";
    bad(&text, message, LIST, 12);
}

/// The name of the type would be taken for that of the kind.
#[test]
fn a_kind_of_another_name_than_its_schema() {
    let text = changed("", "").replace("\"kind\": \"Thing\"", "\"kind\": \"Gadget\"");
    match from_document(&text) {
        Ok(crates) => {
            let file = crates[0]
                .files
                .iter()
                .find(|f| f.path == "src/thing.rs")
                .unwrap();
            assert!(
                file.text.contains("KIND: &'static str = \"Gadget\""),
                "wrong kind"
            );
        }
        Err(errors) => assert!(errors.to_string().contains("Gadget"), "{errors}"),
    }
}

#[test]
fn two_schemas_of_one_kind() {
    let schema = format!(
        "\"com.example.v1.Other\": {{\"type\": \"object\", \"properties\": {{\
         \"metadata\": {{\"$ref\": \"#/components/schemas/{META}.ObjectMeta\"}}}},\n\
         \"{GVK}\": [{{\"group\": \"example.com\", \"version\": \"v1\", \"kind\": \"Thing\"}}]}},\n"
    );
    let place = "\"com.example.v1.ThingList\"";
    assert!(from_document(&changed(place, &format!("{schema}{place}"))).is_err());
}

#[test]
fn a_kind_with_two_plurals() {
    let path = "\"/apis/example.com/v1/things\": {\"get\": {\n\
        \"x-kubernetes-action\": \"list\", \"responses\": {},\n\
        \"x-kubernetes-group-version-kind\": \
        {\"group\": \"example.com\", \"version\": \"v1\", \"kind\": \"Thing\"}\n}}";
    let other = path.replace("things", "gadgets");
    assert!(from_document(&changed(path, &format!("{path},\n{other}"))).is_err());
}

#[test]
fn groups_versions_and_kinds_that_are_none() {
    let text = changed(
        "\"version\": \"v1\", \"kind\": \"Thing\"}\n",
        "\"version\": 1}\n",
    );
    let errors = from_document(&text).unwrap_err().to_string();
    assert!(errors.contains("not a group, version and kind"), "{errors}");
    assert!(
        errors.contains(&format!("document.json:4 at {GET}/{GVK}")),
        "{errors}"
    );
    let text = changed("\"kind\": \"Thing\"}]", "\"sort\": \"Thing\"}]");
    let errors = from_document(&text).unwrap_err().to_string();
    assert!(
        errors.contains("not a list of groups, versions and kinds"),
        "{errors}"
    );
    assert!(
        errors.contains(&format!("document.json:9 at {THING}/{GVK}")),
        "{errors}"
    );
}

#[test]
fn paths_that_are_none() {
    let text = changed("\"responses\": {}", "\"responses\": 7");
    let errors = from_document(&text).unwrap_err().to_string();
    assert!(errors.contains("not an OpenAPI 3.0 path"), "{errors}");
    assert!(
        errors.contains("document.json:2 at #/paths/~1apis"),
        "{errors}"
    );
    for plural in ["Things", "th ings", "\\u202e", "th\\\"ings"] {
        let text = changed("v1/things", &format!("v1/{plural}"));
        let errors = from_document(&text).unwrap_err().to_string();
        assert!(errors.contains("can't be the plural of a kind"), "{errors}");
    }
}

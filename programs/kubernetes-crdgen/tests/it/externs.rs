//! Types of other crates in place of generated ones.

use super::{DEFINITION, Folder};

/// A definition with a condition, a reference, and an object that holds another.
fn definition() -> String {
    let more = "\
spare: *mast
                owner:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string, maxLength: 9}
                    home: {type: object, properties: {town: {type: string, minLength: 2}}}
                  x-kubernetes-validations: [{rule: 'self.name != \"\"'}]
                berth:
                  type: object
                  properties: {name: &s {type: string}, namespace: *s, kind: *s, uid: *s,
                    apiVersion: *s, fieldPath: *s, resourceVersion: *s}
            status:
              type: object
              properties:
                conditions:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [type]
                  items:
                    type: object
                    required: [type, status, reason, message, lastTransitionTime]
                    properties:
                      type: *s
                      status: {type: string, enum: ['True', 'False', Unknown]}
                      reason: *s
                      message: *s
                      lastTransitionTime: {type: string, format: date-time}
                      observedGeneration: {type: integer, format: int64}";
    let definition = DEFINITION.replace("spare: *mast", more);
    assert_ne!(definition, DEFINITION);
    definition
}

fn run(folder: &Folder, more: &[&str]) -> super::Outcome {
    let arguments = ["-", "--out", "crates", "--only", "v1"];
    folder.run_reading(&[arguments.as_slice(), more].concat(), &definition())
}

#[test]
fn objects_like_known_types_are_of_these() {
    let folder = Folder::new();
    let outcome = run(&folder, &["--known-types"]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    let types = folder.read("crates/example-com-v1/src/boat.rs");
    for part in [
        "use k8s_openapi::api::core::v1::ObjectReference;",
        "pub berth: Option<ObjectReference>,",
        "pub conditions: Option<Vec<Condition>>,",
        // It has other properties than any of them.
        "pub owner: Option<BoatSpecOwner>,",
    ] {
        assert!(types.contains(part), "no {part}:\n{types}");
    }
    for part in ["BoatSpecBerth", "BoatStatusCondition"] {
        assert!(!types.contains(part), "{part}:\n{types}");
    }
    // What isn't checked is said.
    let rule = "Boat.status.conditions[*].status: `enum: [\"True\",\"False\",\"Unknown\"]`";
    assert!(outcome.out.contains(rule), "{}", outcome.out);
    let unchecked = folder.read("crates/example-com-v1/src/validation/mod.rs");
    assert!(
        unchecked.contains("status.conditions[*].lastTransitionTime"),
        "{unchecked}"
    );
    run(&folder, &["--known-types", "--deny-unchecked"]).fails_with("can't be checked");
    // Without it, they are types like any other.
    assert!(run(&folder, &[]).succeeded);
    let types = folder.read("crates/example-com-v1/src/boat.rs");
    assert!(types.contains("pub struct BoatSpecBerth"), "{types}");
}

#[test]
fn an_object_can_have_a_type_of_another_crate() {
    let folder = Folder::new();
    let parts = ["--parts", "builders,validation"];
    let dependency = ["--dependency", "harbour = { path = \"../../harbour\" }"];
    for object in ["Boat.spec.owner", "BoatSpecOwner"] {
        let given = format!("{object}=harbour::people::Person");
        let arguments = [&parts, &["--extern", &given], dependency.as_slice()].concat();
        let outcome = run(&folder, &arguments);
        assert!(outcome.succeeded, "{}", outcome.errors);
        let types = folder.read("crates/example-com-v1/src/boat.rs");
        assert!(types.contains("pub owner: Option<Person>"), "{types}");
        // What only it holds goes with it.
        assert!(!types.contains("struct BoatSpecOwner"), "{types}");
        let manifest = folder.read("crates/example-com-v1/Cargo.toml");
        assert!(
            manifest.contains("harbour = { path = \"../../harbour\" }"),
            "{manifest}"
        );
        for rule in [
            "Boat.spec.owner: `self.name != \"\"`",
            "Boat.spec.owner: `required: [\"name\"]`",
            "Boat.spec.owner.name: `maxLength: 9`",
            "Boat.spec.owner.home.town: `minLength: 2`",
        ] {
            assert!(outcome.out.contains(rule), "no {rule}:\n{}", outcome.out);
        }
    }
    for (object, more, message) in [
        ("Boat.spec.owner=", "", "`` is not the path of a type"),
        (
            "Boat.spec.owner=Person",
            "",
            "`Person` is not the path of a type",
        ),
        (
            "Boat.spec.owners=harbour::P",
            "",
            "is no object inside a kind",
        ),
        (
            "BoatSpecMasts=harbour::P",
            "",
            "did you mean `BoatSpecMast`?",
        ),
        (
            "Boat.spec.owner=port::P",
            "",
            "the crate doesn't depend on `port`",
        ),
        (
            "Boat.spec.owner=harbour::P",
            "merge",
            "which the part `merge` knows nothing of",
        ),
    ] {
        let parts = format!("builders,{more}");
        let parts = ["--parts", parts.trim_end_matches(',')];
        let arguments = [&parts, &["--extern", object], dependency.as_slice()].concat();
        run(&folder, &arguments).fails_with(message);
    }
    // A file has such a type beside it.
    let beside = [
        "--single-file",
        "--extern",
        "BoatSpecOwner=crate::people::Person",
    ];
    assert!(run(&folder, &beside).succeeded);
    let types = folder.read("crates/example_com_v1.rs");
    assert!(types.contains("use crate::people::Person;"), "{types}");
    run(&folder, &["--extern", "Boat"]).fails_with("it is no `OBJECT=PATH`");
}

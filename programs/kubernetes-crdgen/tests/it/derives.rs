//! Further derives of the types.

use super::{DEFINITION, Folder};

/// A definition with an enumeration.
fn with_enumeration() -> String {
    let sail = "spare: *mast\n                sail: {type: string, enum: [Jib, Spinnaker]}";
    let definition = DEFINITION.replace("spare: *mast", sail);
    assert_ne!(definition, DEFINITION);
    definition
}

const ARGUMENTS: [&str; 5] = ["-", "--out", "crates", "--parts", "types"];

#[test]
fn each_type_has_the_derives_that_are_for_it() {
    let folder = Folder::new();
    let derives = [
        "--derive",
        "Eq",
        "--derive",
        "BoatSpecMast=Hash",
        "--derive",
        "@struct=other_crate::Builder",
        "--derive",
        "@enum:simple=other_crate::Names",
        "--dependency",
        "other-crate = { version = \"1\", features = [\"derive\"] }",
    ];
    let arguments = [ARGUMENTS.as_slice(), &derives].concat();
    let outcome = folder.run_reading(&arguments, &with_enumeration());
    assert!(outcome.succeeded, "{}", outcome.errors);
    let types = folder.read("crates/example-com-v1/src/boat.rs");
    let before = |declaration: &str| {
        let (before, _) = types.split_once(declaration).unwrap();
        before[before.rfind("#[derive(").unwrap()..].to_owned()
    };
    assert_eq!(
        before("pub struct BoatSpec {"),
        "#[derive(Clone, Debug, Default, PartialEq, Eq, other_crate::Builder)]\n"
    );
    assert_eq!(
        before("pub struct BoatSpecMast {"),
        "#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, other_crate::Builder)]\n"
    );
    // It has Eq already.
    let of_enumeration = before("pub enum BoatSpecSail {");
    assert!(
        of_enumeration.contains("Ord, Hash, other_crate::Names)]"),
        "{of_enumeration}"
    );
    let manifest = folder.read("crates/example-com-v1/Cargo.toml");
    let manifest: toml::Table = manifest.parse().unwrap();
    let dependency = &manifest["dependencies"]["other-crate"];
    assert_eq!(dependency["version"].as_str(), Some("1"));
    assert_eq!(dependency["features"][0].as_str(), Some("derive"));
}

/// The type has to be in one of the crates only.
#[test]
fn what_cannot_be_derived_is_refused() {
    let folder = Folder::new();
    for (derive, message) in [
        ("Eq Hash", "`Eq Hash` is no derive of Rust itself"),
        ("TypedBuilder", "write the path of one of a crate"),
        ("a::b-c", "`a::b-c` is not the path of a derive macro"),
        ("@union=Eq", "`@union` is neither `@struct` nor `@enum`"),
        ("PartialEq", "`PartialEq`: every type has it already"),
        ("serde::Serialize", "`Serialize`: every type has it already"),
        ("Default", "an enumeration has no default"),
        ("@enum=Ord", "`Ord`: every enumeration has it already"),
        ("BoatSpecSail=Hash", "`Hash`: `BoatSpecSail` has it already"),
        ("BoatSpex=Eq", "did you mean `BoatSpec`?"),
        (
            "Yacht=Eq",
            "`Yacht`, which the derive `Eq` is for, is no type",
        ),
        ("schemars::JsonSchema", "the part `schemars` implements it"),
        ("a::B", "`a::B`: the crate doesn't depend on `a`"),
    ] {
        let arguments = [ARGUMENTS.as_slice(), &["--derive", derive]].concat();
        folder
            .run_reading(&arguments, &with_enumeration())
            .fails_with(message);
    }
    let dependencies = [
        ("a", "it is no line of a Cargo.toml"),
        (
            "kube-core = \"1\"",
            "the dependency `kube-core` is there already",
        ),
        ("a = 1", "`a` is not a dependency"),
    ];
    for (dependency, message) in dependencies {
        let arguments = [ARGUMENTS.as_slice(), &["--dependency", dependency]].concat();
        folder
            .run_reading(&arguments, DEFINITION)
            .fails_with(message);
    }
    assert!(!folder.path("crates").exists());
}

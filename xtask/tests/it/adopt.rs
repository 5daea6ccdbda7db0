//! `cargo xtask spec fetch --into-spec`, run as a command in a small workspace.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{Outcome, Sandbox, XTASK, document};

const THING: &str = "/components/schemas/com.example.v1.Thing";

/// A workspace whose newest release is 1.37, and documents of 1.38 with a new field and a new
/// schema.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let config = sandbox.read("root/codegen.toml");
    let config = config.replace("release = \"1.37\"\n", "");
    sandbox.write("root/codegen.toml", &format!("newest = \"1.37\"\n{config}"));
    sandbox.write(
        "root/spec/differences.toml",
        "compared = [\"1.37\"]\n\n[\"v1.37/things.json\".\"1.37\"]\nremoved = []\n",
    );
    let theirs = document("Thing", "Part").replace("A part.", "Upstream's words.");
    let mut theirs: Value = serde_json::from_str(&theirs).unwrap();
    theirs["info"] = json!({"version": "unversioned"});
    let added = json!({"type": "string", "description": "Upstream's words.", "maxLength": 5});
    theirs.pointer_mut(THING).unwrap()["properties"]["added"] = added.clone();
    theirs["components"]["schemas"]["com.example.v1.New"] = json!({"type": "object", "description": "Upstream's words.", "properties": {"description": added}});
    sandbox.write("v1.38/things.json", &theirs.to_string());
    sandbox.write("v1.38/others.json", &document("Other", "Rest"));
    sandbox
}

fn adopt(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    let command = command
        .args(["spec", "fetch", "--into-spec"])
        .args(arguments);
    Outcome::of(command.current_dir(sandbox.path("root")))
}

fn fails(sandbox: &Sandbox, arguments: &[&str], parts: &[&str]) {
    let before = sandbox.snapshot();
    adopt(sandbox, arguments).fails_with(parts);
    assert_eq!(sandbox.snapshot(), before, "something was written");
}

#[test]
fn a_release_becomes_the_newest_in_our_words() {
    let sandbox = sandbox();
    let out = adopt(&sandbox, &["1.38", "--from", "../v1.38"])
        .succeeds()
        .out;
    for part in [
        "spec/v1.38/things.json: 2 places changed, 3 descriptions to write",
        "  #/components/schemas/com.example.v1.New/description",
        "  #/components/schemas/com.example.v1.New/properties/description/description",
        "  #/components/schemas/com.example.v1.Thing/properties/added/description",
        "spec/v1.38/others.json: 0 places changed, 0 descriptions to write",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(
        sandbox
            .read("root/codegen.toml")
            .starts_with("newest = \"1.38\"\n")
    );
    assert!(!sandbox.path("root/spec/v1.37/things.json").exists());
    let differences = sandbox.read("root/spec/differences.toml");
    let key = "[\"v1.38/things.json\".\"1.37\"]";
    assert!(differences.contains(key), "{differences}");
    let text = sandbox.read("root/spec/v1.38/things.json");
    assert!(!text.contains("Upstream"), "{text}");
    let adopted: Value = serde_json::from_str(&text).unwrap();
    let thing = adopted.pointer(THING).unwrap();
    assert_eq!(thing["description"], "A part.");
    assert_eq!(thing["properties"]["text"]["description"], "Text.");
    assert_eq!(thing["properties"]["added"]["maxLength"], 5);

    // Nothing is generated until the markers are gone.
    let mut generate = Command::new(XTASK);
    let generate = generate.arg("codegen").current_dir(sandbox.path("root"));
    Outcome::of(generate).fails_with(&[
        "the description is still to be written",
        "com.example.v1.Thing/properties/added/description",
    ]);
    // A second time, there is nothing left to do.
    let before = sandbox.snapshot();
    adopt(&sandbox, &["1.38", "--from", "../v1.38"]).succeeds();
    assert_eq!(sandbox.snapshot(), before);
}

/// A server publishes the values of enumerations, which overlays have.
#[test]
fn enumerations_of_a_server_stay_out() {
    let sandbox = sandbox();
    let text = sandbox.read("v1.38/things.json");
    let mut theirs: Value = serde_json::from_str(&text).unwrap();
    theirs["info"]["version"] = json!("v1.38.0");
    let properties = &mut theirs.pointer_mut(THING).unwrap()["properties"];
    properties["text"]["enum"] = json!(["A", "B"]);
    properties["added"]["enum"] = json!(["A", "B"]);
    sandbox.write("v1.38/things.json", &theirs.to_string());
    let out = adopt(&sandbox, &["1.38", "--from", "../v1.38"])
        .succeeds()
        .out;
    let left = "Thing/properties/text/enum: edit it";
    assert!(out.contains(left), "{out}");
    let text = sandbox.read("root/spec/v1.38/things.json");
    assert!(
        text.contains("\"added\"") && !text.contains("enum"),
        "{text}"
    );
}

#[test]
fn what_can_not_become_the_newest_is_refused() {
    let sandbox = sandbox();
    fails(
        &sandbox,
        &["1.36", "--from", "../v1.38"],
        &["has Kubernetes 1.38, not 1.36"],
    );
    sandbox.write("v1.36/things.json", &document("Thing", "Part"));
    fails(
        &sandbox,
        &["1.36", "--from", "../v1.36"],
        &["spec/ describes Kubernetes 1.37, which is newer than 1.36"],
    );
    std::fs::remove_file(sandbox.path("v1.38/others.json")).unwrap();
    fails(
        &sandbox,
        &["1.38", "--from", "../v1.38"],
        &["Kubernetes 1.38 has no others.json", "release = \"1.37\""],
    );
    sandbox.write("v1.38/others.json", &document("Other", "Rest"));
    sandbox.edit("root/codegen.toml", "newest = \"1.37\"", "newest='1.37'");
    fails(
        &sandbox,
        &["1.38", "--from", "../v1.38"],
        &["no line `newest = \"1.37\"`"],
    );
}

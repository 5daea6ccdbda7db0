//! The pictures of the workspace in README.md, which `cargo xtask codegen` draws.

use crate::common::Sandbox;

const README: &str = "<img src=\"docs/crates-light.svg\">\n";
const PICTURES: [&str; 2] = ["root/docs/crates-light.svg", "root/docs/crates-dark.svg"];

/// A workspace with a generator, the crates that it makes, and what uses them.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("root/README.md", README);
    let members = [
        ("codegen", "example-codegen", ""),
        ("example-v1", "example-v1", ""),
        ("crates/kinds", "kubernetes-kinds", ""),
        (
            "crates/controller",
            "controller",
            "example-v1.workspace = true",
        ),
        ("programs/daemon", "daemon", "controller.workspace = true"),
        ("programs/maker", "maker", "codegen.workspace = true"),
        ("tests/checks", "checks", "codegen.workspace = true"),
    ];
    let folders: Vec<_> = members.iter().map(|(folder, ..)| *folder).collect();
    let own = format!("members = {folders:?}");
    sandbox.edit("root/Cargo.toml", "members = [\"support\"]", &own);
    let renamed = "codegen = { package = \"example-codegen\", path = \"codegen\" }\nother = \"1\"";
    sandbox.edit("root/Cargo.toml", "other = \"1\"", renamed);
    for (folder, name, dependency) in members {
        let text = format!("[package]\nname = \"{name}\"\n\n[dependencies]\n{dependency}\n");
        // The generator writes the manifest of its crate.
        if folder != "example-v1" {
            sandbox.write(&format!("root/{folder}/Cargo.toml"), &text);
        }
    }
    sandbox
}

/// The texts of a picture, in their order.
fn texts(picture: &str) -> Vec<&str> {
    let parts = picture.split("<text ").skip(1);
    let texts =
        parts.filter_map(|part| Some(part.split_once('>')?.1.split_once("</text>")?.0.trim()));
    texts.collect()
}

#[test]
fn the_pictures_have_what_the_workspace_has() {
    let sandbox = sandbox();
    sandbox.run(&[]).succeeds();
    for picture in PICTURES {
        let picture = sandbox.read(picture);
        let texts = texts(&picture);
        for text in [
            "things",
            "Kubernetes 1.37",
            "example-codegen",
            "run by maker",
            "example-v1",
            "other-v1",
            "kubernetes-kinds",
            "controller",
            "uses example-v1",
            "daemon",
            "uses controller",
        ] {
            assert!(texts.contains(&text), "{text} is not in {texts:?}");
        }
        assert!(!texts.contains(&"maker"), "{texts:?}");
    }
    assert_ne!(sandbox.read(PICTURES[0]), sandbox.read(PICTURES[1]));
}

#[test]
fn a_picture_of_another_workspace_is_stale() {
    let sandbox = sandbox();
    sandbox.run(&[]).succeeds();
    sandbox.run(&["--check"]).succeeds();
    sandbox.write(
        "root/programs/daemon/Cargo.toml",
        "[package]\nname = \"service\"\n\n[dependencies]\ncontroller = \"1\"\n",
    );
    sandbox
        .run(&["--check"])
        .fails_with(&["docs/crates-light.svg", "docs/crates-dark.svg"]);
    sandbox.run(&[]).succeeds();
    assert!(sandbox.read(PICTURES[0]).contains("service"));
}

#[test]
fn a_readme_without_pictures_gets_none() {
    let sandbox = sandbox();
    sandbox.write("root/README.md", "# Example\n");
    sandbox.run(&[]).succeeds();
    assert!(
        PICTURES
            .iter()
            .all(|picture| !sandbox.path(picture).exists())
    );
}

#[test]
fn a_member_without_a_manifest_is_named() {
    let sandbox = sandbox();
    std::fs::remove_file(sandbox.path("root/programs/maker/Cargo.toml")).unwrap();
    let before = sandbox.snapshot();
    sandbox.run(&[]).fails_with(&["programs/maker/Cargo.toml"]);
    assert!(before == sandbox.snapshot());
}

/// Boxes grow with what is in them: a name as long as this one is inside of its box.
#[test]
fn boxes_are_wider_than_their_names() {
    let sandbox = sandbox();
    let name = "a-controller-with-a-name-of-very-many-words-indeed";
    let manifest = format!("[package]\nname = \"{name}\"\n\n[dependencies]\nexample-v1 = \"1\"\n");
    sandbox.write("root/crates/controller/Cargo.toml", &manifest);
    sandbox.run(&[]).succeeds();
    let picture = sandbox.read(PICTURES[0]);
    let before = picture.split(name).next().unwrap();
    let rectangle = before.rsplit("<rect ").next().unwrap();
    let width = rectangle
        .split("width=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next();
    let width: f64 = width.unwrap().parse().unwrap();
    // Letters of 14 pixels are at least half as wide.
    assert!(width > name.len() as f64 * 7.0, "{width}");
}

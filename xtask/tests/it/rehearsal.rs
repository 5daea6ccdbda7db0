//! The next release and another group, rehearsed in a copy of the workspace.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{ALL_FEATURES, Outcome, XTASK, cargo, compile, compile_with, copy, real_root};

/// Replaces one text in a file by another.
fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no {from:?}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn xtask(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(XTASK);
    let outcome = Outcome::of(command.args(arguments).current_dir(folder));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.out
}

/// The document of the next release: StorageClass has a new field, and there is a new kind.
fn next(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas").unwrap();
    let text = |description: &str| json!({"type": "string", "description": description});
    let meta = |name: &str| {
        let name = format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}");
        json!({"allOf": [{"$ref": format!("#/components/schemas/{name}")}], "description": "Metadata."})
    };
    let class = "/io.k8s.api.storage.v1.StorageClass/properties";
    schemas.pointer_mut(class).unwrap()["tier"] = text("How fast the storage is.");
    let kind = |kind: &str| json!([{"group": "storage.k8s.io", "version": "v1", "kind": kind}]);
    schemas["io.k8s.api.storage.v1.StoragePool"] = json!({
        "type": "object", "description": "Storage that several classes share.",
        "required": ["driverName"],
        "properties": {
            "apiVersion": text("The version."), "kind": text("The kind."),
            "metadata": meta("ObjectMeta"), "driverName": text("The driver."),
        },
        "x-kubernetes-group-version-kind": kind("StoragePool"),
    });
    schemas["io.k8s.api.storage.v1.StoragePoolList"] = json!({
        "type": "object", "description": "A list of pools.", "required": ["items"],
        "properties": {
            "apiVersion": text("The version."), "kind": text("The kind."),
            "metadata": meta("ListMeta"),
            "items": {"type": "array", "description": "The pools.", "items": {
                "$ref": "#/components/schemas/io.k8s.api.storage.v1.StoragePool"}},
        },
        "x-kubernetes-group-version-kind": kind("StoragePoolList"),
    });
    document["paths"]["/apis/storage.k8s.io/v1/storagepools"] = json!({"get": {
        "x-kubernetes-action": "list", "responses": {},
        "x-kubernetes-group-version-kind": kind("StoragePool")[0],
    }});
}

/// Adds the same to the messages of protobuf; a beta version has the new field too.
fn next_messages(folder: &Path) {
    let api = folder.join("protobuf/k8s.io/api/storage");
    for version in ["v1", "v1beta1"] {
        edit(
            &api.join(version).join("generated.proto"),
            "message StorageClass {\n",
            "message StorageClass {\n  optional string tier = 100;\n",
        );
    }
    let meta = ".k8s.io.apimachinery.pkg.apis.meta.v1";
    let pool = format!(
        "message StoragePool {{\n  required {meta}.ObjectMeta metadata = 1;\n  required string \
         driverName = 2;\n}}\n\nmessage StoragePoolList {{\n  required {meta}.ListMeta metadata = \
         1;\n  repeated StoragePool items = 2;\n}}\n\nmessage StorageClass {{\n"
    );
    let file = api.join("v1/generated.proto");
    edit(&file, "message StorageClass {\n", &pool);
}

/// A release is one number: the document, its messages of protobuf, `newest`, an overlay and the
/// changelog are edited, and nothing else.
#[test]
fn the_next_release() {
    let Some(root) = real_root() else { return };
    let copied = Path::new(env!("CARGO_TARGET_TMPDIR")).join("next-release");
    let _ = fs::remove_dir_all(&copied);
    copy(&root, &copied);

    let newest = fs::read_to_string(root.join("codegen.toml")).unwrap();
    let newest: toml::Table = newest.parse().unwrap();
    let newest = newest["newest"].as_str().unwrap().to_owned();
    let (major, minor) = newest.split_once('.').unwrap();
    let release = format!("{major}.{}", minor.parse::<u16>().unwrap() + 1);

    let spec = copied.join("spec");
    fs::rename(
        spec.join(format!("v{newest}")),
        spec.join(format!("v{release}")),
    )
    .unwrap();
    next_messages(&spec.join(format!("v{release}")));
    let file = spec
        .join(format!("v{release}"))
        .join("apis__storage.k8s.io__v1_openapi.json");
    let mut document = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    next(&mut document);
    fs::write(&file, document.to_string()).unwrap();
    let config = copied.join("codegen.toml");
    edit(
        &config,
        &format!("newest = \"{newest}\""),
        &format!("newest = \"{release}\""),
    );
    edit(
        &copied.join("spec/overlays/storage-class.yaml"),
        "actions:\n",
        &format!(
            "actions:\n  - target: $.components.schemas['io.k8s.api.storage.v1.StorageClass']\
             .properties.tier\n    x-releases: {{from: \"{release}\"}}\n    update:\n      \
             maxLength: 63\n      x-lifecycle: {{introduced: \"{release}\", alpha: \
             \"{release}\", gate: StorageTiers}}\n"
        ),
    );
    edit(
        &copied.join("CHANGELOG.md"),
        &format!("Kubernetes {newest}"),
        &format!("Kubernetes {release}"),
    );

    xtask(&copied, &["codegen"]);
    assert!(xtask(&copied, &["codegen", "--check"]).contains("up to date"));
    let read = |path: &str| fs::read_to_string(copied.join(path)).unwrap();
    let note = format!("Since Kubernetes {release}, alpha; feature gate `StorageTiers`.");
    for krate in ["storage-v1", "storage-v1beta1"] {
        let class = read(&format!("{krate}/src/storage_class.rs"));
        assert!(class.contains("pub tier: Option<String>") && class.contains(&note));
    }
    assert!(read("storage-v1/src/storage_pool.rs").contains("pub struct StoragePool"));
    // Whatever works with every kind learns of it here.
    assert!(read("storage-all/src/kinds.rs").contains("v1_storage_pool: $crate::"));
    let readme = read("README.md");
    let row = "| [`storage-v1`](storage-v1) | storage.k8s.io/v1 |";
    let row = readme.lines().find(|line| line.starts_with(row)).unwrap();
    assert!(row.contains("StorageClass, StoragePool,"), "{row}");
    assert!(row.ends_with(&format!("| {release} |")), "{row}");
    compile_crates(&root, &copied);
}

/// Compiles the generated crates of a copy, whose other members would take long.
fn compile_crates(root: &Path, copied: &Path) {
    let out = copied.join("generated");
    xtask(copied, &["codegen", "--out", &out.display().to_string()]);
    compile_with(root, &out, &[ALL_FEATURES]);
}

const OTHER_CONFIG: &str = r#"
newest = "1.37"

[[crate]]
name = "example-v1"
description = "Types of an example"
rules = "crate::rules"

[[crate.document]]
file = "example.json"
prefix = "com.example.v1."
overlays = ["thing.yaml"]

[[extern]]
prefix = "io.k8s.apimachinery."
path = "k8s_openapi::apimachinery"
"#;

const OTHER_OVERLAY: &str = r#"
overlay: 1.0.0
info: {title: t, version: v}
actions:
  - target: $.components.schemas['com.example.v1.Thing'].properties.text
    update: {x-check: [no_shouting], maxLength: 9}
"#;

/// A hand-written rule, and a test that it works in the generated validation.
const OTHER_RULES: &str = r#"//! Rules of the example.

use kubernetes_validation::{Checker, ErrorType, Path, Problem};

/// Checks that a text isn't in capitals.
pub(crate) fn no_shouting(text: &Option<String>, at: Path<'_>, to: &mut Checker<'_>) {
    if text.iter().flat_map(|text| text.chars()).any(char::is_uppercase) {
        let problem = Problem::new(ErrorType::Invalid, "no-shouting");
        to.error(at, problem, None, "write it in lower case");
    }
}

#[cfg(test)]
mod tests {
    use crate::Thing;
    use kubernetes_validation::{Target, Validate};

    #[test]
    fn the_rule_is_part_of_the_validation() {
        let rules = |text: &str| {
            let report = Thing::new("a").with_text(text).validate(&Target::new(crate::KUBERNETES));
            report.errors.iter().map(|error| error.rule).collect::<Vec<_>>()
        };
        assert!(rules("quiet").is_empty());
        assert_eq!(rules("LOUD"), ["no-shouting"]);
        assert_eq!(rules("LOUD AND LONG"), ["no-shouting", "maxLength"]);
    }
}
"#;

/// A group of its own, outside of this workspace: a document, an overlay and a hand-written rule,
/// on the runtime crates alone.
#[test]
fn another_group() {
    let Some(root) = real_root() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("another-group");
    let _ = fs::remove_dir_all(&folder);
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut manifest: toml::Table = manifest.parse().unwrap();
    let workspace = manifest["workspace"].as_table_mut().unwrap();
    workspace.insert("members".to_owned(), vec!["example-v1"].into());
    let dependencies = workspace["dependencies"].as_table_mut().unwrap();
    let used = [
        "k8s-openapi",
        "kubernetes-kinds",
        "kubernetes-manifests",
        "kubernetes-validation",
    ];
    dependencies.retain(|name, _| used.contains(&name));
    for krate in &used[1..] {
        dependencies[*krate]["path"] = root.join("crates").join(krate).display().to_string().into();
    }
    write("Cargo.toml", &manifest.to_string());
    write(
        ".cargo/config.toml",
        &fs::read_to_string(root.join(".cargo/config.toml")).unwrap(),
    );
    write("codegen.toml", OTHER_CONFIG);
    write(
        "spec/v1.37/example.json",
        &crate::common::kind("v1", "Thing"),
    );
    write("spec/overlays/thing.yaml", OTHER_OVERLAY);
    write("example-v1/src/rules.rs", OTHER_RULES);

    xtask(&folder, &["codegen"]);
    assert!(xtask(&folder, &["codegen", "--check"]).contains("up to date"));
    compile(&root, &folder);
    let mut test = cargo(&folder, "test");
    let outcome = Outcome::of(test.args(["--lib", "--features", "validation"]));
    assert_eq!(outcome.code, Some(0), "{}{}", outcome.out, outcome.stderr);
    assert!(outcome.out.contains("1 passed"), "{}", outcome.out);
}

//! The manifests that the program prints are those of `deploy/driver.yaml`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kubernetes_manifests::scheme::Scheme;
use serde_json::{Value, json};

fn print(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_csi-hostpath"))
        .arg("print-manifests")
        .args(arguments)
        // As in the Pod of the driver.
        .env("CSI_ENDPOINT", "unix:///csi/csi.sock")
        .env("NODE_NAME", "node-1")
        .output()
        .unwrap()
}

fn printed(arguments: &[&str]) -> Vec<Value> {
    let output = print(arguments);
    assert!(output.status.success(), "{output:?}");
    objects(&String::from_utf8(output.stdout).unwrap())
}

pub(crate) fn objects(text: &str) -> Vec<Value> {
    let objects = Scheme::new().decode_yaml_all(text).unwrap();
    let values = objects.iter().map(|object| object.to_value());
    values.collect::<Result<_, _>>().unwrap()
}

/// Returns the objects of the kinds that are printed.
fn deployed() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/driver.yaml");
    let mut all = objects(&fs::read_to_string(path).unwrap());
    all.retain(|object| object["apiVersion"] == "storage.k8s.io/v1");
    all
}

#[test]
fn they_are_the_deployed_ones() {
    let deployed = deployed();
    assert_eq!(deployed.len(), 2);
    assert_eq!(printed(&[]), deployed);
}

#[test]
fn options_change_them() {
    let mut expected = deployed();
    expected[0]["spec"]["attachRequired"] = json!(true);
    assert_eq!(printed(&["--enable-attach"]), expected);

    let mut expected = deployed();
    expected[0]["metadata"]["name"] = json!("other.example.com");
    expected[1]["provisioner"] = json!("other.example.com");
    assert_eq!(printed(&["--drivername", "other.example.com"]), expected);
}

#[test]
fn what_makes_no_manifests_is_refused() {
    let output = print(&["--drivername", "no name"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && told.contains("isn't a domain name"),
        "{told}"
    );

    // An option of serving before the command would have no effect.
    let output = Command::new(env!("CARGO_BIN_EXE_csi-hostpath"))
        .args(["--enable-attach", "print-manifests"])
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
}

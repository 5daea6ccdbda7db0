//! `kubernetes-storage convert`: JSON, and ends of lines.

use std::fs;

use crate::common::{folder, put, run};
use crate::convert::convert;

const DRIVER: &str = "apiVersion: csi.storage.k8s.io/v1alpha1\nkind: CSIDriver\nmetadata:\n  \
                      name: a.example.com\nspec:\n  podInfoOnMountVersion: v1\n";

#[test]
fn rewritten_objects_keep_the_ends_of_lines() {
    let new = convert(&[], DRIVER).stdout;
    assert!(
        new.contains("/v1\n") && new.contains("podInfoOnMount: true\n"),
        "{new}"
    );
    let text = |driver: &str| format!("# One.\n---\n{driver}---\n{driver}---\n# Two.\n");
    for end in ["\n", "\r\n"] {
        let (old, new) = (text(DRIVER), text(&new));
        let ran = convert(&[], &old.replace('\n', end));
        assert_eq!(ran.stdout, new.replace('\n', end), "{}", ran.stderr);
    }
    // One line, which has no end of its own, behind others.
    let flow = "{apiVersion: csi.storage.k8s.io/v1alpha1, kind: CSIDriver, metadata: {name: a.b}}";
    let ran = convert(&[], &format!("---\r\n{flow}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        !ran.stdout.replace("\r\n", "").contains('\n'),
        "{}",
        ran.stdout
    );
}

#[test]
fn json_stays_json() {
    let json = |version: &str, spec: &str| {
        format!(
            "{{\"apiVersion\":\"{version}\",\"kind\":\"CSIDriver\",\"metadata\":{{\"name\":\"a.b\"}},\
             \"spec\":{{{spec}}}}}"
        )
    };
    let old = json(
        "csi.storage.k8s.io/v1alpha1",
        "\"podInfoOnMountVersion\":\"v1\"",
    );
    let new = json("storage.k8s.io/v1", "\"podInfoOnMount\":true");
    let loose = old.replace(',', ",\r\n  ");
    let here = folder("convert-json");
    for (text, wanted) in [
        (old.clone(), new.clone()),
        (format!("{loose}\r\n"), format!("{new}\r\n")),
        (format!("\u{feff}{loose}\n"), format!("\u{feff}{new}\n")),
        (format!("{old}\n{loose}\n"), format!("{new}\n{new}\n")),
    ] {
        let ran = convert(&[], &text);
        assert_eq!(ran.stdout, wanted, "{text}: {}", ran.stderr);
        put(&here, "a.json", &text);
        let ran = run(&here, &["convert", "--in-place", "a.json"], "");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(fs::read_to_string(here.join("a.json")).unwrap(), wanted);
    }
    // Beside YAML, and what YAML alone allows.
    let text = format!("# a\n--- # b\n{loose}\n# c\n---\n{DRIVER}");
    let ran = convert(&[], &text);
    let wanted = format!("# a\n--- # b\n{new}\n# c\n---\napiVersion: storage.k8s.io/v1\n");
    assert!(
        ran.stdout.starts_with(&wanted),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = convert(&[], &old.replace("\"kind\":", "kind: "));
    assert!(ran.stdout.starts_with("apiVersion: "), "{}", ran.stdout);
}

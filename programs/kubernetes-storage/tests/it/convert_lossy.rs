//! `kubernetes-storage convert`: fields that a version cannot represent.

use crate::common::Ran;
use crate::convert::convert;

/// The annotation that preserves fields.
const ANNOTATION: &str = "kubernetes-storage.rs/conversion-data";

/// Objects with a field that the other version lacks, with the releases of both versions.
const OBJECTS: [(&str, &str, &str); 2] = [
    (
        "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata:\n  name: b.b\nspec:\n  \
         fsGroupPolicy: File\n  podInfoOnMount: true\n",
        "1.36",
        "1.13",
    ),
    (
        "apiVersion: csi.storage.k8s.io/v1alpha1\nkind: CSIDriver\nmetadata:\n  name: b.b\nspec:\n  \
         podInfoOnMountVersion: v2\n",
        "1.13",
        "1.36",
    ),
];

fn to(release: &str, lossy: &str, text: &str) -> Ran {
    convert(&["--target-release", release, "--lossy", lossy], text)
}

#[test]
fn converting_back_restores_fields_with_each_setting() {
    for (text, own, other) in OBJECTS {
        let ran = to(other, "annotate", text);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains(ANNOTATION), "{}", ran.stdout);
        for lossy in ["refuse", "annotate", "discard"] {
            let back = to(own, lossy, &ran.stdout);
            assert_eq!((back.code, back.stdout.as_str()), (0, text), "{lossy}");
        }
        // Other annotations stay.
        let more = ran
            .stdout
            .replace("annotations:\n", "annotations:\n    a: b\n");
        let wanted = text.replace("metadata:\n", "metadata:\n  annotations:\n    a: b\n");
        assert_eq!(to(own, "refuse", &more).stdout, wanted);
    }
}

#[test]
fn fields_are_lost_only_if_that_is_asked_for() {
    for (text, own, other) in OBJECTS {
        let ran = to(other, "refuse", text);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("see --lossy"), "{}", ran.stderr);
        let ran = to(other, "discard", text);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(!ran.stdout.contains(ANNOTATION), "{}", ran.stdout);
        assert_ne!(to(own, "refuse", &ran.stdout).stdout, text);
    }
}

/// An annotation is restored by the first version that has the fields, and by no other.
#[test]
fn a_third_version_restores_fields_too() {
    let (text, _, _) = OBJECTS[0];
    let old = to("1.13", "annotate", text).stdout;
    let wanted = text.replace("/v1\n", "/v1beta1\n");
    assert_eq!(to("1.15", "refuse", &old).stdout, wanted);

    let (text, own, _) = OBJECTS[1];
    let new = to("1.15", "annotate", text).stdout;
    let newer = to("1.36", "refuse", &new).stdout;
    assert!(newer.contains(ANNOTATION), "{newer}");
    assert_eq!(to(own, "discard", &newer).stdout, text);
}

#[test]
fn an_annotation_that_cannot_be_read_is_an_error() {
    let (text, own, other) = OBJECTS[0];
    let old = to(other, "annotate", text).stdout;
    let damaged = old.replace("\"{", "\"");
    assert_ne!(damaged, old);
    for lossy in ["refuse", "annotate", "discard"] {
        let ran = to(own, lossy, &damaged);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("repair the annotation"),
            "{}",
            ran.stderr
        );
    }
}

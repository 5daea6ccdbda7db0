//! Numbers of fields in protobuf.

use super::*;

const PROTO: &str = "syntax = \"proto2\";
package k8s.io.api.example.v1;
message Thing {
  optional ThingSpec spec = 2;
}
message ThingSpec {
  required string need = 1;
  required string text = 2;
  required int32 size = 4;
  repeated Part list = 5;
  optional Inner inner = 6;
}
message Inner {
  map<string, string> map = 1;
}
message Part {
  required string text = 1;
}
";

/// The changes between two releases, of which one may have no numbers.
fn changes(from: Option<&str>, to: Option<&str>) -> Vec<(String, Option<String>, Option<String>)> {
    let text = document()
        .to_string()
        .replace("com.example.v1.", "io.k8s.api.example.v1.");
    let document = serde_json::from_str(&text).unwrap();
    let snapshot = |release: &str, proto: Option<&str>| {
        let mut snapshot = snapshot(release, &[(FILE, &document)]);
        if let Some(proto) = proto {
            let source = Source::new("generated.proto", proto);
            snapshot.add_protos(&[source]).unwrap();
        }
        snapshot
    };
    let (from, to) = (snapshot("1.36", from), snapshot("1.37", to));
    let report = diff(&from, &to, None, &Scope::default());
    let changes = report.changes.into_iter().map(|change| {
        assert_eq!(change.what, ChangeKind::NumberChanged);
        assert_eq!((change.readers, change.writers), (Breaking, Breaking));
        assert_eq!(change.rust.semver, Patch);
        (change.place.text(), change.from, change.to)
    });
    changes.collect()
}

#[test]
fn numbers_and_types_are_compared() {
    assert_eq!(changes(Some(PROTO), Some(PROTO)), []);
    for (from, to, place, was, is) in [
        (
            "text = 2",
            "text = 3",
            "Thing spec.text",
            "2 of `string`",
            "3 of `string`",
        ),
        (
            "int32 size",
            "int64 size",
            "Thing spec.size",
            "4 of `int32`",
            "4 of `int64`",
        ),
        (
            "Inner inner = 6",
            "Inner inner = 7",
            "Thing spec.map",
            "6/1 of a map of `string`",
            "7/1 of a map of `string`",
        ),
        (
            "repeated Part list = 5",
            "repeated Part list = 8",
            "Thing spec.list",
            "5 of a list of `k8s.io.api.example.v1.Part`",
            "8 of a list of `k8s.io.api.example.v1.Part`",
        ),
        (
            "ThingSpec spec = 2",
            "ThingSpec spec = 3",
            "Thing spec",
            "2 of `k8s.io.api.example.v1.ThingSpec`",
            "3 of `k8s.io.api.example.v1.ThingSpec`",
        ),
    ] {
        let other = PROTO.replace(from, to);
        assert_ne!(other, PROTO);
        let (was, is) = (Some(was.to_owned()), Some(is.to_owned()));
        let forth = (place.to_owned(), was.clone(), is.clone());
        assert_eq!(changes(Some(PROTO), Some(&other)), [forth]);
        let back = (place.to_owned(), is, was);
        assert_eq!(changes(Some(&other), Some(PROTO)), [back]);
    }
}

/// A release without `.proto` files says nothing about numbers.
#[test]
fn one_release_without_numbers() {
    assert_eq!(changes(Some(PROTO), None), []);
    assert_eq!(changes(None, Some(PROTO)), []);
}

#[test]
fn files_that_cannot_be_read() {
    let source = Source::new("generated.proto", "message");
    let errors = snapshot("1.37", &[]).add_protos(&[source]).unwrap_err();
    assert!(errors.to_string().contains("generated.proto"));
}

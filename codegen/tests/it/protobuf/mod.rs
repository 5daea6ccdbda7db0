//! Messages of protobuf: files are read, labelled and printed, and their errors are reported.

mod errors;
mod labels;

use codegen::protobuf::{Label, ProtoType, Protos, package_of_schemas};
use codegen::{Diagnostics, Source};

const FILE: &str = "example/v1/generated.proto";

/// A file with all that is read.
const GOOD: &str = r#"// A licence.
syntax = "proto2";

package example.v1;

import "other/v1/generated.proto";

option go_package = "example/v1";
option (thing) = { a: 1; b { c: "};" } };

/* Several
   lines. */
message Thing {
  // A comment; with { braces.
  optional .other.v1.Meta metadata = 1; // after a field
  required string name = 0002_NUMBER;
  repeated Part parts = 3;
  map<string, Part> byName = 4;
  map < string , string > labels = 5 ;
  optional bytes raw = 6;
  optional bool yes = 7; optional int32 a = 8; optional int64 b = 9;
  optional uint32 c = 10; optional uint64 d = 536870911;
  repeated double e = 18999;
  optional float message = 20000;
  reserved 11, 12 to 14;
  reserved "old";
  option deprecated = true;
};

message Part {}
"#;

const OTHER: &str = "syntax = 'proto2'; package other.v1; message Meta { optional Meta of = 1; }";

fn read(texts: &[(&str, &str)]) -> Result<Protos, Diagnostics> {
    let sources = texts.iter().map(|(name, text)| Source::new(*name, *text));
    let mut diagnostics = Diagnostics::default();
    let protos = Protos::read(&sources.collect::<Vec<_>>(), &mut diagnostics);
    match diagnostics.is_empty() {
        true => Ok(protos),
        false => Err(diagnostics),
    }
}

fn good() -> Protos {
    let text = GOOD.replace("0002_NUMBER", "2");
    read(&[(FILE, &text), ("other/v1/generated.proto", OTHER)]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_good_file() {
    let protos = good();
    let thing = protos.message("example.v1.Thing").unwrap();
    assert_eq!((thing.place.file.as_str(), thing.place.line), (FILE, 13));
    let part = || ProtoType::Message("example.v1.Part".to_owned());
    let meta = ProtoType::Message("other.v1.Meta".to_owned());
    let expected = [
        (15, "metadata", 1, Label::Optional, meta),
        (16, "name", 2, Label::Required, ProtoType::String),
        (17, "parts", 3, Label::Repeated, part()),
        (18, "byName", 4, Label::Map, part()),
        (19, "labels", 5, Label::Map, ProtoType::String),
        (20, "raw", 6, Label::Optional, ProtoType::Bytes),
        (21, "yes", 7, Label::Optional, ProtoType::Bool),
        (21, "a", 8, Label::Optional, ProtoType::Int32),
        (21, "b", 9, Label::Optional, ProtoType::Int64),
        (22, "c", 10, Label::Optional, ProtoType::Uint32),
        (22, "d", 536_870_911, Label::Optional, ProtoType::Uint64),
        (23, "e", 18_999, Label::Repeated, ProtoType::Double),
        (24, "message", 20_000, Label::Optional, ProtoType::Float),
    ];
    let fields = thing.fields.iter();
    let fields: Vec<_> = fields
        .map(|f| (f.line, f.name.as_str(), f.number, f.label, f.ty.clone()))
        .collect();
    assert_eq!(fields, expected);
    assert!(protos.message("example.v1.Part").unwrap().fields.is_empty());
    for unknown in ["Thing", "example.v1.Meta", "example.v1", ""] {
        assert!(protos.message(unknown).is_none(), "{unknown}");
    }
}

/// Damage of any kind gives an error or a file, and no panic.
#[test]
fn damaged_files() {
    let text = GOOD.replace("0002_NUMBER", "2");
    for at in 0..text.len() {
        let _ = read(&[(FILE, &text[..at])]);
        for with in ["}", "{", "\"", ";", "é", "0", "/*"] {
            let damaged = format!("{}{with}{}", &text[..at], &text[at + 1..]);
            let _ = read(&[(FILE, &damaged)]);
        }
    }
}

/// The messages of a package without their lines.
fn shape(protos: &Protos, package: &str) -> Vec<String> {
    let messages = protos.messages(package);
    let shape = messages.map(|message| {
        let fields = message.fields.iter();
        let fields: Vec<_> = fields
            .map(|field| (&field.name, field.number, field.label, &field.ty))
            .collect();
        format!("{} {fields:?}", message.name)
    });
    shape.collect()
}

#[test]
fn printed_files_are_read_as_the_same() {
    let protos = good();
    let print = |protos: &Protos| -> Vec<String> {
        let packages = ["example.v1", "other.v1"];
        let texts = packages.map(|package| protos.print(package, "One.\n\nTwo."));
        texts.map(Option::unwrap).into()
    };
    let texts = print(&protos);
    assert!(texts[0].starts_with("// One.\n//\n// Two.\n\nsyntax = \"proto2\";\n\npackage"));
    assert!(
        texts[0].contains("\n  map<string, Part> byName = 4;\n"),
        "{}",
        texts[0]
    );
    assert!(
        texts[0].contains("\n  optional .other.v1.Meta metadata = 1;\n"),
        "{}",
        texts[0]
    );
    assert!(!texts[0].contains("licence"), "{}", texts[0]);
    let again = read(&[(FILE, &texts[0]), ("other/v1/generated.proto", &texts[1])]).unwrap();
    for package in ["example.v1", "other.v1"] {
        assert_eq!(shape(&again, package), shape(&protos, package));
    }
    assert_eq!(print(&again), texts);
    assert_eq!(protos.print("missing.v1", ""), None);
}

#[test]
fn packages_with_their_imports() {
    let protos = good();
    let found = |names: &[&str]| protos.with_imports(names.iter().copied());
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(found(&["example.v1"]), names(&["example.v1", "other.v1"]));
    assert_eq!(found(&["other.v1", "missing.v1"]), names(&["other.v1"]));
    let package = |prefix| package_of_schemas(prefix);
    assert_eq!(
        package("io.k8s.api.core.v1.").unwrap(),
        "k8s.io.api.core.v1"
    );
    assert_eq!(
        package("io.k8s.kube-aggregator.v1.").unwrap(),
        "k8s.io.kube_aggregator.v1"
    );
    assert_eq!(package("com.example.v1."), None);
}

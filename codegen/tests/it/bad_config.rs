//! Configurations that can't be used, and inputs that are not there.

use crate::common::{CONFIG, Expected, assert_error, from, thing};
use codegen::{Config, Diagnostics, Inputs, Source, generate};

fn parse(text: &str) -> Result<Config, Diagnostics> {
    Config::parse(&Source::new("codegen.toml", text))
}

fn bad(text: &str, message: &str, line: Option<usize>) {
    let expected = Expected {
        message,
        pointer: None,
        line,
    };
    assert_error(parse(text).map(|_| Vec::new()), "codegen.toml", &expected);
}

/// The configuration of the tests with a text replaced.
fn changed(from: &str, to: &str) -> String {
    assert!(CONFIG.contains(from), "{from}");
    CONFIG.replacen(from, to, 1)
}

#[test]
fn text_that_is_no_configuration() {
    bad("[[crate]\nname = 1", "", Some(1));
    bad(
        "[[crate]]\nname = \"a\"\ndescription = \"b\"\nmore = 1\n",
        "unknown field",
        Some(4),
    );
    bad(
        "[[crate]]\nname = \"a\"\n",
        "missing field `description`",
        Some(1),
    );
    bad("[[crates]]\n", "unknown field `crates`", Some(1));
    bad(
        &changed("\"1.37\"", "\"soon\""),
        "`soon` is not a Kubernetes release",
        Some(8),
    );
    bad(&changed("\"1.37\"", "1.37"), "invalid type", Some(8));
}

#[test]
fn fields_that_only_one_side_of_a_conversion_keeps() {
    let old = "[[crate]]\nname = \"old\"\ndescription = \"x\"\n\
        [[crate.document]]\nfile = \"b.json\"\nrelease = \"1.37\"\nprefix = \"com.example.\"\n\
        [crate.conversion]\nto = \"example-v1\"\n";
    let keep = |text: &str, krate: &str| {
        let name = format!("name = \"{krate}\"\n");
        assert!(text.contains(&name), "{krate}");
        text.replace(&name, &format!("{name}keep-unknown-fields = true\n"))
    };
    let neither = format!("{CONFIG}\n{old}");
    let message =
        "only one of `old` and `example-v1`, into which it is converted, keeps unknown fields";
    bad(&keep(&neither, "old"), message, None);
    bad(&keep(&neither, "example-v1"), message, None);
    assert!(parse(&neither).is_ok());
    assert!(parse(&keep(&keep(&neither, "old"), "example-v1")).is_ok());
    let text = keep(CONFIG, "example-v1").replace("= true", "= \"yes\"");
    bad(&text, "invalid type", Some(4));
}

#[test]
fn bundles_that_are_no_crates() {
    let bundle =
        |name: &str| format!("{CONFIG}\n[bundle]\nname = \"{name}\"\ndescription = \"All\"\n");
    assert!(parse(&bundle("example-all")).is_ok());
    bad(&bundle("../x"), "`../x` can't be the name of a crate", None);
    let taken = "the bundle and a crate have the name `example-v1`";
    bad(&bundle("example-v1"), taken, None);
    bad(
        &format!("{CONFIG}\n[bundle]\nname = \"a\"\n"),
        "missing field `description`",
        Some(16),
    );
    bad(
        &(bundle("a") + "more = 1\n"),
        "unknown field `more`",
        Some(19),
    );
}

#[test]
fn names_that_are_no_crates() {
    for name in [
        "../x", "", "A", "a b", "a_b", "1a", "a/b", "-a", "a\\n", "ä", ".",
    ] {
        let text = changed("example-v1", name);
        bad(&text, "can't be the name of a crate", None);
    }
    for name in ["a-", "a--b", "crate", "std", "core"] {
        assert!(parse(&changed("example-v1", name)).is_err(), "{name}");
    }
}

#[test]
fn modules_that_cant_have_rules() {
    for rules in [
        "",
        "Rules",
        "crate",
        "crate::",
        "crate::a::b::c",
        "a b::rules",
    ] {
        let rules = format!("name = \"example-v1\"\nrules = \"{rules}\"");
        let text = changed("name = \"example-v1\"", &rules);
        bad(&text, "can't be a module of rules", None);
    }
}

#[test]
fn names_that_are_no_modules_by_hand() {
    for name in [
        "", "Rules", "a-b", "rules.rs", "pub", "pub  a", "a::b::c", "mod", "../a",
    ] {
        let by_hand = format!("name = \"example-v1\"\nby-hand = [\"{name}\"]");
        let text = changed("name = \"example-v1\"", &by_hand);
        bad(&text, "can't be a module written by hand", None);
    }
}

#[test]
fn names_that_are_no_files() {
    for (from, name) in [
        ("document.json", "document.json"),
        ("overlay.yaml", "overlay.yaml"),
    ] {
        for other in [
            "../x",
            "a/b",
            "/etc/passwd",
            "a\\\\b",
            "",
            ".",
            "..",
            ".x",
            "a\\u0000",
        ] {
            let text = changed(from, &from.replace(name, other));
            bad(&text, "is not a plain file name", None);
        }
    }
}

/// The header, a comment of one line, has the name of a document.
#[test]
fn file_names_that_break_the_header() {
    for other in ["a\\nfn x() {}", "a\\rb", "a\\u202eb", "a\\u2028b"] {
        assert!(parse(&changed("document.json", other)).is_err(), "{other}");
    }
}

#[test]
fn paths_that_are_no_modules() {
    for path in ["", "a b", "a::", "a;b", "a\\\"", "a/b", "fn"] {
        let text = changed("k8s_openapi::apimachinery", path);
        bad(&text, "is not a Rust path", None);
    }
    for path in ["a::<B>", "a::b(c)", "Vec<a>", "::a", "a::Self"] {
        let text = changed("k8s_openapi::apimachinery", path);
        assert!(parse(&text).is_err(), "{path}");
    }
}

#[test]
fn two_crates_of_one_name() {
    let first = &CONFIG[..CONFIG.find("[[extern]]").unwrap()];
    assert!(parse(&format!("{first}{CONFIG}")).is_err());
}

#[test]
fn a_prefix_that_stands_twice() {
    let external = &CONFIG[CONFIG.find("[[extern]]").unwrap()..];
    assert!(parse(&format!("{CONFIG}{external}")).is_err());
}

/// A prefix without its dot would cut names in two, an empty one would match everything.
#[test]
fn prefixes_without_their_last_dot() {
    assert!(parse(&changed("\"com.example.v1.\"", "\"com.example.v1\"")).is_err());
    assert!(parse(&changed("\"com.example.v1.\"", "\"\"")).is_err());
    assert!(
        parse(&changed(
            "\"io.k8s.apimachinery.\"",
            "\"io.k8s.apimachinery\""
        ))
        .is_err()
    );
}

#[test]
fn a_crate_without_documents() {
    assert!(parse("[[crate]]\nname = \"a\"\ndescription = \"b\"\n").is_err());
}

#[test]
fn all_errors_of_a_configuration_are_told_at_once() {
    let text = changed("example-v1", "../x")
        .replace("document.json", "a/b")
        .replace("overlay.yaml", "../c")
        .replace("k8s_openapi::", "k8s openapi::");
    let errors = parse(&text).unwrap_err();
    assert_eq!(errors.len(), 4, "{errors}");
}

#[test]
fn inputs_that_are_not_there() {
    let config = parse(CONFIG).unwrap();
    let errors = generate(&config, &Inputs::default()).unwrap_err();
    let told: Vec<_> = errors
        .iter()
        .map(|f| (f.file.as_str(), f.message.as_str()))
        .collect();
    assert_eq!(
        told,
        [("v1.37/document.json", "the document was not found")]
    );
    assert!(errors.iter().all(|error| error.help.is_some()));
    let mut text = CONFIG.to_owned();
    text = text.replace("[\"overlay.yaml\"]", "[\"overlay.yaml\", \"more.yaml\"]");
    let overlay = "overlay: 1.0.0\ninfo: {title: t, version: v}\nactions: []\n";
    let result = from(
        &text,
        &thing("\"a\": {\"type\": \"string\"}"),
        overlay,
        "1.37",
    );
    let message = "the overlay was not found";
    assert_error(
        result,
        "more.yaml",
        &Expected {
            message,
            pointer: None,
            line: None,
        },
    );
}

/// Two documents of one crate share its root, so their types must not share names.
#[test]
fn two_documents_with_a_type_of_one_name() {
    let text = r#"
[[crate]]
name = "example"
description = "An example"
[[crate.document]]
file = "document.json"
release = "1.37"
prefix = "com.example.v1."
[[crate.document]]
file = "document.json"
release = "1.37"
prefix = "com.example.v2."
[[extern]]
prefix = "com.example."
path = "k8s_openapi"
"#;
    let document = thing("\"a\": {\"type\": \"string\"}");
    let both = document.replacen(
        "\"com.example.v1.Thing\"",
        "\"com.example.v2.Thing\": {\"type\": \"string\", \"enum\": [\"a\"]},\n\
         \"com.example.v1.Thing\"",
        1,
    );
    let errors = from(text, &both, "", "1.37").map(|_| ()).unwrap_err();
    assert!(errors.to_string().contains("Thing"), "{errors}");
}

#[test]
fn the_longest_prefix_counts() {
    let text = format!(
        "{CONFIG}\n[[extern]]\nprefix = \"io.k8s.apimachinery.pkg.\"\npath = \"other::pkg\"\n"
    );
    let config = parse(&text).unwrap();
    let path = |schema| {
        config
            .external(schema)
            .map(|external| external.path.as_str())
    };
    assert_eq!(path("io.k8s.apimachinery.pkg.X"), Some("other::pkg"));
    assert_eq!(
        path("io.k8s.apimachinery.X"),
        Some("k8s_openapi::apimachinery")
    );
    assert_eq!(path("io.k8s.api.X"), None);
}

#[test]
fn a_document_as_of_an_earlier_release() {
    let as_of = |release: &str| {
        changed(
            "release = \"1.37\"",
            &format!("release = \"1.21\"\nas-of = \"{release}\""),
        )
    };
    bad(
        &as_of("1.20"),
        "document.json is of 1.20, before its release 1.21",
        None,
    );
    bad(
        &as_of("1.9"),
        "document.json is of 1.9, before its release 1.21",
        None,
    );
    bad(
        &as_of("soon"),
        "`soon` is not a Kubernetes release",
        Some(9),
    );
    let described = |text: String| parse(&text).unwrap().crates[0].documents[0].described();
    assert_eq!(described(as_of("1.21")), "1.21".parse().unwrap());
    assert_eq!(described(as_of("1.37")), "1.37".parse().unwrap());
    assert_eq!(
        described(changed("\"1.37\"", "\"1.30\"")),
        "1.30".parse().unwrap()
    );
}

#[test]
fn words_for_a_module_that_is_not_there() {
    let text = changed("release = \"1.37\"", "release = \"1.37\"\nabout = \"a\"");
    bad(&text, "document.json has an `about` and no `module`", None);
}

#[test]
fn types_of_k8s_openapi_that_are_not_there() {
    let with = |releases: &str, path: &str| {
        let document = format!("release = \"1.37\"\nk8s-openapi = \"k8s_openapi::{path}\"");
        format!("{releases}\n{}", changed("release = \"1.37\"", &document))
    };
    let releases = |oldest: &str, newest: &str| {
        format!("[k8s-openapi]\noldest = \"{oldest}\"\nnewest = \"{newest}\"\n")
    };
    let good = releases("1.33", "1.37");
    assert!(parse(&with(&good, "api::example::v1")).is_ok());
    bad(
        &with(&good, "a b"),
        "`k8s_openapi::a b` is not a Rust path",
        None,
    );
    let message = "document.json says where k8s-openapi has its types";
    bad(&with("", "api"), message, None);
    let message = "document.json is of 1.37, and k8s-openapi has no release before 1.38";
    bad(&with(&releases("1.38", "1.39"), "api"), message, None);
    let message = "k8s-openapi can't have releases from 1.37 to 1.33";
    bad(&with(&releases("1.37", "1.33"), "api"), message, None);
}

fn with_module(name: &str) -> String {
    changed(
        "release = \"1.37\"",
        &format!("release = \"1.37\"\nmodule = \"{name}\""),
    )
}

#[test]
fn names_that_are_no_modules() {
    for name in [
        "", "Csi", "a b", "a/b", "../a", "a::b", "1a", "a_b", "a-b", "\u{e4}", "a;",
    ] {
        let text = with_module(name);
        bad(&text, "can't be the name of a module", None);
    }
    for name in [
        "lib", "main", "mod", "apply", "merge", "scheme", "fn", "crate", "self", "super",
    ] {
        assert!(parse(&with_module(name)).is_err(), "{name}");
    }
    assert!(parse(&with_module("v1alpha1")).is_ok());
}

/// Two documents of one crate, the second with its types in a module.
fn with_second(module: &str) -> String {
    let second = format!(
        "[[crate.document]]\nfile = \"document.json\"\nrelease = \"1.37\"\n\
         prefix = \"com.example.v2.\"\nmodule = \"{module}\"\n\n[[extern]]\n\
         prefix = \"com.example.\"\npath = \"other\"\n\n[[extern]]"
    );
    changed("overlays = [\"overlay.yaml\"]\n", "").replace("[[extern]]", &second)
}

#[test]
fn a_module_of_the_name_of_a_file() {
    let document = thing("\"a\": {\"type\": \"string\"}").replacen(
        "\"com.example.v1.Thing\"",
        "\"com.example.v2.Thing\": {\"type\": \"string\", \"enum\": [\"a\"]},\n\
         \"com.example.v1.Thing\"",
        1,
    );
    let result = from(&with_second("thing"), &document, "", "1.37");
    let expected = Expected {
        message: "the file thing.rs comes from v1.37/document.json too",
        pointer: Some("#/components/schemas/com.example.v1.Thing"),
        line: Some(3),
    };
    assert_error(result, "v1.37/document.json", &expected);
    // Elsewhere neither the type nor its file is in the way of the other.
    let crates = from(&with_second("second"), &document, "", "1.37").unwrap();
    let paths: Vec<_> = crates[0]
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    for path in ["src/thing.rs", "src/second/mod.rs", "src/second/thing.rs"] {
        assert!(paths.contains(&path), "no {path} in {paths:?}");
    }
}

#[test]
fn parts_that_another_crate_needs() {
    let some = changed(
        "name = \"example-v1\"\n",
        "name = \"example-v1\"\nparts = [\"apply\"]\n",
    );
    assert!(parse(&some).is_ok());
    let old = "[[crate]]\nname = \"old\"\ndescription = \"x\"\nparts = [\"apply\", \"merge\"]\n\
        [[crate.document]]\nfile = \"b.json\"\nrelease = \"1.37\"\nprefix = \"com.example.\"\n\
        [crate.conversion]\nto = \"example-v1\"\n";
    let message = "`example-v1` lacks the part `merge`, which `old` needs of it";
    bad(&format!("{some}\n{old}"), message, None);
    let both = some.replace("[\"apply\"]", "[\"apply\", \"merge\"]");
    assert!(parse(&format!("{both}\n{old}")).is_ok());
    let external = old.replace("[crate.conversion]\nto = \"example-v1\"\n", "")
        + "[[extern]]\nprefix = \"com.example.v1.\"\npath = \"example_v1\"\n";
    bad(&format!("{some}\n{external}"), message, None);
    bad(
        &some.replace("\"apply\"", "\"aply\""),
        "unknown variant `aply`",
        Some(4),
    );
}

#[test]
fn a_single_file_with_more_than_types() {
    let single = changed(
        "name = \"example-v1\"\n",
        "name = \"example-v1\"\nsingle-file = true\nparts = [\"builders\"]\n",
    );
    assert!(parse(&single).is_ok());
    let message = "`example-v1` is a single file, and has more than types and builders";
    bad(&single.replace("\"builders\"", "\"apply\""), message, None);
    let several = single.replace(
        "[[extern]]",
        "[[crate.document]]\nfile = \"b.json\"\nrelease = \"1.37\"\n\
         prefix = \"com.example.v2.\"\n\n[[extern]]",
    );
    let message = "`example-v1` is a single file, and has several documents";
    bad(&several, message, None);
}

#[test]
fn derives_and_dependencies_that_are_none() {
    let with = |line: &str| {
        let name = "name = \"example-v1\"\n";
        changed(name, &format!("{name}{line}\n"))
    };
    bad(
        &with("derives = [\"Serialise\"]"),
        "`Serialise` is no derive of Rust itself",
        Some(4),
    );
    bad(
        &with("derives = [\"Eq\", \"Eq\"]"),
        "`Eq` is among the derives twice",
        None,
    );
    bad(
        &with("dependencies = { \"a b\" = \"1\" }"),
        "`a b` is not a dependency",
        None,
    );
}

//! No text of a document becomes code: whatever it says, either nothing is generated, or files of
//! the same structure as for a harmless document.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::common::inputs_of;
use codegen::{Config, Source, generate};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use proptest::prelude::*;
use serde_json::{Value, json};

const META: &str = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const COLOR: &str = "#/components/schemas/com.example.v1.Color";

/// The places of a document and a configuration that hold text, by name.
const PLACES: &[&str] = &[
    "title",
    "kind description",
    "field description",
    "color description",
    "value description",
    "string default",
    "default value",
    "list key",
    "gate",
    "replacement",
    "group",
    "version",
    "kind",
    "plural",
    "operation",
    "enum value",
    "nameless value",
    "property",
    "schema",
    "crate description",
    "about",
];

/// The text at a place, and at all others a harmless one.
struct Texts<'a> {
    place: &'a str,
    text: &'a str,
}

impl Texts<'_> {
    fn at(&self, place: &str, harmless: &str) -> String {
        assert!(PLACES.contains(&place), "{place}");
        if place == self.place {
            self.text.to_owned()
        } else {
            harmless.to_owned()
        }
    }

    fn document(&self) -> Value {
        let gvk = json!({
            "group": self.at("group", "example.com"),
            "version": self.at("version", "v1"),
            "kind": self.at("kind", "Thing"),
        });
        let path = format!("/apis/example.com/v1/{}", self.at("plural", "things"));
        let operation = json!({
            "x-kubernetes-action": self.at("operation", "list"), "responses": {},
            "x-kubernetes-group-version-kind": gvk
        });
        let value = self.at("enum value", "Red");
        let mut schemas = json!({
            "com.example.v1.Thing": {
                "type": "object",
                "description": self.at("kind description", "A thing."),
                "x-kubernetes-group-version-kind": [gvk],
                "x-lifecycle": {
                    "introduced": "1.30", "alpha": "1.30", "deprecated": "1.31",
                    "gate": self.at("gate", "Things"),
                    "replacement": self.at("replacement", "nothing"),
                },
                "properties": {
                    "metadata": {"$ref": META},
                    "text": {
                        "type": "string",
                        "description": self.at("field description", "A text."),
                        "default": self.at("string default", "x")
                    },
                    "list": {
                        "type": "array", "items": {"type": "string"},
                        "default": [self.at("default value", "x")],
                        "x-kubernetes-list-map-keys": [self.at("list key", "name")]
                    },
                    "mode": {"type": "string", "enum": [self.at("nameless value", "On")]},
                    "color": {"$ref": COLOR}
                }
            },
            "com.example.v1.Color": {
                "type": "string",
                "description": self.at("color description", "A color."),
                "enum": [value],
                "x-enum-descriptions": {value: self.at("value description", "A value.")}
            },
            "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {"type": "object"}
        });
        let part = json!({"type": "object", "properties": {
            self.at("property", "plain"): {"type": "string"}
        }});
        let name = format!("com.example.v1.{}", self.at("schema", "Part"));
        schemas[&name] = part;
        json!({
            "openapi": "3.0.0",
            "info": {"title": self.at("title", "t")},
            "paths": {path: {"get": operation}},
            "components": {"schemas": schemas}
        })
    }

    fn config(&self) -> String {
        let mut krate = toml::Table::new();
        krate.insert("name".into(), "example".into());
        let description = self.at("crate description", "An example");
        krate.insert("description".into(), description.into());
        krate.insert("about".into(), self.at("about", "More.").into());
        let krate = toml::to_string(&krate).unwrap();
        let rest = crate::common::CONFIG
            .split_once("[[crate.document]]")
            .unwrap()
            .1;
        let rest = rest.replace("overlays = [\"overlay.yaml\"]\n", "");
        format!("[[crate]]\n{krate}\n[[crate.document]]{rest}")
    }

    /// The generated files, or nothing where the text is refused.
    fn generated(&self) -> Option<BTreeMap<String, String>> {
        let config = Config::parse(&Source::new("codegen.toml", self.config())).ok()?;
        let document = serde_json::to_string_pretty(&self.document()).unwrap();
        let inputs = inputs_of([("document.json", document)]);
        let crates = match generate(&config, &inputs) {
            Ok(crates) => crates,
            Err(errors) => {
                let text = errors.to_string();
                let error_of_ours = text.contains("bug of the generator");
                assert!(!error_of_ours, "{}: {text}", self.place);
                return None;
            }
        };
        let files = crates.into_iter().flat_map(|krate| krate.files);
        Some(files.map(|file| (file.path, file.text)).collect())
    }
}

/// The tokens of a file without documentation and with all strings alike.
fn structure(text: &str) -> Result<String, String> {
    let file = syn::parse_file(text).map_err(|error| format!("{error}:\n{text}"))?;
    let tokens: TokenStream = text.parse().map_err(|error| format!("{error}:\n{text}"))?;
    if file.shebang.is_some() {
        return Err(format!("a shebang:\n{text}"));
    }
    let mut structure = String::new();
    write_tokens(tokens, &mut structure);
    Ok(structure)
}

fn write_tokens(tokens: TokenStream, to: &mut String) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                let inner = tokens.next_if(
                    |next| matches!(next, TokenTree::Punct(sign) if sign.as_char() == '!'),
                );
                match tokens.next() {
                    Some(TokenTree::Group(group)) if is_doc(&group) || is_alias(&group) => {}
                    Some(group) => {
                        to.push_str(if inner.is_some() { "#!" } else { "#" });
                        write_tokens(TokenStream::from(group), to);
                    }
                    None => to.push('#'),
                }
            }
            // A list that is broken into lines has one more.
            TokenTree::Punct(sign) if sign.as_char() == ',' && tokens.peek().is_none() => {}
            TokenTree::Group(group) => {
                to.push_str(&format!("{:?}{{", group.delimiter()));
                write_tokens(group.stream(), to);
                to.push_str("}\n");
            }
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                to.push_str(if literal.starts_with('"') {
                    "\"\""
                } else {
                    &literal
                });
            }
            other => to.push_str(&format!("{other} ")),
        }
    }
}

/// Counts each token; all names count as the same token, and so do all literals.
fn count_tokens(tokens: TokenStream, counts: &mut BTreeMap<String, usize>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let token = match token {
            TokenTree::Punct(sign) if sign.as_char() == ',' && tokens.peek().is_none() => {
                continue;
            }
            TokenTree::Group(group) if is_doc(&group) || is_alias(&group) => continue,
            TokenTree::Group(group) => {
                count_tokens(group.stream(), counts);
                format!("{:?}", group.delimiter())
            }
            TokenTree::Ident(_) => "name".to_owned(),
            TokenTree::Literal(_) => "literal".to_owned(),
            // The `#` of a comment, of which there may be more or fewer.
            TokenTree::Punct(sign) if sign.as_char() == '#' => continue,
            TokenTree::Punct(sign) => sign.to_string(),
        };
        *counts.entry(token).or_default() += 1;
    }
}

fn is_doc(group: &proc_macro2::Group) -> bool {
    let mut tokens = group.stream().into_iter();
    let doc = matches!(tokens.next(), Some(TokenTree::Ident(name)) if name == "doc");
    let equals = matches!(tokens.next(), Some(TokenTree::Punct(sign)) if sign.as_char() == '=');
    let text = matches!(tokens.next(), Some(TokenTree::Literal(_)));
    let rest = tokens.next().is_none();
    group.delimiter() == Delimiter::Bracket && doc && equals && text && rest
}

/// Returns true for an attribute with the name that an item has in the API, or with several: there
/// is none if it is the item's own, or one that rustdoc refuses.
fn is_alias(group: &proc_macro2::Group) -> bool {
    let mut attribute = String::new();
    write_tokens(group.stream(), &mut attribute);
    let one = "cfg_attr Parenthesis{doc , doc Parenthesis{alias = \"\"}\n}\n";
    let several = "cfg_attr Parenthesis{doc , doc Parenthesis{alias Parenthesis{\"\"}\n}\n}\n";
    let attribute = attribute.replace("\"\", ", "");
    group.delimiter() == Delimiter::Bracket && [one, several].contains(&attribute.as_str())
}

/// The files of a harmless document.
static HARMLESS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    Texts {
        place: "",
        text: "",
    }
    .generated()
    .unwrap()
});

/// The structure of each of them.
static HARMLESS_STRUCTURES: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let rust = HARMLESS.iter().filter(|(path, _)| path.ends_with(".rs"));
    rust.map(|(path, text)| (path.as_str(), structure(text).unwrap()))
        .collect()
});

/// The tokens of all of them.
static HARMLESS_TOKENS: LazyLock<BTreeMap<String, usize>> =
    LazyLock::new(|| all_tokens(&HARMLESS).unwrap());

fn all_tokens(files: &BTreeMap<String, String>) -> Result<BTreeMap<String, usize>, String> {
    let mut counts = BTreeMap::new();
    for (_, text) in files.iter().filter(|(path, _)| path.ends_with(".rs")) {
        structure(text)?;
        count_tokens(text.parse().map_err(|e| format!("{e}"))?, &mut counts);
    }
    Ok(counts)
}

/// Checks that a text at a place is refused or stays text.
fn stays_text(place: &str, text: &str) -> Result<(), String> {
    let Some(files) = (Texts { place, text }).generated() else {
        return Ok(());
    };
    manifest(&files["Cargo.toml"], &HARMLESS["Cargo.toml"])?;
    let rust = || files.iter().filter(|(path, _)| path.ends_with(".rs"));
    // These become names, so that the structure has other names in it, or other places, and still
    // as many of each token.
    if ["enum value", "nameless value", "property", "schema"].contains(&place) {
        check(
            files
                .keys()
                .all(|path| path.is_ascii() && !path.contains("..")),
            "a path",
        )?;
        // A valid name can be that of something else in the document.
        if text.chars().all(|c| c.is_ascii_alphanumeric()) {
            return rust().try_for_each(|(_, text)| structure(text).map(|_| ()));
        }
        return check(all_tokens(&files)? == *HARMLESS_TOKENS, "became other code");
    }
    check(files.keys().eq(HARMLESS.keys()), "other files")?;
    for (path, text) in rust().filter(|(path, text)| HARMLESS[*path] != **text) {
        check(
            !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')),
            "control characters",
        )?;
        let is_invisible = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        check(!text.contains(is_invisible), "characters that nobody sees")?;
        let same = structure(text)? == HARMLESS_STRUCTURES[path.as_str()];
        check(same, &format!("other code in {path}:\n{text}"))?;
    }
    Ok(())
}

fn check(good: bool, error: &str) -> Result<(), String> {
    if good { Ok(()) } else { Err(error.to_owned()) }
}

fn manifest(text: &str, harmless: &str) -> Result<(), String> {
    let keys = |text: &str| -> Result<Vec<String>, String> {
        let manifest: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
        let package = manifest["package"]
            .as_table()
            .into_iter()
            .flat_map(|t| t.keys());
        Ok(manifest.keys().chain(package).cloned().collect())
    };
    check(keys(text)? == keys(harmless)?, "another manifest")
}

/// Texts that break out of strings, comments and attributes of one language or another.
const FRAGMENTS: &[&str] = &[
    "\"]",
    "\"",
    "'",
    "]",
    "//",
    "///",
    "//!",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "#![",
    "#[",
    "# [",
    "*/ fn x(){}",
    "/*",
    "*/",
    "\"#",
    "r#\"",
    "\u{202e}",
    "\u{200b}",
    "\u{ad}",
    "\u{e0041}",
    "\u{2028}",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\\",
    "\\\"",
    "`",
    "```",
    "\n\n",
    "\n    ",
    "{",
    "}",
    "}}",
    "${x}",
    "{0}",
    "<script>",
    "<b>",
    "](x)",
    "[x](y)",
    "<!--",
    "-->",
    "&lt;",
    "fn x() {}",
    "use std::fs;",
    "macro_rules!",
    "include!(\"/etc/passwd\")",
    "#[doc = include_str!(\"x\")]",
    "|",
    "~",
    "_",
    "- ",
    "* ",
    "1. ",
    "# ",
    "> ",
    "===",
    "---",
    "https://example.com/",
    "Thing",
    "Color::Red",
    "text",
    "crate::",
    "self",
    "\u{feff}",
    "ä",
    "𝕏",
    " ",
    "x",
];

fn hostile() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        4 => prop::sample::select(FRAGMENTS).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let text = prop::collection::vec(fragment, 1..6).prop_map(|parts| parts.concat());
    // An empty default is Go's zero value, which documents have everywhere and no server sets.
    text.prop_filter("an empty text has nothing to stay", |text| !text.is_empty())
}

/// The names by which rustdoc finds a kind are one more then.
#[test]
fn a_kind_of_another_name_than_its_type_stays_text() {
    assert_eq!(stays_text("kind", "Thing`"), Ok(()));
}

#[test]
fn the_harmless_document_is_generated() {
    let harmless = Texts {
        place: "",
        text: "",
    }
    .generated()
    .unwrap();
    assert!(harmless.len() == 15, "{:?}", harmless.keys());
}

/// Each fragment at each place, by turns alone and inside other text.
#[test]
fn known_fragments_stay_text() {
    let errors = std::thread::scope(|scope| {
        let workers: Vec<_> = PLACES
            .chunks(PLACES.len().div_ceil(4))
            .map(|places| scope.spawn(|| places.iter().map(|p| errors_at(p)).collect()))
            .collect();
        let errors: Vec<String> = workers.into_iter().map(|w| w.join().unwrap()).collect();
        errors.concat()
    });
    assert!(errors.is_empty(), "{errors}");
}

/// One example a place is enough to go on with.
fn errors_at(place: &str) -> String {
    let turn = PLACES.iter().position(|other| *other == place);
    let texts = FRAGMENTS.iter().enumerate().map(|(number, fragment)| {
        match (turn.unwrap() + number).is_multiple_of(2) {
            true => (*fragment).to_owned(),
            false => format!("Some {fragment} `text`."),
        }
    });
    let wrong = texts.filter_map(|text| Some((stays_text(place, &text).err()?, text)));
    let wrong: Vec<_> = wrong.collect();
    wrong.first().map_or_else(String::new, |(error, text)| {
        format!("{place}: {} texts, first {text:?}: {error}\n", wrong.len())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn random_texts_stay_text(place in prop::sample::select(PLACES), text in hostile()) {
        prop_assert_eq!(stays_text(place, &text), Ok(()));
    }
}

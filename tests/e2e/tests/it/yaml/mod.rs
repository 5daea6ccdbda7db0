//! Compares our reading of YAML with Kubernetes' own: real manifests, the same at random damaged,
//! and what we write.
//!
//! `E2E_YAML_CASES` is the number of damaged texts, 2,000 by default; `E2E_SEED` makes others of
//! them. With `UPSTREAM_DIR`, the manifests of other projects are among the texts.

mod classes;
mod damage;
mod reader;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use conformance::fixtures;
use fastrand::Rng;
use kubernetes_manifests::scheme::{Reason, Scheme, SchemeError, to_yaml};
use kubernetes_manifests::strict;
use serde_json::{Value, json};

use crate::cases::{Differences, number};
use classes::{Classes, Only};
use reader::{Read, Reader};

/// Texts in the ways of YAML that manifests seldom have.
const ODD: &str = include_str!("odd.yaml");

/// The error for a text that has no document.
const NOTHING: &str = "there is no document";

/// Reads a body as we do.
fn body_of(text: &str) -> Read<Value> {
    match strict::from_yaml::<Value>(text) {
        Ok(read) => Ok(read.object),
        Err(error) if matches!(error.reason(), Reason::Documents { found: 0 }) => {
            Err(NOTHING.to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a file as we do; `None` is for objects without a kind.
fn stream(text: &str) -> Read<Vec<Option<Value>>> {
    let scheme = Scheme::new();
    let mut values = Vec::new();
    for part in scheme.decode_each(text, Default::default()) {
        // Items of a list are part of its object.
        if part.location.path.segments().is_empty() {
            let unnamed = |error: &SchemeError| {
                let is_type = ["apiVersion", "kind", "items", ""];
                let field = error.location().path.to_string();
                matches!(error.reason(), Reason::Unnamed { .. })
                    || matches!(error.reason(), Reason::Shape { .. })
                        && is_type.contains(&field.as_str())
            };
            values.push(match part.object {
                Ok(Some(object)) => object.as_value().cloned(),
                Ok(None) => None,
                Err(error) if unnamed(&error) => None,
                // Where both languages are tried, the error is that of JSON.
                Err(error) => {
                    let yaml = body_of(text).err().unwrap_or_default();
                    return Err(format!("{error}; as YAML: {yaml}"));
                }
            });
        }
    }
    Ok(values)
}

/// Returns true if one of the values, or nothing, is a whole document that damage follows before
/// the next `---` after a line feed. Others of YAML's line breaks end a document too, but
/// Kubernetes reads nothing after them.
fn is_followed(text: &str, values: &[Value]) -> bool {
    let starts = text.match_indices("\n---").map(|(end, _)| end + 1);
    let starts: Vec<_> = [0].into_iter().chain(starts).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let documents = starts.iter().zip(ends).map(|(start, end)| {
        let document = text[*start..end].replace("\r\n", "\n");
        document.replace('\r', "\n")
    });
    let documents: Vec<_> = documents.collect();
    documents.iter().enumerate().any(|(at, document)| {
        let mut before = before_damage(document).map(whole);
        let is_read = |read| matches!(read, Ok(Some(value)) if values.contains(&value));
        before.any(is_read) || is_nothing(document) && are_others(&documents, at, values)
    })
}

/// Returns true if damage follows something that is nothing, such as the anchor of no value.
fn is_nothing(document: &str) -> bool {
    let has_content = |before: &str| {
        let lines = before.lines().map(str::trim);
        let mut lines = lines.filter(|line| !line.starts_with('#') && *line != "---");
        lines.any(|line| !line.is_empty())
    };
    let mut before = before_damage(document).filter(|before| has_content(before));
    before.any(|before| whole(before) == Ok(None))
}

/// Returns true if the values are those of the documents but one.
fn are_others(documents: &[String], at: usize, values: &[Value]) -> bool {
    let others = documents.iter().enumerate();
    let others = others.filter(|(other, _)| *other != at);
    let others = others.filter_map(|(_, document)| whole(document).transpose());
    let others: Result<Vec<_>, _> = others.collect();
    others.is_ok_and(|others| others == values)
}

/// The starts of a document that end before the end of its first line with an error.
fn before_damage(document: &str) -> impl Iterator<Item = &str> {
    let error = strict::from_yaml::<Value>(document).err();
    let line = error.and_then(|error| error.location().line).unwrap_or(0);
    let lines = document.split_inclusive('\n').take(line);
    let length = lines.map(str::len).sum();
    let lines = &document[..length];
    lines.char_indices().map(move |(end, _)| &lines[..end])
}

/// Reads one document; `None` if there is none. kubectl leaves out white space before a brace,
/// which may begin JSON.
fn whole(document: &str) -> Read<Option<Value>> {
    let trimmed = document.trim_start();
    let document = match trimmed.starts_with('{') {
        true => trimmed,
        false => document,
    };
    match body_of(document) {
        Err(error) if error == NOTHING => Ok(None),
        read => read.map(Some),
    }
}

/// The manifests in folders below one, by their path.
fn manifests(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            manifests(&path, found);
        } else if path
            .extension()
            .is_some_and(|e| e == "yaml" || e == "yml" || e == "json")
            && let Ok(text) = fs::read_to_string(&path)
        {
            found.insert(path, text);
        }
    }
}

fn texts() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    for folder in [
        "programs/kubernetes-storage/tests/manifests",
        "examples/manifests",
    ] {
        manifests(&root.join(folder), &mut found);
    }
    if env::var_os(fixtures::VARIABLE).is_some_and(|folder| !folder.is_empty()) {
        let folder = fixtures::folder().unwrap().join("manifests");
        match folder.is_dir() {
            true => manifests(&folder, &mut found),
            false => eprintln!("left out: UPSTREAM_DIR has no manifests, which no Go module has"),
        }
    }
    for (number, text) in ODD.split("\n---\n").enumerate() {
        found.insert(format!("odd-{number}").into(), text.to_owned());
    }
    found
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<String, usize>,
    differences: Differences,
}

impl Tally {
    fn add<T, U>(
        &mut self,
        what: &str,
        (theirs, ours): (&Read<T>, &Read<U>),
        same: impl Fn(&T, &U) -> bool,
        classes: &mut Classes,
        text: &str,
    ) where
        T: std::fmt::Debug,
        U: std::fmt::Debug,
    {
        let which = match (theirs, ours) {
            (Ok(theirs), Ok(ours)) if same(theirs, ours) => "read by both".to_owned(),
            (Ok(theirs), Ok(ours)) => {
                self.differences.add(format!(
                    "{what}: another value\ntheirs {theirs:?}\nours   {ours:?}\n{text}"
                ));
                "another value".to_owned()
            }
            (Err(_), Err(_)) => "refused by both".to_owned(),
            (Ok(_), Err(error)) => self.one_sided(what, Only::Kubernetes, error, classes, text),
            (Err(error), Ok(_)) => self.one_sided(what, Only::Ours, error, classes, text),
        };
        *self.counts.entry(format!("{what} {which}")).or_default() += 1;
    }

    fn followed(&mut self, what: &str) {
        let what = format!("{what}: a document is followed by what Kubernetes ignores");
        *self.counts.entry(what).or_default() += 1;
    }

    fn one_sided(
        &mut self,
        what: &str,
        only: Only,
        error: &str,
        classes: &mut Classes,
        text: &str,
    ) -> String {
        if let Some(name) = classes.of(only, error) {
            return format!("read by {only:?} only: {name}");
        }
        self.differences
            .add(format!("{what}: only {only:?} reads it: {error}\n{text}"));
        format!("read by {only:?} only, unlisted")
    }

    fn finish(&self) {
        for (what, count) in &self.counts {
            println!("{count:6} {what}");
        }
        self.differences.assert_none();
    }
}

fn compare(reader: &mut Reader, text: &str, tally: &mut Tally, classes: &mut Classes) {
    let (their_body, their_stream) = reader.read(text);
    // Of what is not damaged, nothing may differ.
    let is_damaged = !classes.all().is_empty();
    let same = |theirs: &Value, ours: &Value| theirs == ours;
    // A server takes no `null` for an object.
    let their_body = match their_body {
        Ok(Value::Null) => Err(NOTHING.to_owned()),
        theirs => theirs,
    };
    if !text.contains("\n---") {
        match (&their_body, &body_of(text)) {
            (Ok(theirs), Err(_))
                if is_damaged && is_followed(text, std::slice::from_ref(theirs)) =>
            {
                tally.followed("body")
            }
            bodies => tally.add("body", bodies, same, classes, text),
        }
    }
    let same = |theirs: &Vec<Value>, ours: &Vec<Option<Value>>| {
        theirs.len() == ours.len()
            && theirs
                .iter()
                .zip(ours)
                .all(|(theirs, ours)| ours.as_ref().is_none_or(|ours| ours == theirs))
    };
    match (&their_stream, &stream(text)) {
        (Ok(theirs), Err(_)) if is_damaged && is_followed(text, theirs) => tally.followed("file"),
        streams => tally.add("file", streams, same, classes, text),
    }
}

#[test]
#[ignore = "needs Go: run cargo xtask e2e"]
fn manifests_are_read_alike() {
    let mut reader = Reader::start();
    let mut tally = Tally::default();
    for text in texts().values() {
        compare(&mut reader, text, &mut tally, &mut Classes::none());
    }
    tally.finish();
}

/// Files with byte order marks, one after the other.
#[test]
#[ignore = "needs Go: run cargo xtask e2e"]
fn marks_of_files_in_a_row_are_read_alike() {
    let mut reader = Reader::start();
    let mut tally = Tally::default();
    let file = "\u{feff}apiVersion: v1\nkind: A\n";
    for between in [
        "---\n",
        "--- \t\r\n",
        "--- # a\n",
        "---\n---\n---\n",
        "---\n# a\n---\n",
        "\n---\n# a\n---\n",
    ] {
        let text = format!("{file}{between}{file}{between}{file}# b\n");
        compare(&mut reader, &text, &mut tally, &mut Classes::none());
    }
    tally.finish();
}

#[test]
#[ignore = "needs Go: run cargo xtask e2e"]
fn damaged_texts_are_read_alike() {
    let (seed, cases) = (number("E2E_SEED", 1), number("E2E_YAML_CASES", 2000));
    println!("{cases} damaged texts of seed {seed}");
    let mut reader = Reader::start();
    let mut rng = Rng::with_seed(seed);
    let (mut tally, mut classes) = (Tally::default(), Classes::read());
    // Damage to a short text hits more than one to a long text does.
    let texts: Vec<_> = texts()
        .values()
        .flat_map(|text| text.split("\n---\n"))
        .filter(|text| text.len() < 3000)
        .map(str::to_owned)
        .collect();
    for _ in 0..cases {
        let mut text = texts[rng.usize(..texts.len())].clone();
        if rng.u8(..8) == 0 {
            text += "\n---\n";
            text += &texts[rng.usize(..texts.len())];
        }
        damage::damage(&mut rng, &mut text);
        compare(&mut reader, &text, &mut tally, &mut classes);
    }
    tally.finish();
}

/// Texts with each kind of value, in which a tab is put everywhere.
const TABLES: [&str; 9] = [
    "# a\na: b\n\nc: d\n",
    "a:\n  b: c\n   d\n\n  e: f # g\nh:\n- i\n-  j\n",
    "- - a\n  - b: c\n    d: e\n-\n  - f\n",
    "a: \"b\n  c\"\nd: 'e\n\n  f'\ng: h\n",
    "a: |\n  b\n\n   c\nd: >-\n  e\nf: g\n",
    "a: [b, {c: d},\n  e]\nf: {g: [h]}\n\ni: j\n",
    "---\na: &b\n  c: d\ne: *b\n---\n\nf: !!str\n  g\n",
    "? a\n: b\n? - c\n: - d\n",
    "a\n\n b\n",
];

/// Texts that only YAML 1.2, or JSON, has.
const NEWER: [&str; 6] = [
    "%FOO\n---\na: b\n",
    "a: b\n...\n%FOO bar\n---\nc: d\n",
    "%YAML 1.1\n%TAG ! tag:a,2000:\n---\na: b\n",
    "a: \"\\ud83d\\ude00\"\n",
    "a: \"\\uD83D\"\nb: c\n",
    "a: \"\\\\ud83d \\U0001F600\"\n",
];

/// One tab, with or without spaces beside it, at every place of a text, also for a space.
#[test]
#[ignore = "needs Go: run cargo xtask e2e"]
fn tabs_are_read_alike() {
    let mut reader = Reader::start();
    let (mut tally, mut classes) = (Tally::default(), Classes::read());
    for text in TABLES {
        for (place, next) in text.char_indices() {
            for tab in ["\t", " \t", "\t ", "  \t\n", "\t#"] {
                let (before, after) = text.split_at(place);
                compare(
                    &mut reader,
                    &[before, tab, after].concat(),
                    &mut tally,
                    &mut classes,
                );
                if let (' ', Some(after)) = (next, after.get(1..)) {
                    compare(
                        &mut reader,
                        &[before, tab, after].concat(),
                        &mut tally,
                        &mut classes,
                    );
                }
            }
        }
    }
    for text in NEWER {
        compare(&mut reader, text, &mut tally, &mut classes);
    }
    tally.finish();
}

/// Kubernetes reads the texts that we write as the same values.
#[test]
#[ignore = "needs Go: run cargo xtask e2e"]
fn what_we_write_is_read() {
    let mut reader = Reader::start();
    let mut rng = Rng::with_seed(number("E2E_SEED", 1));
    for _ in 0..number("E2E_YAML_CASES", 2000) {
        let value = json!({"apiVersion": "v1", "kind": "Pot", "x": damage::any(&mut rng, 4)});
        let text = to_yaml(&value).unwrap();
        let (body, file) = reader.read(&text);
        assert_eq!(
            (&body, file),
            (&Ok(value.clone()), Ok(vec![value])),
            "{text}"
        );
        assert_eq!(body_of(&text), body, "{text}");
    }
}

/// Each class has an example, which only the one side reads.
#[test]
#[ignore = "needs Go: run cargo xtask e2e"]
fn each_class_is_so() {
    let mut reader = Reader::start();
    for class in Classes::read().all() {
        let (body, file) = reader.read(&class.example);
        let theirs = [body.map(drop), file.map(drop)];
        let ours = [
            body_of(&class.example).map(drop),
            stream(&class.example).map(drop),
        ];
        let is_so = theirs
            .iter()
            .zip(&ours)
            .any(|pair| match (class.only, pair) {
                (Only::Kubernetes, (Ok(()), Err(error))) | (Only::Ours, (Err(error), Ok(()))) => {
                    class.has(error)
                }
                _ => false,
            });
        assert!(is_so, "{class:?}\ntheirs {theirs:?}\nours {ours:?}");
    }
}

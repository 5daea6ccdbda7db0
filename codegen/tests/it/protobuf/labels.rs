//! Labels from what Go writes.

use std::collections::BTreeSet;

use codegen::protobuf::{Label, Protos};
use codegen::{Diagnostics, Source};

use super::{FILE, read};

const PRESENCE: &str = "\
example.v1 Thing metadata 1 value -
example.v1 Thing name 2 pointer Name
example.v1 Thing parts 3 pointer parts
example.v1 Thing count 4 kept Count
example.v1 Thing thing 5 kept thing
other.v1 Unlisted a 1 value a
third.v1 Thing a 1 value a
";

const LABELLED: &str = "syntax = \"proto2\";\npackage example.v1;\nmessage Thing {\n\
    optional string metadata = 1;\nrequired string name = 2;\nrepeated string parts = 3;\n\
    required int64 count = 4;\noptional Thing thing = 5;\n}";

fn label(text: &str, presence: &str) -> (Protos, Diagnostics) {
    let mut protos = read(&[(FILE, text)]).unwrap();
    let mut diagnostics = Diagnostics::default();
    let packages = BTreeSet::from(["example.v1".to_owned()]);
    protos.label(&Source::new("go", presence), &packages, &mut diagnostics);
    (protos, diagnostics)
}

#[test]
fn labels_follow_go() {
    let (protos, errors) = label(LABELLED, PRESENCE);
    assert!(errors.is_empty(), "{errors}");
    let thing = protos.message("example.v1.Thing").unwrap();
    let labels: Vec<_> = thing.fields.iter().map(|field| field.label).collect();
    let required = Label::Required;
    assert_eq!(
        labels,
        [
            required,
            Label::Optional,
            Label::Repeated,
            required,
            required
        ]
    );
    let json = thing.fields.iter().map(|field| field.json.as_deref());
    assert_eq!(
        json.collect::<Vec<_>>(),
        [None, Some("Name"), None, Some("Count"), None]
    );
    // A message has no default.
    let kept = thing.fields.iter().map(|field| field.keeps_zero);
    assert_eq!(kept.collect::<Vec<_>>(), [false, false, false, true, false]);
    let printed = protos.print("example.v1", "").unwrap();
    for line in [
        "optional string name = 2 [json_name = \"Name\"];",
        "required int64 count = 4 [default = 0, json_name = \"Count\"];",
        "required Thing thing = 5;",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let again = read(&[(FILE, &printed)]).unwrap();
    let again = again.message("example.v1.Thing").unwrap();
    for (field, again) in thing.fields.iter().zip(&again.fields) {
        assert_eq!(
            (&field.json, field.keeps_zero),
            (&again.json, again.keeps_zero)
        );
    }
}

#[test]
fn labels_need_the_same_fields() {
    let wrong = |text: &str, presence: &str, at: &str, message: &str| {
        let (_, errors) = label(text, presence);
        let shown = errors.to_string();
        assert_eq!(errors.len(), 1, "{shown}");
        assert!(shown.contains(at), "{shown}\nnot: {at}");
        assert!(shown.contains(message), "{shown}\nnot: {message}");
    };
    let without = |line: &str| PRESENCE.replace(line, "");
    let at = "--> example/v1/generated.proto:5";
    let less = without("example.v1 Thing name 2 pointer Name\n");
    wrong(
        LABELLED,
        &less,
        at,
        "`name` of `example.v1.Thing` isn't in Go (go)",
    );
    let more = format!("{PRESENCE}example.v1 Thing more 6 value more\n");
    let lacks = "Go has the field `more` of `example.v1.Thing`, which \
        example/v1/generated.proto:3 lacks";
    wrong(LABELLED, &more, "--> go:8", lacks);
    let other = PRESENCE.replace("name 2", "name 7");
    wrong(
        LABELLED,
        &other,
        at,
        "has the number 2 here, and 7 in Go (go:2)",
    );
    let list = PRESENCE.replace("parts 3 pointer", "parts 3 value");
    let at = "--> example/v1/generated.proto:6";
    wrong(
        LABELLED,
        &list,
        at,
        "is a list, but Go writes one value always (go:3)",
    );
    let message = format!("{PRESENCE}example.v1 More a 1 value a\n");
    let lacks = "Go has the message `example.v1.More`, which example/v1/generated.proto lacks";
    wrong(LABELLED, &message, "--> go:8", lacks);
    let line = format!("{PRESENCE}example.v1 Thing\n");
    wrong(LABELLED, &line, "--> go:8", "a line of 2 words, not 6");
    let line = format!("{PRESENCE}example.v1 Thing name 2 pointer Name\n");
    wrong(
        LABELLED,
        &line,
        "--> go:8",
        "a second line about `example.v1.Thing.name`",
    );
    let line = format!("{PRESENCE}third.v1 Thing b 2 maybe b\n");
    wrong(
        LABELLED,
        &line,
        "--> go:8",
        "`maybe` is not `kept`, `value` or `pointer`",
    );
}

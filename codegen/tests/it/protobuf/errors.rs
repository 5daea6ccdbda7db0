//! Errors of `.proto` files.

use super::{FILE, OTHER, read};

const START: &str = "syntax = \"proto2\";\npackage example.v1;\n";

/// Asserts that a file has one error, at a line, with a message and help that have these parts.
fn bad(text: &str, line: usize, message: &str, help: &str) {
    let Err(errors) = read(&[(FILE, text)]) else {
        panic!("no error: {text}");
    };
    let found: Vec<_> = errors.iter().collect();
    let [error] = found[..] else {
        panic!("{text}\n{errors}");
    };
    assert_eq!(
        (error.file.as_str(), error.line),
        (FILE, Some(line)),
        "{error}"
    );
    assert!(error.message.contains(message), "{error}\nnot: {message}");
    let said = error.help.as_deref().unwrap_or_default();
    assert!(said.contains(help), "{error}\nnot: {help}");
}

/// The same of a message with this content, which starts on line 4.
fn bad_fields(fields: &str, line: usize, message: &str, help: &str) {
    let text = format!("{START}message Thing {{\n{fields}\n}}\n");
    bad(&text, line, message, help);
}

#[test]
fn statements_that_are_not_read() {
    let help = "declare messages side by side";
    bad_fields(
        "message Inner {\n}",
        4,
        "`message in a message` isn't read",
        help,
    );
    bad_fields(
        "oneof one { string a = 1; }",
        4,
        "`oneof in a message` isn't",
        help,
    );
    bad_fields(
        "\nenum E { A = 0; }",
        5,
        "`enum in a message` isn't read",
        help,
    );
    bad_fields(
        "extensions 100 to 199;",
        4,
        "`extensions in a message` isn't",
        help,
    );
    bad_fields(
        "repeated group G = 1 { }",
        4,
        "`group in a message` isn't",
        help,
    );
    bad(
        &format!("{START}enum E {{ A = 0; }}"),
        3,
        "`enum` isn't read",
        help,
    );
    bad(
        &format!("{START}extend Thing {{ }}"),
        3,
        "`extend` isn't read",
        help,
    );
    bad(
        &format!("{START}service S {{ }}"),
        3,
        "`service` isn't read",
        help,
    );
    bad(
        &format!("{START}import public \"a\";"),
        3,
        "`import public` isn't",
        help,
    );
    bad_fields(
        "optional int32 a = 1 [packed = true];",
        4,
        "`a` has options",
        "change the bytes",
    );
    bad_fields(
        "required int32 a = 1 [default = 0, packed = true];",
        4,
        "`a` has options",
        "change the bytes",
    );
    bad_fields(
        "required int32 a = 1 [default = 0; json_name = \"b\"];",
        4,
        "`;` where `,` or `]` is expected",
        "proto2-spec",
    );
    for (field, default) in [
        ("required int32 a = 1 [default = 1];", "`1`"),
        ("required string a = 1 [default = \"x\"];", "the text \"x\""),
        ("required bool a = 1 [default = 0];", "`0`"),
        ("required Thing a = 1 [default = 0];", "`0`"),
        ("optional int32 a = 1 [default = 0];", "`0`"),
    ] {
        let message = format!("`a` has the default {default}");
        bad_fields(field, 4, &message, "its zero value as its default");
    }
}

#[test]
fn numbers_that_no_field_can_have() {
    let help = "from 1 to 536870911, without 19000 to 19999";
    for number in ["0", "536870912", "4294967296", "99999999999999999999"] {
        let message = format!("the field `a` has the number {number}");
        bad_fields(&format!("optional string a = {number};"), 4, &message, help);
    }
    for number in ["19000", "19999"] {
        let message = format!("the number {number}, which protobuf keeps for itself");
        bad_fields(&format!("optional string a = {number};"), 4, &message, help);
    }
    for number in ["0x10", "010", "a", "1.5"] {
        let message = format!("`{number}` is not the number of a field");
        bad_fields(
            &format!("optional string a = {number};"),
            4,
            &message,
            "decimal digits",
        );
    }
    bad_fields(
        "optional string a = -1;",
        4,
        "`-` where the number",
        "proto2-spec",
    );
}

#[test]
fn messages_with_the_names_of_types() {
    for name in ["string", "fixed32"] {
        let text = format!("{START}message {name} {{}}");
        bad(&text, 3, "has the name of a type", "another name");
    }
}

#[test]
fn what_is_there_twice() {
    let twice = "optional string a = 1;\noptional string b = 1;";
    bad_fields(
        twice,
        5,
        "two fields of `Thing` have the number 1",
        "in line 4",
    );
    let twice = "optional string a = 1;\n\nrepeated string a = 2;";
    bad_fields(
        twice,
        6,
        "two fields of `Thing` have the name `a`",
        "in line 4",
    );
    let text = format!("{START}message A {{}}\nmessage A {{}}");
    bad(&text, 4, "two messages have the name `A`", "in line 3");
    bad(
        &format!("{START}package b;"),
        3,
        "a second `package`",
        "take one",
    );
    let same = read(&[(FILE, START), ("again.proto", START)]);
    let errors = same.map(drop).unwrap_err().to_string();
    assert!(
        errors.contains("`example.v1` is in example/v1/generated.proto, too"),
        "{errors}"
    );
    assert!(errors.contains("--> again.proto:2"), "{errors}");
}

#[test]
fn types_that_are_unknown() {
    let field = |ty: &str| format!("\noptional {ty} a = 1;");
    bad_fields(
        &field("Part"),
        5,
        "the type `Part` is unknown",
        "this package has no message `Part`",
    );
    bad_fields(
        &field(".example.v1.Part"),
        5,
        "`.example.v1.Part` is unknown",
        "has no message",
    );
    bad_fields(
        &field(".other.v1.Part"),
        5,
        "is unknown",
        "no file has the package `other.v1`",
    );
    bad_fields(
        &field("other.v1.Part"),
        5,
        "has no dot before it",
        "`.other.v1.Part`",
    );
    bad_fields(
        &field("Thing.Inner"),
        5,
        "has no dot before it",
        "if `Thing.Inner` is",
    );
    bad_fields(
        &field("fixed32"),
        5,
        "the type `fixed32`",
        "use one of string, bytes, bool",
    );
    bad_fields(&field("a..b"), 5, "`a..b` is not a type", "name a message");
    bad_fields(&field("1"), 5, "`1` is not a type", "name a message");
    bad_fields(
        "map<int32, string> a = 1;",
        4,
        "the keys of a map are `int32`",
        "`string`",
    );
    let text = format!("{START}\nmessage A {{ optional .other.v1.Meta a = 1; }}");
    let errors = read(&[(FILE, &text), ("other.proto", OTHER)])
        .map(drop)
        .unwrap_err();
    let errors = errors.to_string();
    assert!(
        errors.contains("the file of the type `.other.v1.Meta` isn't imported"),
        "{errors}"
    );
    assert!(
        errors.contains("--> example/v1/generated.proto:4"),
        "{errors}"
    );
}

#[test]
fn files_that_are_cut_off_or_no_proto2() {
    let cut = "it may have been cut off";
    bad(
        &format!("{START}message A {{\n"),
        3,
        "the file ends in the message `A`",
        cut,
    );
    bad(
        &format!("{START}message A {{\noptional"),
        4,
        "the file ends in the message `A`",
        cut,
    );
    let text = format!("{START}message A {{\noptional string a = 1");
    bad(&text, 4, "the file ends in the field `a`", cut);
    bad(
        &format!("{START}option a = {{ b: 1;"),
        3,
        "the file ends in the option",
        cut,
    );
    bad(
        &format!("{START}/* a\n"),
        3,
        "the comment is never closed",
        "`*/`",
    );
    bad(
        "\nsyntax = \"proto2;\n",
        2,
        "the text has no end",
        "on the same line",
    );
    bad(
        "syntax = \"proto3\";\n",
        1,
        "the syntax is the text \"proto3\"",
        "proto2",
    );
    bad("package a;", 1, "the file has no `syntax`", "start it with");
    bad(
        "syntax = \"proto2\";",
        1,
        "the file has no `package`",
        "after its folder",
    );
    bad("", 1, "the file has no `syntax`", "start it with");
    bad("{}", 1, "`{` where `message`", "proto2-spec");
    bad(
        &format!("{START}}}"),
        3,
        "`}` where `message`",
        "proto2-spec",
    );
    bad(
        "syntax = \"proto2\"; package a..b;",
        1,
        "`a..b` is not the name",
        "dots between",
    );
    bad_fields(
        "string a = 1;",
        4,
        "`string` where `required`",
        "proto2-spec",
    );
    bad_fields(
        "optional string 1a = 1;",
        4,
        "`1a` where the name of a field",
        "proto2-spec",
    );
    bad_fields(
        "optional string a 1;",
        4,
        "`1` where `=` is expected",
        "proto2-spec",
    );
    bad_fields(
        "repeated map<string, string> a = 1;",
        4,
        "a label before `map`",
        "take it out",
    );
    bad_fields(
        "reserved 1 }",
        4,
        "`}` where `;` is expected",
        "proto2-spec",
    );
}

#[test]
fn a_file_that_cannot_be_read_is_one_error() {
    let text = "syntax = \"proto2\"; package a.v1; import \"other/v1/generated.proto\";\n\
        message A { optional .other.v1.Meta a = 1; }";
    let cut = OTHER.trim_end_matches('}');
    let errors = read(&[(FILE, text), ("other/v1/generated.proto", cut)]);
    let errors = errors.map(drop).unwrap_err().to_string();
    assert!(
        errors.contains("the file ends in the message `Meta`"),
        "{errors}"
    );
    assert!(errors.ends_with("\n1 error"), "{errors}");
}

#[test]
fn all_errors_of_a_file_are_reported() {
    let fields = "optional string a = 0;\noptional Part b = 1;\noptional string c = 1;";
    let text = format!("{START}message Thing {{\n{fields}\n}}\n");
    let errors = read(&[(FILE, &text)]).map(drop).unwrap_err();
    let lines: Vec<_> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, [Some(4), Some(6), Some(5)]);
}

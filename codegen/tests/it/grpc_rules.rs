//! The rules of requests that are made from a `.proto` file.

use codegen::{Grpc, GrpcRules, Source};

/// Returns the rules of a file with one request, or the errors.
fn rules(request: &str) -> Result<String, String> {
    let config = Grpc {
        file: "boats.proto".to_owned(),
        package: "boats".to_owned(),
        module: "src/v1".to_owned(),
        secrets: None,
        own_debug: Vec::new(),
        rules: Some(GrpcRules {
            package: "harbour".to_owned(),
            file: "src/rules.rs".to_owned(),
            messages: "boats::v1".to_owned(),
        }),
    };
    let text = format!(
        "syntax = \"proto3\";
        package boats.v1;
        import \"google/protobuf/timestamp.proto\";
        // Boats.
        service Boats {{
            // Sails.
            rpc Sail (Request) returns (Answer) {{}}
        }}
        // Answer.
        message Answer {{
            // Text.
            // @required
            string text = 1;
        }}
        {request}"
    );
    let made = codegen::grpc(&config, &Source::new("boats.proto", text));
    let made = made.map_err(|errors| errors.to_string())?;
    let [module, rules] = &made[..] else {
        return Err(format!("{} packages", made.len()));
    };
    assert_eq!((&*module.name, &*rules.name), ("boats", "harbour"));
    assert_eq!(rules.files[0].path, "src/rules.rs");
    Ok(rules.files[0].text.clone())
}

#[test]
fn every_shape_has_its_check() {
    let rules = rules(
        "// Request.
        // @rule whole
        message Request {
            // Text.
            // @required
            // @rule named
            string name = 1;
            // Path.
            // @path
            string path = 2;
            // Long.
            // @size 300
            string type = 3;
            // Texts.
            repeated string texts = 4;
            // All.
            // @size 5000
            repeated string all = 5;
            // Map.
            // @required
            map<string, string> map = 6;
            // Numbers.
            map<string, int32> numbers = 7;
            // Number.
            // @rule positive
            int32 number = 8;
            // Sail.
            // @required
            Sail.Kind kind = 9;
            // Sail.
            // @required
            Sail sail = 10;
            // Sails.
            repeated Sail sails = 11;
            // Either.
            // @required
            oneof either {
                // Sail.
                Sail main_sail = 12;
                // Request.
                Request request = 13;
            }
            // Time.
            google.protobuf.Timestamp time = 14;
            // Keyword.
            string self = 15;
            // Camel.
            string camelCase = 16;
            // Digit.
            string _1 = 17;
        }
        // Sail.
        message Sail {
            // Kinds.
            enum Kind {
                // None.
                NONE = 0;
            }
        }",
    );
    let rules = rules.unwrap();
    let rules: Vec<_> = rules.lines().map(str::trim).collect();
    let expected = "\
use boats::v1;
use super::{Error, Request, functions};
use super::check::{Checked, Field};

impl Checked for v1::Request {
fn check(&self, message: &Field<'_>) -> Result<(), Error> {
let field = message.field(\"name\");
field.required(!self.name.is_empty())?;
field.text(&self.name, 128)?;
functions::named(&self.name, &field)?;
let field = message.field(\"path\");
field.path(&self.path)?;
let field = message.field(\"type\");
field.text(&self.r#type, 300)?;
let field = message.field(\"texts\");
field.texts(&self.texts, 128)?;
let field = message.field(\"all\");
field.list(&self.all, 5000)?;
let field = message.field(\"map\");
field.required(!self.map.is_empty())?;
field.map(&self.map, 4096)?;
let field = message.field(\"number\");
functions::positive(self.number, &field)?;
let field = message.field(\"kind\");
field.required(self.kind != 0)?;
field.known::<v1::sail::Kind>(self.kind)?;
let field = message.field(\"sail\");
field.required(self.sail.is_some())?;
field.message(self.sail.as_ref())?;
let field = message.field(\"sails\");
field.messages(&self.sails)?;
match &self.either {
Some(v1::request::Either::MainSail(value)) => {
message.field(\"main_sail\").message(Some(value))?
}
Some(v1::request::Either::Request(value)) => {
message.field(\"request\").message(Some(value))?
}
None => message.field(\"either\").required(false)?,
}
let field = message.field(\"self\");
field.text(&self.self_, 128)?;
let field = message.field(\"camelCase\");
field.text(&self.camel_case, 128)?;
let field = message.field(\"_1\");
field.text(&self._1, 128)?;
functions::whole(self, message)?;
Ok(())
}
}

impl Request for v1::Request {}

impl Checked for v1::Sail {}";
    assert_eq!(rules[3..].join("\n"), expected);
}

#[test]
fn fields_that_cannot_be_checked_are_refused() {
    let fields = [
        ("optional string name = 1;", "can't be checked"),
        ("// @required\nint32 name = 1;", "can't be checked"),
        ("// @required\nrepeated int32 name = 1;", "can't be checked"),
        (
            "// @required\ngoogle.protobuf.Timestamp name = 1;",
            "can't be checked",
        ),
        (
            "oneof either {\n// Name.\nstring name = 1;\n}",
            "can't be checked",
        ),
        (
            "// @rule\nstring name = 1;",
            "can't have the annotation `@rule`",
        ),
        (
            "// @rule Positive\nstring name = 1;",
            "can't have the annotation `@rule Positive`",
        ),
        (
            "// @rule fn\nstring name = 1;",
            "can't have the annotation `@rule fn`",
        ),
    ];
    for (field, expected) in fields {
        let request = format!("// Request.\nmessage Request {{\n// Name.\n{field}\n}}");
        let errors = rules(&request).unwrap_err();
        assert!(errors.contains(expected), "{field}: {errors}");
        assert!(errors.contains("boats.proto:"), "{errors}");
    }
}

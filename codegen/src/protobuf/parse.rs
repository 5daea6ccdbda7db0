//! The parser of the subset of proto2 that Kubernetes uses.

use crate::diag::Diagnostics;
use crate::source::Source;

use super::token::{Kind, Problem, Token, tokens};
use super::{Label, Location, Message, Package, ProtoField, ProtoType, SCALARS};

/// The numbers that fields can have, and those that protobuf keeps for itself.
const LARGEST_NUMBER: u32 = (1 << 29) - 1;
const KEPT_NUMBERS: std::ops::RangeInclusive<u32> = 19_000..=19_999;

/// The scalar types of proto2 that Kubernetes doesn't use.
const OTHER_SCALARS: [&str; 6] = [
    "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64",
];

/// A package with its name, and the line of that.
pub(super) struct Parsed {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) package: Package,
}

/// Parses a file. References are left as they are written.
pub(super) fn parse(source: &Source, diagnostics: &mut Diagnostics) -> Option<Parsed> {
    let file = &source.name;
    if let Err((line, message, help)) = source.check_size() {
        diagnostics.in_file(file, line, message, help);
        return None;
    }
    let mut problems = Vec::new();
    let parsed = tokens(&source.text).and_then(|tokens| {
        let mut parser = Parser {
            file,
            rest: &tokens,
            line: 1,
            problems: &mut problems,
        };
        parser.file()
    });
    let (parsed, fatal) = match parsed {
        Ok(parsed) => (Some(parsed), None),
        Err(problem) => (None, Some(problem)),
    };
    for problem in problems.into_iter().chain(fatal) {
        diagnostics.in_file(file, Some(problem.line), problem.message, problem.help);
    }
    parsed
}

struct Parser<'t, 'a> {
    file: &'a str,
    rest: &'t [Token<'a>],
    /// The line of the last token that was taken.
    line: usize,
    /// The errors after which the parser goes on.
    problems: &'t mut Vec<Problem>,
}

impl<'a> Parser<'_, 'a> {
    fn file(&mut self) -> Result<Parsed, Problem> {
        let mut name: Option<(String, usize)> = None;
        let mut has_syntax = false;
        let mut package = Package {
            file: self.file.to_owned(),
            imports: Vec::new(),
            messages: Vec::new(),
        };
        // Names get the package at the end, as it may follow a message.
        while !self.rest.is_empty() {
            match self.next("")? {
                Kind::Symbol(';') => {}
                Kind::Word("syntax") => {
                    self.syntax()?;
                    has_syntax = true;
                }
                Kind::Word("package") => {
                    let (found, line) = self.package()?;
                    if name.replace((found, line)).is_some() {
                        return Err(self.problem(
                            "a second `package`",
                            "a file is of one package: take one of them out",
                        ));
                    }
                }
                Kind::Word("import") => package.imports.push(self.import()?),
                Kind::Word("option") => self.skip_statement("the option")?,
                Kind::Word("message") => {
                    let message = self.message()?;
                    self.add(&mut package.messages, message);
                }
                Kind::Word(word @ ("enum" | "service" | "extend")) => {
                    return Err(self.unsupported(word));
                }
                other => {
                    return Err(
                        self.unexpected(other, "`message`, `import`, `package` or `option`")
                    );
                }
            }
        }
        if !has_syntax {
            return Err(Problem::new(
                1,
                "the file has no `syntax`",
                "start it with `syntax = \"proto2\";`",
            ));
        }
        named(package, name)
    }

    fn syntax(&mut self) -> Result<(), Problem> {
        self.symbol('=', "`syntax`")?;
        match self.next("`syntax`")? {
            Kind::Text("proto2") => self.symbol(';', "`syntax`"),
            other => Err(self.problem(
                format!("the syntax is {}, not \"proto2\"", other.shown()),
                "Kubernetes writes proto2, in which other fields are written than in proto3",
            )),
        }
    }

    fn package(&mut self) -> Result<(String, usize), Problem> {
        let found = self.next("`package`")?;
        let line = self.line;
        let Kind::Word(name) = found else {
            return Err(self.unexpected(found, "the name of the package"));
        };
        if !name.split('.').all(is_name) {
            return Err(self.problem(
                format!("`{name}` is not the name of a package"),
                "names have letters, digits and `_`, with dots between them",
            ));
        }
        self.symbol(';', "`package`")?;
        Ok((name.to_owned(), line))
    }

    fn import(&mut self) -> Result<String, Problem> {
        match self.next("`import`")? {
            Kind::Text(path) => {
                self.symbol(';', "`import`")?;
                Ok(path.to_owned())
            }
            Kind::Word(word @ ("public" | "weak")) => {
                Err(self.unsupported(&format!("import {word}")))
            }
            other => Err(self.unexpected(other, "the path of a file in quotes")),
        }
    }

    /// Parses a message after its keyword. Its name gets the package later.
    fn message(&mut self) -> Result<Message, Problem> {
        let found = self.next("`message`")?;
        let line = self.line;
        let name = self.name(found, "the name of the message")?;
        if is_scalar(name) {
            return Err(self.problem(
                format!("the message `{name}` has the name of a type"),
                "fields can't refer to it: give it another name",
            ));
        }
        let what = format!("the message `{name}`");
        self.symbol('{', &what)?;
        let mut fields = Vec::new();
        loop {
            let start = self.rest;
            match self.next(&what)? {
                Kind::Symbol('}') => break,
                Kind::Symbol(';') => {}
                Kind::Word("option") => self.skip_statement("the option")?,
                Kind::Word("reserved") => self.skip_statement("`reserved`")?,
                Kind::Word(
                    word @ ("message" | "enum" | "oneof" | "extend" | "extensions" | "group"),
                ) => {
                    return Err(self.unsupported(&format!("{word} in a message")));
                }
                Kind::Word(_) => {
                    self.rest = start;
                    if let Some(field) = self.field(&what)? {
                        self.add_field(&mut fields, field, name);
                    }
                }
                other => return Err(self.unexpected(other, "a field or `}`")),
            }
        }
        Ok(Message {
            name: name.to_owned(),
            place: Location {
                file: self.file.to_owned(),
                line,
            },
            fields,
        })
    }

    /// Parses a field, and returns none if its number is wrong.
    fn field(&mut self, what: &str) -> Result<Option<ProtoField>, Problem> {
        let (label, ty) = self.label_and_type(what)?;
        let found = self.next(what)?;
        let line = self.line;
        let name = self.name(found, "the name of a field")?.to_owned();
        let of_field = format!("the field `{name}`");
        self.symbol('=', &of_field)?;
        let number = self.next(&of_field)?;
        let number = self.number(number, &name)?;
        let mut field = ProtoField {
            json: None,
            name,
            number: number.unwrap_or_default(),
            label,
            ty,
            keeps_zero: false,
            line,
        };
        match self.next(&of_field)? {
            Kind::Symbol(';') => {}
            Kind::Symbol('[') => self.options(&mut field, &of_field)?,
            other => return Err(self.unexpected(other, "`;`")),
        }
        Ok(number.map(|_| field))
    }

    /// Parses the options that a field may have after `[`, and what ends the field.
    fn options(&mut self, field: &mut ProtoField, of_field: &str) -> Result<(), Problem> {
        loop {
            let option = self.next(of_field)?;
            if !matches!(option, Kind::Word("json_name" | "default")) {
                return Err(self.problem(
                    format!("the field `{}` has options", field.name),
                    "options such as `packed` change the bytes, and Kubernetes' fields have none: \
                     take them out; only `json_name` and `default` are known",
                ));
            }
            self.symbol('=', of_field)?;
            let value = self.next(of_field)?;
            match (option, value) {
                (Kind::Word("default"), value) => self.check_default(field, value)?,
                (_, Kind::Text(json)) => {
                    field.json = Some(json.to_owned()).filter(|json| *json != field.name);
                }
                (_, other) => return Err(self.unexpected(other, "a name in quotes")),
            }
            match self.next(of_field)? {
                Kind::Symbol(',') => {}
                Kind::Symbol(']') => return self.symbol(';', of_field),
                other => return Err(self.unexpected(other, "`,` or `]`")),
            }
        }
    }

    /// Takes the default of a field, which is its zero value.
    fn check_default(&self, field: &mut ProtoField, value: Kind<'_>) -> Result<(), Problem> {
        let written = match value {
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Word(word) => word.to_owned(),
            Kind::Symbol(symbol) => symbol.to_string(),
        };
        field.keeps_zero = field.label == Label::Required && field.ty.zero() == Some(&written);
        if field.keeps_zero {
            return Ok(());
        }
        Err(self.problem(
            format!(
                "the field `{}` has the default {}",
                field.name,
                value.shown()
            ),
            "a `required` field has its zero value as its default if Go's JSON has that, and other \
             fields have none: take it out",
        ))
    }

    fn label_and_type(&mut self, what: &str) -> Result<(Label, ProtoType), Problem> {
        let found = self.next(what)?;
        let label = match found {
            Kind::Word("required") => Label::Required,
            Kind::Word("optional") => Label::Optional,
            Kind::Word("repeated") => Label::Repeated,
            Kind::Word("map") => return Ok((Label::Map, self.values_of_map(what)?)),
            other => {
                return Err(self.unexpected(other, "`required`, `optional`, `repeated` or `map`"));
            }
        };
        match self.next(what)? {
            Kind::Word("map") if self.rest.first().map(|t| t.kind) == Some(Kind::Symbol('<')) => {
                Err(self.problem("a label before `map`", "maps have none: take it out"))
            }
            Kind::Word("group") => Err(self.unsupported("group in a message")),
            found => Ok((label, self.ty(found)?)),
        }
    }

    /// Parses the types of a map after its keyword, and returns that of the values.
    fn values_of_map(&mut self, what: &str) -> Result<ProtoType, Problem> {
        self.symbol('<', what)?;
        match self.next(what)? {
            Kind::Word("string") => {}
            other => {
                return Err(self.problem(
                    format!("the keys of a map are {}", other.shown()),
                    "Kubernetes' maps have keys of the type `string`",
                ));
            }
        }
        self.symbol(',', what)?;
        let found = self.next(what)?;
        let ty = self.ty(found)?;
        self.symbol('>', what)?;
        Ok(ty)
    }

    fn ty(&self, found: Kind<'_>) -> Result<ProtoType, Problem> {
        let Kind::Word(word) = found else {
            return Err(self.unexpected(found, "a type"));
        };
        if let Some((_, scalar)) = SCALARS.iter().find(|(name, _)| *name == word) {
            return Ok(scalar.clone());
        }
        if OTHER_SCALARS.contains(&word) {
            let scalars: Vec<_> = SCALARS.iter().map(|(name, _)| *name).collect();
            return Err(self.problem(
                format!("the type `{word}`, which Kubernetes doesn't use"),
                format!("use one of {}", scalars.join(", ")),
            ));
        }
        let path = word.strip_prefix('.').unwrap_or(word);
        if !path.split('.').all(is_name) {
            return Err(self.problem(
                format!("`{word}` is not a type"),
                "name a message of the same package, or one of another as \
                 `.k8s.io.api.core.v1.Name`",
            ));
        }
        Ok(ProtoType::Message(word.to_owned()))
    }

    /// Returns the number of a field. One that no field can have is reported, and is none.
    fn number(&mut self, found: Kind<'_>, field: &str) -> Result<Option<u32>, Problem> {
        let Kind::Word(word) = found else {
            return Err(self.unexpected(found, "the number of the field"));
        };
        let is_decimal =
            word.bytes().all(|b| b.is_ascii_digit()) && (word == "0" || !word.starts_with('0'));
        if !is_decimal {
            return Err(self.problem(
                format!("`{word}` is not the number of a field"),
                "write it with decimal digits, without a zero before them",
            ));
        }
        let number = word.parse().ok();
        let possible = number.filter(|number| (1..=LARGEST_NUMBER).contains(number));
        let problem = match possible {
            None => format!("the field `{field}` has the number {word}"),
            Some(number) if KEPT_NUMBERS.contains(&number) => {
                format!(
                    "the field `{field}` has the number {word}, which protobuf keeps for itself"
                )
            }
            possible => return Ok(possible),
        };
        let help = format!(
            "numbers are from 1 to {LARGEST_NUMBER}, without {} to {}",
            KEPT_NUMBERS.start(),
            KEPT_NUMBERS.end()
        );
        let problem = self.problem(problem, help);
        self.problems.push(problem);
        Ok(None)
    }

    /// Adds a field, or reports that another one has its name or number.
    fn add_field(&mut self, fields: &mut Vec<ProtoField>, field: ProtoField, message: &str) {
        let ProtoField {
            name, number, line, ..
        } = &field;
        let double = fields.iter().find_map(|other| {
            let same = match other {
                _ if other.name == *name => format!("the name `{name}`"),
                _ if other.number == *number => format!("the number {number}"),
                _ => return None,
            };
            Some((same, other.line))
        });
        match double {
            None => fields.push(field),
            Some((same, first)) => self.problems.push(Problem::new(
                *line,
                format!("two fields of `{message}` have {same}"),
                format!("the first is in line {first}: give this one another, or take it out"),
            )),
        }
    }

    /// Adds a message, or reports that another one has its name.
    fn add(&mut self, messages: &mut Vec<Message>, message: Message) {
        let first = messages.iter().find(|other| other.name == message.name);
        match first.map(|first| first.place.line) {
            None => messages.push(message),
            Some(first) => self.problems.push(Problem::new(
                message.place.line,
                format!("two messages have the name `{}`", message.name),
                format!("the first is in line {first}: take one of them out"),
            )),
        }
    }

    /// Skips the rest of a statement, which may have braces.
    fn skip_statement(&mut self, what: &str) -> Result<(), Problem> {
        let mut open = 0_usize;
        loop {
            match self.next(what)? {
                Kind::Symbol('{') => open += 1,
                Kind::Symbol('}') if open == 0 => {
                    return Err(self.unexpected(Kind::Symbol('}'), "`;`"));
                }
                Kind::Symbol('}') => open -= 1,
                Kind::Symbol(';') if open == 0 => return Ok(()),
                _ => {}
            }
        }
    }

    /// Takes a token of `what`, in which the file must not end.
    fn next(&mut self, what: &str) -> Result<Kind<'a>, Problem> {
        let Some((first, rest)) = self.rest.split_first() else {
            return Err(self.problem(
                format!("the file ends in {what}"),
                "it may have been cut off: get it again, or close what is open",
            ));
        };
        self.rest = rest;
        self.line = first.line;
        Ok(first.kind)
    }

    fn symbol(&mut self, wanted: char, what: &str) -> Result<(), Problem> {
        match self.next(what)? {
            Kind::Symbol(found) if found == wanted => Ok(()),
            other => Err(self.unexpected(other, &format!("`{wanted}`"))),
        }
    }

    fn name(&self, found: Kind<'a>, wanted: &str) -> Result<&'a str, Problem> {
        match found {
            Kind::Word(name) if is_name(name) => Ok(name),
            other => Err(self.unexpected(other, wanted)),
        }
    }

    fn problem(&self, message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem::new(self.line, message, help)
    }

    fn unexpected(&self, found: Kind<'_>, wanted: &str) -> Problem {
        let message = format!("{} where {wanted} is expected", found.shown());
        self.problem(
            message,
            "see https://protobuf.dev/reference/protobuf/proto2-spec",
        )
    }

    fn unsupported(&self, what: &str) -> Problem {
        self.problem(
            format!("`{what}` isn't read"),
            "Kubernetes' files have none: declare messages side by side, with plain fields",
        )
    }
}

/// Gives a package its name, and its messages their full names.
fn named(mut package: Package, name: Option<(String, usize)>) -> Result<Parsed, Problem> {
    let Some((name, line)) = name else {
        return Err(Problem::new(
            1,
            "the file has no `package`",
            "name it after its folder, as in `package k8s.io.api.core.v1;`",
        ));
    };
    for message in &mut package.messages {
        message.name = format!("{name}.{}", message.name);
    }
    Ok(Parsed {
        name,
        line,
        package,
    })
}

/// Returns true for the name of a type that isn't a message.
fn is_scalar(name: &str) -> bool {
    SCALARS.iter().any(|(scalar, _)| *scalar == name) || OTHER_SCALARS.contains(&name)
}

/// Returns true for a name of a field, a message or a part of a package.
fn is_name(text: &str) -> bool {
    let is_of_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.bytes().all(is_of_name) && text.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

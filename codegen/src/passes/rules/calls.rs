//! The calls of `Checker` that keywords become.

use regex_lite::Regex;
use serde_json::Value;

use super::Reader;
use crate::keyword::{self, Form, Keyword, Meaning, Method, Modification, Sort, TABLE};
use crate::model::{Argument, Asked, Call, ErrorType, NameFormat, Takes, TextFormat};
use crate::pointer::Pointer;

impl Reader<'_> {
    /// The call that a keyword asks for.
    pub(super) fn call(
        &mut self,
        keyword: &'static Keyword,
        methods: &'static [Method],
        value: &Value,
        (sort, asked): (Sort, &Asked),
        pointer: &Pointer,
    ) -> Option<Call> {
        let name = keyword.name;
        let format = value.as_str().and_then(TextFormat::parse);
        if name == "format"
            && self.version.is_custom
            && sort == Sort::Text
            && let Some(format) = format
        {
            let format = vec![Argument::TextFormat(format)];
            return Some(Call::new("text_format", Takes::Text, format));
        }
        // Other formats are types.
        let is_type = |text: &str| NameFormat::parse(text).is_none();
        if name == "format" && value.as_str().is_some_and(is_type) {
            return None;
        }
        // Of texts, it is the type.
        let numbers = [Sort::Number, Sort::Fraction];
        let has_texts = value
            .as_array()
            .is_some_and(|v| v.iter().any(Value::is_string));
        if name == "enum" && (has_texts || !numbers.contains(&sort)) {
            return None;
        }
        let Some(method) = methods.iter().find(|method| method.of == sort) else {
            self.unfit(name, pointer);
            return None;
        };
        let mut arguments = self.argument(name, method.argument, value, pointer)?;
        let error = asked
            .keywords
            .get("x-error-type")
            .and_then(|errors| errors.get(name));
        let error_type = error.and_then(error_type).or(method.error_type);
        arguments.extend(match (error_type, method.named) {
            (Some(error_type), true) => Some(Argument::Problem(error_type, name)),
            (Some(error_type), false) => Some(Argument::ErrorType(error_type)),
            (None, true) => Some(Argument::Text(name.to_owned())),
            (None, false) => None,
        });
        let mut call = Call {
            guards: method.guards,
            alone: method.alone,
            ..Call::new(method.name, method.takes, arguments)
        };
        for modifier in TABLE {
            if let Meaning::Modifies(other, modification) = &modifier.meaning
                && *other == name
                && let Some(value) = asked.keywords.get(modifier.name)
            {
                let releases = super::releases(value);
                match modification {
                    Modification::Method(method) if *value == Value::Bool(true) => {
                        call.method = method;
                    }
                    Modification::Method(_) => {}
                    Modification::Unguarded => call.unguarded = releases,
                    Modification::OnCreateOnly => call.on_create_only = releases,
                }
            }
        }
        Some(call)
    }

    fn argument(
        &mut self,
        name: &str,
        form: Form,
        value: &Value,
        pointer: &Pointer,
    ) -> Option<Vec<Argument>> {
        let at = &pointer.child(name);
        match (form, value) {
            (Form::Flag, value) => self.flag(name, value, pointer).then(Vec::new),
            (Form::One, value) => match value.as_u64() {
                Some(1) => Some(Vec::new()),
                Some(0) => None,
                _ => {
                    self.report(
                        at,
                        format!("a {name} above 1"),
                        "1, for not empty, is what can be checked",
                    );
                    None
                }
            },
            (Form::Whole | Form::Count, value) => {
                let number = whole(value).filter(|n| form == Form::Whole || *n >= 0);
                let wanted = match form {
                    Form::Count => "a whole number of at least 0",
                    _ => "a whole number",
                };
                if number.is_none() {
                    self.wrong::<()>(name, value, wanted, pointer);
                }
                Some(vec![Argument::Int(number?)])
            }
            (Form::Number, value) => {
                let number = value.as_f64();
                if number.is_none() {
                    self.wrong::<()>(name, value, "a number", pointer);
                }
                Some(vec![Argument::Number(number?)])
            }
            (Form::Wholes, value) => {
                let values = value.as_array().into_iter().flatten();
                let numbers: Option<Vec<_>> = values.map(whole).collect();
                if numbers.is_none() {
                    self.wrong::<()>(name, value, "a list of whole numbers", pointer);
                }
                Some(vec![Argument::Wholes(numbers?)])
            }
            (Form::Numbers, value) => {
                let values = value.as_array().into_iter().flatten();
                let numbers: Option<Vec<_>> = values.map(Value::as_f64).collect();
                if numbers.is_none() {
                    self.wrong::<()>(name, value, "a list of numbers", pointer);
                }
                Some(vec![Argument::Numbers(numbers?)])
            }
            (Form::NameFormat, value) => {
                let format = value.as_str().and_then(NameFormat::parse)?;
                Some(vec![Argument::NameFormat(format)])
            }
            (Form::Pattern, Value::String(text)) => match Regex::new(text) {
                Ok(_) => Some(vec![Argument::Pattern(text.clone())]),
                Err(error) => {
                    self.report(
                        at,
                        format!("no regular expression: {error}"),
                        "write it in the syntax of the crate regex-lite, which Go's is much like",
                    );
                    None
                }
            },
            (Form::Pattern, value) => self.wrong(name, value, "a text", pointer),
        }
    }

    pub(super) fn check_error_types(&mut self, asked: &Asked, sort: Sort, pointer: &Pointer) {
        let Some(value) = asked.keywords.get("x-error-type") else {
            return;
        };
        let Value::Object(given) = value else {
            let wanted = "an object of keywords and types of errors";
            self.wrong::<()>("x-error-type", value, wanted, pointer);
            return;
        };
        let at = &pointer.child("x-error-type");
        for (name, value) in given {
            let shown = name.escape_debug();
            let can = keyword::find(name).is_some_and(|keyword| match &keyword.meaning {
                Meaning::Calls(calls) => calls
                    .methods(self.version.is_custom)
                    .iter()
                    .any(|method| method.of == sort && method.error_type.is_some()),
                _ => false,
            });
            if !can {
                let message = format!("`x-error-type` has no effect on `{shown}`");
                let help = "it is for maxLength, maxItems and maxProperties";
                self.report(at, message, help);
            } else if !asked.keywords.contains_key(name) {
                let message = format!("`x-error-type` has no effect without `{shown}`");
                self.report(at, message, "add the keyword, or remove it here");
            }
            if error_type(value).is_none() {
                self.unknown_type(value.as_str().unwrap_or_default(), at);
            }
        }
    }
}

/// The type of error that an overlay says for a keyword.
fn error_type(value: &Value) -> Option<ErrorType> {
    value.as_str().and_then(ErrorType::parse)
}

/// The whole number that a value is; openapiv3 has some as numbers with fractions.
fn whole(value: &Value) -> Option<i64> {
    let exact = |number: f64| number.fract() == 0.0 && number.abs() <= 2f64.powi(53);
    let whole = || value.as_f64().filter(|number| exact(*number));
    value
        .as_i64()
        .or_else(|| whole().map(|number| number as i64))
}

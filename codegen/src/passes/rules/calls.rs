//! The calls of `Checker` that keywords become.

use serde_json::Value;

use super::Reader;
use crate::expression::Expression;
use crate::keyword::{
    self, ArgumentForm, Keyword, Meaning, Method, Modification, TABLE, ValueKind,
};
use crate::model::{
    Argument, Call, ErrorType, Following, Known, NameFormat, RuleKeywords, TextFormat, ValueForm,
};
use crate::pointer::Pointer;
use crate::release::Releases;

impl Reader<'_> {
    /// The call that a keyword asks for.
    pub(super) fn call(
        &mut self,
        keyword: &'static Keyword,
        methods: &'static [Method],
        value: &Value,
        (sort, rule_keywords): (ValueKind, &RuleKeywords),
        pointer: &Pointer,
    ) -> Option<Call> {
        let name = keyword.name;
        let format = value.as_str().and_then(TextFormat::parse);
        if name == "format"
            && self.version.is_custom
            && let Some(takes) = text(sort)
            && let Some(format) = format
        {
            if sort == ValueKind::DateTime && format == TextFormat::DateTime {
                return Some(Call::new("date_time", takes, Vec::new()));
            }
            let format = vec![Argument::TextFormat(format)];
            return Some(Call::new("text_format", takes, format));
        }
        if name == "format" && self.version.is_custom && sort == ValueKind::Bytes {
            return Some(Call::new("encoded", ValueForm::Reference, Vec::new()));
        }
        if name == "format" && sort == ValueKind::Fraction && *value == "float" {
            let is_custom = self.version.is_custom;
            return is_custom.then(|| Call::new("single", ValueForm::Fraction, Vec::new()));
        }
        // Other formats are types.
        let is_type = |text: &str| NameFormat::parse(text).is_none();
        if name == "format" && value.as_str().is_some_and(is_type) {
            return None;
        }
        // An `enum` of texts is the type.
        let has_texts = || {
            let mut values = value.as_array().into_iter().flatten();
            values.any(Value::is_string)
        };
        let is_type = || match sort {
            ValueKind::Number | ValueKind::Fraction | ValueKind::Flag => has_texts(),
            ValueKind::Either | ValueKind::DateTime => false,
            _ => true,
        };
        if name == "enum" && is_type() {
            return None;
        }
        let Some(method) = methods.iter().find(|method| method.of == sort) else {
            self.unfit(name, value, pointer);
            return None;
        };
        let mut arguments = self.argument(name, method.argument, value, pointer)?;
        let error = rule_keywords
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
            alone: method.alone,
            ..Call::new(method.name, method.takes, arguments)
        };
        let (mut unguarded, mut on_create) = (None, None);
        for modifier in TABLE {
            if let Meaning::Modifies(other, modification) = &modifier.meaning
                && *other == name
                && let Some(value) = rule_keywords.keywords.get(modifier.name)
            {
                let releases = super::releases(value);
                match modification {
                    Modification::Method(method) if *value == Value::Bool(true) => {
                        call.method = method;
                    }
                    Modification::Method(_) => {}
                    Modification::Unguarded => unguarded = releases,
                    Modification::OnCreateOnly => on_create = releases,
                }
            }
        }
        call.following = following(method.guards, unguarded, on_create);
        Some(call)
    }

    fn argument(
        &mut self,
        name: &str,
        form: ArgumentForm,
        value: &Value,
        pointer: &Pointer,
    ) -> Option<Vec<Argument>> {
        let at = &pointer.child(name);
        match (form, value) {
            (ArgumentForm::Flag, value) => self.flag(name, value, pointer).then(Vec::new),
            (ArgumentForm::One, value) => match value.as_u64() {
                Some(1) => Some(Vec::new()),
                Some(0) => None,
                _ => {
                    let reason = "1, for not empty, is what can be checked";
                    self.keyword(
                        name,
                        value,
                        reason,
                        (at, format!("a {name} above 1"), reason),
                    );
                    None
                }
            },
            (ArgumentForm::Whole | ArgumentForm::Count, value) => {
                let number = whole(value).filter(|n| form == ArgumentForm::Whole || *n >= 0);
                let wanted = match form {
                    ArgumentForm::Count => "a whole number of at least 0",
                    _ => "a whole number",
                };
                if number.is_none() {
                    self.wrong::<()>(name, value, wanted, pointer);
                }
                Some(vec![Argument::Int(number?)])
            }
            (ArgumentForm::Number, value) => {
                let number = value.as_f64();
                if number.is_none() {
                    self.wrong::<()>(name, value, "a number", pointer);
                }
                Some(vec![Argument::Number(number?)])
            }
            (ArgumentForm::Wholes, value) => {
                let numbers = self.each(name, value, whole, "whole numbers", pointer)?;
                Some(vec![Argument::Wholes(numbers)])
            }
            (ArgumentForm::Numbers, value) => {
                let numbers = self.each(name, value, Value::as_f64, "numbers", pointer)?;
                Some(vec![Argument::Numbers(numbers)])
            }
            (ArgumentForm::Known, value) => {
                let wanted = "texts, whole numbers or flags";
                let known = self.each(name, value, Known::read, wanted, pointer)?;
                Some(vec![Argument::Known(known)])
            }
            (ArgumentForm::Texts, value) => {
                let text = |value: &Value| value.as_str().map(str::to_owned);
                let texts = self.each(name, value, text, "texts", pointer)?;
                Some(vec![Argument::Texts(texts)])
            }
            (ArgumentForm::NameFormat, value) => {
                let format = value.as_str().and_then(NameFormat::parse)?;
                Some(vec![Argument::NameFormat(format)])
            }
            (ArgumentForm::Pattern, Value::String(text)) => match Expression::read(text) {
                Ok(expression) => Some(vec![Argument::Pattern(expression)]),
                Err(reason) => {
                    let message = format!("no regular expression: {reason}");
                    let help = "write it in Go's syntax, without classes of Unicode";
                    self.keyword(name, value, &reason, (at, message, help));
                    None
                }
            },
            (ArgumentForm::Pattern, value) => self.wrong(name, value, "a text", pointer),
        }
    }

    /// The values of a list that has only some of one sort.
    fn each<T>(
        &mut self,
        name: &str,
        value: &Value,
        read: impl Fn(&Value) -> Option<T>,
        wanted: &str,
        pointer: &Pointer,
    ) -> Option<Vec<T>> {
        let values = value.as_array().into_iter().flatten();
        let read = values.map(read).collect();
        if Option::is_none(&read) {
            self.wrong::<()>(name, value, &format!("a list of {wanted}"), pointer);
        }
        read
    }

    pub(super) fn check_error_types(
        &mut self,
        rule_keywords: &RuleKeywords,
        sort: ValueKind,
        pointer: &Pointer,
    ) {
        let Some(value) = rule_keywords.keywords.get("x-error-type") else {
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
            } else if !rule_keywords.keywords.contains_key(name) {
                let message = format!("`x-error-type` has no effect without `{shown}`");
                self.report(at, message, "add the keyword, or remove it here");
            }
            if error_type(value).is_none() {
                self.unknown_type(value.as_str().unwrap_or_default(), at);
            }
        }
    }
}

/// Decides when the checks after a call are made, given whether the call guards them, the servers
/// for which it doesn't, and those that make them on creation only.
fn following(guards: bool, unguarded: Option<Releases>, on_create: Option<Releases>) -> Following {
    match on_create {
        _ if guards && unguarded.is_none_or(|servers| !servers.is_all()) => Following::IfPassed {
            or: unguarded,
            on_create,
        },
        Some(servers) => Following::OnCreate(servers),
        None => Following::Always,
    }
}

/// The type of error that an overlay says for a keyword.
fn error_type(value: &Value) -> Option<ErrorType> {
    value.as_str().and_then(ErrorType::parse)
}

/// The form in which a check takes values that are texts on the wire and in Rust.
fn text(sort: ValueKind) -> Option<ValueForm> {
    match sort {
        ValueKind::Text => Some(ValueForm::Text),
        ValueKind::DateTime | ValueKind::Enumeration => Some(ValueForm::AsStr),
        ValueKind::Either => Some(ValueForm::TextOf),
        _ => None,
    }
}

/// The whole number that a value is; openapiv3 has some as numbers with fractions.
fn whole(value: &Value) -> Option<i64> {
    let exact = |number: f64| number.fract() == 0.0 && number.abs() <= 2f64.powi(53);
    let whole = || value.as_f64().filter(|number| exact(*number));
    value
        .as_i64()
        .or_else(|| whole().map(|number| number as i64))
}

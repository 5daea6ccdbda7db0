//! Combinations of schemas of custom resources: `allOf`, `anyOf`, `oneOf` and `not`.

use serde_json::{Map, Value};

use super::Reader;
use crate::expression::Expression;
use crate::keyword::{COMBINED, ELEMENT};
use crate::load::shown;
use crate::model::{
    Argument, Call, Check, Constraint, Known, NameFormat, Rule, TextFormat, ValueForm,
};
use crate::pointer::Pointer;

/// The largest number of which floats have all below.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Reader<'_> {
    /// The checks of a value for the combinations of schemas that it has.
    pub(super) fn combinations(&mut self, value: &Value, pointer: &Pointer) -> Vec<Rule> {
        let all = value.as_object().into_iter().flatten();
        let rules = all.filter_map(|(name, value)| {
            let combination = self.combination(name, value, pointer)?;
            let arguments = vec![Argument::Combined(combination)];
            Some(Rule {
                keyword: COMBINED,
                check: Check::Call(Call::new("combined", ValueForm::Reference, arguments)),
            })
        });
        rules.collect()
    }

    /// The schema of an element that can be `null`. Its rules in CEL are listed as unchecked.
    fn element(&mut self, schema: &Value, pointer: &Pointer) -> Option<Constraint> {
        let name = "x-kubernetes-validations";
        let rules = schema.get(name).and_then(Value::as_array);
        let message = "a rule of elements that can be `null` can't be checked";
        for rule in rules.into_iter().flatten() {
            let text = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
            let reason = "elements that can be `null` are read as JSON";
            let help = "ask it of the list, or take it out with an overlay";
            self.cannot(pointer, (text.to_owned(), reason), message, help);
        }
        match element(schema) {
            Ok(all) => (!all.is_empty()).then_some(Constraint::Schema(all)),
            Err(reason) => {
                let message = "a schema of elements that can be `null` can't be checked";
                let help = format!("{reason}; take it out with an overlay");
                let rule = shown("nullable", schema);
                self.cannot(pointer, (rule, &reason), message, help);
                None
            }
        }
    }

    /// A combination of schemas; without one, it is listed as unchecked.
    pub(super) fn combination(
        &mut self,
        name: &str,
        value: &Value,
        pointer: &Pointer,
    ) -> Option<Constraint> {
        if name == ELEMENT {
            return self.element(value, pointer);
        }
        match constraint(name, value, &Map::new()) {
            Ok(found) => found,
            Err(reason) => {
                let message = "a combination of schemas that can't be checked".to_owned();
                let help = format!("{reason}; take it out with an overlay");
                self.keyword(name, value, &reason, (&pointer.child(name), message, &help));
                None
            }
        }
    }
}

/// The constraints of a schema in a combination, or the reason why it can't be checked.
fn constraints(schema: &Value) -> Result<Vec<Constraint>, String> {
    let Value::Object(schema) = schema else {
        return Err("a schema in it is no object".to_owned());
    };
    let mut all = Vec::new();
    for (name, value) in schema {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    all.push(Constraint::Property(name.clone(), constraints(property)?));
                }
            }
            _ => all.extend(constraint(name, value, schema)?),
        }
    }
    Ok(all)
}

/// The constraints of the schema of an element that can be `null`, or the reason why it can't be
/// checked.
fn element(schema: &Value) -> Result<Vec<Constraint>, String> {
    let schema = schema.as_object().ok_or("it is no object")?;
    let mut all = Vec::new();
    let form = format(schema.get("format").unwrap_or(&Value::Null))?;
    let ty = schema.get("type").and_then(Value::as_str);
    let either = schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true));
    match ty {
        _ if either => {
            let types = ["integer", "string"].map(str::to_owned);
            all.push(Constraint::Type(types.to_vec()));
        }
        // A server asks for the format only.
        Some("string") if form.is_some() => {}
        Some(ty) => {
            let is_short = schema.get("format").and_then(Value::as_str) == Some("int32");
            let ty = if ty == "integer" && is_short {
                "int32"
            } else {
                ty
            };
            all.push(Constraint::Type(vec![ty.to_owned()]));
        }
        None => {}
    }
    for (name, value) in schema {
        match (name.as_str(), value) {
            ("type" | "nullable" | "x-kubernetes-validations", _) => {}
            ("x-kubernetes-int-or-string" | "x-kubernetes-preserve-unknown-fields", _) => {}
            ("anyOf" | "allOf", _) if either => return Err(cannot(name)),
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    // Nothing sets defaults in JSON, and no rule in CEL is evaluated there.
                    for keyword in ["default", "x-kubernetes-validations"] {
                        if property.get(keyword).is_some() {
                            return Err(cannot(keyword));
                        }
                    }
                    all.push(Constraint::Property(name.clone(), element(property)?));
                }
            }
            // Elements in it would have to be no `null`.
            ("items" | "additionalProperties", _) => return Err(cannot(name)),
            _ => all.extend(constraint(name, value, schema)?),
        }
    }
    Ok(all)
}

/// The constraint of a keyword beside others of its schema, if it is one.
fn constraint(
    name: &str,
    value: &Value,
    schema: &Map<String, Value>,
) -> Result<Option<Constraint>, String> {
    let is_exclusive = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    Ok(Some(match name {
        "allOf" | "anyOf" | "oneOf" => {
            let schemas = value.as_array().into_iter().flatten().map(constraints);
            let schemas = schemas.collect::<Result<Vec<_>, _>>()?;
            match name {
                _ if schemas.is_empty() => return Ok(None),
                "allOf" => Constraint::AllOf(schemas),
                "anyOf" => Constraint::AnyOf(schemas),
                _ => Constraint::OneOf(schemas),
            }
        }
        "not" => Constraint::Not(constraints(value)?),
        "required" => Constraint::Required(texts(value).ok_or_else(|| cannot(name))?),
        "items" => Constraint::Items(constraints(value)?),
        "enum" => enumeration(value)?,
        "pattern" => {
            let text = value.as_str().ok_or_else(|| cannot(name))?;
            if text.is_empty() {
                return Ok(None);
            }
            Constraint::Pattern(Expression::read(text)?)
        }
        "format" => return format(value),
        "minLength" => Constraint::MinLength(count(name, value)?),
        "maxLength" => Constraint::MaxLength(count(name, value)?),
        "minItems" => Constraint::MinItems(count(name, value)?),
        "maxItems" => Constraint::MaxItems(count(name, value)?),
        "minProperties" => Constraint::MinProperties(count(name, value)?),
        "maxProperties" => Constraint::MaxProperties(count(name, value)?),
        "minimum" if is_exclusive("exclusiveMinimum") => Constraint::Above(number(name, value)?),
        "minimum" => Constraint::Minimum(number(name, value)?),
        "maximum" if is_exclusive("exclusiveMaximum") => Constraint::Below(number(name, value)?),
        "maximum" => Constraint::Maximum(number(name, value)?),
        "multipleOf" => {
            let of = number(name, value)?;
            let is_whole = of.fract() == 0.0 && of >= 1.0;
            Constraint::MultipleOf(is_whole.then_some(of as i64).ok_or_else(|| cannot(name))?)
        }
        // These ask nothing.
        "description" | "title" | "example" | "externalDocs" | "default" | "exclusiveMinimum"
        | "exclusiveMaximum" => return Ok(None),
        "additionalProperties" | "uniqueItems" | "nullable" | "properties" | "type" | "$ref" => {
            let asks_nothing = match name {
                "additionalProperties" => *value == Value::Bool(true),
                "uniqueItems" | "nullable" => *value == Value::Bool(false),
                _ => false,
            };
            return asks_nothing.then_some(None).ok_or_else(|| cannot(name));
        }
        name if name.starts_with("x-kubernetes-") => return Err(cannot(name)),
        // A server drops all others.
        _ => return Ok(None),
    }))
}

fn cannot(name: &str) -> String {
    format!("`{name}` like this can't be checked in a combination")
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = value.as_array()?.iter();
    texts.map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The values of an enumeration. None is ever `null` to a server.
fn enumeration(value: &Value) -> Result<Constraint, String> {
    let values = value.as_array().into_iter().flatten();
    let values: Vec<_> = values.filter(|value| !value.is_null()).cloned().collect();
    let numbers = values.iter().map(|value| number("enum", value));
    match numbers.collect::<Result<Vec<_>, _>>() {
        Ok(numbers) if !numbers.is_empty() => Ok(Constraint::Numbers(numbers)),
        _ if values.iter().all(Value::is_string) => {
            let texts = texts(&values.into()).ok_or_else(|| cannot("enum"))?;
            Ok(Constraint::Texts(texts))
        }
        _ => {
            let known: Option<Vec<_>> = values.iter().map(Known::read).collect();
            known.map(Constraint::Known).ok_or_else(|| cannot("enum"))
        }
    }
}

fn format(value: &Value) -> Result<Option<Constraint>, String> {
    let name = value.as_str().unwrap_or_default();
    let plain = name.replace('-', "");
    if let Some(format) = TextFormat::parse(name) {
        return Ok(Some(Constraint::Format(format)));
    }
    match plain == "byte" || NameFormat::parse(name).is_some() {
        true => Err(format!("a server alone checks the format `{name}`")),
        false if plain == "password" => Err(cannot("format")),
        // A server drops formats that it doesn't know, and those of numbers.
        false => Ok(None),
    }
}

fn count(name: &str, value: &Value) -> Result<usize, String> {
    let number = number(name, value)?;
    let is_count = number.fract() == 0.0 && number >= 0.0;
    is_count
        .then_some(number as usize)
        .ok_or_else(|| cannot(name))
}

fn number(name: &str, value: &Value) -> Result<f64, String> {
    let number = value.as_f64().filter(|number| number.abs() <= EXACT);
    number.ok_or_else(|| cannot(name))
}

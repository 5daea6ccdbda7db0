//! Rules: what the keywords of the schemas ask, as a list for each value.
//!
//! What is asked must be something that can be asked of a value of its type, so that no keyword
//! of an overlay is lost unseen.

mod cel;
mod types;
mod validation;

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::Value;

use crate::config::CrateConfig;
use crate::diag::{Diagnostics, Pointer};
use crate::foundation;
use crate::keyword::{self, Form, Keyword, Meaning, Method, Modification, Sort, TABLE};
use crate::model::{
    ApiVersion, Argument, Asked, Call, Check, ErrorType, Field, NameFormat, Reported,
    Role, Rule, Rules, SchemaName, Shape, Struct, Takes, Ty, Type, TypeRules, Unique,
};
use crate::name::RulePath;

/// Where to read what can be asked.
const SEE: &str = "spec/overlays/README.md says what can be asked of what";

/// Reads the rules of every type and field.
pub(super) fn run(
    version: &mut ApiVersion,
    config: &CrateConfig,
    diagnostics: &mut Diagnostics,
) {
    let mut found: Vec<(SchemaName, Found)> = Vec::new();
    for (name, ty) in &version.types {
        // Lists of kinds aren't checked. Kubernetes' own documents give some of them keys that
        // their elements don't have.
        if let Shape::Struct(object) = &ty.shape
            && !matches!(object.role, Role::List { .. })
        {
            let mut reader = Reader {
                version,
                module: config.rules.as_deref(),
                diagnostics,
            };
            found.push((name.clone(), reader.found(ty, object)));
        }
    }
    for (name, found) in found {
        let Some(object) = version.object_mut(&name) else {
            continue;
        };
        *object.rules = found.of_type;
        for (field, (rules, functions)) in object.fields.iter_mut().zip(found.fields) {
            field.rules = rules;
            field.facts.default_function = functions.default;
            field.facts.same = functions.same;
            field.asked = Asked::default();
        }
    }
}

/// What is asked of a type and of each of its fields.
struct Found {
    of_type: TypeRules,
    fields: Vec<(Rules, Functions)>,
}

/// Hand-written functions that do something else than checking.
#[derive(Default)]
struct Functions {
    default: Option<RulePath>,
    same: Option<RulePath>,
}

/// Reads keywords.
struct Reader<'a> {
    version: &'a ApiVersion,
    /// The module of the functions that are named without one.
    module: Option<&'a str>,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn found(&mut self, ty: &Type, object: &Struct) -> Found {
        let of_type = self.of_type(ty, object);
        let fields = object.fields.iter().map(|field| self.of_field(field));
        Found {
            fields: fields.collect(),
            of_type,
        }
    }

    fn of_field(&mut self, field: &Field) -> (Rules, Functions) {
        let mut rules = self.of_value(&field.ty, &field.asked, &field.pointer);
        let asked = &field.asked.keywords;
        let mut function = |name: &str| match asked.get(name) {
            None => None,
            Some(Value::String(text)) => self.function(name, text, &field.pointer),
            Some(other) => {
                self.wrong(name, other, "the name of a function", &field.pointer)
            }
        };
        let functions = Functions {
            default: function("x-set-defaults"),
            same: function("x-same"),
        };
        if rules.must_be_set() && !field.is_optional() {
            let message = "`x-must-be-set` has no effect on a required property";
            self.fault(
                &field.pointer,
                message,
                "remove it: required fields are always set",
            );
        }
        rules.reported = self.reported(&field.asked, &rules, &field.pointer);
        (rules, functions)
    }

    /// The rules of a value of a type.
    fn of_value(&mut self, ty: &Ty, asked: &Asked, pointer: &Pointer) -> Rules {
        let sort = self.sort(ty);
        let mut rules = Rules::default();
        for keyword in TABLE {
            let Some(value) = asked.keywords.get(keyword.name) else {
                continue;
            };
            match &keyword.meaning {
                Meaning::Calls(methods) => {
                    let call =
                        self.call(keyword, methods, value, (sort, asked), pointer);
                    rules.list.extend(call.map(|call| Rule {
                        keyword: keyword.name,
                        check: Check::Call(call),
                    }));
                }
                Meaning::Modifies(other, _) => {
                    self.flag(keyword.name, value, pointer);
                    // Without the other one at all, this has been reported on loading.
                    if asked.keywords.contains_key(*other)
                        && !rules.list.iter().any(|rule| rule.keyword == *other)
                    {
                        let name = keyword.name;
                        let message =
                            format!("`{name}` can't be checked of a value of this type");
                        self.fault(pointer, message, SEE);
                    }
                }
                Meaning::Read => {
                    let found = self.named(keyword.name, value, sort, pointer);
                    rules.list.extend(found);
                }
                Meaning::Schema => {}
            }
        }
        self.known_values(ty, &mut rules);
        self.unique(ty, asked, &mut rules, pointer);
        self.check_faults(asked, sort, pointer);
        if let (Ty::List(item), Some(inside)) = (ty, &asked.inside) {
            let pointer = pointer.child("items");
            let mut items = self.of_value(item, inside, &pointer);
            items.reported = self.reported(inside, &items, &pointer);
            self.check_elements(&items, &pointer);
            rules.items = (!items.is_empty()).then(|| Box::new(items));
        } else if let (Ty::Map(_), Some(inside)) = (ty, &asked.inside) {
            self.check_map_values(inside, &pointer.child("additionalProperties"));
        } else if let Ty::List(item) = ty {
            let mut items = Rules::default();
            self.known_values(item, &mut items);
            rules.items = (!items.is_empty()).then(|| Box::new(items));
        }
        rules
    }

    fn sort(&self, ty: &Ty) -> Sort {
        match ty {
            Ty::String => Sort::Text,
            Ty::I32 | Ty::I64 => Sort::Number,
            Ty::List(_) => Sort::List,
            Ty::Map(_) => Sort::Map,
            Ty::Ref(_) if self.version.own_enum(ty).is_some() => Sort::Enumeration,
            Ty::Ref(schema) => match self.version.externs.get(schema) {
                Some(external) if foundation::is_quantity(&external.path) => {
                    Sort::External
                }
                _ => Sort::Other,
            },
            _ => Sort::Other,
        }
    }

    /// The call that a keyword asks for.
    fn call(
        &mut self,
        keyword: &'static Keyword,
        methods: &'static [Method],
        value: &Value,
        (sort, asked): (Sort, &Asked),
        pointer: &Pointer,
    ) -> Option<Call> {
        let name = keyword.name;
        // Other formats are types.
        let is_type = |text: &str| NameFormat::parse(text).is_none();
        if name == "format" && value.as_str().is_some_and(is_type) {
            return None;
        }
        let Some(method) = methods.iter().find(|method| method.of == sort) else {
            let message = format!("`{name}` can't be checked of a value of this type");
            self.fault(pointer, message, SEE);
            return None;
        };
        let mut arguments = self.argument(name, method.argument, value, pointer)?;
        let error_type = self.fault_type(asked, name).or(method.error_type);
        arguments.extend(match (error_type, method.named) {
            (Some(error_type), true) => Some(Argument::Problem(error_type, name)),
            (Some(error_type), false) => Some(Argument::ErrorType(error_type)),
            (None, true) => Some(Argument::Text(name.to_owned())),
            (None, false) => None,
        });
        let mut call = Call {
            method: method.name,
            takes: method.takes,
            arguments,
            guards: method.guards,
            alone: method.alone,
        };
        for modifier in TABLE {
            if let Meaning::Modifies(other, modification) = &modifier.meaning
                && *other == name
                && asked.keywords.get(modifier.name) == Some(&Value::Bool(true))
            {
                match modification {
                    Modification::Method(method) => call.method = method,
                    Modification::Unguarded => call.guards = false,
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
                    self.fault(
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
            (Form::NameFormat, value) => {
                let format = value.as_str().and_then(NameFormat::parse)?;
                Some(vec![Argument::NameFormat(format)])
            }
            (Form::Pattern, Value::String(text)) => match Regex::new(text) {
                Ok(_) => Some(vec![Argument::Pattern(text.clone())]),
                Err(error) => {
                    self.fault(
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

    /// The rules of a keyword that is read by its name.
    fn named(
        &mut self,
        name: &'static str,
        value: &Value,
        sort: Sort,
        pointer: &Pointer,
    ) -> Vec<Rule> {
        let rule = |check| Rule {
            keyword: name,
            check,
        };
        match name {
            "x-must-be-set" if self.flag(name, value, pointer) => {
                vec![rule(Check::IsSet)]
            }
            "x-check" => {
                let functions = self.functions(name, value, pointer).into_iter();
                functions.map(|function| rule(Check::Function(function))).collect()
            }
            "x-warn" => {
                let functions = self.functions(name, value, pointer).into_iter();
                functions.map(|function| rule(Check::Warning(function))).collect()
            }
            "x-kubernetes-validations" => {
                self.validations(value, sort, pointer).into_iter().map(rule).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The values of an enumeration are checked, unless a keyword says which count.
    fn known_values(&self, ty: &Ty, rules: &mut Rules) {
        let Some((ty, _)) = self.version.own_enum(ty) else {
            return;
        };
        if rules.calls().any(|call| call.takes == Takes::AsStr) {
            return;
        }
        let call = Call {
            method: "known",
            takes: Takes::AsStr,
            arguments: vec![Argument::ValuesOf(ty.name.clone())],
            guards: false,
            alone: false,
        };
        rules.list.push(Rule {
            keyword: "enum",
            check: Check::Call(call),
        });
    }

    /// How the elements of a list must differ.
    fn unique(&mut self, ty: &Ty, asked: &Asked, rules: &mut Rules, pointer: &Pointer) {
        let keys = |name: &str| -> Vec<String> {
            let keys = asked.keywords.get(name).and_then(Value::as_array);
            let texts = keys.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        for name in ["x-unique-keys", "x-kubernetes-list-map-keys"] {
            if let Some(value) = asked.keywords.get(name)
                && keys(name).is_empty()
            {
                self.wrong::<()>(name, value, "a list of names", pointer);
            }
        }
        let allowed = asked.keywords.get("x-repeats-allowed");
        let allowed =
            allowed.is_some_and(|value| self.flag("x-repeats-allowed", value, pointer));
        let unique_keys = keys("x-unique-keys");
        let map_keys = keys("x-kubernetes-list-map-keys");
        let list_type = asked.keywords.get("x-kubernetes-list-type");
        let unique_items = asked.keywords.get("uniqueItems") == Some(&Value::Bool(true));
        let (keyword, unique) = match list_type.and_then(Value::as_str) {
            _ if allowed => return,
            _ if !unique_keys.is_empty() => (
                "x-unique-keys",
                Unique::Keys {
                    keys: unique_keys,
                    leaves_repeats: true,
                },
            ),
            Some("map") if !map_keys.is_empty() => (
                "x-kubernetes-list-map-keys",
                Unique::Keys {
                    keys: map_keys,
                    leaves_repeats: false,
                },
            ),
            Some("set") => ("x-kubernetes-list-type", Unique::Whole),
            _ if unique_items => ("uniqueItems", Unique::Whole),
            _ => return,
        };
        let Ty::List(item) = ty else {
            if keyword != "x-kubernetes-list-type" {
                let message =
                    format!("`{keyword}` can't be checked of a value of this type");
                self.fault(pointer, message, SEE);
            }
            return;
        };
        if self.can_differ(item, &unique, pointer) {
            rules.list.push(Rule {
                keyword,
                check: Check::Unique(unique),
            });
        }
    }

    /// Whether elements of a type can be compared so; the keys that tell them apart are fields
    /// of theirs.
    fn can_differ(&mut self, item: &Ty, unique: &Unique, pointer: &Pointer) -> bool {
        match unique {
            Unique::Whole => {
                *item == Ty::String || self.version.own_enum(item).is_some()
            }
            Unique::Keys { keys, .. } => {
                let Some((_, object)) = self.version.own_struct(item) else {
                    return false;
                };
                let missing: Vec<_> =
                    keys.iter().filter(|key| object.field(key).is_none()).collect();
                for key in &missing {
                    let key = key.escape_debug();
                    let message = format!("`{key}` is no property of the elements");
                    self.fault(pointer, message, SEE);
                }
                missing.is_empty()
            }
        }
    }

    /// What can't be asked of elements, because they have no stored counterpart.
    fn check_elements(&mut self, items: &Rules, pointer: &Pointer) {
        if items.immutable().next().is_some() {
            let message = "`self == oldSelf` can't be checked of elements";
            let help = "ask it of the list, or of a property of elements with keys";
            self.fault(pointer, message, help);
        }
    }

    /// Nothing is checked of the values of a map.
    fn check_map_values(&mut self, inside: &Asked, pointer: &Pointer) {
        for name in inside.keywords.keys() {
            let is_call = keyword::find(name)
                .is_some_and(|keyword| matches!(keyword.meaning, Meaning::Calls(_)));
            let is_type = |value: &Value| {
                value.as_str().is_some_and(|text| NameFormat::parse(text).is_none())
            };
            let is_type =
                name == "format" && inside.keywords.get(name).is_some_and(is_type);
            if is_call && !is_type {
                let message =
                    format!("`{name}` can't be checked of the values of a map");
                self.fault(pointer, message, SEE);
            }
        }
    }

    fn reported(&mut self, asked: &Asked, rules: &Rules, pointer: &Pointer) -> Reported {
        let above = asked.keywords.get("x-reported-above");
        let name = asked.keywords.get("x-reported-as");
        for (keyword, value) in [("x-reported-above", above), ("x-reported-as", name)] {
            if value.is_some() && rules.is_empty() {
                let message = format!("`{keyword}` has no effect without a rule");
                self.fault(pointer, message, "add what is to be checked, or remove it");
            }
        }
        Reported {
            above: above.map_or(0, |value| match value.as_u64() {
                Some(above) => above,
                None => {
                    let wanted = "a number of steps";
                    self.wrong::<()>("x-reported-above", value, wanted, pointer);
                    0
                }
            }),
            name: name.and_then(|value| match value {
                Value::String(name) => Some(name.clone()),
                other => self.wrong("x-reported-as", other, "a name", pointer),
            }),
        }
    }

    /// The types of errors that an overlay says for keywords.
    fn fault_types(asked: &Asked) -> BTreeMap<&str, Option<ErrorType>> {
        let given = asked.keywords.get("x-fault").and_then(Value::as_object);
        let given = given.into_iter().flatten();
        let parse = |value: &Value| value.as_str().and_then(ErrorType::parse);
        given.map(|(name, value)| (name.as_str(), parse(value))).collect()
    }

    fn fault_type(&self, asked: &Asked, name: &str) -> Option<ErrorType> {
        Self::fault_types(asked).get(name).copied().flatten()
    }

    fn check_faults(&mut self, asked: &Asked, sort: Sort, pointer: &Pointer) {
        let Some(value) = asked.keywords.get("x-fault") else {
            return;
        };
        let Value::Object(given) = value else {
            let wanted = "an object of keywords and types of errors";
            self.wrong::<()>("x-fault", value, wanted, pointer);
            return;
        };
        let at = &pointer.child("x-fault");
        for (name, value) in given {
            let shown = name.escape_debug();
            let can =
                keyword::find(name).is_some_and(|keyword| match &keyword.meaning {
                    Meaning::Calls(methods) => methods
                        .iter()
                        .any(|method| method.of == sort && method.error_type.is_some()),
                    _ => false,
                });
            if !can {
                let message = format!("`x-fault` has no effect on `{shown}`");
                let help = "it is for maxLength, maxItems and maxProperties";
                self.fault(at, message, help);
            } else if !asked.keywords.contains_key(name) {
                let message = format!("`x-fault` has no effect without `{shown}`");
                self.fault(at, message, "add the keyword, or remove it here");
            }
            if value.as_str().and_then(ErrorType::parse).is_none() {
                self.unknown_type(value.as_str().unwrap_or_default(), at);
            }
        }
    }

    fn unknown_type(&mut self, text: &str, pointer: &Pointer) {
        self.fault(
            pointer,
            format!("`{}` is no type of error", text.escape_debug()),
            "known are Required, Invalid, NotSupported, Duplicate, TooLong, TooMany and \
             Forbidden",
        );
    }

    /// The functions of a list of names.
    fn functions(
        &mut self,
        name: &str,
        value: &Value,
        pointer: &Pointer,
    ) -> Vec<RulePath> {
        let Value::Array(names) = value else {
            let _: Option<()> = self.wrong(name, value, "a list of functions", pointer);
            return Vec::new();
        };
        let mut functions = Vec::new();
        for function in names {
            functions.extend(match function {
                Value::String(text) => self.function(name, text, pointer),
                other => self.wrong(name, other, "a list of functions", pointer),
            });
        }
        functions
    }

    fn function(
        &mut self,
        name: &str,
        text: &str,
        pointer: &Pointer,
    ) -> Option<RulePath> {
        let function = RulePath::parse(text, self.module);
        if function.is_none() {
            let shown = text.escape_debug();
            let plain = RulePath::parse(text, Some("crate::rules")).is_some();
            let (message, help) = match plain {
                true => (
                    format!("`{shown}` is in no module"),
                    "say in codegen.toml which module of the crate has its hand-written \
                     rules, `rules = \"crate::rules\"`, or write the whole path here",
                ),
                false => (
                    format!("`{shown}` can't be the name of a function"),
                    "name a function of the module that `rules` of the crate names in \
                     codegen.toml, or write its whole path",
                ),
            };
            self.fault(&pointer.child(name), message, help);
        }
        function
    }

    /// Whether a keyword is `true`, which is all that it can be.
    fn flag(&mut self, name: &str, value: &Value, pointer: &Pointer) -> bool {
        if *value != Value::Bool(true) {
            self.wrong::<()>(name, value, "`true`", pointer);
        }
        *value == Value::Bool(true)
    }

    /// Reports a keyword of the wrong form.
    fn wrong<T>(
        &mut self,
        name: &str,
        value: &Value,
        wanted: &str,
        pointer: &Pointer,
    ) -> Option<T> {
        let text: String = value.to_string().chars().take(40).collect();
        let message = format!("`{name}` is `{}`, not {wanted}", text.escape_debug());
        self.fault(&pointer.child(name), message, SEE);
        None
    }

    fn fault(
        &mut self,
        pointer: &Pointer,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diagnostics.at(&self.version.file, pointer, message, help);
    }
}

/// The whole number that a value is; openapiv3 has some as numbers with fractions.
fn whole(value: &Value) -> Option<i64> {
    let exact = |number: f64| number.fract() == 0.0 && number.abs() <= 2f64.powi(53);
    let whole = || value.as_f64().filter(|number| exact(*number));
    value.as_i64().or_else(|| whole().map(|number| number as i64))
}

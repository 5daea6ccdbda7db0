//! Rules: makes a list of rules for each value from the keywords of its schema.
//!
//! A keyword that has no effect on values of the type is an error, so that no keyword of an overlay
//! is lost unseen.

mod calls;
mod cel;
mod combined;
mod together;
mod types;
mod unique;
mod validation;

use std::mem;

use kubernetes_schema_terms::Term;
use serde::Deserialize as _;
use serde_json::Value;

use super::features;
use crate::config::CrateConfig;
use crate::diag::Diagnostics;
use crate::foundation;
use crate::keyword::{COMBINED, Meaning, Modification, TABLE, ValueKind};
use crate::load::shown;
use crate::model::{
    ApiVersion, Argument, Call, CelForm, Check, ErrorType, Exact, Field, FieldRules, Reported,
    Resolved, Rule, RuleKeywords, Rules, Ty, TypeRules, Unchecked, ValueForm,
};
use crate::name::RulePath;
use crate::pointer::Pointer;
use crate::release::Releases;

/// The keyword of an enumeration of which a server accepts any value.
const UNKNOWN_ALLOWED: &str = "x-unknown-allowed";

/// The help that names the list of keywords.
const SEE: &str = "spec/overlays/README.md lists the keywords and where each is allowed";

/// Reads keywords.
pub(super) struct Reader<'a> {
    version: &'a ApiVersion<Resolved>,
    /// The module of the functions that are named without one.
    module: Option<&'a str>,
    /// The rules of the value that is read which aren't checked.
    unchecked: Vec<Unchecked>,
    /// The rules in CEL.
    cel: cel::Rules,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    /// Makes a reader of the keywords in a document.
    pub(super) fn new(
        version: &'a ApiVersion<Resolved>,
        config: &'a CrateConfig,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self {
            version,
            module: config.rules.as_deref(),
            unchecked: Vec::new(),
            cel: cel::Rules::default(),
            diagnostics,
        }
    }
}

impl Reader<'_> {
    /// Reads the rules of a field of a struct.
    pub(super) fn of_field(&mut self, object: &TypeRules, field: &Field<Resolved>) -> FieldRules {
        let mut rules = self.of_value(&field.ty, &field.rule_keywords, &field.pointer);
        match (&mut rules.items, &field.ty) {
            // The values of a map are compared with those of the same keys.
            (Some(values), Ty::Map(inner)) if self.version.is_custom => {
                let pointer = field.pointer.child("additionalProperties");
                self.check_deeper(values, inner, &pointer);
            }
            _ => self.check_deeper(&mut rules, &field.ty, &field.pointer),
        }
        let rule_keywords = &field.rule_keywords.keywords;
        let mut function = |name: &str| {
            let value = rule_keywords.get(name)?;
            self.function(name, value, "the name of a function", &field.pointer)
        };
        let (default_function, same) = (function("x-set-defaults"), function("x-same"));
        if rules.must_be_set() && !field.is_optional() {
            let message = "`x-must-be-set` has no effect on a required property";
            self.report(
                &field.pointer,
                message,
                "remove it: required fields are always set",
            );
        }
        rules.reported = self.reported(&field.rule_keywords, &rules, &field.pointer);
        let is_collection = matches!(field.ty, Ty::List(_) | Ty::Map(_));
        let is_member = object.exactly_one && field.is_optional() && !is_collection;
        settle_alone(&mut rules, is_member);
        FieldRules {
            rules,
            feature: features::of_field(field),
            since: features::since(field),
            sameness: cel::sameness::of_field(self.version, field),
            default_function,
            same,
            unchecked: mem::take(&mut self.unchecked),
        }
    }

    /// The rules of a value of a type.
    fn of_value(&mut self, ty: &Ty, rule_keywords: &RuleKeywords, pointer: &Pointer) -> Rules {
        let sort = self.sort(ty);
        let mut rules = Rules::default();
        for keyword in TABLE {
            let Some(value) = rule_keywords.keywords.get(keyword.name) else {
                continue;
            };
            match &keyword.meaning {
                Meaning::Calls(calls) => {
                    let methods = calls.methods(self.version.is_custom);
                    let mut call =
                        self.call(keyword, methods, value, (sort, rule_keywords), pointer);
                    if let (Some(call), Ty::Unsigned(_)) = (&mut call, ty)
                        && call.takes == ValueForm::Number
                    {
                        call.takes = ValueForm::Unsigned;
                    }
                    rules.list.extend(call.map(|call| Rule {
                        keyword: keyword.name,
                        check: Check::Call(call),
                    }));
                }
                Meaning::Modifies(other, modification) => {
                    match modification {
                        // OpenAPI's own keyword may be `false`.
                        Modification::Method(_) if *value == Value::Bool(false) => {}
                        Modification::Method(_) => {
                            self.flag(keyword.name, value, pointer);
                        }
                        Modification::Unguarded | Modification::OnCreateOnly => {
                            self.check_releases(keyword.name, value, pointer);
                        }
                    }
                    // Without the other one at all, this has been reported on loading.
                    if rule_keywords.keywords.contains_key(*other)
                        && !rules.list.iter().any(|rule| rule.keyword == *other)
                    {
                        self.unfit(keyword.name, value, pointer);
                    }
                }
                Meaning::Read => {
                    let found = {
                        let of = (ty, &CelForm::of(rule_keywords), sort);
                        self.named(keyword.name, value, of, pointer)
                    };
                    rules.list.extend(found);
                }
                Meaning::Schema => {}
            }
        }
        match rule_keywords.keywords.get(UNKNOWN_ALLOWED) {
            None => self.known_values(ty, &mut rules),
            Some(value) if sort == ValueKind::Enumeration => {
                self.flag(UNKNOWN_ALLOWED, value, pointer);
            }
            Some(value) => self.unfit(UNKNOWN_ALLOWED, value, pointer),
        }
        quantity(sort, &mut rules);
        self.unique(ty, rule_keywords, &mut rules, pointer);
        self.check_error_types(rule_keywords, sort, pointer);
        if let (Ty::List(item), Some(inside)) = (ty, &rule_keywords.inside) {
            let pointer = pointer.child("items");
            let mut items = self.of_value(item, inside, &pointer);
            items.reported = self.reported(inside, &items, &pointer);
            rules.items = (!items.is_empty()).then(|| Box::new(items));
        } else if let (Ty::Map(value), Some(inside)) = (ty, &rule_keywords.inside) {
            let pointer = pointer.child("additionalProperties");
            let items = self.of_value(value, inside, &pointer);
            rules.items = (!items.is_empty()).then(|| Box::new(items));
        } else if let Ty::List(item) = ty {
            let mut items = Rules::default();
            self.known_values(item, &mut items);
            rules.items = (!items.is_empty()).then(|| Box::new(items));
        }
        rules
    }

    fn sort(&self, ty: &Ty) -> ValueKind {
        match ty {
            Ty::String => ValueKind::Text,
            Ty::Bool => ValueKind::Flag,
            Ty::I32 | Ty::I64 | Ty::Unsigned(_) => ValueKind::Number,
            Ty::F32 | Ty::F64 | Ty::Exact(Exact::Number) => ValueKind::Fraction,
            Ty::IntOrString | Ty::Exact(Exact::IntOrString | Exact::IntOrQuantity) => {
                ValueKind::Either
            }
            Ty::Exact(Exact::DateTime) => ValueKind::DateTime,
            Ty::Bytes => ValueKind::Bytes,
            Ty::List(_) => ValueKind::List,
            Ty::Map(_) => ValueKind::Map,
            Ty::Ref(_) if self.version.own_enum(ty).is_some() => ValueKind::Enumeration,
            Ty::Ref(schema) => match self.version.externs.get(schema) {
                Some(external) if foundation::is_quantity(&external.path) => ValueKind::External,
                _ => ValueKind::Other,
            },
            _ => ValueKind::Other,
        }
    }

    /// The rules of a keyword that is read by its name.
    fn named(
        &mut self,
        name: &'static str,
        value: &Value,
        (ty, form, sort): (&Ty, &CelForm, ValueKind),
        pointer: &Pointer,
    ) -> Vec<Rule> {
        let rule = |check| Rule {
            keyword: name,
            check,
        };
        let functions = |reader: &mut Self, check: fn(RulePath) -> Check| {
            let functions = reader.functions(name, value, pointer).into_iter();
            functions.map(|function| rule(check(function))).collect()
        };
        match name {
            "x-must-be-set" if self.flag(name, value, pointer) => {
                vec![rule(Check::IsSet)]
            }
            COMBINED => self.combinations(value, pointer),
            "x-check-reading" => functions(self, Check::Reading),
            "x-check" => functions(self, Check::Function),
            "x-warn" => functions(self, Check::Warning),
            "x-kubernetes-validations" => self
                .validations(value, (ty, form, Some(sort)), pointer)
                .into_iter()
                .map(rule)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The values of an enumeration are checked, unless a keyword says which count.
    fn known_values(&self, ty: &Ty, rules: &mut Rules) {
        let Some((ty, _)) = self.version.own_enum(ty) else {
            return;
        };
        // A server checks both of a custom resource.
        let replacing = ["pattern", "x-kubernetes-validations"];
        let replaces = |rule: &Rule| {
            let is_call = matches!(&rule.check, Check::Call(_));
            is_call && replacing.contains(&rule.keyword)
        };
        if !self.version.is_custom && rules.list.iter().any(replaces) {
            return;
        }
        let values = vec![Argument::ValuesOf(ty.name.clone())];
        let call = Call::new("known", ValueForm::AsStr, values);
        rules.list.push(Rule {
            keyword: "enum",
            check: Check::Call(call),
        });
    }

    /// Leaves or reports rules of elements that have no stored counterpart.
    fn check_deeper(&mut self, rules: &mut Rules, ty: &Ty, pointer: &Pointer) {
        let (inner, keyword) = match ty {
            Ty::List(inner) => (inner, "items"),
            Ty::Map(inner) => (inner, "additionalProperties"),
            _ => return,
        };
        let Some(items) = &mut rules.items else {
            return;
        };
        let pointer = &pointer.child(keyword);
        self.check_deeper(items, inner, pointer);
        let mut texts = Vec::new();
        items.list.retain(|rule| match &rule.check {
            Check::Cel(rule) if rule.is_asked(true) => {
                texts.push(rule.text.clone());
                false
            }
            Check::Immutable(_) => {
                texts.push("self == oldSelf".to_owned());
                false
            }
            _ => true,
        });
        for text in texts {
            let message = "`oldSelf` can't be checked of elements";
            let help = "ask it of the list, or of a property of elements with keys";
            let reason = "elements that are no objects with keys have no stored counterpart";
            self.cannot(pointer, (text, reason), message, help);
        }
        if items.is_empty() {
            rules.items = None;
        }
    }

    fn reported(
        &mut self,
        rule_keywords: &RuleKeywords,
        rules: &Rules,
        pointer: &Pointer,
    ) -> Reported {
        let above = rule_keywords.keywords.get("x-reported-above");
        let name = rule_keywords.keywords.get("x-reported-as");
        for (keyword, value) in [("x-reported-above", above), ("x-reported-as", name)] {
            if value.is_some() && rules.is_empty() {
                let message = format!("`{keyword}` has no effect without a rule");
                self.report(pointer, message, "add what is to be checked, or remove it");
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

    fn unknown_type(&mut self, text: &str, pointer: &Pointer) {
        let message = format!("`{}` isn't an error type", text.escape_debug());
        let known = ErrorType::ALL.map(Term::variant).join(", ");
        self.report(pointer, message, format!("known are {known}"));
    }

    /// The functions of a list of names.
    fn functions(&mut self, name: &str, value: &Value, pointer: &Pointer) -> Vec<RulePath> {
        let wanted = "a list of functions";
        let Value::Array(names) = value else {
            self.wrong::<()>(name, value, wanted, pointer);
            return Vec::new();
        };
        names
            .iter()
            .filter_map(|f| self.function(name, f, wanted, pointer))
            .collect()
    }

    fn function(
        &mut self,
        name: &str,
        value: &Value,
        wanted: &str,
        pointer: &Pointer,
    ) -> Option<RulePath> {
        let Value::String(text) = value else {
            return self.wrong(name, value, wanted, pointer);
        };
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
            self.report(&pointer.child(name), message, help);
        }
        function
    }

    /// Returns true if a keyword is `true`, which is all that it can be.
    fn flag(&mut self, name: &str, value: &Value, pointer: &Pointer) -> bool {
        if *value != Value::Bool(true) {
            self.wrong::<()>(name, value, "`true`", pointer);
        }
        *value == Value::Bool(true)
    }

    /// Reports a keyword that doesn't say for which servers it is.
    fn check_releases(&mut self, name: &str, value: &Value, pointer: &Pointer) {
        if releases(value).is_none() {
            self.wrong::<()>(name, value, "`true`, or `{before: \"1.36\"}`", pointer);
        }
    }

    /// Leaves or reports a keyword that doesn't fit the type of the value.
    fn unfit(&mut self, name: &str, value: &Value, pointer: &Pointer) {
        let message = format!("`{name}` can't be checked of a value of this type");
        let reason = "a value of this type has no check for it";
        self.keyword(name, value, reason, (pointer, message, SEE));
    }

    /// Leaves or reports a keyword that can't be checked. Those of overlays are ours, and reported.
    fn keyword(
        &mut self,
        name: &str,
        value: &Value,
        reason: &str,
        (pointer, message, help): (&Pointer, String, &str),
    ) {
        if is_ours(name) {
            self.report(pointer, message, help);
        } else {
            self.cannot(pointer, (shown(name, value), reason), message, help);
        }
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
        let place = &pointer.child(name);
        self.keyword(
            name,
            value,
            &format!("it is not {wanted}"),
            (place, message, SEE),
        );
        None
    }

    /// Leaves a rule that can't be checked, with the reason, or reports it, as the configuration
    /// says of the document.
    fn cannot(
        &mut self,
        pointer: &Pointer,
        (rule, reason): (String, &str),
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        match &self.version.unchecked {
            Some(_) => self.leave(pointer, rule, reason.to_owned()),
            None => self.report(pointer, message, help),
        }
    }

    /// Notes that a rule isn't checked.
    fn leave(&mut self, pointer: &Pointer, rule: String, reason: String) {
        self.unchecked.push(Unchecked {
            pointer: pointer.clone(),
            rule,
            reason,
        });
    }

    fn report(&mut self, pointer: &Pointer, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics
            .at(&self.version.file, pointer, message, help);
    }
}

/// Returns true if a keyword is the generator's own, which only overlays have.
fn is_ours(keyword: &str) -> bool {
    keyword.starts_with("x-") && !keyword.starts_with("x-kubernetes-")
}

/// The servers that `true` or a span of releases is for.
fn releases(value: &Value) -> Option<Releases> {
    match value {
        Value::Bool(true) => Some(Releases::default()),
        Value::Object(_) => Releases::deserialize(value).ok(),
        _ => None,
    }
}

/// A quantity is parsed, unless a keyword asks more of it.
fn quantity(sort: ValueKind, rules: &mut Rules) {
    if sort != ValueKind::External || rules.calls().next().is_some() {
        return;
    }
    rules.list.push(Rule {
        keyword: "type",
        check: Check::Call(Call::new("quantity", ValueForm::Reference, Vec::new())),
    });
}

/// Keeps checks of the only field that is set to members of a struct of which one must be set.
fn settle_alone(rules: &mut Rules, is_member: bool) {
    rules.calls_mut().for_each(|call| call.alone &= is_member);
    if let Some(items) = &mut rules.items {
        settle_alone(items, false);
    }
}

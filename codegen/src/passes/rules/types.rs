//! The rules of a type as a whole.

use std::collections::BTreeMap;
use std::mem;

use serde::Deserialize;
use serde_json::Value;

use super::Reader;
use crate::model::{
    CelForm, Check, Field, Resolved, Role, SchemaName, Struct, Ty, Type, TypeRules,
};
use crate::name::RulePath;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Warning {
    function: String,
    fields: Vec<String>,
}

impl Reader<'_> {
    pub(in crate::passes) fn of_type(
        &mut self,
        name: &SchemaName,
        ty: &Type<Resolved>,
        object: &Struct<Resolved>,
    ) -> TypeRules {
        let pointer = &ty.pointer;
        let rule_keywords = &object.rule_keywords.keywords;
        let mut rules = TypeRules {
            exactly_one: self.exactly_one(ty, object),
            together: self.together(ty, object),
            ..TypeRules::default()
        };
        if let Some(value) = rule_keywords.get("x-dependent-required") {
            let wanted = "an object of names of properties";
            rules.depends = BTreeMap::deserialize(value)
                .ok()
                .or_else(|| self.wrong("x-dependent-required", value, wanted, pointer))
                .unwrap_or_default();
        }
        if let Some(value) = rule_keywords.get("x-warn") {
            rules.warning = self.warning(value, ty);
        }
        let is_custom = self.version.is_custom;
        let mut flag = |name: &str| {
            rule_keywords
                .get(name)
                .is_some_and(|value| self.flag(name, value, pointer))
        };
        rules.unconditional_update = flag("x-unconditional-update");
        rules.names_on_create_only = flag("x-names-on-create-only");
        rules.status_alone = flag("x-status-alone");
        rules.status_with_metadata = flag("x-status-with-metadata");
        rules.embedded = is_custom && flag("x-kubernetes-embedded-resource");
        if let Some(value) = rule_keywords.get("x-check") {
            rules.functions = self.functions("x-check", value, pointer);
        }
        let mut function = |name: &str| {
            let value = rule_keywords.get(name)?;
            self.function(name, value, "the name of a function", pointer)
        };
        rules.preparation = function("x-prepare");
        rules.status_preparation = function("x-prepare-status");
        self.check_of_kind(ty, object);
        if let Some(value) = rule_keywords.get("x-kubernetes-validations") {
            let of = (&Ty::Ref(name.clone()), &CelForm::default(), None);
            for check in self.validations(value, of, pointer) {
                // The others are of fields.
                if let Check::Cel(rule) = check {
                    rules.cel.push(*rule);
                }
            }
        }
        self.check_named(ty, object, &rules);
        rules.unchecked = mem::take(&mut self.unchecked);
        rules
    }

    /// Reports what only a kind can have, where the schema isn't one.
    fn check_of_kind(&mut self, ty: &Type<Resolved>, object: &Struct<Resolved>) {
        let of_status = [
            "x-prepare-status",
            "x-status-alone",
            "x-status-with-metadata",
        ];
        for name in ["x-check", "x-prepare"].into_iter().chain(of_status) {
            let fits = match &object.role {
                Role::Kind(resource) => resource.status || !of_status.contains(&name),
                _ => false,
            };
            if object.rule_keywords.keywords.contains_key(name) && !fits {
                let message = format!("`{name}` has no effect on this schema");
                let help = "it is for kinds; about a status, for those whose status has a path";
                self.report(&ty.pointer, message, help);
            }
        }
    }

    /// Returns true if exactly one field must be set; other numbers can't be checked.
    fn exactly_one(&mut self, ty: &Type<Resolved>, object: &Struct<Resolved>) -> bool {
        // A server counts the properties of a custom resource.
        if self.version.is_custom {
            return false;
        }
        let number = |name: &str| object.rule_keywords.keywords.get(name).map(Value::as_u64);
        match (number("minProperties"), number("maxProperties")) {
            (None, None) => false,
            (Some(Some(1)), Some(Some(1))) => true,
            _ => {
                self.report(
                    &ty.pointer,
                    "a number of properties that can't be checked",
                    "of a schema with properties, `minProperties: 1` beside \
                     `maxProperties: 1` is what can be checked: exactly one is set",
                );
                false
            }
        }
    }

    fn warning(&mut self, value: &Value, ty: &Type<Resolved>) -> Option<(RulePath, Vec<String>)> {
        let Ok(Warning { function, fields }) = Warning::deserialize(value) else {
            let wanted = "an object with `function` and `fields`";
            return self.wrong("x-warn", value, wanted, &ty.pointer);
        };
        let wanted = "the name of a function";
        Some((
            self.function("x-warn", &function.into(), wanted, &ty.pointer)?,
            fields,
        ))
    }

    /// The names in rules are those of properties of the right types.
    fn check_named(&mut self, ty: &Type<Resolved>, object: &Struct<Resolved>, rules: &TypeRules) {
        let named = rules.depends.iter().flat_map(|(one, other)| [one, other]);
        let named = named.chain(rules.warning.iter().flat_map(|(_, fields)| fields));
        for field in named.filter(|field| object.field(field).is_none()) {
            let message = format!("`{}` is not a property", field.escape_debug());
            let help = "a rule can only name properties of its schema";
            self.report(&ty.pointer, message, help);
        }
        for (one, other) in &rules.depends {
            let is_list = |field: &Field<Resolved>| matches!(field.ty, Ty::List(_));
            let (Some(field), Some(list)) = (object.field(one), object.field(other)) else {
                continue;
            };
            if !field.is_optional() || !list.is_optional() || !is_list(list) {
                let (one, other) = (one.escape_debug(), other.escape_debug());
                let pointer = ty.pointer.child("x-dependent-required");
                let message = format!("`{one}` can't depend on `{other}`");
                let help = "both are optional, and what it depends on is a list";
                self.report(&pointer, message, help);
            }
        }
    }
}

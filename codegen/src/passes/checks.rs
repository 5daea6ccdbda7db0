//! Checks: decides the order and nesting of the checks of each field, and how updates are compared.

use super::behaviour::Behaviours;
use crate::foundation;
use crate::model::{
    Analysed, ApiVersion, Call, CheckStep, Equality, Field, FieldChecks, Following, Pairing,
    RepeatKey, Repeats, Rules, Struct, Ty, Unique, ValueForm,
};

/// Makes the checks of the fields of a document.
pub(super) struct Checks<'a> {
    pub(super) version: &'a ApiVersion<Analysed>,
    pub(super) behaviours: &'a Behaviours,
}

impl Checks<'_> {
    /// Returns the checks of a field of a struct.
    pub(super) fn of(&self, object: &Struct<Analysed>, field: &Field<Analysed>) -> FieldChecks {
        let rules = &field.server.rules;
        let mut steps = nested(rules, self.collection(rules, &field.ty));
        steps.extend(cel(rules));
        FieldChecks {
            is_set: rules.must_be_set() && field.is_optional(),
            readings: rules.readings().cloned().collect(),
            functions: rules.functions().cloned().collect(),
            functions_alone: object.rules.exactly_one && field.is_optional(),
            counts: counts(rules).cloned().collect(),
            steps,
            inside: self.has_checks(&field.ty),
            equality: self.equality(field),
            pairing: self.pairing(field),
        }
    }

    /// Returns true if a type is a struct with checks.
    fn has_checks(&self, ty: &Ty) -> bool {
        self.behaviours
            .of_held(self.version, ty)
            .is_some_and(|(_, does)| does.checks)
    }

    /// The steps of what is in a list or map.
    fn collection(&self, rules: &Rules, ty: &Ty) -> Option<CheckStep> {
        let none = Rules::default();
        let items = rules.items.as_deref().unwrap_or(&none);
        match ty {
            Ty::List(item) => {
                let steps = self.item(items, item);
                let repeats = rules.unique().and_then(|unique| self.repeats(unique, item));
                let above = items.reported.above;
                (!steps.is_empty() || repeats.is_some()).then_some(CheckStep::Elements {
                    above,
                    repeats,
                    steps,
                })
            }
            Ty::Map(value) => {
                let steps = self.item(items, value);
                (!steps.is_empty()).then_some(CheckStep::Entries(steps))
            }
            _ => None,
        }
    }

    /// The steps of an element of a list or a value of a map.
    fn item(&self, rules: &Rules, ty: &Ty) -> Vec<CheckStep> {
        let mut steps: Vec<_> = counts(rules).cloned().map(CheckStep::Call).collect();
        steps.extend(nested(rules, self.collection(rules, ty)));
        steps.extend(cel(rules));
        steps.extend(self.has_checks(ty).then_some(CheckStep::Struct));
        steps
    }

    fn repeats(&self, unique: &Unique, item: &Ty) -> Option<Repeats> {
        let Unique::Keys {
            keys,
            leaves_repeats,
            at_element,
        } = unique
        else {
            return Some(Repeats {
                key: RepeatKey::Text,
                reported_at: None,
                value: None,
                leaves_out: false,
            });
        };
        let (_, object) = self.version.own_struct(item)?;
        let fields = keys.iter().map(|key| object.field(key));
        let fields: Vec<_> = fields.collect::<Option<_>>()?;
        let parts = fields.iter().map(|field| {
            let is_text = field.ty == Ty::String && !field.is_optional();
            (field.name.clone(), is_text)
        });
        // Servers of custom resources report the element.
        let only = match fields.as_slice() {
            [field] if !self.version.is_custom => Some(field),
            _ => None,
        };
        Some(Repeats {
            key: RepeatKey::Fields(parts.collect()),
            reported_at: only.filter(|_| !at_element).map(|field| field.json.clone()),
            // Writing a whole element would be a copy of the code that does so.
            value: only.map(|field| field.name.clone()),
            leaves_out: *leaves_repeats,
        })
    }

    fn equality(&self, field: &Field<Analysed>) -> Equality {
        if let Some(function) = &field.server.same {
            return Equality::Function(function.clone());
        }
        let is_semantic = match &field.ty {
            Ty::List(_) | Ty::Map(_) => field.is_optional(),
            Ty::Ref(schema) => match self.version.externs.get(schema) {
                Some(external) => field.is_optional() && foundation::is_semantic(&external.path),
                None => {
                    let does = self.behaviours.of_held(self.version, &field.ty);
                    does.is_some_and(|(_, does)| does.is_compared) && !field.is_optional()
                }
            },
            _ => false,
        };
        match is_semantic {
            true => Equality::Semantic,
            false => Equality::Exact,
        }
    }

    fn pairing(&self, field: &Field<Analysed>) -> Option<Pairing> {
        let held = match &field.ty {
            Ty::List(item) | Ty::Map(item) => item,
            other => other,
        };
        let (object, does) = self.behaviours.of_held(self.version, held)?;
        if !does.checks_updates {
            return None;
        }
        match &field.ty {
            // Without keys, the elements have no counterparts.
            Ty::List(_) => match field.server.rules.unique()? {
                Unique::Keys { keys, .. } => {
                    let fields = keys.iter().filter_map(|key| object.field(key));
                    Some(Pairing::ByFields(fields.map(|f| f.name.clone()).collect()))
                }
                Unique::Whole => None,
            },
            Ty::Map(_) => Some(Pairing::ByKey),
            _ => Some(Pairing::Itself),
        }
    }
}

/// The calls about the number of entries.
fn counts(rules: &Rules) -> impl Iterator<Item = &Call> {
    rules.calls().filter(|call| call.takes == ValueForm::Count)
}

/// The rules in CEL that are evaluated where nothing is stored.
fn cel(rules: &Rules) -> impl Iterator<Item = CheckStep> {
    let rules = rules.cel(false).cloned();
    rules.map(|rule| CheckStep::Cel(Box::new(rule)))
}

/// The other calls, and the last step inside of those that guard it.
fn nested(rules: &Rules, last: Option<CheckStep>) -> Vec<CheckStep> {
    let calls = rules.calls().filter(|call| call.takes != ValueForm::Count);
    let calls: Vec<_> = calls.cloned().collect();
    let last = last.into_iter().collect();
    // From the back, because a guard is around what it guards.
    calls
        .into_iter()
        .rev()
        .fold(last, |steps, call| followed(call, steps))
}

/// A call, and the steps after it.
fn followed(call: Call, steps: Vec<CheckStep>) -> Vec<CheckStep> {
    match call.following {
        _ if steps.is_empty() => vec![CheckStep::Call(call)],
        Following::IfPassed { or, on_create } => {
            // No server makes exceptions for fields that exclude each other.
            let (or, on_create) = match call.alone {
                true => (None, None),
                false => (or, on_create),
            };
            vec![CheckStep::IfPassed {
                call,
                or,
                on_create,
                then: steps,
            }]
        }
        Following::OnCreate(releases) => {
            vec![CheckStep::Call(call), CheckStep::OnCreate(releases, steps)]
        }
        Following::Always => std::iter::once(CheckStep::Call(call))
            .chain(steps)
            .collect(),
    }
}

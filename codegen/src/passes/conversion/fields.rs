//! Compares two structs field by field.

use std::collections::BTreeSet;

use crate::diag::Diagnostics;
use crate::model::{Dropped, FieldConversion, Rest, SchemaName, Side, Ty, ValueConversion};
use crate::structure::{Pair, Step, Structure, pairs};

use super::rules::{FieldRule, Rules};
use super::{ApiVersion, Field, Struct};

/// A struct of either side, with its schema and version.
type Of<'a> = (&'a ApiVersion, &'a SchemaName, &'a Struct);

/// The fields of two types that are counterparts.
pub(super) struct Both<'a> {
    pub(super) ours: Of<'a>,
    pub(super) theirs: Of<'a>,
}

/// The problem of a field, and help.
type Problem = (String, &'static str);

const HELP: &str = "give it a [[crate.conversion.rule]] in codegen.toml: `to` with the field that \
                    it becomes, and `forth` and `back` with functions where the types differ; or \
                    `drop` with the reason";

impl Both<'_> {
    /// Returns the conversion of each field; `None` if any is unknown.
    pub(super) fn compare(
        &self,
        rules: &mut Rules<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<FieldConversion>> {
        let mut fields = Vec::new();
        let mut add = |of: Of<'_>, field: &Field, found: Result<_, Problem>| {
            fields.push(found.map_err(|(what, help)| {
                let message = format!("`{}` of `{}` {what}", field.json, of.1);
                diagnostics.at(&of.0.file, &field.pointer, message, help);
            }));
        };
        let (_, ours, our_object) = self.ours;
        let (_, theirs, their_object) = self.theirs;
        let our_fields = our_object.fields.iter().map(|field| {
            let rule = rules.field(ours, &field.json);
            let counterpart = match &rule {
                Some(FieldRule::Drop(_)) => None,
                Some(FieldRule::To { name, .. }) => Some(name.clone()),
                None => Some(field.json.clone()),
            };
            (counterpart, (field, rule))
        });
        let their_fields = their_object.fields.iter();
        let their_fields = their_fields.map(|field| (Some(field.json.clone()), field));
        let mut taken = BTreeSet::new();
        for (name, pair) in pairs(our_fields, their_fields) {
            match pair {
                Pair::Both((field, rule), other) => {
                    let is_free = taken.insert(name);
                    add(self.ours, field, self.of_field(field, rule, other, is_free));
                }
                Pair::First((field, Some(FieldRule::Drop(reason)))) => {
                    let dropped = dropped(field, reason);
                    add(self.ours, field, Ok(FieldConversion::Ours(dropped)));
                }
                Pair::First((field, _)) => {
                    let mut what = format!("has no counterpart in `{theirs}`");
                    if let Some(name) = name.filter(|name| *name != field.json) {
                        what += &format!(", which has no `{}`", name.escape_debug());
                    }
                    add(self.ours, field, Err((what, HELP)));
                }
                Pair::Second(field) => {
                    let found = match rules.field(theirs, &field.json) {
                        Some(FieldRule::Drop(reason)) => {
                            Ok(FieldConversion::Theirs(dropped(field, reason)))
                        }
                        _ => Err((format!("has no counterpart in `{ours}`"), HELP)),
                    };
                    add(self.theirs, field, found);
                }
            }
        }
        fields.extend(unknown(our_object, their_object).map(Ok));
        fields.into_iter().collect::<Result<_, ()>>().ok()
    }

    /// Returns the conversion of a field of ours into its counterpart, unless that is taken
    /// already.
    fn of_field(
        &self,
        field: &Field,
        rule: Option<FieldRule>,
        theirs: &Field,
        is_free: bool,
    ) -> Result<FieldConversion, Problem> {
        let target = self.theirs.1;
        if !is_free {
            return Err((
                format!(
                    "is the second field to become `{}` of `{target}`",
                    theirs.json
                ),
                "correct the rules in codegen.toml: a field has one counterpart",
            ));
        }
        let (ours, their_side) = (side(field), side(theirs));
        if let Some(FieldRule::To {
            functions: Some(functions),
            ..
        }) = rule
        {
            return Ok(FieldConversion::Function {
                ours,
                theirs: their_side,
                functions,
            });
        }
        let optional = field.is_optional();
        let unlike = match self.carry(&field.ty, &theirs.ty) {
            Some(carry) if optional == theirs.is_optional() => {
                return Ok(FieldConversion::Carried {
                    ours,
                    theirs: their_side,
                    optional,
                    carry,
                });
            }
            _ if optional == theirs.is_optional() => "of another type than",
            _ if optional => "optional, unlike",
            _ => "required, unlike",
        };
        Err((format!("is {unlike} `{}` of `{target}`", theirs.json), HELP))
    }

    /// Returns the conversion of a value of one type into the other, if there is one.
    fn carry(&self, ours: &Ty, theirs: &Ty) -> Option<ValueConversion> {
        if let [(step, Pair::Both(ours, theirs))] = pairs(ours.parts(), theirs.parts())[..] {
            return Some(match (step, self.carry(ours, theirs)?) {
                (_, ValueConversion::Same) => ValueConversion::Same,
                (Step::Values, inner) => ValueConversion::Map(Box::new(inner)),
                (_, inner) => ValueConversion::List(Box::new(inner)),
            });
        }
        match (ours, theirs) {
            (Ty::Ref(ours), Ty::Ref(theirs)) => {
                let (version, their_version) = (self.ours.0, self.theirs.0);
                match (version.externs.get(ours), their_version.externs.get(theirs)) {
                    (Some(a), Some(b)) if a.path == b.path => Some(ValueConversion::Same),
                    (None, None) => Some(ValueConversion::Type {
                        ours: ours.clone(),
                        theirs: theirs.clone(),
                        total: true,
                        like: false,
                    }),
                    _ => None,
                }
            }
            (ours, theirs) if ours == theirs => Some(ValueConversion::Same),
            _ => None,
        }
    }
}

impl<'a> Structure<'a> for &'a Ty {
    fn parts(&self) -> Vec<(Step<'a>, Self)> {
        match self {
            Ty::List(elements) => vec![(Step::Elements, elements)],
            Ty::Map(values) => vec![(Step::Values, values)],
            _ => Vec::new(),
        }
    }
}

/// Returns the conversion of the unknown fields of a struct, or of those that are `null`, if it
/// keeps them.
pub(super) fn unknown(ours: &Struct, theirs: &Struct) -> Option<FieldConversion> {
    let side = |Rest { name, .. }: &Rest| Side {
        name: name.clone(),
        boxed: false,
    };
    let only = |Rest { name, .. }: &Rest| Dropped {
        json: "null".to_owned(),
        name: name.clone(),
        optional: false,
        reason: "the other type has no field that can be it".to_owned(),
    };
    Some(match (&ours.unknown, &theirs.unknown) {
        (None, None) => return None,
        (Some(ours), None) => FieldConversion::Ours(only(ours)),
        (None, Some(theirs)) => FieldConversion::Theirs(only(theirs)),
        (Some(ours), Some(theirs)) => FieldConversion::Carried {
            ours: side(ours),
            theirs: side(theirs),
            optional: false,
            carry: ValueConversion::Same,
        },
    })
}

fn side(field: &Field) -> Side {
    Side {
        name: field.name.clone(),
        boxed: field.form.boxed,
    }
}

fn dropped(field: &Field, reason: String) -> Dropped {
    Dropped {
        json: field.json.clone(),
        name: field.name.clone(),
        optional: field.is_optional(),
        reason,
    }
}

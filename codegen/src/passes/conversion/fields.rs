//! Compares two structs field by field.

use crate::diag::Diagnostics;
use crate::model::{
    ApiVersion, Carry, Dropped, Field, FieldConversion, SchemaName, Side, Struct, Ty,
};

use super::rules::{FieldRule, Rules};

/// The fields of two types that are counterparts.
pub(super) struct Both<'a> {
    pub(super) ours: (&'a ApiVersion, &'a SchemaName, &'a Struct),
    pub(super) theirs: (&'a ApiVersion, &'a SchemaName, &'a Struct),
}

const HELP: &str = "give it a [[crate.conversion.rule]] in codegen.toml: `to` with the field that \
                    it becomes, and `forth` and `back` with functions where the types differ; or \
                    `drop` with the reason";

impl Both<'_> {
    /// How each field is converted, or nothing if that is unknown of any.
    pub(super) fn compare(
        &self,
        rules: &mut Rules<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<FieldConversion>> {
        let mut complete = true;
        let mut fields = Vec::new();
        let mut taken: Vec<&str> = Vec::new();
        for field in &self.ours.2.fields {
            let rule = rules.field(self.ours.1, &field.json);
            let wanted = match &rule {
                Some(FieldRule::Drop(reason)) => {
                    fields.push(FieldConversion::Ours(dropped(field, reason)));
                    continue;
                }
                Some(FieldRule::To { name, .. }) => name.as_str(),
                None => field.json.as_str(),
            };
            let theirs = self.theirs.2.fields.iter().find(|other| other.json == wanted);
            let Some(theirs) = theirs else {
                self.alone(field, wanted, diagnostics);
                complete = false;
                continue;
            };
            if taken.contains(&theirs.json.as_str()) {
                self.twice(field, theirs, diagnostics);
                complete = false;
                continue;
            }
            taken.push(&theirs.json);
            let functions = match rule {
                Some(FieldRule::To { functions, .. }) => functions,
                _ => None,
            };
            let carry = self.carry(&field.ty, &theirs.ty);
            let (ours, theirs_side) = (side(field), side(theirs));
            match (functions, carry) {
                (Some(functions), _) => fields.push(FieldConversion::Function {
                    ours,
                    theirs: theirs_side,
                    functions,
                }),
                (None, Some(carry)) if field.is_optional() == theirs.is_optional() => {
                    fields.push(FieldConversion::Carried {
                        ours,
                        theirs: theirs_side,
                        optional: field.is_optional(),
                        carry,
                    });
                }
                (None, _) => {
                    self.unlike(field, theirs, diagnostics);
                    complete = false;
                }
            }
        }
        for field in &self.theirs.2.fields {
            if taken.contains(&field.json.as_str()) {
                continue;
            }
            match rules.field(self.theirs.1, &field.json) {
                Some(FieldRule::Drop(reason)) => {
                    fields.push(FieldConversion::Theirs(dropped(field, &reason)));
                }
                _ => {
                    complete = false;
                    diagnostics.at(
                        &self.theirs.0.file,
                        &field.pointer,
                        format!(
                            "`{}` of `{}` has no counterpart in `{}`",
                            field.json, self.theirs.1, self.ours.1
                        ),
                        HELP,
                    );
                }
            }
        }
        fields.extend(unknown(self.ours.2, self.theirs.2));
        complete.then_some(fields)
    }

    /// How a value of one type becomes one of the other, if nothing is in the way.
    fn carry(&self, ours: &Ty, theirs: &Ty) -> Option<Carry> {
        let wrapped = |carry: Carry, wrap: fn(Box<Carry>) -> Carry| match carry {
            Carry::Same => Carry::Same,
            inner => wrap(Box::new(inner)),
        };
        match (ours, theirs) {
            (Ty::List(ours), Ty::List(theirs)) => {
                Some(wrapped(self.carry(ours, theirs)?, Carry::List))
            }
            (Ty::Map(ours), Ty::Map(theirs)) => {
                Some(wrapped(self.carry(ours, theirs)?, Carry::Map))
            }
            (Ty::Ref(ours), Ty::Ref(theirs)) => {
                let (version, their_version) = (self.ours.0, self.theirs.0);
                match (version.externs.get(ours), their_version.externs.get(theirs)) {
                    (Some(a), Some(b)) if a.path == b.path => Some(Carry::Same),
                    (None, None) => Some(Carry::Type {
                        ours: ours.clone(),
                        theirs: theirs.clone(),
                        total: true,
                        like: false,
                    }),
                    _ => None,
                }
            }
            (ours, theirs) if ours == theirs => Some(Carry::Same),
            _ => None,
        }
    }

    fn alone(&self, field: &Field, wanted: &str, diagnostics: &mut Diagnostics) {
        let what = if wanted == field.json {
            String::new()
        } else {
            format!(", which has no `{}`", wanted.escape_debug())
        };
        diagnostics.at(
            &self.ours.0.file,
            &field.pointer,
            format!(
                "`{}` of `{}` has no counterpart in `{}`{what}",
                field.json, self.ours.1, self.theirs.1
            ),
            HELP,
        );
    }

    fn twice(&self, field: &Field, theirs: &Field, diagnostics: &mut Diagnostics) {
        diagnostics.at(
            &self.ours.0.file,
            &field.pointer,
            format!(
                "`{}` of `{}` is the second field to become `{}` of `{}`",
                field.json, self.ours.1, theirs.json, self.theirs.1
            ),
            "correct the rules in codegen.toml: a field has one counterpart",
        );
    }

    fn unlike(&self, field: &Field, theirs: &Field, diagnostics: &mut Diagnostics) {
        let what = if field.is_optional() == theirs.is_optional() {
            "of another type than"
        } else if field.is_optional() {
            "optional, unlike"
        } else {
            "required, unlike"
        };
        diagnostics.at(
            &self.ours.0.file,
            &field.pointer,
            format!(
                "`{}` of `{}` is {what} `{}` of `{}`",
                field.json, self.ours.1, theirs.json, self.theirs.1
            ),
            HELP,
        );
    }
}

/// What becomes of the fields that a struct doesn't know, if it keeps them.
pub(super) fn unknown(ours: &Struct, theirs: &Struct) -> Option<FieldConversion> {
    let side = |object: &Struct| {
        let name = object.unknown.clone()?;
        Some(Side { name, boxed: false })
    };
    Some(FieldConversion::Carried {
        ours: side(ours)?,
        theirs: side(theirs)?,
        optional: false,
        carry: Carry::Same,
    })
}

fn side(field: &Field) -> Side {
    Side {
        name: field.name.clone(),
        boxed: field.boxed,
    }
}

fn dropped(field: &Field, reason: &str) -> Dropped {
    Dropped {
        json: field.json.clone(),
        name: field.name.clone(),
        optional: field.is_optional(),
        reason: reason.to_owned(),
    }
}

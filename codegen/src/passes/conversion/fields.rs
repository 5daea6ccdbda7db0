//! Compares two structs field by field.

use crate::diag::Diagnostics;
use crate::model::{Dropped, FieldConversion, SchemaName, Side, Ty, ValueConversion};

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
    /// How each field is converted, or nothing if that is unknown of any.
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
        let mut taken: Vec<&str> = Vec::new();
        for field in &self.ours.2.fields {
            let rule = rules.field(self.ours.1, &field.json);
            add(self.ours, field, self.of_field(field, rule, &mut taken));
        }
        for field in &self.theirs.2.fields {
            if taken.contains(&field.json.as_str()) {
                continue;
            }
            let found = match rules.field(self.theirs.1, &field.json) {
                Some(FieldRule::Drop(reason)) => {
                    Ok(FieldConversion::Theirs(dropped(field, reason)))
                }
                _ => Err((format!("has no counterpart in `{}`", self.ours.1), HELP)),
            };
            add(self.theirs, field, found);
        }
        fields.extend(unknown(self.ours.2, self.theirs.2).map(Ok));
        fields.into_iter().collect::<Result<_, ()>>().ok()
    }

    /// How a field of ours is converted. Its counterpart is taken for others.
    fn of_field<'a>(
        &'a self,
        field: &Field,
        rule: Option<FieldRule>,
        taken: &mut Vec<&'a str>,
    ) -> Result<FieldConversion, Problem> {
        let (wanted, functions) = match rule {
            Some(FieldRule::Drop(reason)) => {
                return Ok(FieldConversion::Ours(dropped(field, reason)));
            }
            Some(FieldRule::To { name, functions }) => (name, functions),
            None => (field.json.clone(), None),
        };
        let (_, target, object) = self.theirs;
        let Some(theirs) = object.field(&wanted) else {
            let mut what = format!("has no counterpart in `{target}`");
            if wanted != field.json {
                what += &format!(", which has no `{}`", wanted.escape_debug());
            }
            return Err((what, HELP));
        };
        if taken.contains(&theirs.json.as_str()) {
            return Err((
                format!(
                    "is the second field to become `{}` of `{target}`",
                    theirs.json
                ),
                "correct the rules in codegen.toml: a field has one counterpart",
            ));
        }
        taken.push(&theirs.json);
        let optional = field.is_optional();
        let unlike = match (functions, self.carry(&field.ty, &theirs.ty)) {
            (Some(functions), _) => {
                return Ok(FieldConversion::Function {
                    ours: side(field),
                    theirs: side(theirs),
                    functions,
                });
            }
            (None, Some(carry)) if optional == theirs.is_optional() => {
                return Ok(FieldConversion::Carried {
                    ours: side(field),
                    theirs: side(theirs),
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

    /// How a value of one type becomes one of the other, if nothing is in the way.
    fn carry(&self, ours: &Ty, theirs: &Ty) -> Option<ValueConversion> {
        let wrapped =
            |carry: ValueConversion, wrap: fn(Box<ValueConversion>) -> ValueConversion| match carry
            {
                ValueConversion::Same => ValueConversion::Same,
                inner => wrap(Box::new(inner)),
            };
        match (ours, theirs) {
            (Ty::List(ours), Ty::List(theirs)) => {
                Some(wrapped(self.carry(ours, theirs)?, ValueConversion::List))
            }
            (Ty::Map(ours), Ty::Map(theirs)) => {
                Some(wrapped(self.carry(ours, theirs)?, ValueConversion::Map))
            }
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

/// Returns the conversion of the unknown fields of a struct, if it keeps them.
pub(super) fn unknown(ours: &Struct, theirs: &Struct) -> Option<FieldConversion> {
    let side = |object: &Struct| {
        let name = object.unknown.clone()?;
        Some(Side { name, boxed: false })
    };
    Some(FieldConversion::Carried {
        ours: side(ours)?,
        theirs: side(theirs)?,
        optional: false,
        carry: ValueConversion::Same,
    })
}

fn side(field: &Field) -> Side {
    Side {
        name: field.name.clone(),
        boxed: field.boxed,
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

//! Exact values: the types of custom resources that write a value as it was read. A server keeps
//! `1` and `1.0`, `8589934592` and `"8Gi"`, and fractions of a second as they were sent.

use serde_json::Value;

use crate::model::{ApiVersion, Exact, Lowered, RuleKeywords, Ty};

/// The pattern by which controller-gen describes a quantity.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

/// Gives the values of custom resources these types.
pub(super) fn run(version: &mut ApiVersion<Lowered>) {
    let is_custom = version.is_custom;
    for (_, object) in version.structs_mut() {
        for field in &mut object.fields {
            of(&mut field.ty, Some(&field.rule_keywords), is_custom);
        }
    }
}

fn of(ty: &mut Ty, keywords: Option<&RuleKeywords>, is_custom: bool) {
    match ty {
        Ty::List(inner) | Ty::Map(inner) => {
            let inside = keywords.and_then(|keywords| keywords.inside.as_deref());
            of(inner, inside, is_custom);
        }
        // A server of custom resources takes nothing but an object.
        Ty::Object if is_custom => *ty = Ty::Map(Box::new(Ty::Json)),
        Ty::Object => *ty = Ty::Json,
        _ if !is_custom => {}
        Ty::F32 | Ty::F64 => *ty = Ty::Exact(Exact::Number),
        Ty::Time => *ty = Ty::Exact(Exact::DateTime),
        Ty::IntOrString => {
            let pattern = keywords.and_then(|keywords| keywords.keywords.get("pattern"));
            let is_quantity = pattern.and_then(Value::as_str) == Some(QUANTITY);
            *ty = Ty::Exact(match is_quantity {
                true => Exact::IntOrQuantity,
                false => Exact::IntOrString,
            });
        }
        _ => {}
    }
}

//! Differences between the type of a property and that of its field.

use super::{Found, message_name};
use crate::model::{ApiVersion, Lowered, Shape, Ty};
use crate::protobuf::{Label, ProtoType};

/// The messages that hold JSON.
const JSON: [&str; 3] = [
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON",
    "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1",
    "k8s.io.apimachinery.pkg.runtime.RawExtension",
];

const TIMES: [&str; 2] = [
    "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime",
    "k8s.io.apimachinery.pkg.apis.meta.v1.Time",
];

const INT_OR_STRING: &str = "k8s.io.apimachinery.pkg.util.intstr.IntOrString";

/// Returns what a property is and what its field is, if these differ.
pub(crate) fn difference(
    version: &ApiVersion<Lowered>,
    ty: &Ty,
    found: &Found<'_>,
) -> Option<(String, String)> {
    let field = found.field;
    let (inner, label) = match ty {
        Ty::List(inner) => (&**inner, Label::Repeated),
        // The lists in a map of them are messages.
        Ty::Map(inner) if matches!(**inner, Ty::List(_)) && found.has_items => return None,
        Ty::Map(inner) => (&**inner, Label::Map),
        ty => (ty, Label::Optional),
    };
    let has_label = match field.label {
        Label::Required | Label::Optional => label == Label::Optional,
        other => label == other,
    };
    let there = described(field.label, field.ty.name());
    match of(version, inner) {
        Ok(expected) if has_label && expected.contains(&field.ty) => None,
        Ok(expected) => {
            let names: Vec<_> = expected.iter().map(ProtoType::name).collect();
            Some((described(label, &names.join(" or ")), there))
        }
        Err(what) => Some((described(label, what), there)),
    }
}

/// The types of protobuf for a value that is neither list nor map, or what it is if there is none.
fn of(version: &ApiVersion<Lowered>, ty: &Ty) -> Result<Vec<ProtoType>, &'static str> {
    let messages = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned());
        names.map(ProtoType::Message).collect()
    };
    Ok(match ty {
        Ty::Bool => vec![ProtoType::Bool],
        Ty::I32 => vec![ProtoType::Int32],
        Ty::I64 => vec![ProtoType::Int64],
        Ty::F64 => vec![ProtoType::Double],
        Ty::String | Ty::Values { .. } => vec![ProtoType::String],
        Ty::Bytes => vec![ProtoType::Bytes],
        Ty::Time => messages(&TIMES),
        Ty::Json => messages(&JSON),
        Ty::IntOrString => messages(&[INT_OR_STRING]),
        Ty::Ref(name) => match version.types.get(name).map(|ty| &ty.shape) {
            Some(Shape::Enum(_)) => vec![ProtoType::String],
            _ => message_name(name)
                .map(ProtoType::Message)
                .into_iter()
                .collect(),
        },
        Ty::Unsigned(_) => return Err("a number without sign"),
        Ty::F32 => return Err("a number of 32 bits with a fraction"),
        Ty::Object | Ty::Exact(_) => return Err("a value of a custom resource"),
        Ty::List(_) | Ty::Map(_) => return Err("lists or maps in each other"),
    })
}

pub(super) fn described(label: Label, ty: &str) -> String {
    match label {
        Label::Required | Label::Optional => format!("`{ty}`"),
        Label::Repeated => format!("a list of `{ty}`"),
        Label::Map => format!("a map of `{ty}`"),
    }
}

//! The fields of structs.

use serde::Serialize;

use super::{
    Complete, Docs, Facts, FieldChecks, Literal, Merge, Number, Phase, Reading, Rules, Sameness,
    Ty, Unchecked,
};
use crate::name::{Ident, RulePath};
use crate::pointer::Pointer;
use crate::release::Release;

#[derive(Clone, Debug, Serialize)]
#[serde(bound = "")]
pub(crate) struct Field<P: Phase = Complete> {
    /// The name on the wire.
    pub(crate) json: String,
    pub(crate) name: Ident,
    pub(crate) pointer: Pointer,
    pub(crate) ty: Ty,
    pub(crate) required: bool,
    /// True if it is the metadata of a kind or list, which is always there: kube and k8s-openapi
    /// ask for it.
    pub(crate) metadata: bool,
    pub(crate) docs: Docs<P>,
    pub(crate) facts: Facts,
    #[serde(flatten)]
    pub(crate) form: P::Resolved<FieldForm>,
    #[serde(flatten)]
    pub(crate) server: P::Analysed<FieldRules>,
    /// The checks of its value, as they are made.
    #[serde(skip)]
    pub(crate) checks: P::Complete<FieldChecks>,
    #[serde(skip)]
    pub(crate) rule_keywords: P::Unread<RuleKeywords>,
}

/// The form of a field in Rust.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FieldForm {
    /// True if it is required and can still be `null`.
    pub(crate) nullable: bool,
    /// True if it is optional, and a server keeps `null`.
    pub(crate) keeps_null: bool,
    /// True if it is held in a `Box`.
    pub(crate) boxed: bool,
    /// The server's default as a value of the field's type, where the server sets it.
    pub(crate) literal: Option<Literal>,
    /// The merge strategy.
    pub(crate) merge: Merge,
    /// The form in which the value is read, if not as its type reads itself.
    pub(crate) reading: Option<Reading>,
    /// The number in protobuf, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<Number>,
}

/// The rules by which a server treats a field.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct FieldRules {
    pub(crate) rules: Rules,
    /// The feature without which the server drops the field: the name of its constant.
    pub(crate) feature: Option<Ident>,
    /// The first release that has the field, if no gate switches it and some servers lack it.
    pub(crate) since: Option<Release>,
    /// The hand-written function that sets defaults inside.
    pub(crate) default_function: Option<RulePath>,
    /// The way in which rules in CEL compare it.
    pub(crate) sameness: Option<Sameness>,
    /// The hand-written function that compares two values as the server does.
    pub(crate) same: Option<RulePath>,
    /// The rules of its schema, and of the elements in it, that aren't checked.
    pub(crate) unchecked: Vec<Unchecked>,
}

/// The keywords of a schema that are rules, as in the document.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct RuleKeywords {
    pub(crate) keywords: serde_json::Map<String, serde_json::Value>,
    /// The keywords of the elements of a list or the values of a map.
    pub(crate) inside: Option<Box<RuleKeywords>>,
}

impl<P: Phase<Resolved<FieldForm> = FieldForm>> Field<P> {
    /// Returns true if it is declared as an `Option`.
    pub(crate) fn is_optional(&self) -> bool {
        !self.is_always_written() || self.form.nullable
    }

    /// Returns true if a constructor takes it: it is required and has no default.
    pub(crate) fn is_asked(&self) -> bool {
        self.required && !self.metadata && self.form.literal.is_none()
    }
}

impl<P: Phase> Field<P> {
    /// Returns true if it is written even when it is `None`, zero or empty.
    pub(crate) fn is_always_written(&self) -> bool {
        self.required || self.metadata
    }
}

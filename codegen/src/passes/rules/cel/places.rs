//! Places of values: fields, elements, entries.

use serde_json::Value;

use super::translate::Translator;
use crate::foundation;
use crate::keyword::{COMBINED, ELEMENT};
use crate::model::{
    CelElement, CelField, CelForm, CelText, CelType, Exact, ListForm, Node, ReadAs, RuleKeywords,
    Ty,
};
use crate::name;

impl CelForm {
    /// The form that the keywords of a schema say.
    pub(in crate::passes::rules) fn of(keywords: &RuleKeywords) -> Self {
        let text = |name: &str| keywords.keywords.get(name).and_then(|value| value.as_str());
        let keys = keywords.keywords.get("x-kubernetes-list-map-keys");
        let keys = keys.and_then(Value::as_array).into_iter().flatten();
        Self {
            text: match text("format") {
                Some("date") => CelText::Date,
                Some("duration") => CelText::Duration,
                _ => CelText::Plain,
            },
            list: match text("x-kubernetes-list-type") {
                Some("set") => ListForm::Set,
                Some("map") => {
                    ListForm::Keyed(keys.filter_map(Value::as_str).map(str::to_owned).collect())
                }
                _ => ListForm::Atomic,
            },
            inside: keywords
                .inside
                .as_deref()
                .map(|inside| Box::new(Self::of(inside))),
            element: keywords
                .keywords
                .get(COMBINED)
                .and_then(|combined| combined.get(ELEMENT))
                .map(element),
        }
    }

    /// The form of what is in a list or map.
    pub(super) fn inside(&self) -> Self {
        self.inside.as_deref().cloned().unwrap_or_default()
    }
}

impl Translator<'_> {
    /// The value in a place of a type.
    pub(super) fn place(&self, node: Node, ty: &Ty, form: &CelForm) -> (Node, CelType) {
        let plain = self.plain(ty);
        let (read, sort) = match (&plain, form.text) {
            (Ty::Bool, _) => (ReadAs::Copied, CelType::Bool),
            (Ty::I64, _) => (ReadAs::Copied, CelType::Int),
            (Ty::I32, _) => (ReadAs::Whole, CelType::Int),
            (Ty::Unsigned(_), _) => (ReadAs::Unsigned, CelType::Int),
            (Ty::F64, _) => (ReadAs::Copied, CelType::Double),
            (Ty::F32 | Ty::Exact(Exact::Number), _) => (ReadAs::Fraction, CelType::Double),
            (Ty::String, CelText::Date) => return written("written_date", node, CelType::Time),
            (Ty::String, CelText::Duration) => {
                return written("written_duration", node, CelType::Duration);
            }
            (Ty::String, CelText::Plain) => (ReadAs::Text, CelType::Text),
            (Ty::Exact(Exact::DateTime), _) => {
                return written("written_time", node, CelType::Time);
            }
            (Ty::Exact(Exact::IntOrString | Exact::IntOrQuantity), _) => {
                let read = Node::Read(Box::new(node), ReadAs::Borrowed);
                return (Node::Sure("value", vec![read]), CelType::Dynamic);
            }
            (Ty::Json, _) if matches!(form.element, Some(CelElement::Plain)) => {
                return of_json("value", node);
            }
            (Ty::Json, _) if form.element == Some(CelElement::Double) => {
                return of_json("number", node);
            }
            (Ty::Bytes, _) => {
                let read = Node::Read(Box::new(node), ReadAs::Bytes);
                return (Node::Function("written_bytes", vec![read]), CelType::Bytes);
            }
            (ty, _) if self.version.own_enum(ty).is_some() => (ReadAs::Text, CelType::Text),
            (ty, _) => (ReadAs::Borrowed, CelType::Place(ty.clone(), form.clone())),
        };
        (Node::Read(Box::new(node), read), sort)
    }

    /// A type without the aliases that lead to it.
    pub(super) fn plain(&self, ty: &Ty) -> Ty {
        let alias = match ty {
            Ty::Ref(schema) => self.version.aliases.get(schema),
            _ => None,
        };
        alias.unwrap_or(ty).clone()
    }

    /// A field of a struct of the crate.
    pub(super) fn field(
        &self,
        of: Node,
        ty: &Ty,
        json: &str,
    ) -> Result<(CelField, Ty, CelForm), String> {
        let shown = json.escape_debug();
        let Some((_, object)) = self.version.own_struct(ty) else {
            return self
                .of_metadata(&of, ty, json)
                .ok_or_else(|| format!("`{shown}` of a type that is not of this crate"));
        };
        let field = object
            .field(json)
            .ok_or_else(|| format!("no property `{shown}`"))?;
        let place = CelField {
            of: Box::new(of),
            name: field.name.clone(),
            json: field.json.clone(),
            is_optional: field.is_optional(),
        };
        Ok((place, field.ty.clone(), CelForm::of(&field.rule_keywords)))
    }

    /// A field of the metadata of an object, of which a server lets rules read these two.
    fn of_metadata(&self, of: &Node, ty: &Ty, json: &str) -> Option<(CelField, Ty, CelForm)> {
        let external = ty
            .reference()
            .and_then(|schema| self.version.externs.get(schema))?;
        let is_read = ["name", "generateName"].contains(&json);
        let name = name::field_name(json)?;
        let place = CelField {
            of: Box::new(of.clone()),
            name,
            json: json.to_owned(),
            is_optional: true,
        };
        let found = (place, Ty::String, CelForm::default());
        (is_read && foundation::is_metadata(&external.path)).then_some(found)
    }
}

/// The value of another type that a text in a place is.
fn written(function: &'static str, place: Node, sort: CelType) -> (Node, CelType) {
    let text = Node::Read(Box::new(place), ReadAs::Text);
    (Node::Function(function, vec![text]), sort)
}

/// A value that may be `null`.
fn of_json(function: &'static str, place: Node) -> (Node, CelType) {
    let read = Node::Read(Box::new(place), ReadAs::Borrowed);
    (Node::Sure(function, vec![read]), CelType::Dynamic)
}

/// The type of an element that can be `null`, by its schema.
fn element(schema: &Value) -> CelElement {
    let text = |name: &str| schema.get(name).and_then(Value::as_str);
    match (text("type"), text("format")) {
        (Some("string"), Some("byte" | "date" | "date-time" | "duration")) => CelElement::Other,
        (Some("boolean" | "integer" | "string"), _) => CelElement::Plain,
        (None, _) if schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) => {
            CelElement::Plain
        }
        (Some("number"), _) => CelElement::Double,
        _ => CelElement::Other,
    }
}

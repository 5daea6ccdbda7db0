//! Numbers: pairs the properties of schemas with the fields of protobuf messages.

mod kinds;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::config::Config;
use crate::diag::Diagnostics;
use crate::model::{Number, NumberForm, SchemaName};
use crate::protobuf::{
    Label, Location, Message, ProtoField, ProtoType, Protos, package_of_schemas,
};
use crate::source::Inputs;

pub(crate) use kinds::difference;
pub(crate) use tables::tables;

/// The messages of a release, and the types of k8s-openapi that are read as such.
pub(crate) struct Numbers {
    protos: Protos,
    /// The schemas of these types; `null` where the document has none.
    pub(crate) of_others: BTreeMap<SchemaName, Value>,
}

/// The field of a message that a property is.
pub(crate) struct Found<'a> {
    pub(crate) field: &'a ProtoField,
    /// The line with it.
    pub(crate) place: Location,
    path: Vec<u32>,
    /// True if its type is a message that is nothing but a list.
    pub(crate) has_items: bool,
}

impl Numbers {
    /// Reads the messages, if the configuration says where they are.
    pub(crate) fn read(
        config: &Config,
        inputs: &Inputs,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let protobuf = config.protobuf.as_ref()?;
        let protos = Protos::read(&inputs.protos, diagnostics);
        let types = protobuf.k8s_openapi.as_ref();
        let of_others = types.map(|types| tables::closure(types, inputs));
        Some(Self {
            protos,
            of_others: of_others.unwrap_or_default(),
        })
    }

    /// The fields of a message that are the properties of these names.
    pub(crate) fn pair<'a>(
        &'a self,
        message: &'a Message,
        names: &BTreeSet<&str>,
    ) -> BTreeMap<&'a str, Found<'a>> {
        pair(&self.protos, message, names)
    }

    /// The message of a schema.
    pub(crate) fn message(&self, schema: &str) -> Option<&Message> {
        self.protos.message(&message_name(schema)?)
    }
}

/// The fields of a message that are the properties of these names.
pub(crate) fn pair<'a>(
    protos: &'a Protos,
    message: &'a Message,
    names: &BTreeSet<&str>,
) -> BTreeMap<&'a str, Found<'a>> {
    let mut found = BTreeMap::new();
    pair_at(protos, message, names, &[], &mut found);
    found
}

/// Pairs the fields of a message, and those of the objects in it that Go has inlined: messages that
/// are no property.
fn pair_at<'a>(
    protos: &'a Protos,
    message: &'a Message,
    names: &BTreeSet<&str>,
    above: &[u32],
    found: &mut BTreeMap<&'a str, Found<'a>>,
) {
    for field in &message.fields {
        let path = [above, &[field.number]].concat();
        let name = field.json.as_ref().unwrap_or(&field.name).as_str();
        if names.contains(name) {
            let place = Location {
                file: message.place.file.clone(),
                line: field.line,
            };
            // What is further out hides what is inside.
            let known = found.get(name);
            if known.is_none_or(|known: &Found<'_>| known.path.len() > path.len()) {
                let has_items = has_items(protos, &field.ty);
                let one = Found {
                    field,
                    place,
                    path,
                    has_items,
                };
                found.insert(name, one);
            }
            continue;
        }
        let is_single = matches!(field.label, Label::Required | Label::Optional);
        if let (true, ProtoType::Message(inner)) = (is_single && path.len() < DEEPEST, &field.ty)
            && let Some(inner) = protos.message(inner)
        {
            pair_at(protos, inner, names, &path, found);
        }
    }
}

/// Returns true if a type is a message that stands for a list: protobuf has none in maps.
fn has_items(protos: &Protos, ty: &ProtoType) -> bool {
    let ProtoType::Message(name) = ty else {
        return false;
    };
    let fields = protos.message(name).map(|message| &*message.fields);
    matches!(fields, Some([field]) if field.name == "items" && field.label == Label::Repeated)
}

/// The most numbers of a field; Kubernetes has three, of a rule of admission in another.
const DEEPEST: usize = 3;

impl Found<'_> {
    /// The number of a property, which JSON always has if it is required.
    pub(crate) fn number(&self, is_required: bool) -> Number {
        Number {
            path: self.path.clone(),
            form: match self.field.label {
                Label::Required if is_required => NumberForm::Plain,
                Label::Required if self.field.keeps_zero => NumberForm::Kept,
                Label::Required => NumberForm::Always,
                Label::Map if self.has_items => NumberForm::Items,
                _ => NumberForm::Plain,
            },
        }
    }

    /// The number and the type, for reports.
    pub(crate) fn text(&self) -> String {
        let path: Vec<_> = self.path.iter().map(ToString::to_string).collect();
        let ty = kinds::described(self.field.label, self.field.ty.name());
        format!("{} of {ty}", path.join("/"))
    }
}

/// The help about documents and `.proto` files that differ.
pub(crate) const SAME_RELEASE: &str = "both have to be of the same release of Kubernetes";

/// The error about a property that the message of its schema lacks.
pub(crate) fn without_number(property: &str, message: &Message) -> String {
    format!(
        "`{property}` has no number: the message in {}:{} has no field of that name",
        message.place.file, message.place.line
    )
}

/// The full name of the message of a schema, `io.k8s.api.core.v1.Pod`, if it is one of Kubernetes.
pub(crate) fn message_name(schema: &str) -> Option<String> {
    let (prefix, name) = schema.split_at_checked(schema.rfind('.')? + 1)?;
    Some(format!("{}.{name}", package_of_schemas(prefix)?))
}

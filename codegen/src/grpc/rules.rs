//! The rules of requests: checks of the fields of all messages in requests, from their types and
//! annotations. The package that gets them has the checks themselves, in modules beside the file.

use std::collections::{BTreeSet, HashMap};

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use proc_macro2::TokenStream;
use prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor};
use quote::{format_ident, quote};
use syn::{Ident, Path, parse_str};

use super::comment::Comment;
use crate::config::GrpcRules;
use crate::diag::Diagnostics;
use crate::source::Source;

/// The most bytes of a string, unless its annotation says otherwise.
const STRING: u32 = 128;

/// The most bytes of the keys and values of a map, unless its annotation says otherwise.
const MAP: u32 = 4096;

/// The input of the rules.
pub(super) struct Rules<'a> {
    pub(super) config: &'a GrpcRules,
    pub(super) pool: &'a DescriptorPool,
    /// The package of the messages, as the `.proto` file names it.
    pub(super) package: &'a str,
    pub(super) comments: &'a HashMap<String, Comment>,
    /// The names of the fields with secrets.
    pub(super) secrets: &'a BTreeSet<&'a str>,
    pub(super) source: &'a Source,
}

/// The types of fields, as far as they are checked in different ways.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Texts,
    /// A map of strings to strings.
    Map,
    Enum,
    Message,
    Messages,
    /// Nothing but a hand-written function checks it.
    Other,
}

impl Rules<'_> {
    /// Returns the items of the file. Fields that can't be checked are reported.
    pub(super) fn items(&self, diagnostics: &mut Diagnostics) -> Result<Vec<TokenStream>, String> {
        let messages: Path = parse_str(&self.config.messages).map_err(|error| {
            let path = &self.config.messages;
            format!("`{path}` isn't the path of a module: {error}")
        })?;
        let requests = self.requests();
        let inside = self.inside(&requests);
        let is_inside = |message: &MessageDescriptor| inside.contains(message.full_name());
        let mut items = vec![quote!(
            use #messages;
            use super::{Error, Request, functions};
            use super::check::{Checked, Field};
        )];
        for message in self.pool.all_messages().filter(is_inside) {
            let path = self.path(message.full_name())?;
            let checks = self.message(&message, diagnostics)?;
            let check = (!checks.is_empty()).then(|| {
                quote! {
                    fn check(&self, message: &Field<'_>) -> Result<(), Error> {
                        #(#checks)*
                        Ok(())
                    }
                }
            });
            items.push(quote!(impl Checked for #path { #check }));
            if requests.contains(message.full_name()) {
                items.push(quote!(impl Request for #path {}));
            }
        }
        Ok(items)
    }

    /// Returns the names of the requests of all rpcs.
    fn requests(&self) -> BTreeSet<String> {
        let services = self.pool.services();
        let methods = services.flat_map(|service| service.methods().collect::<Vec<_>>());
        let requests = methods.map(|method| method.input());
        let own = requests.filter(|message| message.package_name() == self.package);
        own.map(|message| message.full_name().to_owned()).collect()
    }

    /// Returns the names of the requests and of all messages in them.
    fn inside(&self, requests: &BTreeSet<String>) -> BTreeSet<String> {
        let mut inside = BTreeSet::new();
        let mut open: Vec<String> = requests.iter().cloned().collect();
        while let Some(name) = open.pop() {
            let Some(message) = self.pool.get_message_by_name(&name) else {
                continue;
            };
            if !inside.insert(name) {
                continue;
            }
            for field in message.fields().filter(|field| !field.is_map()) {
                let kind = field.kind();
                let inner = kind.as_message().filter(|inner| self.is_own(inner));
                open.extend(inner.map(|inner| inner.full_name().to_owned()));
            }
        }
        inside
    }

    /// Returns true if a message isn't one of an imported file.
    fn is_own(&self, message: &MessageDescriptor) -> bool {
        message.package_name() == self.package
    }

    /// Returns the checks of a message, in the order of its fields.
    fn message(
        &self,
        message: &MessageDescriptor,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<TokenStream>, String> {
        let mut checks = Vec::new();
        for field in message.fields() {
            let oneof = field.containing_oneof();
            let Some(oneof) = oneof.filter(|oneof| !oneof.is_synthetic()) else {
                checks.extend(self.field(&field, diagnostics)?);
                continue;
            };
            // The members of a `oneof` are checked at the first of them.
            if oneof.fields().next() == Some(field) {
                checks.extend(self.oneof(&oneof, diagnostics)?);
            }
        }
        if let Some(rule) = self.rule(message.full_name()) {
            checks.push(quote!(functions::#rule(self, message)?;));
        }
        Ok(checks)
    }

    fn field(
        &self,
        field: &FieldDescriptor,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<TokenStream>, String> {
        let comment = self.comments.get(field.full_name());
        let is_required = comment.is_some_and(|comment| comment.is_required);
        let shape = self.shape(field);
        let unknown = is_required && shape == Some(Shape::Other);
        let Some(shape) = shape.filter(|_| !unknown) else {
            self.refuse(field, diagnostics);
            return Ok(Vec::new());
        };
        let member = ident(field.name());
        let mut checks = Vec::new();
        if is_required {
            let is_set = match shape {
                Shape::Enum => quote!(self.#member != 0),
                Shape::Message => quote!(self.#member.is_some()),
                _ => quote!(!self.#member.is_empty()),
            };
            checks.push(quote!(field.required(#is_set)?;));
        }
        checks.extend(self.of_shape(field, shape, comment)?);
        if let Some(rule) = self.rule(field.full_name()) {
            let value = match shape {
                Shape::Enum | Shape::Other => quote!(self.#member),
                _ => quote!(&self.#member),
            };
            checks.push(quote!(functions::#rule(#value, &field)?;));
        }
        if comment.is_some_and(|comment| comment.is_path) {
            checks.push(quote!(field.path(&self.#member)?;));
        }
        if !checks.is_empty() {
            let name = field.name();
            checks.insert(0, quote!(let field = message.field(#name);));
        }
        Ok(checks)
    }

    /// Returns the check that fields of a shape have.
    fn of_shape(
        &self,
        field: &FieldDescriptor,
        shape: Shape,
        comment: Option<&Comment>,
    ) -> Result<Option<TokenStream>, String> {
        let member = ident(field.name());
        let size = comment.and_then(|comment| comment.size);
        let limit = |general: u32| proc_macro2::Literal::u32_unsuffixed(size.unwrap_or(general));
        let is_path = comment.is_some_and(|comment| comment.is_path);
        let is_secret = self.secrets.contains(field.full_name());
        let (text, map) = (limit(STRING), limit(MAP));
        Ok(Some(match (shape, field.kind()) {
            (Shape::Text, _) if is_path => return Ok(None),
            (Shape::Text, _) => quote!(field.text(&self.#member, #text)?;),
            (Shape::Texts, _) if size.is_some() => quote!(field.list(&self.#member, #text)?;),
            (Shape::Texts, _) => quote!(field.texts(&self.#member, #text)?;),
            (Shape::Map, _) if is_secret => quote!(field.secrets(&self.#member, #map)?;),
            (Shape::Map, _) => quote!(field.map(&self.#member, #map)?;),
            (Shape::Message, _) => quote!(field.message(self.#member.as_ref())?;),
            (Shape::Messages, _) => quote!(field.messages(&self.#member)?;),
            (Shape::Enum, Kind::Enum(declared)) => {
                let path = self.path(declared.full_name())?;
                quote!(field.known::<#path>(self.#member)?;)
            }
            (Shape::Enum | Shape::Other, _) => return Ok(None),
        }))
    }

    /// Returns the checks of a `oneof`, whose members are messages.
    fn oneof(
        &self,
        oneof: &OneofDescriptor,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<TokenStream>, String> {
        let path = self.path(oneof.full_name())?;
        let (name, member) = (oneof.name(), ident(oneof.name()));
        let mut arms = Vec::new();
        for field in oneof.fields() {
            if self.shape(&field) != Some(Shape::Message) {
                self.refuse(&field, diagnostics);
                continue;
            }
            let name = field.name();
            let variant = format_ident!("{}", name.to_upper_camel_case());
            arms.push(quote! {
                Some(#path::#variant(value)) => message.field(#name).message(Some(value))?,
            });
        }
        let comment = self.comments.get(oneof.full_name());
        let absent = match comment.is_some_and(|comment| comment.is_required) {
            true => quote!(message.field(#name).required(false)?),
            false => quote!({}),
        };
        Ok(vec![quote! {
            match &self.#member {
                #(#arms)*
                None => #absent,
            }
        }])
    }

    /// Returns the shape of a field, or none if its presence is of a kind that isn't known here.
    fn shape(&self, field: &FieldDescriptor) -> Option<Shape> {
        if field.is_map() {
            let entry = field.kind();
            let texts = entry.as_message().is_some_and(|entry| {
                let fields = [entry.map_entry_key_field(), entry.map_entry_value_field()];
                fields.iter().all(|field| field.kind() == Kind::String)
            });
            return Some(if texts { Shape::Map } else { Shape::Other });
        }
        let is_message = matches!(field.kind(), Kind::Message(_));
        if !is_message && field.supports_presence() {
            return None;
        }
        Some(match (field.kind(), field.is_list()) {
            (Kind::String, false) => Shape::Text,
            (Kind::String, true) => Shape::Texts,
            (Kind::Enum(_), false) => Shape::Enum,
            (Kind::Message(inner), false) if self.is_own(&inner) => Shape::Message,
            (Kind::Message(inner), true) if self.is_own(&inner) => Shape::Messages,
            _ => Shape::Other,
        })
    }

    fn refuse(&self, field: &FieldDescriptor, diagnostics: &mut Diagnostics) {
        let comment = self.comments.get(field.full_name());
        diagnostics.in_file(
            &self.source.name,
            comment.and_then(|comment| comment.line),
            format!("{} can't be checked", field.full_name()),
            "in requests, `optional` can't be before strings, numbers and enums, members of a \
             `oneof` have to be messages of the file, and `@required` has to be at a string, an \
             enum, a list or map of strings, or messages of the file",
        );
    }

    /// Returns the name of the hand-written function that an item names.
    fn rule(&self, name: &str) -> Option<Ident> {
        self.comments.get(name)?.rule.as_deref().map(ident)
    }

    /// Returns the path of a type: `v1::volume_capability::MountVolume`.
    fn path(&self, name: &str) -> Result<Path, String> {
        let module = self.config.messages.rsplit("::").next().unwrap_or_default();
        let inside = name.strip_prefix(self.package).unwrap_or(name);
        let mut parts: Vec<&str> = inside.split('.').filter(|part| !part.is_empty()).collect();
        let last = parts.pop().unwrap_or_default();
        let mut path = module.to_owned();
        for part in parts {
            path += &format!("::{}", ident(part));
        }
        path += &format!("::{}", last.to_upper_camel_case());
        parse_str(&path).map_err(|error| format!("`{path}`: {error}"))
    }
}

/// Returns the identifier of a field, a `oneof` or a module, as prost spells it.
fn ident(name: &str) -> Ident {
    let name = name.to_snake_case();
    match parse_str(&name) {
        Ok(ident) => ident,
        Err(_) if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) => {
            format_ident!("_{name}")
        }
        // These are keywords that can't be raw identifiers.
        Err(_) if matches!(&*name, "self" | "super" | "crate") => format_ident!("{name}_"),
        Err(_) => format_ident!("r#{name}"),
    }
}

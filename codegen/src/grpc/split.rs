//! Divides the code of a module into files, one for each module in it, and completes its
//! documentation.

use heck::{ToSnakeCase, ToUpperCamelCase};
use quote::quote;
use syn::{
    Attribute, Expr, ExprLit, Fields, ImplItem, Item, ItemImpl, ItemMod, ItemTrait, Lit, Meta,
    TraitItem, Type, parse_quote, parse_str,
};

use super::docs::{self, Side};
use super::file;
use crate::config::Grpc;
use crate::generated::GeneratedFile;

/// The attribute of fields whose type becomes that of secrets.
pub(super) const SECRET: &str = "secret";

/// Paths that are written in full, so that no message can hide them, and what they become: CSI has
/// no message of such a name.
const PATHS: [(&str, &str); 9] = [
    ("::prost::alloc::string::String", "String"),
    ("::prost::alloc::vec::Vec", "Vec"),
    ("::prost::alloc::collections::BTreeMap", "BTreeMap"),
    ("::core::option::Option", "Option"),
    ("::prost::", "prost::"),
    ("::prost_types::", "prost_types::"),
    ("std::result::Result", "Result"),
    ("std::marker::Send", "Send"),
    ("std::marker::Sync", "Sync"),
];

/// Returns the files of the code.
pub(super) fn files(text: &str, config: &Grpc) -> Result<Vec<GeneratedFile>, String> {
    let shorten = |text: String, (path, short): &(&str, &str)| text.replace(path, short);
    let text = PATHS.iter().fold(text.to_owned(), shorten);
    let file = syn::parse_file(&text).map_err(|error| error.to_string())?;
    let secrets = config.secrets.as_deref().map(parse_str::<Type>);
    let mut split = Split {
        config,
        secrets: secrets.transpose().map_err(|error| error.to_string())?,
        files: Vec::new(),
    };
    split.module(&config.module, None, file.attrs, file.items)?;
    Ok(split.files)
}

struct Split<'a> {
    config: &'a Grpc,
    secrets: Option<Type>,
    files: Vec<GeneratedFile>,
}

impl Split<'_> {
    /// Adds the file of a module, in a folder of its own or as `file`, and those of the modules in
    /// it.
    fn module(
        &mut self,
        folder: &str,
        file: Option<&str>,
        attributes: Vec<Attribute>,
        items: Vec<Item>,
    ) -> Result<(), String> {
        let has_modules = items.iter().any(|item| matches!(item, Item::Mod(_)));
        let inner = match file {
            Some(name) => format!("{folder}/{name}"),
            None => folder.to_owned(),
        };
        let path = match has_modules || file.is_none() {
            true => format!("{inner}/mod.rs"),
            false => format!("{inner}.rs"),
        };
        let side = file.and_then(side);
        let service = side.map(|_| service(&items)).unwrap_or_default();
        let mut tokens = Vec::new();
        for mut item in items {
            if let Item::Mod(ItemMod {
                ident,
                content: Some((_, items)),
                attrs,
                ..
            }) = item
            {
                let name = ident.to_string();
                let (inside, _) = attrs.into_iter().partition(is_inner);
                self.module(&inner, Some(&name), inside, items)?;
                let docs = documentation([of_module(&name)]);
                tokens.push(quote!(#(#docs)* pub mod #ident;));
                continue;
            }
            self.complete(&mut item, side, &service);
            tokens.push(quote!(#item));
        }
        if tokens
            .iter()
            .any(|item| item.to_string().contains("BTreeMap"))
        {
            tokens.insert(
                0,
                quote!(
                    use std::collections::BTreeMap;
                ),
            );
        }
        let file = file::generated(self.config, path, &attributes, tokens)?;
        self.files.push(file);
        Ok(())
    }

    /// Completes the documentation of an item, and gives secrets their type.
    fn complete(&self, item: &mut Item, side: Option<Side>, service: &[Attribute]) {
        match (item, side) {
            (Item::Struct(item), Some(Side::Client)) => {
                documented(&mut item.attrs);
                let said = "Calls the service.";
                item.attrs.splice(0..0, lead(said, service));
            }
            (Item::Struct(item), Some(Side::Server)) => {
                documented(&mut item.attrs);
                let name = item.ident.to_string();
                let said = format!(
                    "Serves an implementation of [`{}`].",
                    name.trim_end_matches("Server")
                );
                item.attrs.splice(0..0, documentation([said]));
            }
            (Item::Struct(item), None) => {
                self.secrets(&mut item.fields);
                merge_derives(&mut item.attrs);
                as_written(&mut item.attrs);
                let fields = item.fields.iter_mut();
                fields.for_each(|field| as_written(&mut field.attrs));
            }
            (Item::Enum(item), _) => {
                as_written(&mut item.attrs);
                let variants = item.variants.iter_mut();
                variants.for_each(|variant| as_written(&mut variant.attrs));
            }
            (Item::Impl(item), side) => complete_functions(item, side),
            (Item::Trait(item), _) => complete_trait(item, service),
            _ => {}
        }
    }

    fn secrets(&self, fields: &mut Fields) {
        for field in fields {
            let before = field.attrs.len();
            field
                .attrs
                .retain(|attribute| !attribute.path().is_ident(SECRET));
            if let (true, Some(secrets)) = (field.attrs.len() < before, &self.secrets) {
                field.ty = secrets.clone();
            }
        }
    }
}

/// Returns the side that a module of a service has.
fn side(module: &str) -> Option<Side> {
    if module.ends_with("_client") {
        Some(Side::Client)
    } else if module.ends_with("_server") {
        Some(Side::Server)
    } else {
        None
    }
}

/// Returns the documentation of a module.
fn of_module(name: &str) -> String {
    let of = |suffix| name.strip_suffix(suffix).map(type_name);
    if let Some(service) = of("_client") {
        format!("The client of the service `{service}`.")
    } else if let Some(service) = of("_server") {
        format!("The server of the service `{service}`.")
    } else {
        format!("Messages and enumerations of `{}`.", type_name(name))
    }
}

fn type_name(module: &str) -> String {
    module.to_upper_camel_case()
}

fn complete_functions(item: &mut ItemImpl, side: Option<Side>) {
    for member in &mut item.items {
        let ImplItem::Fn(function) = member else {
            continue;
        };
        let name = function.sig.ident.to_string();
        let known = match side {
            Some(side) if item.trait_.is_none() => docs::of_service(side, &name),
            Some(_) => None,
            None => docs::of_enum(&name),
        };
        if let Some(known) = known {
            documented(&mut function.attrs);
            function.attrs.splice(0..0, documentation([known]));
        }
    }
}

/// Returns the documentation of the service whose side a module has.
fn service(items: &[Item]) -> Vec<Attribute> {
    let own = items.iter().find_map(|item| match item {
        Item::Struct(item) => Some(documented(&mut item.attrs.clone())),
        _ => None,
    });
    own.unwrap_or_default()
}

/// Makes one `derive` of all.
fn merge_derives(attributes: &mut Vec<Attribute>) {
    let (derives, others): (Vec<_>, Vec<_>) = std::mem::take(attributes)
        .into_iter()
        .partition(|attribute| attribute.path().is_ident("derive"));
    *attributes = others;
    let lists = derives.iter().filter_map(|derive| match &derive.meta {
        Meta::List(list) => Some(&list.tokens),
        _ => None,
    });
    let docs = |attribute: &&Attribute| attribute.path().is_ident("doc");
    let at = attributes.iter().take_while(docs).count();
    attributes.insert(at, parse_quote!(#[derive(#(#lists),*)]));
}

/// Gives the trait of a service and the types of its streams their documentation.
fn complete_trait(item: &mut ItemTrait, service: &[Attribute]) {
    documented(&mut item.attrs);
    item.attrs.splice(0..0, service.iter().cloned());
    for member in &mut item.items {
        if let TraitItem::Type(stream) = member {
            let rpc = stream.ident.to_string();
            let rpc = rpc.trim_end_matches("Stream").to_snake_case();
            documented(&mut stream.attrs);
            let said = format!("The answers of [`{rpc}`](Self::{rpc}).");
            stream.attrs.splice(0..0, documentation([said]));
        }
    }
}

/// Takes the documentation out of attributes.
fn documented(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    let (docs, others) = std::mem::take(attributes)
        .into_iter()
        .partition(|attribute| attribute.path().is_ident("doc"));
    *attributes = others;
    docs
}

/// Takes back what prost-build changes in the documentation of messages: it indents the second line
/// of an item of a list by one more space, and escapes brackets in code, too.
fn as_written(attributes: &mut [Attribute]) {
    for attribute in attributes {
        let Some(text) = text(attribute) else {
            continue;
        };
        let text = text.replace("\\[", "[").replace("\\]", "]");
        let text = match text.strip_prefix("    ") {
            Some(rest) => format!("   {rest}"),
            None => text,
        };
        *attribute = parse_quote!(#[doc = #text]);
    }
}

/// Returns the text of a line of documentation.
fn text(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Puts a sentence before documentation, as a paragraph of its own.
fn lead(said: &str, own: &[Attribute]) -> Vec<Attribute> {
    let mut docs = documentation([said, ""]);
    docs.extend(own.iter().cloned());
    docs
}

fn documentation<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Vec<Attribute> {
    let lines = lines.into_iter().map(|line| {
        let line = line.as_ref();
        let line = match line.is_empty() {
            true => String::new(),
            false => format!(" {line}"),
        };
        parse_quote!(#[doc = #line])
    });
    lines.collect()
}

fn is_inner(attribute: &Attribute) -> bool {
    matches!(attribute.style, syn::AttrStyle::Inner(_))
}

//! The types for server-side apply, in files beside those of the full types.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::comment;
use super::comment::inner_comment;
use super::conversion::carried;
use super::declared::{Declared, declarations, of_types};
use super::file::{File, folder, group_versions, origin, origins, places};
use super::item::Item;
use super::runtime::{Feature, KINDS};
use super::{builders, imports, resource};
use super::{types, wire};
use crate::config::{CrateConfig, Parts};
use crate::doc;
use crate::model::{
    ApiVersion, Applies, Crate, Module, Resource, Rest, Role, Struct, Type, ValueConversion,
};
use crate::name::{self, APPLY_MODULE, Ident};

/// The module of a part of the crate, if there is anything to apply.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let any = versions
        .iter()
        .any(|version| !version.derived.apply.modules.is_empty());
    any.then(|| Declared::new(name::fixed(APPLY_MODULE), true, Some(Feature::Apply)))
}

/// The files that declare those of the apply types.
pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let mut files = Vec::new();
    for (place, versions) in places(krate) {
        if module(&versions).is_none() {
            continue;
        }
        files.push(root(place, &versions, &krate.config.parts));
    }
    files
}

/// The file of some apply types.
pub(super) fn file(_: &CrateConfig, version: &ApiVersion, module: &Module) -> File {
    let mut converts = false;
    let mut items: Vec<Item> = Vec::new();
    for schema in &module.types {
        let Applies { types, carries, .. } = &version.derived.apply;
        let (Some(full), Some(ty), Some(carries)) = (
            version.object(schema),
            types.get(schema),
            carries.get(schema),
        ) else {
            continue;
        };
        let Some(object) = ty.object() else { continue };
        items.extend(types::items(version, ty, object, &[]));
        let mut methods = builders::items(version, ty, object);
        if let Role::Apply(resource) = &object.role {
            methods.push(extraction(version, ty, resource));
            methods.push(apply_impl(version, ty));
        }
        methods.push(from_full(version, ty, full, carries));
        methods.extend(resource::items(version, ty, object));
        items.extend(methods.into_iter().map(Item::from));
        items.push(wire::item(version, ty, object));
        let mut carried = full.fields.iter().zip(carries);
        converts |= carried.any(|(field, carry)| carry.uses_support(field.form.boxed));
    }
    let imports = imports::of_apply(version, module, converts);
    let all = imports.into_iter().map(Item::from).chain(items);
    let folder = folder(version.module.as_ref());
    let path = format!("{folder}{APPLY_MODULE}/{}.rs", module.name);
    File::rust(path, origin(version, module), TokenStream::new(), all)
}

fn root(place: Option<&Ident>, versions: &[&ApiVersion], parts: &Parts) -> File {
    let modules = versions
        .iter()
        .flat_map(|v| of_types(v, &v.derived.apply.modules));
    let merge = super::merge::module(versions).filter(|module| module.is_in(parts));
    let modules = modules.chain(merge);
    let items = declarations(modules.collect(), Vec::new());
    let path = format!("{}{APPLY_MODULE}/mod.rs", folder(place));
    File::rust(
        path,
        origins(versions.iter().copied()),
        inner_comment(&about(versions)),
        items,
    )
}

fn about(versions: &[&ApiVersion]) -> Vec<String> {
    let names = group_versions(versions.iter().copied());
    let paragraphs = [
        format!("Types for server-side apply of {names}."),
        "Every field is absent unless set, but for `apiVersion` and `kind`, which are always \
         written. What is sent is what the field manager then owns, even `false` and \
         zero; what it owned before and no longer sends is removed by the server. `new` takes \
         the name, `with_*` set the rest, and a full type becomes the apply type of the same \
         name with `into`, its required fields set."
            .to_owned(),
        format!(
            "`extract` gives what a manager has applied of a live object, for changing part of it: \
         see [`{KINDS}::apply`]."
        ),
        "Enumerations are those of the full types, and so are types of other crates. Of these, \
         some write their required fields always, which is said of each field that has one; \
         metadata writes what is set only."
            .to_owned(),
    ];
    let paragraphs = paragraphs.map(|paragraph| doc::wrapped(&paragraph));
    paragraphs.join(&String::new())
}

/// The path of the full type.
fn full_type(version: &ApiVersion, ty: &Type) -> TokenStream {
    let (module, name) = (version.module.iter(), &ty.name);
    quote!(crate::#(#module::)* #name)
}

/// The methods that read back what has been applied.
fn extraction(version: &ApiVersion, ty: &Type, resource: &Resource) -> TokenStream {
    let name = &ty.name;
    let full = full_type(version, ty);
    let method = |method: TokenStream, what: &str, subresource: TokenStream| {
        let text = format!(
            "Returns what a field manager has applied of {what}, and still owns; only the name where \
             it has applied nothing. See [`extract`]({KINDS}::apply::extract), also for \
             the errors."
        );
        let docs = comment(&doc::wrapped(&text));
        quote! {
            #docs
            #[inline]
            pub fn #method(
                live: &#full,
                field_manager: &str,
            ) -> Result<Self, #KINDS::apply::ExtractError> {
                #KINDS::apply::extract(live, field_manager, #subresource)
            }
        }
    };
    let object = method(quote!(extract), "a live object", quote!(None));
    let status = resource.status.then(|| {
        method(
            quote!(extract_status),
            "the status of a live object",
            quote!(Some("status")),
        )
    });
    quote! {
        impl #name {
            #object
            #status
        }
    }
}

fn apply_impl(version: &ApiVersion, ty: &Type) -> TokenStream {
    let name = &ty.name;
    let full = full_type(version, ty);
    quote! {
        impl #KINDS::apply::Apply for #name {
            type Kind = #full;
        }
    }
}

/// The conversion of the full type, which sets all that it holds.
fn from_full(
    version: &ApiVersion,
    ty: &Type,
    full: &Struct,
    carries: &[ValueConversion],
) -> TokenStream {
    let name = &ty.name;
    let theirs = full_type(version, ty);
    let values = full.fields.iter().zip(carries).map(|(field, carry)| {
        let name = &field.name;
        let value = quote!(value.#name);
        if field.metadata {
            return quote!(#name: #KINDS::apply::metadata(#value));
        }
        let boxed = (field.form.boxed, field.form.boxed);
        let value = carried(&value, carry, field.is_optional(), boxed);
        if field.is_optional() {
            quote!(#name: #value)
        } else {
            quote!(#name: Some(#value))
        }
    });
    let unknown = full.unknown.iter().filter(|_| full.is_open);
    let values = values.chain(unknown.map(|Rest { name, .. }| quote!(#name: value.#name)));
    let said = match full.role {
        Role::Kind(_) => {
            "Sets all that the object holds, required fields included, but for the metadata \
             that the server alone decides."
        }
        _ => "Sets all that is held, required fields included.",
    };
    let docs = comment(&doc::wrapped(said));
    let value = if full.fields.is_empty() && !full.is_open {
        quote!(_)
    } else {
        quote!(value)
    };
    quote! {
        #docs
        impl From<#theirs> for #name {
            fn from(#value: #theirs) -> Self {
                Self { #(#values),* }
            }
        }
    }
}

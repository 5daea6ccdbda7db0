//! The definitions of custom resources, and kube's trait for them.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::{comment, inner_comment};
use super::declared::Declared;
use super::file::{File, folder, origins, places};
use super::imports::use_item;
use super::runtime::{Feature, KUBE};
use crate::model::{ApiVersion, Crate, Definition, Role, Struct, Type};
use crate::name::{self, DEFINITION_FILE, Ident};

/// The comment at the top of a file.
const ABOUT: [&str; 2] = [
    "The CustomResourceDefinitions of the kinds, as their author has written them, and",
    "`CustomResourceExt` of kube, by which a program finds and applies them.",
];

/// The documentation of the constant with a definition.
const TEXT: [&str; 3] = [
    "The CustomResourceDefinition as JSON, with all its versions, and without what a server adds.",
    "The types of `k8s_openapi`, which `crd` returns, lack fields that are newer than they are;",
    "this text has them.",
];

/// The module, if there is any definition.
pub(super) fn module(versions: &[&ApiVersion]) -> Option<Declared> {
    let name = name::fixed(DEFINITION_FILE);
    let any = versions
        .iter()
        .any(|version| !version.definitions.is_empty());
    any.then(|| Declared::new(name, false, Some(Feature::Definition)))
}

/// Returns true if a crate has a definition.
pub(super) fn is_any(krate: &Crate<'_>) -> bool {
    let mut versions = krate.versions.iter();
    versions.any(|version| !version.definitions.is_empty())
}

pub(super) fn files(krate: &Crate<'_>) -> Vec<File> {
    let places = places(krate).into_iter();
    let files = places.filter_map(|(place, versions)| file(place, &versions));
    files.collect()
}

fn file(place: Option<&Ident>, versions: &[&ApiVersion]) -> Option<File> {
    let defined = versions.iter().flat_map(|version| {
        let definitions = version.definitions.iter();
        definitions.filter_map(|(schema, of)| Some((version.types.get(schema)?, of)))
    });
    let mut defined: Vec<(&Type, &Definition)> = defined.collect();
    if defined.is_empty() {
        return None;
    }
    defined.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    let names: Vec<_> = defined.iter().map(|(ty, _)| &ty.name).collect();
    let inner = place.iter();
    let mut items = vec![use_item(&quote!(use crate::#(#inner::)*), &names)];
    items.extend(defined.into_iter().map(|(ty, of)| item(ty, of)));
    Some(File::rust(
        format!("{}{DEFINITION_FILE}.rs", folder(place)),
        origins(versions.iter().copied()),
        inner_comment(&ABOUT.map(str::to_owned)),
        items,
    ))
}

fn item(ty: &Type, definition: &Definition) -> TokenStream {
    let name = &ty.name;
    let docs = comment(&TEXT.map(str::to_owned));
    let Definition { name: of, text } = definition;
    let short_names = match ty.object() {
        Some(Struct {
            role: Role::Kind(resource),
            ..
        }) => resource.short_names.as_slice(),
        _ => &[],
    };
    quote! {
        impl #name {
            #docs
            pub const DEFINITION: &'static str = #text;
        }

        impl #KUBE::CustomResourceExt for #name {
            fn crd() -> k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition {
                // The generator has read it with these types.
                k8s_openapi::serde_json::from_str(Self::DEFINITION).unwrap_or_default()
            }

            fn crd_name() -> &'static str {
                #of
            }

            fn api_resource() -> #KUBE::ApiResource {
                #KUBE::ApiResource::erase::<Self>(&())
            }

            fn shortnames() -> &'static [&'static str] {
                &[#(#short_names),*]
            }
        }
    }
}

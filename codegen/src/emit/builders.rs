//! Builders: `new` takes the required fields, `with_*` sets the others.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::comment::comment;
use super::runtime::KINDS;
use super::types::value_type;
use crate::doc;
use crate::model::{ApiVersion, Field, Role, Struct, Ty, Type};

/// The most parameters that clippy lets a function have.
const MAX_PARAMETERS: usize = 7;

/// The `impl` with the constructor and the setters.
pub(super) fn items(version: &ApiVersion, ty: &Type, object: &Struct) -> Vec<TokenStream> {
    let name = &ty.name;
    let constructor = constructor(version, ty, object);
    let setters = object
        .fields
        .iter()
        .filter(|field| !field.is_asked())
        .map(|field| setter(version, object, field));
    vec![quote! {
        impl #name {
            #constructor
            #(#setters)*
        }
    }]
}

fn constructor(version: &ApiVersion, ty: &Type, object: &Struct) -> TokenStream {
    let required: Vec<_> = object
        .fields
        .iter()
        .filter(|field| field.is_asked())
        .collect();
    let mut parameters = Vec::new();
    let mut values = Vec::new();
    let is_kind = object.role.is_named();
    let object_name = free_name(&required);
    if is_kind {
        parameters.push(quote!(#object_name: impl Into<String>));
        if is_applied_in_namespace(object) {
            parameters.push(quote!(namespace: impl Into<String>));
            values.push(quote!(metadata: #KINDS::named_in(#object_name, namespace)));
        } else {
            values.push(quote!(metadata: #KINDS::named(#object_name)));
        }
    }
    for field in &required {
        let name = &field.name;
        let (parameter, mut value) = argument(version, &field.ty, &quote!(#name));
        if let Ty::Map(_) = field.ty {
            value = quote!(#value.collect());
        }
        if field.form.boxed {
            value = quote!(Box::new(#value));
        }
        if field.is_optional() {
            value = quote!(Some(#value));
        }
        parameters.push(quote!(#name: #parameter));
        let same = value.to_string() == name.as_str();
        values.push(if same { value } else { quote!(#name: #value) });
    }
    let given = required.len() + usize::from(is_kind);
    let lines = constructor_docs(ty, object, &required);
    let docs = comment(&lines);
    let body = if given == 0 {
        quote!(Self::default())
    } else if given == object.fields.len() && object.unknown.is_none() {
        quote!(Self { #(#values),* })
    } else {
        quote!(Self { #(#values,)* ..Self::default() })
    };
    // So many are required of an object that somebody else has designed.
    let many = parameters.len() > MAX_PARAMETERS;
    let many = many.then(|| quote!(#[allow(clippy::too_many_arguments)]));
    quote! {
        #docs
        #many
        #[must_use]
        pub fn new(#(#parameters),*) -> Self {
            #body
        }
    }
}

/// Returns true if the namespace belongs to what names the object, as in a request to apply it.
fn is_applied_in_namespace(object: &Struct) -> bool {
    matches!(&object.role, Role::Apply(resource) if resource.namespaced)
}

/// A name for the parameter that becomes `metadata.name`, which no field has.
fn free_name(fields: &[&Field]) -> proc_macro2::Ident {
    let taken = |name: &str| fields.iter().any(|field| field.name.as_str() == name);
    let mut name = "name".to_owned();
    while taken(&name) {
        name.insert_str(0, "object_");
    }
    format_ident!("{name}")
}

fn constructor_docs(ty: &Type, object: &Struct, required: &[&Field]) -> Vec<String> {
    let name = ty.name.as_str();
    let article = match name.chars().next() {
        Some('A' | 'E' | 'I' | 'O' | 'U') => "an",
        _ => "a",
    };
    let given: Vec<_> = required
        .iter()
        .map(|field| format!("`{}`", field.name))
        .collect();
    let what = match (&object.role, given.as_slice()) {
        (Role::Kind(_), []) => "of the given name".to_owned(),
        (Role::Kind(_), given) => {
            format!("of the given name with its {}", enumerate(given))
        }
        (Role::Apply(_), _) if is_applied_in_namespace(object) => {
            "of the given name and namespace in which nothing else is set".to_owned()
        }
        (Role::Apply(_), _) => "of the given name in which nothing else is set".to_owned(),
        (Role::List { .. }, _) => "of the given items".to_owned(),
        (Role::Part, []) if object.fields.iter().any(|field| field.required) => {
            "in which only required fields with a default are set".to_owned()
        }
        (Role::Part, []) => "in which nothing is set".to_owned(),
        (Role::Part, given) => format!("with its {}", enumerate(given)),
    };
    doc::wrapped(&format!("Makes {article} `{name}` {what}."))
}

fn enumerate(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn setter(version: &ApiVersion, object: &Struct, field: &Field) -> TokenStream {
    let setter = field.name.setter();
    let name = &field.name;
    let (parameter, mut value) = argument(version, &field.ty, &quote!(value));
    if field.form.boxed {
        value = quote!(Box::new(#value));
    }
    // In two steps where it is long: formatters disagree on how to break a single one.
    let mut collected = TokenStream::new();
    if let Ty::Map(_) = field.ty {
        collected = quote!(let values = #value;);
        value = quote!(values.collect());
    }
    if field.is_optional() {
        value = quote!(Some(#value));
    }
    let mut about = format!("Sets [`{0}`](Self::{0}).", field.name);
    if field.metadata && object.role.is_named() {
        value = quote!(#KINDS::named_as(self.#name, #value));
        about.push_str(" Where it has no name or namespace, those of the object stay.");
    }
    let mut lines = doc::wrapped(&field.docs.summary);
    lines.push(String::new());
    lines.extend(doc::wrapped(&about));
    let docs = comment(&lines);
    quote! {
        #docs
        #[must_use]
        pub fn #setter(mut self, value: #parameter) -> Self {
            #collected
            self.#name = #value;
            self
        }
    }
}

/// The type of a parameter that takes all that can become the value, and the value from it;
/// of a map, its entries, which are still to be collected.
fn argument(version: &ApiVersion, ty: &Ty, from: &TokenStream) -> (TokenStream, TokenStream) {
    match ty {
        // Nothing but a bool becomes a bool, and a bare literal reads best.
        Ty::Bool => (quote!(bool), quote!(#from)),
        Ty::List(item) => {
            let (item, convert) = element(version, item);
            let values = match convert {
                Some(convert) => quote!(#from.into_iter().map(#convert).collect()),
                None => quote!(#from.into_iter().collect()),
            };
            (quote!(impl IntoIterator<Item = #item>), values)
        }
        Ty::Map(value) => {
            let (value, convert) = element(version, value);
            let convert = match convert {
                Some(_) => quote!(|(key, value)| (key.into(), value.into())),
                None => quote!(|(key, value)| (key.into(), value)),
            };
            (
                quote!(impl IntoIterator<Item = (impl Into<String>, #value)>),
                quote!(#from.into_iter().map(#convert)),
            )
        }
        ty => {
            let ty = value_type(version, ty);
            (quote!(impl Into<#ty>), quote!(#from.into()))
        }
    }
}

/// The type of an element, and how to convert it, if it needs to be.
fn element(version: &ApiVersion, ty: &Ty) -> (TokenStream, Option<TokenStream>) {
    let plain = value_type(version, ty);
    match ty {
        Ty::Bool | Ty::List(_) | Ty::Map(_) => (plain, None),
        _ => (quote!(impl Into<#plain>), Some(quote!(Into::into))),
    }
}

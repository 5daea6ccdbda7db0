//! Emits the checks of fields that are set together.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::combined;
use super::context::Context;
use crate::model::{ErrorType, Group, Rest, Role, Struct, Together};

/// The checks of a struct.
pub(super) fn lines(cx: &mut Context<'_>, object: &Struct) -> TokenStream {
    let checks = object.rules.together.iter().map(|together| match together {
        Together::Number { least, most } => number(cx, object, *least, *most),
        Together::Combined(combination) => {
            combined::check(cx, (&quote!(*at), &quote!(self)), combination)
        }
        together => {
            let check = check(object, together);
            quote!(#check;)
        }
    });
    checks.collect()
}

/// The checks of the number of fields that are set.
fn number(
    cx: &mut Context<'_>,
    object: &Struct,
    least: Option<usize>,
    most: Option<usize>,
) -> TokenStream {
    let fields = object.fields.iter();
    let optional = fields.filter(|field| !field.is_always_written());
    let is_set: Vec<_> = optional
        .map(|field| {
            let name = &field.name;
            quote!(self.#name.is_some())
        })
        .collect();
    // Kinds have their own `apiVersion` and `kind`.
    let of_type = if matches!(object.role, Role::Kind(_)) {
        2
    } else {
        0
    };
    let always = object.fields.len() - is_set.len() + of_type;
    let mut parts = Vec::new();
    if !is_set.is_empty() {
        let set = quote!([#(#is_set),*].into_iter());
        parts.push(quote!(#set.filter(|is_set| *is_set).count()));
    }
    if always > 0 || is_set.is_empty() {
        let always = Literal::usize_unsuffixed(always);
        parts.push(quote!(#always));
    }
    let unknown = object.unknown.iter();
    parts.extend(unknown.map(|Rest { name, .. }| quote!(self.#name.len())));
    let min = least.map(|least| {
        let least = Literal::usize_unsuffixed(least);
        quote!(to.min_entries(*at, number, #least, "minProperties");)
    });
    let max = most.map(|most| {
        let (most, ty) = (Literal::usize_unsuffixed(most), cx.name("Problem"));
        let error_type = cx.term(ErrorType::TooMany);
        quote! {
            let problem = #ty::new(#error_type, "maxProperties");
            to.max_entries(*at, number, #most, problem);
        }
    });
    quote! {
        let number = #(#parts)+*;
        #min
        #max
    }
}

fn check(object: &Struct, together: &Together) -> TokenStream {
    let (rule, only_one, groups) = match together {
        Together::Not(names) => {
            let are_set = all_set(object, names);
            return quote!(to.not_set_together(*at, #are_set, &[#(#names),*]));
        }
        Together::Each(names) => {
            let set = Group {
                set: names.clone(),
                ..Group::default()
            };
            let set = conditions(object, &set);
            return quote!(to.all_set(*at, #set));
        }
        Together::All(all) => {
            let all = all.iter().map(|together| check(object, together));
            return quote! {
                let all = [#(#all),*];
                to.all_of(*at, &all)
            };
        }
        // Beside the others only.
        Together::Number { .. } | Together::Combined(_) => return quote!(true),
        Together::Any(groups) => ("anyOf", false, groups),
        Together::One(groups) => ("oneOf", true, groups),
    };
    let groups = groups.iter().map(|group| conditions(object, group));
    quote!(to.set_together(*at, #rule, #only_one, &[#(#groups),*]))
}

/// The conditions of a group, each with the field that is missing where it doesn't hold.
fn conditions(object: &Struct, group: &Group) -> TokenStream {
    let set = group.set.iter().map(|name| {
        let is_set = one_set(object, name, true);
        quote!((#name, #is_set))
    });
    let not = group.not_set.iter().map(|names| {
        let is_not = match names.as_slice() {
            [name] => one_set(object, name, false),
            names => {
                let are_set = all_set(object, names);
                quote!(!(#are_set))
            }
        };
        quote!(("", #is_not))
    });
    let all = set.chain(not);
    quote!(&[#(#all),*])
}

fn all_set(object: &Struct, names: &[String]) -> TokenStream {
    let set: Vec<_> = names
        .iter()
        .map(|name| one_set(object, name, true))
        .collect();
    match set.is_empty() {
        true => quote!(true),
        false => quote!(#(#set)&&*),
    }
}

/// The condition that a field is set; one that is always written is, and one that is `null` too.
fn one_set(object: &Struct, json: &str, wanted: bool) -> TokenStream {
    let field = object.field(json);
    let Some(field) = field.filter(|field| !field.is_always_written()) else {
        return quote!(#wanted);
    };
    let name = &field.name;
    let rest = object.unknown.as_ref().filter(|_| field.form.keeps_null);
    match (rest, wanted) {
        (None, true) => quote!(self.#name.is_some()),
        (None, false) => quote!(self.#name.is_none()),
        (Some(Rest { name: rest, .. }), true) => {
            quote!((self.#name.is_some() || self.#rest.contains_key(#json)))
        }
        (Some(Rest { name: rest, .. }), false) => {
            quote!((self.#name.is_none() && !self.#rest.contains_key(#json)))
        }
    }
}

//! Parts of rules in CEL as Rust: what closures take, and how values are read.

use proc_macro2::TokenStream;
use quote::quote;

use super::operand::Operand;
use crate::emit::runtime::VALIDATION;
use crate::model::{Macro, Node, ReadAs, Variables};
use crate::name;

/// Returns true if a macro is a method of Rust's iterators.
pub(super) fn is_native(how: Macro, body: &Node) -> bool {
    matches!(how, Macro::All | Macro::Exists) && !body.fails()
}

/// Returns true for the variable.
pub(super) fn is_variable(node: &Node, variable: &name::Ident) -> bool {
    matches!(node, Node::Variable(name) if name == variable)
}

/// Returns true for the only variable.
pub(super) fn is_only(node: &Node, variables: &Variables) -> bool {
    matches!(variables, Variables::One(variable) if is_variable(node, variable))
}

/// The parameter of a closure, without a name if the body doesn't use it.
pub(super) fn parameter(variable: &name::Ident, body: &Node) -> TokenStream {
    match body.any(&mut |node| is_variable(node, variable)) {
        true => quote!(#variable),
        false => quote!(_),
    }
}

pub(super) fn parameters(variables: &Variables, body: &Node) -> TokenStream {
    match variables {
        Variables::One(variable) => parameter(variable, body),
        Variables::Two(a, b) => {
            let (a, b) = (parameter(a, body), parameter(b, body));
            quote!((#a, #b))
        }
    }
}

/// The function that makes an optional value of another.
pub(super) fn mapped(is_flat: bool) -> &'static str {
    match is_flat {
        true => "and_then",
        false => "map",
    }
}

/// The value in a place.
pub(super) fn read_as(place: &Operand, read: ReadAs) -> TokenStream {
    let Operand {
        plain,
        borrowed,
        copied,
        ..
    } = place;
    match read {
        ReadAs::Copied => copied.clone(),
        ReadAs::Whole => quote!(i64::from(#copied)),
        ReadAs::Unsigned => quote!(#VALIDATION::whole(#copied)),
        ReadAs::Fraction => quote!(f64::from(#copied)),
        ReadAs::Text => quote!(#plain.as_str()),
        ReadAs::Bytes => quote!(#plain.0.as_slice()),
        ReadAs::Borrowed => borrowed.clone(),
    }
}

//! Rules in CEL, as calls of the checker.

use proc_macro2::TokenStream;
use quote::quote;

use super::cel::Writer;
use super::context::Context;
use super::operand::Operand;
use crate::model::{CelRule, Node, Stored};

/// A rule of a value, with what is stored of it.
pub(super) fn rule(
    cx: &mut Context<'_>,
    rule: &CelRule,
    path: &Operand,
    new: &Operand,
    old: Option<&Operand>,
) -> TokenStream {
    if rule.stored == Stored::Optional {
        return of_change(cx, rule, path, new, old);
    }
    let old = old.unwrap_or(new);
    let holds = Writer { cx, new, old }.result(&rule.holds);
    let path = &path.copied;
    let (method, below) = match rule.below.as_slice() {
        [] => (quote!(rule), None),
        below => (quote!(rule_below), Some(quote!(&[#(#below),*],))),
    };
    let rule = constant(cx, rule);
    quote!(to.#method(#path, #below #rule, || #holds);)
}

/// A rule that is evaluated with or without what is stored.
fn of_change(
    cx: &mut Context<'_>,
    rule: &CelRule,
    path: &Operand,
    new: &Operand,
    old: Option<&Operand>,
) -> TokenStream {
    let (path, value) = (&path.copied, &new.borrowed);
    let stored = match old.map(|old| &old.borrowed) {
        Some(old) => quote!(Some(#old)),
        None => quote!(None),
    };
    let is_read = rule.holds.any(&mut |node| matches!(node, Node::New));
    let parameter = if is_read { quote!(new) } else { quote!(_) };
    let holds = Writer {
        cx,
        new: &Operand::reference(quote!(new)),
        old: &Operand::reference(quote!(old)),
    }
    .result(&rule.holds);
    let (below, rule) = (&rule.below, constant(cx, rule));
    quote!(to.rule_of_change((#path, &[#(#below),*]), #rule, #value, #stored, |#parameter, old| #holds);)
}

/// What a rule is for the run-time crate.
fn constant(cx: &mut Context<'_>, rule: &CelRule) -> TokenStream {
    let error_type = cx.term(rule.error_type);
    let (text, message) = (&rule.text, rule.message.as_deref().unwrap_or_default());
    let ty = cx.name("Rule");
    quote!(&#ty { cel: #text, error_type: #error_type, message: #message })
}

//! Emits combinations of schemas.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

use super::context::Context;
use super::expression;
use crate::expression::Expression;
use crate::model::Constraint;

/// The check of a value for a combination: statics, and the call.
pub(super) fn check(
    cx: &mut Context<'_>,
    (path, value): (&TokenStream, &TokenStream),
    combination: &Constraint,
) -> TokenStream {
    let ty = cx.name("Constraint");
    let mut patterns = Patterns::default();
    let combination = constraint(cx, &mut patterns, combination);
    let statics = patterns.items(cx);
    quote! {
        {
            #statics
            static COMBINED: #ty = #combination;
            to.combined(#path, #value, &COMBINED);
        }
    }
}

/// The regular expressions of a combination, each once.
#[derive(Default)]
struct Patterns<'a> {
    found: Vec<&'a Expression>,
}

impl<'a> Patterns<'a> {
    fn name(&mut self, pattern: &'a Expression) -> Ident {
        let known = self.found.iter().position(|found| *found == pattern);
        let index = known.unwrap_or_else(|| {
            self.found.push(pattern);
            self.found.len() - 1
        });
        format_ident!("PATTERN_{}", index + 1)
    }

    fn items(&self, cx: &mut Context<'_>) -> TokenStream {
        let items = self.found.iter().enumerate().map(|(index, pattern)| {
            let name = format_ident!("PATTERN_{}", index + 1);
            let (ty, pattern) = expression::emitted(cx, pattern);
            quote!(static #name: #ty = #pattern;)
        });
        items.collect()
    }
}

fn constraint<'a>(
    cx: &mut Context<'_>,
    patterns: &mut Patterns<'a>,
    constraint: &'a Constraint,
) -> TokenStream {
    let count = |name, count: usize| {
        (name, {
            let n = Literal::usize_unsuffixed(count);
            quote!(#n)
        })
    };
    let number = |name, number: f64| {
        (name, {
            let n = Literal::f64_unsuffixed(number);
            quote!(#n)
        })
    };
    let (name, arguments) = match constraint {
        Constraint::Schema(parts) => ("Schema", schema(cx, patterns, parts)),
        Constraint::Type(names) => ("Type", quote!(&[#(#names),*])),
        Constraint::AllOf(all) => ("AllOf", schemas(cx, patterns, all)),
        Constraint::AnyOf(all) => ("AnyOf", schemas(cx, patterns, all)),
        Constraint::OneOf(all) => ("OneOf", schemas(cx, patterns, all)),
        Constraint::Not(not) => ("Not", schema(cx, patterns, not)),
        Constraint::Required(names) => ("Required", quote!(&[#(#names),*])),
        Constraint::Property(name, inner) => {
            let inner = schema(cx, patterns, inner);
            ("Property", quote!(#name, #inner))
        }
        Constraint::Items(items) => ("Items", schema(cx, patterns, items)),
        Constraint::Texts(texts) => ("Texts", quote!(&[#(#texts),*])),
        Constraint::Numbers(numbers) => {
            let numbers = numbers
                .iter()
                .map(|number| Literal::f64_unsuffixed(*number));
            ("Numbers", quote!(&[#(#numbers),*]))
        }
        Constraint::Known(known) => ("Known", cx.known(known)),
        Constraint::Pattern(pattern) => {
            let name = patterns.name(pattern);
            ("Pattern", quote!(&#name))
        }
        Constraint::Format(format) => ("Format", cx.term(*format)),
        Constraint::MinLength(min) => count("MinLength", *min),
        Constraint::MaxLength(max) => count("MaxLength", *max),
        Constraint::MinItems(min) => count("MinItems", *min),
        Constraint::MaxItems(max) => count("MaxItems", *max),
        Constraint::MinProperties(min) => count("MinProperties", *min),
        Constraint::MaxProperties(max) => count("MaxProperties", *max),
        Constraint::Minimum(limit) => number("Minimum", *limit),
        Constraint::Above(limit) => number("Above", *limit),
        Constraint::Maximum(limit) => number("Maximum", *limit),
        Constraint::Below(limit) => number("Below", *limit),
        Constraint::MultipleOf(of) => {
            let of = Literal::i64_unsuffixed(*of);
            ("MultipleOf", quote!(#of))
        }
    };
    let (ty, name) = (cx.name("Constraint"), Ident::new(name, Span::call_site()));
    quote!(#ty::#name(#arguments))
}

fn schemas<'a>(
    cx: &mut Context<'_>,
    patterns: &mut Patterns<'a>,
    all: &'a [Vec<Constraint>],
) -> TokenStream {
    let all = all.iter().map(|one| schema(cx, patterns, one));
    let all: Vec<_> = all.collect();
    quote!(&[#(#all),*])
}

fn schema<'a>(
    cx: &mut Context<'_>,
    patterns: &mut Patterns<'a>,
    parts: &'a [Constraint],
) -> TokenStream {
    let parts = parts.iter().map(|part| constraint(cx, patterns, part));
    let parts: Vec<_> = parts.collect();
    quote!(&[#(#parts),*])
}

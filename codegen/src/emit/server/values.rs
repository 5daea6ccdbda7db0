//! The rules of one field: a path, and a call for each keyword.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::{Context, checks};
use crate::model::{Checks, FaultKind, Field, Format, Struct, Ty, Unique};

/// The rules of a field and of what it holds.
pub(super) fn field(cx: &Context<'_>, object: &Struct, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    // What is in a struct of the crate needs no more than its path.
    if let Some(line) = struct_inside(cx, field) {
        return line;
    }
    let mut lines = presence(field);
    let only = object.checks.exactly_one && field.is_optional();
    for function in &field.checks.functions {
        let call = quote!(validation::rules::#function(&self.#name, path, to););
        lines.extend(if only {
            quote!(if is_one { #call })
        } else {
            call
        });
    }
    let own = match &field.ty {
        Ty::List(_) | Ty::Map(_) => collection(cx, field),
        ty => {
            let operand = match field.is_optional() {
                true => Operand::reference(quote!(value)),
                false => Operand::place(quote!(self.#name)),
            };
            let inside = value(cx, ty, &field.checks, &operand, only);
            match inside.is_empty() || !field.is_optional() {
                true => inside,
                false => quote! {
                    if let Some(value) = &self.#name {
                        #inside
                    }
                },
            }
        }
    };
    lines.extend(own);
    if lines.is_empty() {
        return lines;
    }
    let path = checks::path(&quote!(at.field(#json)), &field.checks.place);
    quote! {
        let path = #path;
        #lines
    }
}

/// Whether a field of a struct of which one must be set has a rule that asks whether it is the
/// only one: of fields that exclude each other, the server looks into the one that is set.
pub(super) fn asks_whether_only(field: &Field) -> bool {
    let is_asked = field.checks.not_empty_text && field.ty == Ty::String;
    field.is_optional() && (is_asked || !field.checks.functions.is_empty())
}

fn struct_inside(cx: &Context<'_>, field: &Field) -> Option<TokenStream> {
    let (json, name) = (&field.json, &field.name);
    let (schema, _) = cx.own(&field.ty)?;
    let needs = cx.needs.checks.contains(schema) && field.checks.functions.is_empty();
    needs.then(|| match field.is_optional() {
        true => quote! {
            if let Some(value) = &self.#name {
                value.check(&at.field(#json), to);
            }
        },
        false => quote!(self.#name.check(&at.field(#json), to);),
    })
}

fn presence(field: &Field) -> TokenStream {
    let name = &field.name;
    if !field.checks.must_be_set || !field.is_optional() {
        return TokenStream::new();
    }
    let call = quote!(to.is_set(path, self.#name.is_some()););
    match field.docs.lifecycle.as_ref().and_then(super::features::of) {
        Some(feature) => quote! {
            if to.target().has(&#feature) {
                #call
            }
        },
        None => call,
    }
}

/// A value that is checked: an expression of its place in memory, or of a reference to it.
struct Operand {
    expression: TokenStream,
    is_reference: bool,
}

impl Operand {
    fn reference(expression: TokenStream) -> Self {
        Self {
            expression,
            is_reference: true,
        }
    }

    fn place(expression: TokenStream) -> Self {
        Self {
            expression,
            is_reference: false,
        }
    }

    /// As an argument that is a reference.
    fn borrowed(&self) -> TokenStream {
        let expression = &self.expression;
        match self.is_reference {
            true => expression.clone(),
            false => quote!(&#expression),
        }
    }

    /// As an argument that is copied.
    fn copied(&self) -> TokenStream {
        let expression = &self.expression;
        match self.is_reference {
            true => quote!(*#expression),
            false => expression.clone(),
        }
    }
}

/// The rules of a single value, which is at `path`.
fn value(
    cx: &Context<'_>,
    ty: &Ty,
    asked: &Checks,
    operand: &Operand,
    only: bool,
) -> TokenStream {
    match ty {
        Ty::String => texts(asked, operand, only),
        Ty::I32 | Ty::I64 => {
            let number = operand.copied();
            let bounds = [("minimum", asked.minimum), ("maximum", asked.maximum)];
            bounds
                .into_iter()
                .filter_map(|(method, bound)| {
                    let method = Ident::new(method, Span::call_site());
                    let bound = Literal::i64_unsuffixed(bound?);
                    Some(quote!(to.#method(path, #number, #bound);))
                })
                .collect()
        }
        Ty::Ref(_) => reference(cx, ty, asked, operand),
        _ => TokenStream::new(),
    }
}

fn reference(
    cx: &Context<'_>,
    ty: &Ty,
    asked: &Checks,
    operand: &Operand,
) -> TokenStream {
    let place = &operand.expression;
    if let Some(name) = cx.enumeration(ty) {
        return match &asked.accepted {
            _ if asked.pattern.is_some() => {
                pattern(asked, &quote!(#place.as_str()), operand.is_reference)
            }
            Some(accepted) => {
                quote!(to.known(path, #place.as_str(), &[#(#accepted),*]);)
            }
            None => quote!(to.known(path, #place.as_str(), #name::known_values());),
        };
    }
    if let Some((schema, _)) = cx.own(ty) {
        return match cx.needs.checks.contains(schema) {
            true => quote!(#place.check(&path, to);),
            false => TokenStream::new(),
        };
    }
    // Of the types of other crates, only quantities are numbers.
    match asked.minimum {
        Some(minimum) => {
            let minimum = Literal::i64_unsuffixed(minimum);
            let quantity = operand.borrowed();
            quote!(to.minimum_quantity(path, #quantity, #minimum);)
        }
        None => TokenStream::new(),
    }
}

/// The regular expression of a text is read once, so it is a static beside its use.
fn pattern(asked: &Checks, text: &TokenStream, is_reference: bool) -> TokenStream {
    let Some(pattern) = &asked.pattern else {
        return TokenStream::new();
    };
    let lines = quote! {
        static PATTERN: validation::Pattern = validation::Pattern::new(#pattern);
        to.pattern(path, #text, &PATTERN);
    };
    // What is a reference was bound by a block, which holds the static as well.
    match is_reference {
        true => lines,
        false => quote!({ #lines }),
    }
}

fn texts(asked: &Checks, operand: &Operand, only: bool) -> TokenStream {
    let text = &operand.borrowed();
    let mut lines = TokenStream::new();
    if let Some(max) = asked.max_length {
        let max = Literal::u64_unsuffixed(max);
        let kind = fault(asked.fault("maxLength", FaultKind::TooLong));
        lines.extend(quote!(to.max_length(path, #text, #max, #kind);));
    }
    if let Some(format) = asked.format {
        let method = match asked.lowered {
            true => quote!(format_lowered),
            false => quote!(format),
        };
        let format = named(format);
        lines.extend(quote!(to.#method(path, #text, validation::NameFormat::#format);));
    }
    lines.extend(pattern(asked, text, operand.is_reference));
    match (asked.not_empty_text, asked.checks_empty || lines.is_empty()) {
        (false, _) => lines,
        (true, true) if only => quote! {
            if is_one {
                to.min_length(path, #text);
            }
            #lines
        },
        (true, true) => quote! {
            to.min_length(path, #text);
            #lines
        },
        (true, false) => {
            let condition = match only {
                true => quote!(is_one && to.min_length(path, #text)),
                false => quote!(to.min_length(path, #text)),
            };
            quote! {
                if #condition {
                    #lines
                }
            }
        }
    }
}

/// The rules of a list or map as a whole and of its elements.
fn collection(cx: &Context<'_>, field: &Field) -> TokenStream {
    let asked = &field.checks;
    let name = &field.name;
    let inside = match &field.ty {
        Ty::List(item) => elements(cx, asked, item),
        _ => map(asked),
    };
    let mut lines = TokenStream::new();
    if asked.not_empty {
        let rule = match &field.ty {
            Ty::List(_) => "minItems",
            _ => "minProperties",
        };
        let count = match field.is_optional() {
            true => quote!(self.#name.as_ref().map_or(0, |entries| entries.len())),
            false => quote!(self.#name.len()),
        };
        lines.extend(quote! {
            let count = #count;
            to.not_empty(path, #rule, count);
        });
    }
    let inside = match asked.max_entries {
        None => inside,
        Some(max) => {
            let max = Literal::u64_unsuffixed(max);
            let (rule, usual) = match &field.ty {
                Ty::List(_) => ("maxItems", FaultKind::TooMany),
                _ => ("maxProperties", FaultKind::TooMany),
            };
            let kind = fault(asked.fault(rule, usual));
            let problem = quote!(validation::Problem::new(#kind, #rule));
            match inside.is_empty() {
                true => quote! {
                    let problem = #problem;
                    to.max_entries(path, problem, entries.len(), #max);
                },
                false => quote! {
                    let problem = #problem;
                    if to.max_entries(path, problem, entries.len(), #max) {
                        #inside
                    }
                },
            }
        }
    };
    if !inside.is_empty() {
        lines.extend(match field.is_optional() {
            true => quote! {
                if let Some(entries) = &self.#name {
                    #inside
                }
            },
            false => quote! {
                let entries = &self.#name;
                #inside
            },
        });
    }
    lines
}

fn map(asked: &Checks) -> TokenStream {
    let mut lines = TokenStream::new();
    if asked.keys_not_empty {
        lines.extend(quote!(to.keys_not_empty(path, entries);));
    }
    if let Some(max) = asked.max_total_length {
        let max = Literal::u64_unsuffixed(max);
        lines.extend(quote!(to.max_total_length(path, entries, #max);));
    }
    lines
}

fn elements(cx: &Context<'_>, asked: &Checks, item: &Ty) -> TokenStream {
    let inside = asked.items.as_deref().cloned().unwrap_or_default();
    let operand = Operand::reference(quote!(item));
    let value = value(cx, item, &inside, &operand, false);
    let repeats = repeats(cx, asked, item);
    if value.is_empty() && repeats.is_none() {
        return TokenStream::new();
    }
    let path = checks::path(&quote!(path.index(index)), &inside.place);
    let (before, inside) = match repeats {
        None => (TokenStream::new(), value),
        Some((keys, key, report)) => (
            quote! {
                let keys = #keys;
                let mut repeats = validation::Repeats::of(keys);
            },
            match &asked.unique {
                Unique::Keys {
                    leaves_repeats: true,
                    ..
                } => quote! {
                    if repeats.next(#key) {
                        #report
                        continue;
                    }
                    #value
                },
                _ => quote! {
                    #value
                    if repeats.next(#key) {
                        #report
                    }
                },
            },
        ),
    };
    quote! {
        #before
        for (index, item) in entries.iter().enumerate() {
            let path = #path;
            #inside
        }
    }
}

/// The keys of all elements, that of one, and what to do when it repeats.
fn repeats(
    cx: &Context<'_>,
    asked: &Checks,
    item: &Ty,
) -> Option<(TokenStream, TokenStream, TokenStream)> {
    match &asked.unique {
        Unique::No => None,
        Unique::Whole => {
            let is_text = *item == Ty::String || cx.enumeration(item).is_some();
            is_text.then(|| {
                (
                    quote!(entries.iter().map(|item| item.as_str())),
                    quote!(item.as_str()),
                    quote!(to.duplicate(path, item);),
                )
            })
        }
        Unique::Keys { keys, .. } => {
            let (_, ty) = cx.own(item)?;
            let crate::model::Shape::Struct(object) = &ty.shape else {
                return None;
            };
            let fields = keys.iter().map(|key| object.field(key));
            let fields: Vec<_> = fields.collect::<Option<_>>()?;
            let parts = fields.iter().map(|field| {
                let name = &field.name;
                match (&field.ty, field.is_optional()) {
                    (Ty::String, false) => quote!(item.#name.as_str()),
                    _ => quote!(&item.#name),
                }
            });
            let parts: Vec<_> = parts.collect();
            let key = match parts.as_slice() {
                [one] => one.clone(),
                all => quote!((#(#all),*)),
            };
            let report = match fields.as_slice() {
                [field] => {
                    let (json, name) = (&field.json, &field.name);
                    quote!(to.duplicate(path.field(#json), &item.#name);)
                }
                _ => quote!(to.duplicate(path, item);),
            };
            Some((quote!(entries.iter().map(|item| #key)), key, report))
        }
    }
}

/// A kind of fault as an expression.
pub(super) fn fault(kind: FaultKind) -> TokenStream {
    let name = Ident::new(&format!("{kind:?}"), Span::call_site());
    quote!(validation::FaultKind::#name)
}

fn named(format: Format) -> Ident {
    Ident::new(&format!("{format:?}"), Span::call_site())
}

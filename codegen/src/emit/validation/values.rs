//! The rules of one field: a path, and a call for each rule.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::context::Context;
use super::operand::Operand;
use super::{cel, reported, target};
use crate::model::{Argument, Call, Field, Following, Rules, Struct, Ty, Unique, ValueForm};
use crate::release::Releases;

/// The rules of a field and of what it holds.
pub(super) fn field(cx: &mut Context<'_>, object: &Struct, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let only = object.rules.exactly_one && field.is_optional();
    let mut lines = TokenStream::new();
    lines.extend(presence(cx, field));
    for function in field.rules.readings() {
        lines.extend(quote!(#function(&self.#name, path, to);));
    }
    for function in field.rules.functions() {
        let call = quote!(#function(&self.#name, path, to););
        lines.extend(match only {
            true => quote!(if is_one { #call }),
            false => call,
        });
    }
    lines.extend(counts(cx, field));
    let is_collection = matches!(field.ty, Ty::List(_) | Ty::Map(_));
    let operand = match (is_collection, field.is_optional()) {
        (true, _) => Operand::reference(quote!(entries)),
        (false, true) => Operand::reference(quote!(value)),
        (false, false) => Operand::place(quote!(self.#name)),
    };
    let inside = entries(cx, &field.rules, &field.ty);
    let mut own = calls(cx, &field.rules, &operand, inside);
    own.extend(in_cel(cx, &field.rules, &operand));
    lines.extend(held(field, &operand, own));
    let inside = struct_inside(cx, field);
    if lines.is_empty() {
        return inside;
    }
    let path = reported::path(cx, field, &quote!(at.field(#json)), &field.rules.reported);
    quote! {
        let path = #path;
        #lines
        #inside
    }
}

/// Emits the checks of the value of a field, where it is there.
fn held(field: &Field, operand: &Operand, lines: TokenStream) -> TokenStream {
    let (name, operand) = (&field.name, &operand.plain);
    match &field.ty {
        _ if lines.is_empty() => lines,
        _ if field.is_optional() => quote! {
            if let Some(#operand) = &self.#name {
                #lines
            }
        },
        Ty::List(_) | Ty::Map(_) => quote! {
            let #operand = &self.#name;
            #lines
        },
        _ => lines,
    }
}

/// Returns true if a field of a struct of which one must be set has a rule that asks whether it is
/// the only one: of fields that exclude each other, the server looks into the one that is set.
pub(super) fn asks_whether_only(field: &Field) -> bool {
    let mut calls = field.rules.calls();
    let asks = calls.any(|call| call.alone) || field.rules.functions().next().is_some();
    field.is_optional() && asks
}

/// Emits the checks in a struct of the crate.
fn struct_inside(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    let inside = cx.version.own_struct(&field.ty);
    if !inside.is_some_and(|(_, inside)| inside.behaviour.checks) {
        return TokenStream::new();
    }
    cx.uses.check = true;
    match field.is_optional() {
        true => quote! {
            if let Some(value) = &self.#name {
                value.check(&at.field(#json), to);
            }
        },
        false => quote!(self.#name.check(&at.field(#json), to);),
    }
}

fn presence(cx: &mut Context<'_>, field: &Field) -> Option<TokenStream> {
    if !field.rules.must_be_set() || !field.is_optional() {
        return None;
    }
    let name = &field.name;
    let call = quote!(to.is_set(path, self.#name.is_some()););
    Some(cx.with_feature(&quote!(to.target()), field.feature.as_ref(), call))
}

/// Emits the checks of the number of entries of a list or map, which are made even if it is absent.
fn counts(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let name = &field.name;
    let count = match field.is_optional() {
        true => quote!(self.#name.as_ref().map_or(0, |entries| entries.len())),
        false => quote!(self.#name.len()),
    };
    let counts = field
        .rules
        .calls()
        .filter(|call| call.takes == ValueForm::Count);
    let calls = counts.map(|call| one(cx, call, &Operand::place(quote!(count))));
    calls
        .map(|call| quote!(let count = #count; #call;))
        .collect()
}

/// Emits a value's checks, and after them the lines.
fn calls(
    cx: &mut Context<'_>,
    rules: &Rules,
    operand: &Operand,
    mut lines: TokenStream,
) -> TokenStream {
    let calls = rules.calls().filter(|call| call.takes != ValueForm::Count);
    let calls: Vec<_> = calls.collect();
    // From the back, because a guard is around what it guards.
    for call in calls.into_iter().rev() {
        lines = followed(cx, call, operand, lines);
    }
    lines
}

/// Emits one check and the lines after it.
fn followed(
    cx: &mut Context<'_>,
    call: &Call,
    operand: &Operand,
    lines: TokenStream,
) -> TokenStream {
    let problem = problem(cx, call);
    let expression = one(cx, call, operand);
    let lines = match &call.following {
        Following::IfPassed { .. } if lines.is_empty() => lines,
        Following::IfPassed { .. } if call.alone => {
            return quote!(#problem if is_one && #expression { #lines });
        }
        Following::IfPassed { or, on_create } => {
            let passed = passed(expression, or.as_ref(), on_create.as_ref());
            return quote!(#problem if #passed { #lines });
        }
        Following::OnCreate(releases) if !lines.is_empty() => {
            let is_new = is_new(*releases);
            quote!(if #is_new { #lines })
        }
        Following::OnCreate(_) | Following::Always => lines,
    };
    let check = match pattern(cx, call, &expression) {
        Some(check) => check,
        None => quote!(#problem #expression;),
    };
    match call.alone {
        true => quote!(if is_one { #check } #lines),
        false => quote!(#check #lines),
    }
}

/// The condition under which the lines after a guard run.
fn passed(
    mut expression: TokenStream,
    or: Option<&Releases>,
    on_create: Option<&Releases>,
) -> TokenStream {
    let servers = or.and_then(|releases| target::servers(*releases));
    if let Some(servers) = servers {
        expression = quote!(#expression || #servers);
        if on_create.is_some() {
            expression = quote!((#expression));
        }
    }
    match on_create {
        Some(releases) => {
            let is_new = is_new(*releases);
            quote!(#expression && #is_new)
        }
        None => expression,
    }
}

/// The condition that an object is new, or the server none of these releases.
fn is_new(releases: Releases) -> TokenStream {
    match target::servers(releases) {
        Some(servers) => quote!(!(to.is_update() && #servers)),
        None => quote!(!to.is_update()),
    }
}

/// The value in the form in which a method takes it.
fn value(call: &Call, operand: &Operand) -> TokenStream {
    let Operand {
        plain,
        borrowed,
        copied,
        ..
    } = operand;
    match call.takes {
        ValueForm::Text | ValueForm::Reference | ValueForm::Entries => quote!(#borrowed),
        ValueForm::AsStr => quote!(#plain.as_str()),
        ValueForm::Number => quote!(#copied),
        ValueForm::Count => quote!(#plain),
        ValueForm::Length => quote!(#plain.len()),
    }
}

/// One call.
fn one(cx: &mut Context<'_>, call: &Call, operand: &Operand) -> TokenStream {
    let method = Ident::new(call.method, Span::call_site());
    let value = value(call, operand);
    let arguments = call
        .arguments
        .iter()
        .map(|argument| self::argument(cx, argument));
    let arguments: Vec<_> = arguments.collect();
    quote!(to.#method(path, #value #(, #arguments)*))
}

fn argument(cx: &mut Context<'_>, argument: &Argument) -> TokenStream {
    match argument {
        Argument::Int(number) => {
            let number = Literal::i64_unsuffixed(*number);
            quote!(#number)
        }
        Argument::Number(number) => {
            let number = Literal::f64_unsuffixed(*number);
            quote!(#number)
        }
        Argument::Wholes(numbers) => {
            let numbers = numbers
                .iter()
                .map(|number| Literal::i64_unsuffixed(*number));
            quote!(&[#(#numbers),*])
        }
        Argument::Numbers(numbers) => {
            let numbers = numbers
                .iter()
                .map(|number| Literal::f64_unsuffixed(*number));
            quote!(&[#(#numbers),*])
        }
        Argument::Text(text) => quote!(#text),
        Argument::Texts(texts) => quote!(&[#(#texts),*]),
        Argument::ErrorType(error_type) => cx.term(*error_type),
        Argument::Problem(..) => quote!(problem),
        Argument::NameFormat(format) => cx.term(*format),
        Argument::TextFormat(format) => cx.term(*format),
        Argument::Pattern(_) => quote!(&PATTERN),
        Argument::ValuesOf(name) => {
            cx.uses.types.insert(name.clone());
            quote!(#name::known_values())
        }
    }
}

/// Emits the problem of a broken rule, in a line of its own because calls are long enough.
fn problem(cx: &mut Context<'_>, call: &Call) -> Option<TokenStream> {
    call.arguments.iter().find_map(|argument| match argument {
        Argument::Problem(error_type, keyword) => {
            let ty = cx.name("Problem");
            let error_type = cx.term(*error_type);
            Some(quote!(let problem = #ty::new(#error_type, #keyword);))
        }
        _ => None,
    })
}

/// Emits a check of a regular expression, which is parsed once: a static beside its use.
fn pattern(cx: &mut Context<'_>, call: &Call, check: &TokenStream) -> Option<TokenStream> {
    let [Argument::Pattern(pattern)] = call.arguments.as_slice() else {
        return None;
    };
    let ty = cx.name("Pattern");
    Some(quote! {
        {
            static PATTERN: #ty = #ty::new(#pattern);
            #check;
        }
    })
}

/// The rules in CEL that don't compare with what is stored.
fn in_cel(cx: &mut Context<'_>, rules: &Rules, value: &Operand) -> TokenStream {
    let path = Operand::place(quote!(path));
    rules
        .cel(false)
        .map(|rule| cel::rule(cx, rule, &path, value, value))
        .collect()
}

/// The rules of what is in a list or map, whose name is `entries`.
fn entries(cx: &mut Context<'_>, rules: &Rules, ty: &Ty) -> TokenStream {
    match ty {
        Ty::List(item) => elements(cx, rules, item),
        Ty::Map(value) => values(cx, rules, value),
        _ => TokenStream::new(),
    }
}

/// The rules of the values of a map.
fn values(cx: &mut Context<'_>, rules: &Rules, value: &Ty) -> TokenStream {
    let default = Rules::default();
    let rules = rules.items.as_deref().unwrap_or(&default);
    let lines = of_item(cx, rules, value);
    if lines.is_empty() {
        return lines;
    }
    let step = cx.step();
    quote! {
        for (key, item) in entries {
            let path = path.#step(key);
            #lines
        }
    }
}

/// The rules of an element of a list or a value of a map, whose name is `item`.
fn of_item(cx: &mut Context<'_>, rules: &Rules, ty: &Ty) -> TokenStream {
    let item = Operand::reference(quote!(item));
    let mut inside = entries(cx, rules, ty);
    if !inside.is_empty() {
        inside = quote! {
            let entries = item;
            #inside
        };
    }
    let counts = rules.calls().filter(|call| call.takes == ValueForm::Count);
    let counts = counts.map(|call| one(cx, call, &Operand::place(quote!(item.len()))));
    let mut lines: TokenStream = counts.map(|call| quote!(#call;)).collect();
    lines.extend(calls(cx, rules, &item, inside));
    lines.extend(in_cel(cx, rules, &item));
    let object = cx.version.own_struct(ty);
    if object.is_some_and(|(_, object)| object.behaviour.checks) {
        cx.uses.check = true;
        lines.extend(quote!(item.check(&path, to);));
    }
    lines
}

/// The rules of the elements of a list.
fn elements(cx: &mut Context<'_>, rules: &Rules, item: &Ty) -> TokenStream {
    let default = Rules::default();
    let inside = rules.items.as_deref().unwrap_or(&default);
    let value = of_item(cx, inside, item);
    let repeats = rules.unique().and_then(|unique| repeats(cx, unique, item));
    if value.is_empty() && repeats.is_none() {
        return TokenStream::new();
    }
    let path = reported::above(quote!(path.index(index)), inside.reported.above);
    let repeats_type = match &repeats {
        Some(_) => cx.name("Repeats"),
        None => TokenStream::new(),
    };
    let (before, inside) = match repeats {
        None => (TokenStream::new(), value),
        Some((keys, key, report)) => (
            quote! {
                let keys = #keys;
                let mut repeats = #repeats_type::of(keys);
            },
            match rules.unique() {
                Some(Unique::Keys {
                    leaves_repeats: true,
                    ..
                }) => quote! {
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
    unique: &Unique,
    item: &Ty,
) -> Option<(TokenStream, TokenStream, TokenStream)> {
    let Unique::Keys { keys, .. } = unique else {
        return Some((
            quote!(entries.iter().map(|item| item.as_str())),
            quote!(item.as_str()),
            quote!(to.duplicate(path, item);),
        ));
    };
    let (_, object) = cx.version.own_struct(item)?;
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
        [field] if !cx.version.is_custom => {
            let (json, name) = (&field.json, &field.name);
            quote!(to.duplicate(path.field(#json), &item.#name);)
        }
        _ => quote!(to.duplicate(path, item);),
    };
    Some((quote!(entries.iter().map(|item| #key)), key, report))
}

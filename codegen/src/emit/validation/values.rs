//! The checks of one field: a path, and a call for each check.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::context::Context;
use super::operand::Operand;
use super::{combined, expression, reported, rule, target};
use crate::emit::runtime::VALIDATION;
use crate::model::{
    Argument, Call, CheckStep, Field, RepeatKey, Repeats, Rest, Rule, Struct, Ty, ValueForm,
};
use crate::release::Releases;

/// The checks of a field and of what it holds.
pub(super) fn field(cx: &mut Context<'_>, object: &Struct, field: &Field) -> TokenStream {
    let (json, name, checks) = (&field.json, &field.name, &field.checks);
    let mut lines = TokenStream::new();
    lines.extend(presence(cx, field));
    for function in &checks.readings {
        lines.extend(quote!(#function(&self.#name, path, to);));
    }
    for function in &checks.functions {
        let call = quote!(#function(&self.#name, path, to););
        lines.extend(match checks.functions_alone {
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
    let own = steps(cx, &checks.steps, &operand, &TokenStream::new());
    lines.extend(held(field, &operand, own));
    lines.extend(null(object, field));
    let inside = struct_inside(cx, field);
    if lines.is_empty() {
        return inside;
    }
    let path = reported::path(
        cx,
        field,
        &quote!(at.field(#json)),
        &field.server.rules.reported,
    );
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

/// Emits the check of a field that can be `null` but for its enumeration, of which `null` is never
/// a value.
fn null(object: &Struct, field: &Field) -> Option<TokenStream> {
    let is_enumeration = |rule: &Rule| rule.keyword == "enum";
    if !field.server.rules.list.iter().any(is_enumeration) {
        return None;
    }
    let (json, name) = (&field.json, &field.name);
    let is_null = match &object.unknown {
        Some(Rest { name: rest, .. }) if field.form.keeps_null => {
            quote!(self.#name.is_none() && self.#rest.contains_key(#json))
        }
        _ if field.form.nullable => quote!(self.#name.is_none()),
        _ => return None,
    };
    Some(quote! {
        if #is_null {
            to.null(path);
        }
    })
}

/// Emits the checks in a struct of the crate.
fn struct_inside(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let (json, name) = (&field.json, &field.name);
    if !field.checks.inside {
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
    let name = &field.name;
    let call = quote!(to.is_set(path, self.#name.is_some()););
    let call = field.checks.is_set.then_some(call)?;
    Some(cx.with_feature(&quote!(to.target()), field.server.feature.as_ref(), call))
}

/// Emits the checks of the number of entries of a list or map, which are made even if it is absent.
fn counts(cx: &mut Context<'_>, field: &Field) -> TokenStream {
    let name = &field.name;
    let count = match field.is_optional() {
        true => quote!(self.#name.as_ref().map_or(0, |entries| entries.len())),
        false => quote!(self.#name.len()),
    };
    let counts = field.checks.counts.iter();
    let calls = counts.map(|call| one(cx, call, &quote!(count)));
    calls
        .map(|call| quote!(let count = #count; #call;))
        .collect()
}

/// Emits steps of the checks of a value. `open` names its entries, if they have another name.
fn steps(
    cx: &mut Context<'_>,
    steps: &[CheckStep],
    operand: &Operand,
    open: &TokenStream,
) -> TokenStream {
    steps
        .iter()
        .map(|step| self::step(cx, step, operand, open))
        .collect()
}

fn step(
    cx: &mut Context<'_>,
    step: &CheckStep,
    operand: &Operand,
    open: &TokenStream,
) -> TokenStream {
    match step {
        CheckStep::Call(call) => self::call(cx, call, operand),
        CheckStep::IfPassed {
            call,
            or,
            on_create,
            then,
        } => {
            let problem = problem(cx, call);
            let expression = one(cx, call, &value(call, operand));
            let passed = passed(expression, or.as_ref(), on_create.as_ref());
            let is_one = call.alone.then(|| quote!(is_one &&));
            let lines = steps(cx, then, operand, open);
            quote!(#problem if #is_one #passed { #lines })
        }
        CheckStep::OnCreate(releases, then) => {
            let (is_new, lines) = (is_new(*releases), steps(cx, then, operand, open));
            quote!(if #is_new { #lines })
        }
        CheckStep::Cel(rule) => {
            let path = Operand::place(quote!(path));
            rule::rule(cx, rule, &path, operand, None)
        }
        CheckStep::Elements {
            above,
            repeats,
            steps,
        } => {
            let elements = elements(cx, *above, repeats.as_ref(), steps);
            quote!(#open #elements)
        }
        CheckStep::Entries(steps) => {
            let lines = item(cx, steps);
            let step = cx.step();
            quote! {
                #open
                for (key, item) in entries {
                    let path = path.#step(key);
                    #lines
                }
            }
        }
        CheckStep::Struct => {
            cx.uses.check = true;
            quote!(item.check(&path, to);)
        }
    }
}

/// Emits the steps of an element of a list or a value of a map, whose name is `item`.
fn item(cx: &mut Context<'_>, steps: &[CheckStep]) -> TokenStream {
    let operand = Operand::reference(quote!(item));
    self::steps(cx, steps, &operand, &quote!(let entries = item;))
}

/// Emits a call that guards nothing.
fn call(cx: &mut Context<'_>, call: &Call, operand: &Operand) -> TokenStream {
    let problem = problem(cx, call);
    if let [Argument::Combined(combination)] = call.arguments.as_slice() {
        let value = value(call, operand);
        return combined::check(cx, (&quote!(path), &value), combination);
    }
    let expression = one(cx, call, &value(call, operand));
    // A static needs a block around it, another statement only under a condition.
    let (check, block) = match pattern(cx, call, &expression) {
        Some(block) => (block.clone(), block),
        None => {
            let check = quote!(#problem #expression;);
            (check.clone(), quote!({ #check }))
        }
    };
    let plain = &operand.plain;
    match call.takes {
        // Alone in the condition that the field is set, both would be one to clippy.
        ValueForm::TextOf => quote! {
            let text = #plain.text();
            if let Some(text) = text #block
        },
        ValueForm::WholeOf => quote! {
            let number = #plain.number();
            if let Some(number) = number #block
        },
        _ if call.alone => quote!(if is_one #block),
        _ => check,
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
        ValueForm::Text | ValueForm::Reference | ValueForm::Entries => borrowed.clone(),
        ValueForm::AsStr => quote!(#plain.as_str()),
        ValueForm::Number => copied.clone(),
        ValueForm::Unsigned => quote!(#VALIDATION::whole(#copied)),
        ValueForm::Fraction => quote!(f64::from(#copied)),
        ValueForm::TextOf => quote!(text),
        ValueForm::WholeOf => quote!(number),
        ValueForm::Count | ValueForm::Length => quote!(#plain.len()),
    }
}

/// One call.
fn one(cx: &mut Context<'_>, call: &Call, value: &TokenStream) -> TokenStream {
    let method = Ident::new(call.method, Span::call_site());
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
        Argument::Known(known) => cx.known(known),
        Argument::Text(text) => quote!(#text),
        Argument::Texts(texts) => quote!(&[#(#texts),*]),
        Argument::ErrorType(error_type) => cx.term(*error_type),
        Argument::Problem(..) => quote!(problem),
        Argument::NameFormat(format) => cx.term(*format),
        Argument::TextFormat(format) => cx.term(*format),
        Argument::Pattern(_) => quote!(&PATTERN),
        // It has a check of its own.
        Argument::Combined(_) => TokenStream::new(),
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
    let (ty, pattern) = expression::emitted(cx, pattern);
    Some(quote! {
        {
            static PATTERN: #ty = #pattern;
            #check;
        }
    })
}

/// Emits the checks of the elements of a list, whose name is `entries`.
fn elements(
    cx: &mut Context<'_>,
    above: u64,
    repeats: Option<&Repeats>,
    steps: &[CheckStep],
) -> TokenStream {
    let value = item(cx, steps);
    let path = reported::above(quote!(path.index(index)), above);
    let (before, inside) = match repeats {
        None => (TokenStream::new(), value),
        Some(repeats) => {
            let ty = cx.name(match cx.version.is_custom {
                true => "FirstRepeats",
                false => "Repeats",
            });
            let (key, report) = (key(&repeats.key), duplicate(repeats));
            let before = quote! {
                let keys = entries.iter().map(|item| #key);
                let mut repeats = #ty::of(keys);
            };
            let inside = match repeats.leaves_out {
                true => quote! {
                    if repeats.next(#key) {
                        #report
                        continue;
                    }
                    #value
                },
                false => quote! {
                    #value
                    if repeats.next(#key) {
                        #report
                    }
                },
            };
            (before, inside)
        }
    };
    quote! {
        #before
        for (index, item) in entries.iter().enumerate() {
            let path = #path;
            #inside
        }
    }
}

/// The key of an element.
fn key(key: &RepeatKey) -> TokenStream {
    let RepeatKey::Fields(fields) = key else {
        return quote!(item.as_str());
    };
    let parts = fields.iter().map(|(name, is_text)| match is_text {
        true => quote!(item.#name.as_str()),
        false => quote!(&item.#name),
    });
    let parts: Vec<_> = parts.collect();
    match parts.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    }
}

/// Reports an element that repeats another.
fn duplicate(repeats: &Repeats) -> TokenStream {
    let path = match &repeats.reported_at {
        Some(json) => quote!(path.field(#json)),
        None => quote!(path),
    };
    match &repeats.value {
        Some(name) => quote!(to.duplicate(#path, &item.#name);),
        None => quote!(to.duplicate(#path, item);),
    }
}

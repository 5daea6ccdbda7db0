//! Expressions of rules in CEL, as Rust.
//!
//! An expression that can fail is written with `?`, in a closure that returns `cel::Result`.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::closures::{is_native, is_only, is_variable, mapped, parameter, parameters, read_as};
use super::context::Context;
use super::expression;
use super::operand::Operand;
use super::sameness::comparison;
use crate::model::{CelField, CelType, Iterable, Macro, Node, ReadAs, Variables};

/// Writes expressions about a value and what is stored of it.
pub(super) struct Writer<'a, 'v> {
    pub(super) cx: &'a mut Context<'v>,
    pub(super) new: &'a Operand,
    pub(super) old: &'a Operand,
}

impl Writer<'_, '_> {
    fn cel(&mut self, function: &str) -> TokenStream {
        let module = self.cx.name("cel");
        let function = Ident::new(function, Span::call_site());
        quote!(#module::#function)
    }

    /// A place that a value is in.
    fn place(&mut self, node: &Node) -> Operand {
        match node {
            Node::New => self.new.clone(),
            Node::Old | Node::OptionalOld => self.old.clone(),
            Node::Variable(name) => Operand::reference(quote!(#name)),
            Node::Field(field) => {
                let CelField { of, name, json, .. } = field;
                let of = self.place(of).plain;
                match field.is_optional {
                    true => {
                        let get = self.cel("get");
                        Operand::reference(quote!(#get(&#of.#name, #json)?))
                    }
                    false => Operand::place(quote!(#of.#name)),
                }
            }
            Node::Entry(map, key) => self.inside("entry", map, key),
            Node::Element(list, index) => self.inside("element", list, index),
            Node::Read(of, _) => self.place(of),
            Node::If(..) => {
                let value = self.value(node);
                Operand::reference(quote!((#value)))
            }
            other => Operand::reference(self.value(other)),
        }
    }

    fn inside(&mut self, function: &str, of: &Node, at: &Node) -> Operand {
        let is_made = matches!(
            of,
            Node::Loop(..) | Node::List(..) | Node::Map(..) | Node::Sure(..)
        ) || matches!(of, Node::Function(..) | Node::Method(..) | Node::If(..));
        let of = self.place(of).borrowed;
        let of = if is_made { quote!(&#of) } else { of };
        let at = self.value(at);
        let function = self.cel(function);
        Operand::reference(quote!(#function(#of, #at)?))
    }

    /// A value as a `cel::Result`.
    pub(super) fn result(&mut self, node: &Node) -> TokenStream {
        match self.fallible(node) {
            Some(result) => result,
            None => {
                let value = self.value(node);
                quote!(Ok(#value))
            }
        }
    }

    /// An expression whose own type is `cel::Result`, if the node is written as one.
    fn fallible(&mut self, node: &Node) -> Option<TokenStream> {
        match node {
            Node::And(a, b) if a.fails() && b.fails() => Some(self.both("and", a, b)),
            Node::Or(a, b) if a.fails() && b.fails() => Some(self.both("or", a, b)),
            Node::Function(name, arguments) => Some(self.function(name, arguments)),
            Node::Tried(on, name, arguments) => Some(self.method(on, name, arguments)),
            Node::Loop(how, items, variables, body) if !is_native(*how, body) => {
                Some(self.fallible_loop(*how, items, variables, body))
            }
            Node::Mapped(of, variable, body, is_flat) if body.fails() => {
                let (of, parameter) = (self.value(of), parameter(variable, body));
                let (body, function) = (
                    self.result(body),
                    self.cel(if *is_flat { "and_then" } else { "map_some" }),
                );
                Some(quote!(#function(#of, |#parameter| #body)))
            }
            _ => None,
        }
    }

    /// A value.
    fn value(&mut self, node: &Node) -> TokenStream {
        if let Some(result) = self.fallible(node) {
            return quote!(#result?);
        }
        match node {
            Node::Read(of, read) => read_as(&self.place(of), *read),
            Node::Bool(value) => quote!(#value),
            Node::Int(value) => {
                let value = Literal::i64_unsuffixed(*value);
                quote!(#value)
            }
            Node::Double(value) => {
                let value = Literal::f64_unsuffixed(*value);
                quote!(#value)
            }
            Node::Unsigned(value) => {
                let value = Literal::u64_suffixed(*value);
                quote!(#value)
            }
            Node::Text(value) => quote!(#value),
            Node::Bytes(value) => {
                let value = Literal::byte_string(value);
                quote!(#value.as_slice())
            }
            Node::IsSet(field) => self.is_set(field, quote!(is_some)),
            Node::HasKey(map, key) => {
                let (map, key) = (self.place(map).plain, self.value(key));
                quote!(#map.contains_key(#key))
            }
            Node::Not(of) => match &**of {
                Node::IsSet(field) => self.is_set(field, quote!(is_none)),
                Node::HasValue(of) => {
                    let of = self.operand(of);
                    quote!(#of.is_none())
                }
                Node::Operator("==", a, b) => self.operator("!=", a, b),
                Node::Operator("!=", a, b) => self.operator("==", a, b),
                of => {
                    let of = self.operand(of);
                    quote!(!#of)
                }
            },
            Node::And(a, b) => self.logic(quote!(&&), node, a, b),
            Node::Or(a, b) => self.logic(quote!(||), node, a, b),
            Node::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                quote!(if #condition { #then } else { #otherwise })
            }
            Node::Operator(operator, a, b) => self.operator(operator, a, b),
            Node::Same(a, b, same) => {
                let (a, b) = (self.place(a).borrowed, self.place(b).borrowed);
                comparison(self.cx, same, &a, &b)
            }
            Node::Method(on, name, arguments) => self.method(on, name, arguments),
            Node::Made(of) => {
                let made = self.operand(of);
                quote!(#made.as_str())
            }
            Node::Owned(of) => match &**of {
                Node::Made(of) => self.value(of),
                of => {
                    let text = self.operand(of);
                    quote!(#text.to_owned())
                }
            },
            Node::Pair(key, value) => {
                let (key, value) = (self.value(key), self.value(value));
                quote!((#key, #value))
            }
            Node::Ref(of) => {
                let of = self.operand(of);
                quote!(&#of)
            }
            Node::Mapped(of, variable, body, is_flat) => {
                let (of, parameter) = (self.value(of), parameter(variable, body));
                let (body, method) = (self.value(body), mapped(*is_flat));
                let method = Ident::new(method, Span::call_site());
                quote!(#of.#method(|#parameter| #body))
            }
            Node::Joined(parts) => {
                let parts = parts.iter().map(|part| self.value(part));
                let parts: Vec<_> = parts.collect();
                quote!([#(#parts),*].concat())
            }
            Node::Sure(name, arguments) => self.function(name, arguments),
            Node::Join(list, with) => {
                let (list, with) = (self.place(list).plain, self.value(with));
                quote!(#list.join(#with))
            }
            Node::List(elements, sort) => {
                let elements = elements.iter().map(|element| self.kept(element, sort));
                let elements: Vec<_> = elements.collect();
                quote!([#(#elements),*])
            }
            Node::Map(entries, key, sort) => {
                let entries = entries.iter().map(|(key, value)| {
                    let (key, value) = (self.value(key), self.kept(value, sort));
                    quote!((#key, #value))
                });
                let entries: Vec<_> = entries.collect();
                let function = self.cel(match (&**key, &**sort) {
                    (CelType::Text, CelType::Maybe(_)) => "entries_there",
                    (CelType::Text, _) => "entries",
                    (_, CelType::Maybe(_)) => "entries_there_by",
                    _ => "entries_by",
                });
                quote!(#function([#(#entries),*]))
            }
            Node::Slice(of) => {
                let of = self.place(of).plain;
                quote!(#of.as_slice())
            }
            Node::NoValue => quote!(None),
            Node::Some(of) => {
                let of = self.value(of);
                quote!(Some(#of))
            }
            Node::NoElements => quote!(&[]),
            Node::NoEntries => {
                let none = self.cel("no_entries");
                quote!(#none())
            }
            Node::Pattern(method, text, pattern) => {
                let text = self.value(text);
                let (ty, pattern) = expression::emitted(self.cx, pattern);
                let method = Ident::new(method, Span::call_site());
                quote! {
                    {
                        static PATTERN: #ty = #pattern;
                        PATTERN.#method(#text)
                    }
                }
            }
            Node::Characters(text) => {
                let (text, size) = (self.value(text), self.cel("size"));
                quote!(#size(#text.chars().count()))
            }
            Node::Length(of) => {
                let (of, size) = (self.place(of).plain, self.cel("size"));
                quote!(#size(#of.len()))
            }
            Node::Among(value, list) => self.among(value, list),
            Node::Loop(how, items, variables, body) => {
                self.native_loop(*how, items, variables, body)
            }
            Node::Items(of, over) => {
                let of = self.place(of).plain;
                match over {
                    Iterable::Elements => quote!(#of.iter()),
                    Iterable::Keys => quote!(#of.keys()),
                    Iterable::MadeKeys => quote!(#of.into_keys()),
                    Iterable::Made => quote!(#of.into_iter()),
                    Iterable::Numbered => quote!((0_i64..).zip(#of.iter())),
                    Iterable::NumberedMade => quote!((0_i64..).zip(#of)),
                    Iterable::Entries => quote!(#of.iter()),
                }
            }
            Node::Optional(field) => {
                let (of, name) = (self.place(&field.of).plain, &field.name);
                match field.is_optional {
                    true => quote!(#of.#name.as_ref()),
                    false => quote!(Some(&#of.#name)),
                }
            }
            Node::OptionalBelow(of, field) => {
                let (of, name) = (self.value(of), &field.name);
                match field.is_optional {
                    true => quote!(#of.and_then(|of| of.#name.as_ref())),
                    false => quote!(#of.map(|of| &of.#name)),
                }
            }
            Node::HasValue(of) => {
                let of = self.operand(of);
                quote!(#of.is_some())
            }
            Node::OrValue(of, variable, read, other) => {
                let (of, can_fail) = (self.operand(of), read.fails() || other.fails());
                let is_itself = matches!(&**read, Node::Read(found, ReadAs::Borrowed)
                    if is_variable(found, variable));
                let (read, other) = match &**other {
                    Node::NoElements => (self.value(read), quote!(&[][..])),
                    other => (self.value(read), self.value(other)),
                };
                match can_fail {
                    false if is_itself => quote!(#of.unwrap_or(#other)),
                    false => quote!(#of.map_or(#other, |#variable| #read)),
                    true => quote!(match #of {
                        Some(#variable) => #read,
                        None => #other,
                    }),
                }
            }
            place => self.place(place).borrowed,
        }
    }

    fn is_set(&mut self, field: &CelField, method: TokenStream) -> TokenStream {
        let (of, name) = (self.place(&field.of).plain, &field.name);
        quote!(#of.#name.#method())
    }

    /// A value in a list or map, which has to own texts.
    fn kept(&mut self, node: &Node, sort: &CelType) -> TokenStream {
        match sort {
            CelType::Text | CelType::Bytes => self.value(&Node::Owned(Box::new(node.clone()))),
            _ => self.value(node),
        }
    }

    /// A value as the operand of an operator.
    fn operand(&mut self, node: &Node) -> TokenStream {
        let value = self.value(node);
        let is_plain = match node {
            Node::And(a, b) | Node::Or(a, b) => a.fails() && b.fails(),
            Node::Operator(..) | Node::If(..) | Node::Pattern(..) | Node::Ref(_) => false,
            Node::OrValue(_, _, read, other) => !read.fails() && !other.fails(),
            _ => true,
        };
        match is_plain {
            true => value,
            false => quote!((#value)),
        }
    }

    /// A connective of two operands that can both fail.
    fn both(&mut self, function: &str, a: &Node, b: &Node) -> TokenStream {
        let (a, b) = (self.result(a), self.result(b));
        let function = self.cel(function);
        quote!(#function(|| #a, || #b))
    }

    /// A connective of two operands of which at most one can fail.
    fn logic(&mut self, operator: TokenStream, node: &Node, a: &Node, b: &Node) -> TokenStream {
        // The order is free in CEL. In Rust, what can fail comes last.
        let (first, last) = if a.fails() { (b, a) } else { (a, b) };
        let mut side = |side: &Node| match (node, side) {
            (_, Node::Operator(..))
            | (Node::And(..), Node::And(..))
            | (Node::Or(..), Node::Or(..)) => self.value(side),
            _ => self.operand(side),
        };
        let (first, last) = (side(first), side(last));
        quote!(#first #operator #last)
    }

    fn operator(&mut self, operator: &str, a: &Node, b: &Node) -> TokenStream {
        let is_equality = ["==", "!="].contains(&operator);
        let sign: TokenStream = match operator {
            "==" => quote!(==),
            "!=" => quote!(!=),
            "<" => quote!(<),
            "<=" => quote!(<=),
            ">" => quote!(>),
            ">=" => quote!(>=),
            "+" => quote!(+),
            "-" => quote!(-),
            "*" => quote!(*),
            _ => quote!(/),
        };
        match (a, b) {
            (of, Node::Bool(flag)) | (Node::Bool(flag), of) if is_equality => {
                match *flag == (operator == "==") {
                    true => self.operand(of),
                    false => self.value(&Node::not(of.clone())),
                }
            }
            (of, Node::Text(text)) | (Node::Text(text), of) if is_equality && text.is_empty() => {
                let of = self.operand(of);
                let not = (operator == "!=").then(|| quote!(!));
                quote!(#not #of.is_empty())
            }
            (Node::Read(a, ReadAs::Text), Node::Read(b, ReadAs::Text))
                if matches!(
                    (&**a, &**b),
                    (Node::New, Node::Old) | (Node::Old, Node::New)
                ) =>
            {
                self.places(&sign, a, b)
            }
            (Node::Read(a, ReadAs::Borrowed), Node::Read(b, ReadAs::Borrowed)) => {
                self.places(&sign, a, b)
            }
            (a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                quote!(#a #sign #b)
            }
        }
    }

    /// Two values of the same type.
    fn places(&mut self, sign: &TokenStream, a: &Node, b: &Node) -> TokenStream {
        let (a, b) = (self.place(a), self.place(b));
        let (a, b) = match a.is_reference && b.is_reference {
            true => (a.plain, b.plain),
            false => (a.copied, b.copied),
        };
        quote!(#a #sign #b)
    }

    fn function(&mut self, name: &str, arguments: &[Node]) -> TokenStream {
        let mut values: Vec<_> = arguments.iter().map(|node| self.value(node)).collect();
        if name == "substring" {
            let to = values.get(2).map_or(quote!(None), |to| quote!(Some(#to)));
            values.truncate(2);
            values.push(to);
        }
        let function = self.cel(name);
        quote!(#function(#(#values),*))
    }

    fn method(&mut self, on: &Node, name: &str, arguments: &[Node]) -> TokenStream {
        let on = match on {
            Node::Read(of, ReadAs::Borrowed) => self.place(of).plain,
            on => self.operand(on),
        };
        let arguments: Vec<_> = arguments.iter().map(|node| self.value(node)).collect();
        let name = Ident::new(name, Span::call_site());
        quote!(#on.#name(#(#arguments),*))
    }

    fn among(&mut self, value: &Node, list: &[Node]) -> TokenStream {
        let value = self.value(value);
        let list: Vec<_> = list.iter().map(|node| self.value(node)).collect();
        match list.is_empty() {
            true => quote!(false),
            false => quote!([#(#list),*].contains(&#value)),
        }
    }

    /// A macro as a method of Rust's iterators.
    fn native_loop(
        &mut self,
        how: Macro,
        items: &Node,
        variables: &Variables,
        body: &Node,
    ) -> TokenStream {
        if let (Macro::Exists, Node::Items(list, Iterable::Elements), Node::Operator("==", a, b)) =
            (how, items, body)
            && let Node::Read(item, ReadAs::Copied) = &**a
            && is_only(item, variables)
        {
            let (list, value) = (self.place(list).plain, self.value(b));
            return quote!(#list.contains(&#value));
        }
        let items = self.value(items);
        let method = match how {
            Macro::Exists => quote!(any),
            _ => quote!(all),
        };
        let parameter = parameters(variables, body);
        let value = self.value(body);
        quote!(#items.#method(|#parameter| #value))
    }

    /// A macro as a function of `kubernetes_validation::cel`.
    fn fallible_loop(
        &mut self,
        how: Macro,
        items: &Node,
        variables: &Variables,
        body: &Node,
    ) -> TokenStream {
        let items = match items {
            Node::Items(of, Iterable::Made) => self.place(of).plain,
            items => self.value(items),
        };
        let parameter = parameters(variables, body);
        let closure = match how {
            Macro::MapToOwned => {
                let text = self.value(&Node::Owned(Box::new(body.clone())));
                quote!(|#parameter| Ok(#text))
            }
            _ if is_only(body, variables) => quote!(Ok),
            _ => {
                let result = self.result(body);
                quote!(|#parameter| #result)
            }
        };
        let function = self.cel(match how {
            Macro::All => "all",
            Macro::Exists => "exists",
            Macro::ExistsOne => "exists_one",
            Macro::Filter => "filter",
            Macro::Select => "select",
            Macro::Map | Macro::MapToOwned => "map",
            Macro::FilterMap => "filter_map",
            Macro::FilterEntries => "filter_entries",
            Macro::MergeEntries => "merge_entries",
            Macro::SortBy => "sort_by",
        });
        quote!(#function(#items, #closure))
    }
}

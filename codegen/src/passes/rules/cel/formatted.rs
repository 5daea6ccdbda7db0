//! Texts that are made of others: `'%s of %d'.format([a, b])`.

use cel::common::ast::IdedExpr;

use super::sorts::{held, is_list, is_part, said};
use super::translate::{Translated, Translator};
use crate::model::{CelForm, CelType, Iterable, Macro, Node, Ty, Variables};
use crate::name;

/// The digits after the point of numbers without a precision, and the most that a server writes.
const PRECISION: i64 = 6;
const MOST_DIGITS: i64 = 1000;

/// What takes the place of a value.
struct Verb {
    letter: char,
    /// The number of digits after the point.
    precision: i64,
}

impl Translator<'_> {
    /// A text with values in place of its verbs.
    pub(super) fn formatted(&mut self, format: &str, values: &[IdedExpr]) -> Translated {
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let (mut chars, mut values) = (format.chars(), values.iter());
        while let Some(c) = chars.next() {
            if c != '%' {
                plain.push(c);
                continue;
            }
            let verb = verb(&mut chars).ok_or("a format with an unknown verb")?;
            if verb.letter == '%' {
                plain.push('%');
                continue;
            }
            let value = values.next().ok_or("a format of more values")?;
            let value = self.expr(value)?;
            if !plain.is_empty() {
                parts.push(Node::Text(std::mem::take(&mut plain)));
            }
            parts.push(self.written(&verb, value)?);
        }
        if values.next().is_some() {
            return Err("a format of fewer values".to_owned());
        }
        if !plain.is_empty() || parts.is_empty() {
            parts.push(Node::Text(plain));
        }
        Ok((Node::Made(Box::new(Node::Joined(parts))), CelType::Text))
    }

    /// The text of a value.
    fn written(&self, verb: &Verb, (node, sort): (Node, CelType)) -> Result<Node, String> {
        let with = |function, more: Vec<Node>| {
            let all = std::iter::once(node.clone()).chain(more).collect();
            Node::Made(Box::new(Node::Sure(function, all)))
        };
        let digits = |base| {
            let wide = match &sort {
                CelType::Unsigned => "wide_unsigned",
                _ => "wide",
            };
            let number = Node::Sure(wide, vec![node.clone()]);
            Node::Sure("digits", vec![number, Node::Int(base)])
        };
        let upper = |text: Node| Node::Method(Box::new(text), "to_ascii_uppercase", Vec::new());
        let is_whole = matches!(sort, CelType::Int | CelType::Unsigned);
        Ok(match (verb.letter, &sort) {
            ('s', _) => self.said(node, sort, false)?,
            ('d', _) if is_whole => with("string", Vec::new()),
            ('d', CelType::Dynamic) => {
                let number = Node::Tried(Box::new(node), "whole", Vec::new());
                Node::Made(Box::new(Node::Sure("string", vec![number])))
            }
            ('f', CelType::Double) => with("fixed", vec![Node::Int(verb.precision)]),
            ('e', CelType::Double) => with("scientific", vec![Node::Int(verb.precision)]),
            ('b', CelType::Bool) => {
                let [one, zero] = ["1", "0"].map(|digit| Node::Text(digit.to_owned()));
                Node::choice(node, one, zero)
            }
            ('b', _) if is_whole => Node::Made(Box::new(digits(2))),
            ('o', _) if is_whole => Node::Made(Box::new(digits(8))),
            ('x', _) if is_whole => Node::Made(Box::new(digits(16))),
            ('X', _) if is_whole => Node::Made(Box::new(upper(digits(16)))),
            ('x', sort) if is_part(sort) => with("hex", Vec::new()),
            ('X', sort) if is_part(sort) => {
                Node::Made(Box::new(upper(Node::Sure("hex", vec![node]))))
            }
            _ => return Err(format!("a format of {}", said(&sort))),
        })
    }

    /// The text of a value by itself, or as it is inside of a list or map.
    fn said(&self, node: Node, sort: CelType, is_inside: bool) -> Result<Node, String> {
        let text = |function, of: Node| Node::Made(Box::new(Node::Sure(function, vec![of])));
        let call = |function: &str, of: Node| {
            let [before, after] = [format!("{function}(\""), "\")".to_owned()].map(Node::Text);
            Node::Made(Box::new(Node::Joined(vec![before, of, after])))
        };
        let method =
            |on: Node, name| Node::Made(Box::new(Node::Method(Box::new(on), name, Vec::new())));
        Ok(match (sort, is_inside) {
            (CelType::Null | CelType::Type | CelType::Text, false)
            | (CelType::Null | CelType::Type, true) => node,
            (CelType::Text, true) => text("in_quotes", node),
            (CelType::Bool | CelType::Int | CelType::Unsigned, _) => text("string", node),
            (CelType::Double, false) => text("general", node),
            (CelType::Double, true) => text("plain", node),
            (CelType::Duration, false) => text("in_seconds", node),
            (CelType::Duration, true) => call("duration", text("in_seconds", node)),
            (CelType::Time, false) => method(node, "to_text"),
            (CelType::Time, true) => call("timestamp", method(node, "to_text")),
            (CelType::Bytes, false) => Node::Function("text_of", vec![node]),
            (CelType::Bytes, true) => {
                let quoted = text("in_quotes", Node::Function("text_of", vec![node]));
                Node::Made(Box::new(Node::Joined(vec![
                    Node::Text("b".to_owned()),
                    quoted,
                ])))
            }
            (CelType::Dynamic, false) => method(node, "formatted"),
            (CelType::Dynamic, true) => method(node, "formatted_inside"),
            (sort @ (CelType::Entries(..) | CelType::Place(Ty::Map(_), _)), _) => {
                self.map_said(node, sort)?
            }
            (sort, _) if is_list(&sort) => self.list_said(node, sort)?,
            (sort, _) => return Err(format!("a format of {}", said(&sort))),
        })
    }

    /// `[1, 2]`
    fn list_said(&self, list: Node, sort: CelType) -> Result<Node, String> {
        let (list, of) = self.values((list, sort))?;
        let ident = name::field_name("item").ok_or("a variable")?;
        let item = held(Node::Variable(ident.clone()), &of);
        let text = self.said(item, of, true)?;
        let items = match list {
            Node::Read(..) => Node::Method(Box::new(list), "to_vec", Vec::new()),
            list => list,
        };
        let items = Box::new(Node::Items(Box::new(items), Iterable::Made));
        let texts = Node::Loop(
            Macro::MapToOwned,
            items,
            Variables::One(ident),
            Box::new(text),
        );
        Ok(joined("[", texts, "]"))
    }

    /// `{"a":1, "b":2}`, in the order of the keys as they are written.
    fn map_said(&self, map: Node, sort: CelType) -> Result<Node, String> {
        let idents = name::field_name("key").zip(name::field_name("item"));
        let (first, second) = idents.ok_or("a variable")?;
        let [key, item] = [&first, &second].map(|ident| Node::Variable(ident.clone()));
        let (over, (key, of_key), (item, of)) = match sort {
            CelType::Entries(of_key, of) => {
                let (key, item) = (held(key, &of_key), held(item, &of));
                (Iterable::Made, (key, *of_key), (item, *of))
            }
            CelType::Place(Ty::Map(value), form) => {
                let key = self.place(key, &Ty::String, &CelForm::default());
                (
                    Iterable::Entries,
                    key,
                    self.place(item, &value, &form.inside()),
                )
            }
            sort => return Err(format!("a format of {}", said(&sort))),
        };
        let between = Node::Text(":".to_owned());
        let pair = vec![
            self.said(key, of_key, true)?,
            between,
            self.said(item, of, true)?,
        ];
        let texts = Node::Loop(
            Macro::MapToOwned,
            Box::new(Node::Items(Box::new(map), over)),
            Variables::Two(first, second),
            Box::new(Node::Made(Box::new(Node::Joined(pair)))),
        );
        Ok(joined("{", Node::Sure("sorted", vec![texts]), "}"))
    }
}

/// Texts with commas between them.
fn joined(before: &str, texts: Node, after: &str) -> Node {
    let [before, comma, after] = [before, ", ", after].map(|text| Node::Text(text.to_owned()));
    let texts = Node::Made(Box::new(Node::Join(Box::new(texts), Box::new(comma))));
    Node::Made(Box::new(Node::Joined(vec![before, texts, after])))
}

/// The verb that follows: a letter, for some with a precision before it.
fn verb(chars: &mut std::str::Chars<'_>) -> Option<Verb> {
    let mut letter = chars.next()?;
    let mut precision = None;
    if letter == '.' {
        let mut digits = String::new();
        letter = chars.next()?;
        while letter.is_ascii_digit() {
            digits.push(letter);
            letter = chars.next()?;
        }
        precision = Some(digits.parse().ok().filter(|n| *n <= MOST_DIGITS)?);
    }
    let is_known = match precision {
        Some(_) => matches!(letter, 'e' | 'f'),
        None => matches!(letter, '%' | 'b' | 'd' | 'e' | 'f' | 'o' | 's' | 'x' | 'X'),
    };
    let precision = precision.unwrap_or(PRECISION);
    is_known.then_some(Verb { letter, precision })
}

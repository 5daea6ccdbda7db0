//! Texts that are made of others: `'%s of %d'.format([a, b])`.

use cel::common::ast::IdedExpr;

use super::translate::{Translated, Translator, said};
use crate::model::{CelType, Node};

impl Translator<'_> {
    /// A text with values in place of its verbs. Of those, `%s` is known for texts, whole numbers
    /// and flags, and `%d` for whole numbers.
    pub(super) fn formatted(&mut self, format: &str, values: &[IdedExpr]) -> Translated {
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let (mut chars, mut values) = (format.chars(), values.iter());
        while let Some(c) = chars.next() {
            if c != '%' {
                plain.push(c);
                continue;
            }
            let verb = chars.next();
            if verb == Some('%') {
                plain.push('%');
                continue;
            }
            let value = values.next().ok_or("a format of more values")?;
            let value = match (verb, self.expr(value)?) {
                (Some('s'), (node, CelType::Text)) => node,
                (Some('s' | 'd'), (node, CelType::Int)) | (Some('s'), (node, CelType::Bool)) => {
                    Node::Made(Box::new(Node::Sure("string", vec![node])))
                }
                (_, (_, sort)) => return Err(format!("a format of {}", said(&sort))),
            };
            if !plain.is_empty() {
                parts.push(Node::Text(std::mem::take(&mut plain)));
            }
            parts.push(value);
        }
        if values.next().is_some() {
            return Err("a format of fewer values".to_owned());
        }
        if !plain.is_empty() || parts.is_empty() {
            parts.push(Node::Text(plain));
        }
        Ok((Node::Made(Box::new(Node::Joined(parts))), CelType::Text))
    }
}

//! Goes through the schema of a kind, and adds up the costs of its rules.

use std::cmp::Reverse;

use cel::common::ast::IdedExpr;
use serde_json::{Map, Value};

use super::costly::{CostOf, MissingBound};
use super::rule::Rule;
use super::shape::{Shape, count, inside, is};
use crate::syntax;

/// The keyword with the rules.
pub(super) const RULES: &str = "x-kubernetes-validations";

/// The number of the most expensive rules whose bounds lower the cost of all together.
const MOST_EXPENSIVE: usize = 4;

/// Returns what of the schema of a kind a server refuses for its cost. Rules with functions that
/// aren't known here count nothing.
pub(super) fn of_schema(schema: &Map<String, Value>) -> Vec<Costly> {
    let mut walk = Walk {
        steps: Vec::new(),
        open: Vec::new(),
        total: 0,
        expensive: Vec::new(),
        found: Vec::new(),
    };
    let place = Place {
        shape: None,
        is_root: true,
        times: Some(1),
    };
    walk.schema(schema, place);
    walk.all()
}

/// A rule that costs too much, or all rules.
pub(super) struct Costly {
    /// The place of the value that the rule is about.
    pub(super) path: String,
    pub(super) of: CostOf,
    pub(super) rule: String,
    pub(super) cost: u64,
    pub(super) missing: Vec<MissingBound>,
}

/// Goes through a schema.
struct Walk<'s> {
    /// The keywords and properties on the way.
    steps: Vec<&'s str>,
    /// The number of steps to lists and maps on the way that have no bound, and the keyword.
    open: Vec<(usize, &'static str)>,
    /// The cost of all rules.
    total: u64,
    /// Rules with a part of it that counts, and the bounds that they lack.
    expensive: Vec<(u64, Vec<MissingBound>)>,
    found: Vec<Costly>,
}

/// A place in the schema.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// The shape of the values, if a rule further up has asked for it.
    shape: Option<&'p Shape>,
    /// True if the values are whole objects.
    is_root: bool,
    /// The number of such values in an object, if it has a bound.
    times: Option<u64>,
}

impl<'s> Walk<'s> {
    fn schema(&mut self, schema: &'s Map<String, Value>, place: Place<'_>) {
        let rules = schema.get(RULES).and_then(Value::as_array);
        let rules = rules.filter(|rules| !rules.is_empty());
        let own = match (rules, place.shape) {
            (Some(_), None) => Shape::of(schema, place.is_root),
            _ => None,
        };
        let shape = place.shape.or(own.as_ref());
        if let (Some(rules), Some(shape)) = (rules, shape) {
            for rule in rules {
                self.rule(rule, shape, place.times);
            }
        }
        self.inside(schema, Place { shape, ..place });
    }

    /// Goes through the schemas in one.
    fn inside(&mut self, schema: &'s Map<String, Value>, place: Place<'_>) {
        let (times, is_open) = match repeats(schema) {
            Repeats::Once => (place.times, None),
            Repeats::AtMost(count) => (place.times.map(|times| times.saturating_mul(count)), None),
            Repeats::Openly(keyword) => (None, Some(keyword)),
        };
        self.open
            .extend(is_open.map(|keyword| (self.steps.len(), keyword)));
        let of = |inner: &Map<String, Value>, shape| Place {
            shape,
            is_root: is(inner, "x-kubernetes-embedded-resource"),
            times,
        };
        for keyword in ["additionalProperties", "items"] {
            if let Some(inner) = inside(schema, keyword) {
                self.steps.push(keyword);
                self.schema(inner, of(inner, place.shape.and_then(Shape::inside)));
                self.steps.pop();
            }
        }
        for (name, inner) in inside(schema, "properties").into_iter().flatten() {
            if let Some(inner) = inner.as_object() {
                let shape = place.shape.and_then(|shape| shape.property(name));
                self.steps.extend(["properties", name]);
                self.schema(inner, of(inner, shape));
                self.steps.truncate(self.steps.len() - 2);
            }
        }
        if is_open.is_some() {
            self.open.pop();
        }
    }

    /// A rule of a schema and the expression of its message.
    fn rule(&mut self, rule: &Value, shape: &Shape, times: Option<u64>) {
        let text = |keyword: &str| rule.get(keyword).and_then(Value::as_str);
        let Some((text_of_rule, expr)) = text("rule").and_then(parsed) else {
            return;
        };
        let is_optional = rule.get("optionalOldSelf").and_then(Value::as_bool);
        let rule = Rule {
            of: CostOf::Rule,
            text: text_of_rule,
            expr: &expr,
            is_optional: is_optional == Some(true),
            shape,
        };
        let times = times.unwrap_or_else(|| shape.most());
        if !self.expression(&rule, times) {
            return;
        }
        if let Some((text, expr)) = text("messageExpression").and_then(parsed) {
            let message = Rule {
                of: CostOf::Message,
                text,
                expr: &expr,
                ..rule
            };
            // A server takes no account of the number of values, each of which can have a message.
            self.expression(&message, 1);
        }
    }

    /// Counts an expression that is evaluated so many times. Returns false if its cost isn't known.
    fn expression(&mut self, rule: &Rule<'_>, times: u64) -> bool {
        let Some((once, parts)) = rule.cost() else {
            return false;
        };
        let cost = once.saturating_mul(times);
        self.total = self.total.saturating_add(cost);
        if cost < CostOf::All.limit() / 100 {
            return true;
        }
        let mut missing = match rule.of {
            CostOf::Rule => self.above(),
            CostOf::Message | CostOf::All => Vec::new(),
        };
        let path = path_of(&self.steps);
        missing.extend(rule.missing(once, &parts, &path));
        missing.sort();
        if cost > rule.of.limit() {
            self.found.push(Costly {
                path,
                of: rule.of,
                rule: rule.text.to_owned(),
                cost,
                missing: missing.clone(),
            });
        }
        self.expensive.push((cost, missing));
        true
    }

    /// The bounds that lists and maps around a place lack.
    fn above(&self) -> Vec<MissingBound> {
        let open = self.open.iter().map(|(steps, keyword)| MissingBound {
            path: path_of(self.steps.get(..*steps).unwrap_or_default()),
            keyword,
        });
        open.collect()
    }

    /// The rules that cost too much, and all rules together if they do.
    fn all(mut self) -> Vec<Costly> {
        if self.total > CostOf::All.limit() {
            self.expensive.sort_by_key(|(cost, _)| Reverse(*cost));
            let most = self.expensive.into_iter().take(MOST_EXPENSIVE);
            let mut missing: Vec<_> = most.flat_map(|(_, missing)| missing).collect();
            missing.sort();
            missing.dedup();
            self.found.push(Costly {
                path: String::new(),
                of: CostOf::All,
                rule: String::new(),
                cost: self.total,
                missing,
            });
        }
        self.found
    }
}

/// The number of values of an inner schema that each value can have.
enum Repeats {
    Once,
    AtMost(u64),
    /// As many as a request can have, for want of this keyword.
    Openly(&'static str),
}

fn repeats(schema: &Map<String, Value>) -> Repeats {
    let has = |keyword: &str| schema.get(keyword).is_some_and(|value| !value.is_null());
    let keyword = match schema.get("type").and_then(Value::as_str) {
        Some("object") if has("additionalProperties") => "maxProperties",
        Some("array") => "maxItems",
        _ => return Repeats::Once,
    };
    match count(schema, keyword) {
        Some(count) => Repeats::AtMost(count),
        None => Repeats::Openly(keyword),
    }
}

/// An expression with its syntax. What isn't CEL has no cost.
fn parsed(text: &str) -> Option<(&str, IdedExpr)> {
    Some((text, syntax::parse(text).ok()?))
}

/// The place of a value in its object, by the steps through the schema.
fn path_of(steps: &[&str]) -> String {
    let mut path = String::new();
    let mut steps = steps.iter();
    while let Some(step) = steps.next() {
        if *step != "properties" {
            path.push_str("[*]");
            continue;
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(steps.next().copied().unwrap_or_default());
    }
    path
}

//! Operators.

use cel::common::ast::operators;

use super::estimate::Estimator;
use super::macros::INSERT;
use super::path::Step;
use super::price::TEXT;
use super::size::scaled;
use super::ty::{Named, Type};
use super::value::{self, Value};

/// The most characters of a format, as which two are compared.
const FORMAT: u64 = 64;

/// The operands of an operator, which can be texts or bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    None,
    /// The types of both operands are known at run time only.
    Maybe,
    Both,
}

impl Texts {
    fn of(a: &Type<'_>, b: &Type<'_>) -> Self {
        let is_it = [Type::is_text, Type::is_bytes];
        let mut known = is_it.iter().filter(|is_it| is_it(a) || is_it(b));
        let may_be = is_it
            .iter()
            .any(|is_it| a.may_be(*is_it) && b.may_be(*is_it));
        match (known.next().is_some(), may_be) {
            (_, false) => Self::None,
            (true, true) => Self::Both,
            (false, true) => Self::Maybe,
        }
    }

    /// The price of an operator that has one for texts, and one unit for what else there is.
    fn price(self, of_texts: impl FnOnce() -> u64) -> u64 {
        match self {
            Self::None => 1,
            Self::Maybe => of_texts().max(1),
            Self::Both => of_texts(),
        }
    }
}

impl<'a> Estimator<'a> {
    /// An operator, whose operands have a cost.
    pub(super) fn operator(
        &mut self,
        name: &str,
        args: &[Value<'a>],
        cost: u64,
    ) -> Option<Value<'a>> {
        if let Some(price) = self.truth(name, args) {
            return Some(Value::new(Type::Bool, cost.saturating_add(price)));
        }
        let one_more = cost.saturating_add(1);
        let value = match (name, args) {
            (operators::CONDITIONAL, [condition, a, b]) => self.choice(condition, a, b),
            (operators::ADD, [a, b]) => self.sum(a, b, cost),
            (operators::INDEX, [of, _]) => self.element(of, one_more)?,
            (operators::OPT_INDEX, [of, _]) => {
                let of = match &of.ty {
                    Type::Optional(of) => of.inside()?,
                    of => of.inside()?,
                };
                Value::new(Type::optional(of.closed()), one_more)
            }
            (INSERT, [into, rest @ ..]) => {
                let ty = match rest {
                    [key, value] => Type::map(key.ty.clone(), value.ty.clone()),
                    [entries] => entries.ty.clone(),
                    _ => return None,
                };
                Value::new(into.ty.join(&ty), one_more)
            }
            (
                operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO,
                [a, b],
            ) => Value::new(difference(name, &a.ty, &b.ty), one_more),
            (operators::NEGATE, [of]) => Value::new(of.ty.clone(), one_more),
            _ => return None,
        };
        Some(value)
    }

    /// The price of an operator whose result is true or false.
    fn truth(&mut self, name: &str, args: &[Value<'a>]) -> Option<u64> {
        Some(match (name, args) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => 0,
            (operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE, [_]) => 1,
            (operators::EQUALS, [a, b]) => match self.named(a, b) {
                Some(price) => price,
                None => self.compared(a, b),
            },
            (operators::NOT_EQUALS, [a, b]) => self.compared(a, b),
            (
                operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS,
                [a, b],
            ) => Texts::of(&a.ty, &b.ty).price(|| self.compared(a, b)),
            (operators::IN, [_, of]) => {
                let in_list = match of.ty.may_be(Type::is_list) {
                    true => self.size_or_unknown(of).max,
                    false => 0,
                };
                in_list.max(u64::from(of.ty.may_be(Type::is_map)))
            }
            _ => return None,
        })
    }

    /// One of two values.
    fn choice(&mut self, condition: &Value<'a>, a: &Value<'a>, b: &Value<'a>) -> Value<'a> {
        let cost = condition.cost.saturating_add(a.cost.max(b.cost));
        let size = self.size_or_unknown(a).union(self.size_or_unknown(b));
        let made = Value {
            elements: value::union(a, b),
            ..Value::new(a.ty.join(&b.ty), cost)
        };
        made.with_size(Some(size))
    }

    /// The cost of comparing two values, which ends where the shorter one ends.
    fn compared(&mut self, a: &Value<'a>, b: &Value<'a>) -> u64 {
        let shorter = self.size_or_unknown(a).max.min(self.size_or_unknown(b).max);
        scaled(shorter, TEXT)
    }

    /// The cost of comparing two values of one of Kubernetes' types, if they are.
    fn named(&mut self, a: &Value<'a>, b: &Value<'a>) -> Option<u64> {
        match (&a.ty, &b.ty) {
            (Type::Named(one), Type::Named(other)) if one == other => Some(match one {
                Named::Cidr | Named::Ip | Named::Quantity | Named::Semver => 1,
                Named::Format => scaled(FORMAT, TEXT),
                Named::Url => scaled(self.size(b).map_or(1, |size| size.max), TEXT),
            }),
            _ => None,
        }
    }

    /// A sum of numbers, or texts or lists after each other.
    fn sum(&mut self, a: &Value<'a>, b: &Value<'a>, cost: u64) -> Value<'a> {
        let texts = Texts::of(&a.ty, &b.ty);
        let are_lists = a.ty.may_be(Type::is_list) && b.ty.may_be(Type::is_list);
        let is_sized = texts != Texts::None || are_lists;
        let size = self.size_or_unknown(a).plus(self.size_or_unknown(b));
        let price = texts.price(|| scaled(size.max, TEXT));
        let elements = value::union(a, b).filter(|_| is_sized);
        let ty = match (&a.ty, &b.ty) {
            (Type::Duration, Type::Time) => Type::Time,
            (a, b) => a.join(b),
        };
        let made = Value {
            elements,
            ..Value::new(ty, cost.saturating_add(price))
        };
        made.with_size(is_sized.then_some(size))
    }

    /// An element of a list or map.
    fn element(&mut self, of: &Value<'a>, cost: u64) -> Option<Value<'a>> {
        if let Type::Optional(of) = &of.ty {
            let ty = Type::optional(of.inside()?.closed());
            return Some(Value::new(ty, cost));
        }
        let step = match of.ty.is_list() {
            true => Step::Items,
            false => Step::Values,
        };
        let made = Value {
            path: of.path.then(step),
            ..Value::new(of.ty.inside()?.closed(), cost)
        };
        let size = of.elements.map(|elements| elements.value);
        let made = made.with_size(size);
        self.size(&made);
        Some(made)
    }
}

/// The type of a difference, product or the like.
fn difference<'a>(name: &str, a: &Type<'a>, b: &Type<'a>) -> Type<'a> {
    match (a, b) {
        (Type::Time, Type::Time) if name == operators::SUBSTRACT => Type::Duration,
        (a, b) => a.join(b),
    }
}

//! Calls of functions.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

use super::estimate::{Estimator, field};
use super::price::Call;
use super::table::{self, Function, Gives};
use super::ty::{Named, Type};
use super::value::Value;
use crate::syntax::names;

impl<'a> Estimator<'a> {
    pub(super) fn call(&mut self, call: &CallExpr) -> Option<Value<'a>> {
        let name = call.func_name.as_str();
        if let Some(target) = &call.target {
            if let Expr::Ident(space) = &target.expr
                && !self.is_value(space)
            {
                let function = table::global(&format!("{space}.{name}"))?;
                return self.function(function, None, &call.args);
            }
            return self.function(table::member(name)?, Some(target), &call.args);
        }
        match (name, call.args.as_slice()) {
            ("dyn", [of]) => {
                let of = self.value(of)?;
                let size = self.size(&of);
                let cost = of.cost.saturating_add(1);
                let made = Value {
                    elements: of.elements,
                    ..Value::new(Type::Dynamic, cost)
                };
                Some(made.with_size(size))
            }
            (operators::OPT_SELECT, [of, name]) => self.optional_field(of, name),
            (_, args) => match table::global(name) {
                Some(function) => self.function(function, None, args),
                None => {
                    let args = self.operands(args)?;
                    let cost = args.iter().map(|arg| arg.cost);
                    let cost = cost.fold(0, u64::saturating_add);
                    self.operator(name, &args, cost)
                }
            },
        }
    }

    /// The operands of a call, with their sizes as they are before the next one is read.
    fn operands(&mut self, args: &[IdedExpr]) -> Option<Vec<Value<'a>>> {
        let mut found = Vec::new();
        for arg in args {
            let value = self.value(arg)?;
            self.size(&value);
            found.push(value);
        }
        Some(found)
    }

    fn optional_field(&mut self, of: &IdedExpr, name: &IdedExpr) -> Option<Value<'a>> {
        let Expr::Literal(LiteralValue::String(name)) = &name.expr else {
            return None;
        };
        let of = self.value(of)?;
        let ty = match field(&of.ty, &names::unescape(name.inner()))? {
            Type::Optional(of) => Type::Optional(of),
            other => Type::optional(other),
        };
        Some(Value::new(ty, of.cost.saturating_add(1)))
    }

    fn function(
        &mut self,
        function: &Function,
        target: Option<&IdedExpr>,
        args: &[IdedExpr],
    ) -> Option<Value<'a>> {
        // The target comes last, as servers read it.
        let args = self.operands(args)?;
        let target = match target {
            Some(target) => {
                let value = self.value(target)?;
                self.size(&value);
                Some(value)
            }
            None => None,
        };
        let costs = args.iter().chain(&target).map(|value| value.cost);
        let costs = costs.fold(0, u64::saturating_add);
        let ty = given(function.gives, target.as_ref(), &args)?;
        let call = Call {
            target: target.as_ref(),
            args: &args,
        };
        let (price, size) = self.price(function.price, &call)?;
        Some(Value::new(ty, costs.saturating_add(price)).with_size(size))
    }
}

/// The type of the result of a function.
fn given<'a>(gives: Gives, target: Option<&Value<'a>>, args: &[Value<'a>]) -> Option<Type<'a>> {
    let first = || target.or(args.first()).map(|value| value.ty.clone());
    let held = |ty: Type<'a>| match ty {
        Type::Optional(of) => Some((*of).clone()),
        unknown if unknown.is_unknown() => Some(Type::Dynamic),
        _ => None,
    };
    Some(match gives {
        Gives::Bool => Type::Bool,
        Gives::Int => Type::Int,
        Gives::Uint => Type::Uint,
        Gives::Double => Type::Double,
        Gives::Text => Type::Text,
        Gives::Bytes => Type::Bytes,
        Gives::Duration => Type::Duration,
        Gives::Time => Type::Time,
        Gives::Kind => Type::Kind,
        Gives::Texts => Type::list(Type::Text),
        Gives::Ints => Type::list(Type::Int),
        Gives::TextsByKey => Type::map(Type::Text, Type::list(Type::Text)),
        Gives::Named(named) => Type::Named(named),
        Gives::MaybeFormat => Type::optional(Type::Named(Named::Format)),
        Gives::MaybeTexts => Type::optional(Type::list(Type::Text)),
        Gives::Same => first()?,
        Gives::Either => first()?.join(&args.first()?.ty),
        Gives::Element => first()?.inside()?.closed(),
        Gives::MaybeElement => Type::optional(first()?.inside()?.closed()),
        Gives::Flat => match first()?.inside()? {
            list @ Type::List(_) => list,
            other => Type::list(other),
        },
        Gives::Maybe => Type::optional(args.first()?.ty.clone()),
        Gives::Nothing => Type::optional(Type::Open),
        Gives::Held => {
            let of = held(first()?)?;
            match args.first() {
                Some(other) => of.join(&other.ty),
                None => of.closed(),
            }
        }
        Gives::AllHeld => Type::list(held(first()?.inside()?)?),
    })
}

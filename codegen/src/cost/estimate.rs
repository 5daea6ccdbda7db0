//! The greatest cost that the evaluation of an expression can have.

use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr};

use super::macros;
use super::path::{Path, Step};
use super::shape::{KEY, Shape, Sort};
use super::size::Size;
use super::ty::Type;
use super::value::{Elements, Value};
use crate::syntax::names;

/// The cost of a new list, and of a new map.
pub(super) const NEW_LIST: u64 = 10;
const NEW_MAP: u64 = 30;

/// Estimates the costs of expressions about a value. The result is `None` where an expression has a
/// function or type that isn't known, or is wrong.
pub(super) struct Estimator<'a> {
    /// The value.
    root: &'a Shape,
    /// True if the stored value is an optional value.
    is_optional: bool,
    /// A list, map or text that counts as if it could have nothing.
    empty: Option<&'a Shape>,
    variables: Vec<Variable<'a>>,
    /// The places that have been read and can be of any size.
    unbounded: Vec<&'a Shape>,
}

/// A variable of a macro.
struct Variable<'a> {
    name: String,
    ty: Type<'a>,
    path: Path,
    size: Option<Size>,
    elements: Option<Elements>,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(root: &'a Shape, is_optional: bool, empty: Option<&'a Shape>) -> Self {
        Self {
            root,
            is_optional,
            empty,
            variables: Vec::new(),
            unbounded: Vec::new(),
        }
    }

    /// The places that the expressions so far have read and that can be of any size.
    pub(super) fn unbounded(self) -> Vec<&'a Shape> {
        self.unbounded
    }

    /// Estimates an expression and those in it.
    pub(super) fn value(&mut self, expr: &IdedExpr) -> Option<Value<'a>> {
        match &expr.expr {
            Expr::Literal(literal) => Some(written(literal)),
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => match macros::expanded(call) {
                Some(expanded) => self.value(&expanded),
                None => self.call(call),
            },
            Expr::List(list) => {
                let is_optional = |index| list.optional_indices.contains(&index);
                self.list(&list.elements, &is_optional)
            }
            Expr::Map(map) => {
                let entries = map.entries.iter().map(|entry| match &entry.expr {
                    EntryExpr::MapEntry(entry) => Some((&entry.key, &entry.value)),
                    EntryExpr::StructField(_) => None,
                });
                self.map(&entries.collect::<Option<Vec<_>>>()?)
            }
            Expr::Comprehension(of) if macros::is_bind(of) => self.bind(of),
            Expr::Comprehension(of) => self.comprehension(of),
            Expr::Struct(_) | Expr::Unspecified => None,
        }
    }

    fn ident(&self, name: &str) -> Option<Value<'a>> {
        let mut variables = self.variables.iter().rev();
        if let Some(variable) = variables.find(|variable| variable.name == name) {
            return Some(Value {
                path: variable.path.clone(),
                of_variable: variable.size,
                elements: variable.elements,
                ..Value::new(variable.ty.clone(), 1)
            });
        }
        let ty = match name {
            "self" => Type::of(self.root),
            "oldSelf" if self.is_optional => Type::optional(Type::of(self.root)),
            "oldSelf" => Type::of(self.root),
            "bool" | "bytes" | "double" | "int" | "list" | "map" | "null_type" | "string"
            | "type" | "uint" => Type::Kind,
            _ => return None,
        };
        Some(Value {
            path: Path::variable(),
            ..Value::new(ty, 1)
        })
    }

    /// Returns true if a name is one of a value.
    pub(super) fn is_value(&self, name: &str) -> bool {
        let mut variables = self.variables.iter();
        name == "self" || name == "oldSelf" || variables.any(|variable| variable.name == name)
    }

    fn select(&mut self, select: &SelectExpr) -> Option<Value<'a>> {
        let of = self.value(&select.operand)?;
        if select.test {
            return Some(Value::new(Type::Bool, of.cost));
        }
        let name = names::unescape(&select.field);
        let is_counted = matches!(of.ty, Type::Map(..) | Type::Object(_) | Type::Open);
        Some(Value {
            path: of.path.then(Step::Field(name.as_str().into())),
            ..Value::new(
                field(&of.ty, &name)?,
                of.cost.saturating_add(u64::from(is_counted)),
            )
        })
    }

    fn list(
        &mut self,
        elements: &[IdedExpr],
        is_optional: &dyn Fn(usize) -> bool,
    ) -> Option<Value<'a>> {
        let (mut cost, mut size, mut ty) = (NEW_LIST, Size::NONE, Type::Open);
        for (index, element) in elements.iter().enumerate() {
            let element = self.value(element)?;
            cost = cost.saturating_add(element.cost);
            size = size.union(self.size_or_unknown(&element));
            ty = match (&element.ty, is_optional(index)) {
                (Type::Optional(of), true) => ty.join(of),
                (of, _) => ty.join(of),
            };
        }
        if elements.is_empty() {
            size.min = 0;
        }
        Some(Value {
            written: Some(Size::fixed(elements.len() as u64)),
            elements: Some(Elements {
                is_list: true,
                key: Size::fixed(1),
                value: size,
            }),
            ..Value::new(Type::list(ty), cost)
        })
    }

    fn map(&mut self, entries: &[(&IdedExpr, &IdedExpr)]) -> Option<Value<'a>> {
        let (mut cost, mut sizes) = (NEW_MAP, (Size::NONE, Size::NONE));
        let mut types = (Type::Open, Type::Open);
        for (key, value) in entries {
            let (key, value) = (self.value(key)?, self.value(value)?);
            cost = cost.saturating_add(key.cost).saturating_add(value.cost);
            sizes.0 = sizes.0.union(self.size_or_unknown(&key));
            sizes.1 = sizes.1.union(self.size_or_unknown(&value));
            types = (types.0.join(&key.ty), types.1.join(&value.ty));
        }
        if entries.is_empty() {
            (sizes.0.min, sizes.1.min) = (0, 0);
        }
        Some(Value {
            written: Some(Size::fixed(entries.len() as u64)),
            elements: Some(Elements {
                is_list: false,
                key: sizes.0,
                value: sizes.1,
            }),
            ..Value::new(Type::map(types.0, types.1), cost)
        })
    }

    fn bind(&mut self, of: &ComprehensionExpr) -> Option<Value<'a>> {
        let range = self.value(&of.iter_range)?;
        let value = self.value(&of.accu_init)?;
        let cost = range.cost.saturating_add(value.cost);
        self.push_value(&of.accu_var, &value);
        let result = self.value(&of.result);
        self.variables.pop();
        let result = result?;
        let size = self.size(&result);
        let cost = cost.saturating_add(result.cost);
        let made = Value {
            elements: result.elements,
            ..Value::new(result.ty, cost)
        };
        Some(made.with_size(size))
    }

    fn comprehension(&mut self, of: &ComprehensionExpr) -> Option<Value<'a>> {
        let range = self.value(&of.iter_range)?;
        let start = self.value(&of.accu_init)?;
        let before = self.variables.len();
        self.push_value(&of.accu_var, &start);
        match &of.iter_var2 {
            Some(second) => {
                self.push_key(&of.iter_var, &range);
                self.push_element(second, &range);
            }
            None if is_list(&range) => self.push_element(&of.iter_var, &range),
            None => self.push_key(&of.iter_var, &range),
        }
        let go_on = self.value(&of.loop_cond);
        let step = self.value(&of.loop_step);
        self.variables.truncate(before + 1);
        let end = match (&step, self.variables.last_mut()) {
            (Some(step), Some(result)) => {
                result.ty = result.ty.join(&step.ty);
                self.value(&of.result)
            }
            _ => None,
        };
        self.variables.truncate(before);
        let (go_on, step, end) = (go_on?, step?, end?);
        let count = self.size_or_unknown(&range);
        let turn = step.cost.saturating_add(go_on.cost);
        let costs = [start.cost, end.cost, count.max.saturating_mul(turn)];
        let cost = costs.into_iter().fold(range.cost, u64::saturating_add);
        let size = match start.elements {
            Some(_) => Some(count),
            None => self.size(&start),
        };
        let made = Value {
            elements: step.elements.filter(|_| start.elements.is_some()),
            ..Value::new(end.ty, cost)
        };
        Some(made.with_size(size))
    }

    fn push_value(&mut self, name: &str, value: &Value<'a>) {
        let size = self.size(value);
        self.variables.push(Variable {
            name: name.to_owned(),
            ty: value.ty.clone(),
            path: value.path.clone(),
            size,
            elements: value.elements,
        });
    }

    /// Adds a variable of the elements of a list or the values of a map.
    fn push_element(&mut self, name: &str, range: &Value<'a>) {
        let step = match is_list(range) {
            true => Step::Items,
            false => Step::Values,
        };
        self.variables.push(Variable {
            name: name.to_owned(),
            ty: range.ty.inside().unwrap_or(Type::Dynamic).closed(),
            path: range.path.then(step),
            size: range.elements.map(|elements| elements.value),
            elements: None,
        });
    }

    /// Adds a variable of the keys of a map or the positions in a list.
    fn push_key(&mut self, name: &str, range: &Value<'a>) {
        let (step, ty) = match &range.ty {
            _ if is_list(range) => (Step::Indices, Type::Int),
            Type::Map(key, _) => (Step::Keys, (**key).clone()),
            _ => (Step::Keys, Type::Dynamic),
        };
        self.variables.push(Variable {
            name: name.to_owned(),
            ty: ty.closed(),
            path: range.path.then(step),
            size: range.elements.map(|elements| elements.key),
            elements: None,
        });
    }

    /// The size of a value, if something says it.
    pub(super) fn size(&mut self, value: &Value<'a>) -> Option<Size> {
        let known = value.size.get().or(value.written);
        if known.is_some() {
            return known;
        }
        if let Some(size) = self.size_at(&value.path) {
            value.size.set(Some(size));
            return Some(size);
        }
        if value.ty.is_plain() {
            return Some(Size::fixed(1));
        }
        value.of_variable
    }

    pub(super) fn size_or_unknown(&mut self, value: &Value<'a>) -> Size {
        self.size(value).unwrap_or(Size::UNKNOWN)
    }

    /// The size of what is at a place of the object, as its schema bounds it.
    pub(super) fn size_at(&mut self, path: &Path) -> Option<Size> {
        if path.is_empty() {
            return None;
        }
        let mut place = self.root;
        for step in path.steps().iter().skip(1) {
            place = match step {
                Step::Items | Step::Values => place.inside()?,
                Step::Keys if matches!(place.sort, Sort::Map(_)) => KEY,
                Step::Field(name) => place.property(name)?,
                Step::Keys | Step::Indices | Step::Variable => return None,
            };
        }
        if self.empty.is_some_and(|empty| std::ptr::eq(empty, place)) {
            return Some(Size::fixed(0));
        }
        if place.lacks.is_some() {
            self.unbounded.push(place);
        }
        Some(Size::up_to(place.max))
    }
}

/// A value that is written in the rule.
fn written<'a>(literal: &LiteralValue) -> Value<'a> {
    let (ty, size) = match literal {
        LiteralValue::Boolean(_) => (Type::Bool, 1),
        LiteralValue::Bytes(bytes) => (Type::Bytes, bytes.inner().len()),
        LiteralValue::Double(_) => (Type::Double, 1),
        LiteralValue::Int(_) => (Type::Int, 1),
        LiteralValue::Null => (Type::Null, 1),
        LiteralValue::String(text) => (Type::Text, text.inner().chars().count()),
        LiteralValue::UInt(_) => (Type::Uint, 1),
    };
    let number = match literal {
        LiteralValue::Int(number) => Some(*number.inner()),
        _ => None,
    };
    Value {
        written: Some(Size::fixed(size as u64)),
        number,
        ..Value::new(ty, 0)
    }
}

/// The type of a field of a value.
pub(super) fn field<'a>(ty: &Type<'a>, name: &str) -> Option<Type<'a>> {
    match ty {
        Type::Object(shape) => Some(Type::of(shape.property(name)?)),
        Type::Map(_, value) => Some((**value).clone().closed()),
        Type::Optional(of) => Some(Type::optional(field(of, name)?)),
        unknown if unknown.is_unknown() => Some(Type::Dynamic),
        _ => None,
    }
}

/// Returns true if a macro goes over the elements of a value, and not over keys.
fn is_list(range: &Value<'_>) -> bool {
    match range.elements {
        Some(elements) => elements.is_list,
        None => range.ty.is_list(),
    }
}

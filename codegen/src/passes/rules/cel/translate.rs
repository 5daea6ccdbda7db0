//! Translates the syntax of a rule into a typed expression.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};

use super::signatures;
use super::sorts::{DURATION, NAMES, TIME, held, is_part, made, owned, said};
use crate::model::{ApiVersion, CelForm, CelType, Node, Resolved, Ty};
use crate::name::Ident;
use crate::syntax::names::unescape;

/// An expression and what it is, or what can't be translated.
pub(super) type Translated = Result<(Node, CelType), String>;

/// Makes typed expressions.
pub(super) struct Translator<'a> {
    pub(super) version: &'a ApiVersion<Resolved>,
    /// The value that is checked.
    ty: &'a Ty,
    form: &'a CelForm,
    /// True if the stored value is an optional value.
    is_optional: bool,
    /// The variables of the macros around an expression, innermost last.
    pub(super) variables: Vec<Variable>,
}

/// A variable of a macro.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ident: Ident,
    pub(super) holds: Holds,
}

/// The content of a variable.
pub(super) enum Holds {
    /// A reference to a value of the type.
    Place(Ty, CelForm),
    /// A value that another macro has made.
    Value(CelType),
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        version: &'a ApiVersion<Resolved>,
        (ty, form): (&'a Ty, &'a CelForm),
        is_optional: bool,
    ) -> Self {
        Self {
            version,
            ty,
            form,
            is_optional,
            variables: Vec::new(),
        }
    }

    /// A rule: an expression that is true or false.
    pub(super) fn rule(&mut self, expr: &IdedExpr) -> Result<Node, String> {
        self.of_sort(expr, &CelType::Bool)
    }

    /// An expression that must be of one sort.
    pub(super) fn of_sort(&mut self, expr: &IdedExpr, wanted: &CelType) -> Result<Node, String> {
        match (wanted, &expr.expr) {
            (CelType::Made(_), Expr::List(list)) if list.elements.is_empty() => {
                return Ok(Node::Sure("no_values", Vec::new()));
            }
            (CelType::Entries(..), Expr::Map(map)) if map.entries.is_empty() => {
                return Ok(Node::Sure("no_entries_made", Vec::new()));
            }
            _ => {}
        }
        match self.expr(expr)? {
            (node, sort) if sort == *wanted => Ok(node),
            (_, sort) => Err(format!(
                "{} where {} is expected",
                said(&sort),
                said(wanted)
            )),
        }
    }

    /// An expression.
    pub(super) fn expr(&mut self, expr: &IdedExpr) -> Translated {
        match &expr.expr {
            Expr::Ident(name) => self.ident(name),
            Expr::Literal(literal) => literal_value(literal),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => self.list(&list.elements, &list.optional_indices),
            Expr::Map(map) => self.map(&map.entries),
            Expr::Struct(_) => Err("a message".to_owned()),
            Expr::Unspecified => Err("an empty expression".to_owned()),
        }
    }

    fn ident(&self, name: &str) -> Translated {
        let found = self
            .variables
            .iter()
            .rev()
            .find(|variable| variable.name == name);
        if let Some(variable) = found {
            return Ok(match &variable.holds {
                Holds::Place(ty, form) => {
                    self.place(Node::Variable(variable.ident.clone()), ty, form)
                }
                Holds::Value(sort) => (
                    held(Node::Variable(variable.ident.clone()), sort),
                    sort.clone(),
                ),
            });
        }
        match name {
            "self" => Ok(self.place(Node::New, self.ty, self.form)),
            "oldSelf" if self.is_optional => Ok((
                Node::OptionalOld,
                CelType::Optional(self.ty.clone(), self.form.clone()),
            )),
            "oldSelf" => Ok(self.place(Node::Old, self.ty, self.form)),
            name if NAMES.contains(&name) => Ok((Node::Text(name.to_owned()), CelType::Type)),
            _ => Err(format!("`{}` is unknown", name.escape_debug())),
        }
    }

    fn select(&mut self, select: &SelectExpr) -> Translated {
        if let Some(name) = self.message(select) {
            return Ok((Node::Text(name.to_owned()), CelType::Type));
        }
        let name = unescape(&select.field);
        let (of, sort) = self.expr(&select.operand)?;
        if let CelType::Optional(..) = &sort {
            let (found, sort) = self.below(of, &sort, &name)?;
            return Ok(match select.test {
                true => (Node::HasValue(Box::new(found)), CelType::Bool),
                false => (found, sort),
            });
        }
        if let CelType::Entries(key, value) = sort {
            if *key != CelType::Text {
                return Err(format!("a field of a map by {}", said(&key)));
            }
            let (of, key) = (Box::new(of), Box::new(Node::Text(name)));
            return Ok(match select.test {
                true => (Node::HasKey(of, key), CelType::Bool),
                false => Self::made_entry(of, key, *value),
            });
        }
        let CelType::Place(ty, form) = sort else {
            return Err(format!("a field of {}", said(&sort)));
        };
        if let Ty::Map(value) = &ty {
            let key = Box::new(Node::Text(name));
            return Ok(match select.test {
                true => (Node::HasKey(Box::new(of), key), CelType::Bool),
                false => self.place(Node::Entry(Box::new(of), key), value, &form.inside()),
            });
        }
        let (field, ty, form) = self.field(of, &ty, &name)?;
        Ok(match (select.test, field.is_optional) {
            (false, _) => self.place(Node::Field(field), &ty, &form),
            (true, true) => (Node::IsSet(field), CelType::Bool),
            // It is always written.
            (true, false) => (Node::Bool(true), CelType::Bool),
        })
    }

    /// The type of messages that a name with dots is.
    fn message(&self, select: &SelectExpr) -> Option<&'static str> {
        let Expr::Select(package) = &select.operand.expr else {
            return None;
        };
        let is_google = matches!(&package.operand.expr, Expr::Ident(name) if name == "google")
            && self
                .variables
                .iter()
                .all(|variable| variable.name != "google");
        let name = format!("google.{}.{}", package.field, select.field);
        [DURATION, TIME]
            .into_iter()
            .find(|known| is_google && *known == name)
    }

    fn call(&mut self, call: &CallExpr) -> Translated {
        let name = call.func_name.as_str();
        match (&call.target, call.args.as_slice()) {
            (None, [a]) if name == operators::LOGICAL_NOT => {
                let of = self.of_sort(a, &CelType::Bool)?;
                Ok((Node::not(of), CelType::Bool))
            }
            (None, [a, b]) if name == operators::LOGICAL_AND => self.logic(a, b, Node::and),
            (None, [a, b]) if name == operators::LOGICAL_OR => self.logic(a, b, Node::or),
            (None, [a, b, c]) if name == operators::CONDITIONAL => self.choice(a, b, c),
            (None, [a, b]) if name == operators::IN => self.is_in(a, b),
            (None, [a, b]) if name == operators::INDEX => self.index(a, b),
            (None, [a, b]) if name == operators::OPT_SELECT => self.optional(a, b),
            (None, [a, b]) if name == operators::OPT_INDEX => self.optional_index(a, b),
            (None, args) => match self.operator(name, args) {
                Some(translated) => translated,
                None => self.function(name, args),
            },
            (Some(on), args) => match &on.expr {
                Expr::Ident(space) if self.is_free(space) => self.in_namespace(space, name, args),
                _ => self.on_value(on, name, args),
            },
        }
    }

    /// Returns true if a name is that of a namespace.
    fn is_free(&self, name: &str) -> bool {
        let is_variable = self.variables.iter().any(|variable| variable.name == name);
        signatures::NAMESPACES.contains(&name) && !is_variable
    }

    fn in_namespace(&mut self, space: &str, name: &str, args: &[IdedExpr]) -> Translated {
        match (space, name, args) {
            ("optional", ..) => self.made_optional(name, args),
            _ => self.function(&format!("{space}.{name}"), args),
        }
    }

    fn on_value(&mut self, on: &IdedExpr, name: &str, args: &[IdedExpr]) -> Translated {
        match (name, args) {
            ("all" | "exists" | "existsOne" | "exists_one", [a, b, body]) => {
                self.over_two(on, name, (a, b), body)
            }
            ("transformList" | "transformMap" | "transformMapEntry", [a, b, body]) => {
                self.transformed(on, name, (a, b), None, body)
            }
            ("transformList" | "transformMap" | "transformMapEntry", [a, b, condition, body]) => {
                self.transformed(on, name, (a, b), Some(condition), body)
            }
            ("sortBy", [variable, key]) => self.sorted_by(on, variable, key),
            ("format", [values]) => match (&on.expr, &values.expr) {
                (Expr::Literal(LiteralValue::String(text)), Expr::List(list)) => {
                    self.formatted(text.inner(), &list.elements)
                }
                _ => Err("a computed format of a text".to_owned()),
            },
            ("optMap" | "optFlatMap", [variable, body]) => {
                self.opt_map(on, variable, body, name == "optFlatMap")
            }
            ("validate", [text]) => match named_format(on) {
                Some(format) => {
                    self.function(&format!("format.{format}"), std::slice::from_ref(text))
                }
                None => self.method(on, name, args),
            },
            _ => self.method(on, name, args),
        }
    }

    fn logic(&mut self, a: &IdedExpr, b: &IdedExpr, make: fn(Node, Node) -> Node) -> Translated {
        let a = self.of_sort(a, &CelType::Bool)?;
        let b = self.of_sort(b, &CelType::Bool)?;
        Ok((make(a, b), CelType::Bool))
    }

    fn choice(&mut self, a: &IdedExpr, b: &IdedExpr, c: &IdedExpr) -> Translated {
        let condition = self.of_sort(a, &CelType::Bool)?;
        let is_untyped = |expr: &IdedExpr| is_no_value(expr) || is_empty(expr);
        if is_untyped(b) && !is_untyped(c) {
            return self.chosen(Node::not(condition), c, b);
        }
        self.chosen(condition, b, c)
    }

    fn chosen(&mut self, condition: Node, b: &IdedExpr, c: &IdedExpr) -> Translated {
        let (then, sort) = self.expr(b)?;
        if let (CelType::Place(Ty::List(_), _), Expr::List(list)) = (&sort, &c.expr)
            && list.elements.is_empty()
        {
            let then = Box::new(Node::Slice(Box::new(then)));
            let node = Node::If(Box::new(condition), then, Box::new(Node::NoElements));
            return Ok((node, sort));
        }
        if let (CelType::Place(Ty::Map(_), _), Expr::Map(map)) = (&sort, &c.expr)
            && map.entries.is_empty()
        {
            let (condition, then) = (Box::new(condition), Box::new(then));
            return Ok((Node::If(condition, then, Box::new(Node::NoEntries)), sort));
        }
        let otherwise = match &sort {
            CelType::Optional(..) | CelType::Maybe(_) if is_no_value(c) => {
                (Node::NoValue, sort.clone())
            }
            CelType::Made(_) | CelType::Entries(..) if is_empty(c) => {
                (self.of_sort(c, &sort)?, sort.clone())
            }
            _ => self.expr(c)?,
        };
        if is_made_list(&sort) || is_made_list(&otherwise.1) {
            let (then, of) = self.owned_values((then, sort))?;
            let (otherwise, others) = self.owned_values(otherwise)?;
            if of != others {
                return Err(format!("a list of {} or of others", said(&of)));
            }
            let node = Node::If(Box::new(condition), Box::new(then), Box::new(otherwise));
            return Ok((node, CelType::Made(Box::new(of))));
        }
        let (otherwise, other) = otherwise;
        if sort != other {
            return Err(format!("{} or {}", said(&sort), said(&other)));
        }
        let mut is_made = |node: &Node| matches!(node, Node::Made(..) | Node::Slice(..));
        // It would be gone at the end of its branch.
        if is_part(&sort) && (then.any(&mut is_made) || otherwise.any(&mut is_made)) {
            let chosen = Node::choice(condition, owned(then, &sort), owned(otherwise, &sort));
            return Ok((made(chosen, &sort), sort));
        }
        Ok((Node::choice(condition, then, otherwise), sort))
    }
}

/// The name of a format: of `format.dns1123Label()`, or of one that is looked up.
fn named_format(expr: &IdedExpr) -> Option<&str> {
    let Expr::Call(call) = &expr.expr else {
        return None;
    };
    let target = call.target.as_deref()?;
    if matches!(&target.expr, Expr::Ident(space) if space == "format") {
        return call.args.is_empty().then_some(call.func_name.as_str());
    }
    match &target.expr {
        // `format.named('dns1123Label').value()`
        Expr::Call(named) if call.func_name == "value" && named.func_name == "named" => {
            let space = named.target.as_deref().map(|target| &target.expr);
            let is_format = matches!(space, Some(Expr::Ident(space)) if space == "format");
            match named.args.as_slice() {
                [
                    IdedExpr {
                        expr: Expr::Literal(LiteralValue::String(name)),
                        ..
                    },
                ] if is_format => Some(name.inner()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns true for `optional.none()`.
pub(super) fn is_no_value(expr: &IdedExpr) -> bool {
    let Expr::Call(call) = &expr.expr else {
        return false;
    };
    let space = call.target.as_deref().map(|target| &target.expr);
    let is_optional = matches!(space, Some(Expr::Ident(space)) if space == "optional");
    is_optional && call.func_name == "none" && call.args.is_empty()
}

/// Returns true for lists and maps of which nothing says the type.
pub(super) fn is_empty(expr: &IdedExpr) -> bool {
    match &expr.expr {
        Expr::List(list) => list.elements.is_empty(),
        Expr::Map(map) => map.entries.is_empty(),
        _ => false,
    }
}

fn is_made_list(sort: &CelType) -> bool {
    matches!(sort, CelType::Made(_))
}

fn literal_value(literal: &LiteralValue) -> Translated {
    Ok(match literal {
        LiteralValue::Boolean(value) => (Node::Bool(*value.inner()), CelType::Bool),
        LiteralValue::Int(value) => (Node::Int(*value.inner()), CelType::Int),
        LiteralValue::Double(value) if value.inner().is_finite() => {
            (Node::Double(*value.inner()), CelType::Double)
        }
        LiteralValue::String(value) => (Node::Text(value.inner().to_owned()), CelType::Text),
        LiteralValue::Bytes(value) => (Node::Bytes(value.inner().to_vec()), CelType::Bytes),
        LiteralValue::UInt(value) => (Node::Unsigned(*value.inner()), CelType::Unsigned),
        LiteralValue::Null => (Node::Text("null".to_owned()), CelType::Null),
        LiteralValue::Double(_) => return Err("a number that isn't finite".to_owned()),
    })
}

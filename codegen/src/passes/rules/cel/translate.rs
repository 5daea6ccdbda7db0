//! Translates the syntax of a rule into a typed expression.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};

use super::signatures;
use crate::model::{ApiVersion, CelForm, CelObject, CelType, Exact, Node, ReadAs, Resolved, Ty};
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
            Expr::List(list) if list.optional_indices.is_empty() => self.list(&list.elements),
            Expr::List(_) => Err("a list of optional values".to_owned()),
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
                Holds::Value(sort) => value_of(Node::Variable(variable.ident.clone()), sort),
            });
        }
        match name {
            "self" => Ok(self.place(Node::New, self.ty, self.form)),
            "oldSelf" if self.is_optional => Ok((
                Node::OptionalOld,
                CelType::Optional(self.ty.clone(), self.form.clone()),
            )),
            "oldSelf" => Ok(self.place(Node::Old, self.ty, self.form)),
            "bool" | "double" | "int" | "list" | "map" | "string" => {
                Ok((Node::Text(name.to_owned()), CelType::Type))
            }
            _ => Err(format!("`{}` is unknown", name.escape_debug())),
        }
    }

    fn select(&mut self, select: &SelectExpr) -> Translated {
        let name = unescape(&select.field);
        let (of, sort) = self.expr(&select.operand)?;
        if let (CelType::Optional(..), false) = (&sort, select.test) {
            return self.below(of, &sort, &name);
        }
        if let CelType::Entries(value) = sort {
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
            ("all" | "exists" | "existsOne" | "transformList", [a, b, body]) => {
                self.over_two(on, name, (a, b), body)
            }
            ("transformMap", [a, b, body]) => self.transformed(on, name, (a, b), None, body),
            ("transformList" | "transformMap", [a, b, condition, body]) => {
                self.transformed(on, name, (a, b), Some(condition), body)
            }
            ("format", [values]) => match (&on.expr, &values.expr) {
                (Expr::Literal(LiteralValue::String(text)), Expr::List(list)) => {
                    self.formatted(text.inner(), &list.elements)
                }
                _ => Err("a computed format of a text".to_owned()),
            },
            ("optMap" | "optFlatMap", [variable, body]) => {
                self.opt_map(on, variable, body, name == "optFlatMap")
            }
            ("validate", [text]) => match format(on) {
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
        if is_no_value(b) && !is_no_value(c) {
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
        let mut made = |node: &Node| matches!(node, Node::Made(..));
        // It would be gone at the end of its branch.
        if sort == CelType::Text && (then.any(&mut made) || otherwise.any(&mut made)) {
            let owned = |node| Node::Owned(Box::new(node));
            let chosen = Node::choice(condition, owned(then), owned(otherwise));
            return Ok((Node::Made(Box::new(chosen)), sort));
        }
        Ok((Node::choice(condition, then, otherwise), sort))
    }
}

/// The name of a format: of `format.dns1123Label()`, or of one that is looked up.
fn format(expr: &IdedExpr) -> Option<&str> {
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

/// A value that a variable holds.
fn value_of(node: Node, sort: &CelType) -> (Node, CelType) {
    let node = match sort {
        CelType::Text => Node::Read(Box::new(node), ReadAs::Text),
        CelType::Made(_) | CelType::Maybe(_) | CelType::Entries(_) => {
            Node::Method(Box::new(node), "clone", Vec::new())
        }
        _ => node,
    };
    (node, sort.clone())
}

/// Returns true for `optional.none()`.
fn is_no_value(expr: &IdedExpr) -> bool {
    let Expr::Call(call) = &expr.expr else {
        return false;
    };
    let space = call.target.as_deref().map(|target| &target.expr);
    let is_optional = matches!(space, Some(Expr::Ident(space)) if space == "optional");
    is_optional && call.func_name == "none" && call.args.is_empty()
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
        LiteralValue::Null => return Err("`null`".to_owned()),
        _ => {
            return Err("a literal that isn't a text, a signed number or a flag".to_owned());
        }
    })
}

/// Names a type in messages.
pub(super) fn said(sort: &CelType) -> &'static str {
    match sort {
        CelType::Bool => "a flag",
        CelType::Int => "a whole number",
        CelType::Double => "a fraction",
        CelType::Duration => "a duration",
        CelType::Time => "a time",
        CelType::Type => "a type",
        CelType::Dynamic => "a number or text",
        CelType::Object(CelObject::Cidr) => "a range of addresses",
        CelType::Object(CelObject::Ip) => "an address",
        CelType::Object(CelObject::Problems) => "problems of a text",
        CelType::Object(CelObject::Quantity) => "a quantity",
        CelType::Object(CelObject::Url) => "a URL",
        CelType::Object(CelObject::Version) => "a version",
        CelType::Text => "a text",
        CelType::Place(Ty::List(_), _) | CelType::Kept(..) | CelType::Made(_) => "a list",
        CelType::Place(Ty::Map(_), _) | CelType::Entries(_) => "a map",
        CelType::Place(Ty::Time | Ty::Exact(Exact::DateTime), _) => "a time",
        CelType::Place(Ty::Bytes, _) => "bytes",
        CelType::Place(Ty::Ref(_), _) => "an object",
        CelType::Place(..) => "a value of no one type",
        CelType::Optional(..) | CelType::Maybe(_) => "an optional value",
    }
}

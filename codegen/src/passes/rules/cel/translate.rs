//! Translates the syntax of a rule into a typed expression.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators};

use super::names::unescape;
use crate::foundation;
use crate::model::{
    ApiVersion, CelField, CelType, Exact, Iterable, Macro, Node, ReadAs, Resolved, Ty,
};
use crate::name::{self, Ident};

/// An expression and what it is, or what can't be translated.
pub(super) type Translated = Result<(Node, CelType), String>;

/// Makes typed expressions.
pub(super) struct Translator<'a> {
    version: &'a ApiVersion<Resolved>,
    /// The value that is checked.
    ty: &'a Ty,
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
    Place(Ty),
    /// A value that another macro has made.
    Value(CelType),
}

impl<'a> Translator<'a> {
    pub(super) fn new(version: &'a ApiVersion<Resolved>, ty: &'a Ty) -> Self {
        Self {
            version,
            ty,
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
            Expr::List(list) => self.list(&list.elements),
            Expr::Map(_) | Expr::Struct(_) => Err("a map or message".to_owned()),
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
            let node = Node::Variable(variable.ident.clone());
            return Ok(match &variable.holds {
                Holds::Place(ty) => self.place(node, ty),
                Holds::Value(CelType::Text) => {
                    (Node::Read(Box::new(node), ReadAs::Text), CelType::Text)
                }
                Holds::Value(sort) => (node, sort.clone()),
            });
        }
        match name {
            "self" => Ok(self.place(Node::New, self.ty)),
            "oldSelf" => Ok(self.place(Node::Old, self.ty)),
            _ => Err(format!("`{}` is unknown", name.escape_debug())),
        }
    }

    /// The value in a place of a type.
    pub(super) fn place(&self, node: Node, ty: &Ty) -> (Node, CelType) {
        let (read, sort) = match self.plain(ty) {
            Ty::Bool => (ReadAs::Copied, CelType::Bool),
            Ty::I64 => (ReadAs::Copied, CelType::Int),
            Ty::I32 => (ReadAs::Whole, CelType::Int),
            Ty::Unsigned(_) => (ReadAs::Unsigned, CelType::Int),
            Ty::F64 => (ReadAs::Copied, CelType::Double),
            Ty::F32 | Ty::Exact(Exact::Number) => (ReadAs::Fraction, CelType::Double),
            Ty::String => (ReadAs::Text, CelType::Text),
            ty if self.version.own_enum(&ty).is_some() => (ReadAs::Text, CelType::Text),
            ty => (ReadAs::Borrowed, CelType::Place(ty)),
        };
        (Node::Read(Box::new(node), read), sort)
    }

    /// A type without the aliases that lead to it.
    pub(super) fn plain(&self, ty: &Ty) -> Ty {
        let alias = match ty {
            Ty::Ref(schema) => self.version.aliases.get(schema),
            _ => None,
        };
        alias.unwrap_or(ty).clone()
    }

    /// The form in which a value of a type is read, and the type of the result.
    pub(super) fn reading(&self, ty: &Ty) -> (ReadAs, CelType) {
        match self.place(Node::New, ty) {
            (Node::Read(_, read), sort) => (read, sort),
            (_, sort) => (ReadAs::Borrowed, sort),
        }
    }

    fn select(&mut self, select: &SelectExpr) -> Translated {
        let name = unescape(&select.field);
        let (of, sort) = self.expr(&select.operand)?;
        let CelType::Place(ty) = sort else {
            return Err(format!("a field of {}", said(&sort)));
        };
        if let Ty::Map(value) = &ty {
            let key = Box::new(Node::Text(name));
            return Ok(match select.test {
                true => (Node::HasKey(Box::new(of), key), CelType::Bool),
                false => self.place(Node::Entry(Box::new(of), key), value),
            });
        }
        let (field, ty) = self.field(of, &ty, &name)?;
        Ok(match (select.test, field.is_optional) {
            (false, _) => self.place(Node::Field(field), &ty),
            (true, true) => (Node::IsSet(field), CelType::Bool),
            // It is always written.
            (true, false) => (Node::Bool(true), CelType::Bool),
        })
    }

    /// A field of a struct of the crate.
    pub(super) fn field(&self, of: Node, ty: &Ty, json: &str) -> Result<(CelField, Ty), String> {
        let shown = json.escape_debug();
        let Some((_, object)) = self.version.own_struct(ty) else {
            return self
                .of_metadata(&of, ty, json)
                .ok_or_else(|| format!("`{shown}` of a type that is not of this crate"));
        };
        let field = object
            .field(json)
            .ok_or_else(|| format!("no property `{shown}`"))?;
        let place = CelField {
            of: Box::new(of),
            name: field.name.clone(),
            json: field.json.clone(),
            is_optional: field.is_optional(),
        };
        Ok((place, field.ty.clone()))
    }

    /// A field of the metadata of an object, of which a server lets rules read these two.
    fn of_metadata(&self, of: &Node, ty: &Ty, json: &str) -> Option<(CelField, Ty)> {
        let external = ty
            .reference()
            .and_then(|schema| self.version.externs.get(schema))?;
        let is_read = ["name", "generateName"].contains(&json);
        let name = name::field_name(json)?;
        let place = CelField {
            of: Box::new(of.clone()),
            name,
            json: json.to_owned(),
            is_optional: true,
        };
        (is_read && foundation::is_metadata(&external.path)).then_some((place, Ty::String))
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
            (None, args) => match self.operator(name, args) {
                Some(translated) => translated,
                None => self.function(name, args),
            },
            (Some(on), args) => self.method(on, name, args),
        }
    }

    fn logic(&mut self, a: &IdedExpr, b: &IdedExpr, make: fn(Node, Node) -> Node) -> Translated {
        let a = self.of_sort(a, &CelType::Bool)?;
        let b = self.of_sort(b, &CelType::Bool)?;
        Ok((make(a, b), CelType::Bool))
    }

    /// A list of plain values of one sort.
    fn list(&mut self, elements: &[IdedExpr]) -> Translated {
        let Some((first, rest)) = elements.split_first() else {
            return Err("a list without elements".to_owned());
        };
        let (first, sort) = self.expr(first)?;
        if matches!(sort, CelType::Place(_) | CelType::Optional(_))
            || matches!(sort, CelType::Kept(_) | CelType::Made(_))
        {
            return Err(format!("a list of {}", said(&sort)));
        }
        let mut nodes = vec![first];
        for element in rest {
            nodes.push(self.of_sort(element, &sort)?);
        }
        Ok((
            Node::List(nodes, sort.clone()),
            CelType::Made(Box::new(sort)),
        ))
    }

    fn choice(&mut self, a: &IdedExpr, b: &IdedExpr, c: &IdedExpr) -> Translated {
        let condition = self.of_sort(a, &CelType::Bool)?;
        let (then, sort) = self.expr(b)?;
        if let (CelType::Place(Ty::List(_)), Expr::List(list)) = (&sort, &c.expr)
            && list.elements.is_empty()
        {
            let then = Box::new(Node::Slice(Box::new(then)));
            let node = Node::If(Box::new(condition), then, Box::new(Node::NoElements));
            return Ok((node, sort));
        }
        if let (CelType::Place(Ty::Map(_)), Expr::Map(map)) = (&sort, &c.expr)
            && map.entries.is_empty()
        {
            let (condition, then) = (Box::new(condition), Box::new(then));
            return Ok((Node::If(condition, then, Box::new(Node::NoEntries)), sort));
        }
        let otherwise = self.of_sort(c, &sort)?;
        if matches!(sort, CelType::Made(_)) {
            return Err("a choice between lists that are made".to_owned());
        }
        let mut made = |node: &Node| matches!(node, Node::Made(..) | Node::Joined(_));
        // It would be gone at the end of its branch.
        if sort == CelType::Text && (then.any(&mut made) || otherwise.any(&mut made)) {
            return Err("a choice between texts that are made".to_owned());
        }
        Ok((Node::choice(condition, then, otherwise), sort))
    }

    fn is_in(&mut self, value: &IdedExpr, list: &IdedExpr) -> Translated {
        let (value, sort) = self.expr(value)?;
        if let Expr::List(list) = &list.expr {
            let elements = list.elements.iter().map(|item| self.of_sort(item, &sort));
            let elements = elements.collect::<Result<Vec<_>, _>>()?;
            let is_plain = matches!(sort, CelType::Bool | CelType::Int | CelType::Text);
            return match is_plain {
                true => Ok((Node::Among(Box::new(value), elements), CelType::Bool)),
                false => Err(format!("{} among others", said(&sort))),
            };
        }
        let (list, of) = self.expr(list)?;
        match &of {
            CelType::Place(Ty::Map(_)) if sort == CelType::Text => {
                Ok((Node::HasKey(Box::new(list), Box::new(value)), CelType::Bool))
            }
            CelType::Place(Ty::List(item)) => {
                let (read, found) = self.reading(item);
                if found != sort {
                    return Err(format!("{} in a list of others", said(&sort)));
                }
                let Some(ident) = name::field_name("item") else {
                    return Err("a variable".to_owned());
                };
                let item = Node::Read(Box::new(Node::Variable(ident.clone())), read);
                let same = Node::Operator("==", Box::new(item), Box::new(value));
                let items = Node::Items(Box::new(list), Iterable::Elements);
                let how = Macro::Exists;
                let node = Node::Loop(how, Box::new(items), ident, Box::new(same));
                Ok((node, CelType::Bool))
            }
            _ => Err(format!("`in` {}", said(&of))),
        }
    }

    fn index(&mut self, of: &IdedExpr, index: &IdedExpr) -> Translated {
        let (of, sort) = self.expr(of)?;
        match sort {
            CelType::Place(Ty::List(item)) => {
                let index = self.of_sort(index, &CelType::Int)?;
                Ok(self.place(Node::Element(Box::new(of), Box::new(index)), &item))
            }
            CelType::Place(Ty::Map(value)) => {
                let key = self.of_sort(index, &CelType::Text)?;
                Ok(self.place(Node::Entry(Box::new(of), Box::new(key)), &value))
            }
            CelType::Made(item) => {
                let index = self.of_sort(index, &CelType::Int)?;
                let read = match *item {
                    CelType::Text => ReadAs::Text,
                    _ => ReadAs::Copied,
                };
                let element = Node::Element(Box::new(of), Box::new(index));
                Ok((Node::Read(Box::new(element), read), *item))
            }
            other => Err(format!("an element of {}", said(&other))),
        }
    }

    /// `of.?name`.
    fn optional(&mut self, of: &IdedExpr, name: &IdedExpr) -> Translated {
        let Expr::Literal(LiteralValue::String(name)) = &name.expr else {
            return Err("a computed field".to_owned());
        };
        let name = unescape(name.inner());
        match self.expr(of)? {
            (node, CelType::Place(ty)) => {
                let (field, ty) = self.field(node, &ty, &name)?;
                Ok((Node::Optional(field), CelType::Optional(ty)))
            }
            (node, CelType::Optional(ty)) => {
                // Its object is a variable of a closure.
                let (field, ty) = self.field(Node::New, &self.plain(&ty), &name)?;
                Ok((
                    Node::OptionalBelow(Box::new(node), field),
                    CelType::Optional(ty),
                ))
            }
            (_, sort) => Err(format!("a field of {}", said(&sort))),
        }
    }
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
        CelType::Url => "a URL",
        CelType::Text => "a text",
        CelType::Place(Ty::List(_)) | CelType::Kept(_) | CelType::Made(_) => "a list",
        CelType::Place(Ty::Map(_)) => "a map",
        CelType::Place(Ty::Time | Ty::Exact(Exact::DateTime)) => "a time",
        CelType::Place(Ty::Bytes) => "bytes",
        CelType::Place(Ty::Ref(_)) => "an object",
        CelType::Place(_) => "a value of no one type",
        CelType::Optional(_) => "an optional value",
    }
}

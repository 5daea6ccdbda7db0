//! Macros that the parser leaves as calls, in the form that a server gives them.

use cel::common::ast::{
    CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, operators,
};

/// The variable in which a macro collects its result.
const RESULT: &str = "@result";

/// The variable of a list to be sorted.
const SORTED: &str = "@sorted";

/// The name of a variable that no expression can have.
const UNUSED: &str = "#unused";

/// The function that sorts a list by the keys in another one.
pub(super) const SORT_BY_KEYS: &str = "@sortByAssociatedKeys";

/// The function that adds to a map.
pub(super) const INSERT: &str = "cel.@mapInsert";

/// Returns what a macro stands for, if the call is one.
pub(super) fn expanded(call: &CallExpr) -> Option<IdedExpr> {
    let range = call.target.as_deref()?;
    let name = call.func_name.as_str();
    match (name, call.args.as_slice()) {
        ("all" | "exists" | "existsOne" | "exists_one", [a, b, body]) => {
            Some(quantified(name, range, (a, b), body))
        }
        ("transformList" | "transformMap" | "transformMapEntry", [a, b, rest @ ..]) => {
            let (filter, body) = match rest {
                [body] => (None, body),
                [filter, body] => (Some(filter), body),
                _ => return None,
            };
            transformed(name, range, (a, b), filter, body)
        }
        ("optMap" | "optFlatMap", [variable, body]) => {
            optional(range, variable, body, name == "optMap")
        }
        ("sortBy", [variable, key]) => sorted_by(range, variable, key),
        _ => None,
    }
}

fn quantified(
    name: &str,
    range: &IdedExpr,
    variables: (&IdedExpr, &IdedExpr),
    body: &IdedExpr,
) -> IdedExpr {
    let result = || ident(RESULT);
    let is_open = |of| call("@not_strictly_false", vec![of]);
    let (start, go_on, step, end) = match name {
        "all" => (
            flag(true),
            is_open(result()),
            call(operators::LOGICAL_AND, vec![result(), body.clone()]),
            result(),
        ),
        "exists" => (
            flag(false),
            is_open(call(operators::LOGICAL_NOT, vec![result()])),
            call(operators::LOGICAL_OR, vec![result(), body.clone()]),
            result(),
        ),
        _ => {
            let more = call(operators::ADD, vec![result(), int(1)]);
            (
                int(0),
                flag(true),
                call(operators::CONDITIONAL, vec![body.clone(), more, result()]),
                call(operators::EQUALS, vec![result(), int(1)]),
            )
        }
    };
    two_variables(range, variables, start, go_on, step, end)
}

fn transformed(
    name: &str,
    range: &IdedExpr,
    variables: (&IdedExpr, &IdedExpr),
    filter: Option<&IdedExpr>,
    body: &IdedExpr,
) -> Option<IdedExpr> {
    let result = || ident(RESULT);
    let (start, step) = match name {
        "transformList" => {
            let one = plain(Expr::List(ListExpr::new(vec![body.clone()])));
            (empty_list(), call(operators::ADD, vec![result(), one]))
        }
        "transformMap" => {
            let key = variables.0.clone();
            let step = call(INSERT, vec![result(), key, body.clone()]);
            (plain(Expr::Map(MapExpr::default())), step)
        }
        _ => {
            let step = call(INSERT, vec![result(), body.clone()]);
            (plain(Expr::Map(MapExpr::default())), step)
        }
    };
    let step = match filter {
        Some(filter) => call(operators::CONDITIONAL, vec![filter.clone(), step, result()]),
        None => step,
    };
    let whole = two_variables(range, variables, start, flag(true), step, result());
    Some(whole)
}

fn optional(
    target: &IdedExpr,
    variable: &IdedExpr,
    body: &IdedExpr,
    wraps: bool,
) -> Option<IdedExpr> {
    let value = member(target.clone(), "value", Vec::new());
    let bound = bind(&name_of(variable)?, value, body.clone());
    let some = match wraps {
        true => member(ident("optional"), "of", vec![bound]),
        false => bound,
    };
    let has_value = member(target.clone(), "hasValue", Vec::new());
    let none = member(ident("optional"), "none", Vec::new());
    Some(call(operators::CONDITIONAL, vec![has_value, some, none]))
}

fn sorted_by(list: &IdedExpr, variable: &IdedExpr, key: &IdedExpr) -> Option<IdedExpr> {
    let one = plain(Expr::List(ListExpr::new(vec![key.clone()])));
    let keys = ComprehensionExpr {
        iter_range: ident(SORTED),
        iter_var: name_of(variable)?,
        iter_var2: None,
        accu_var: RESULT.to_owned(),
        accu_init: empty_list(),
        loop_cond: flag(true),
        loop_step: call(operators::ADD, vec![ident(RESULT), one]),
        result: ident(RESULT),
    };
    let keys = plain(Expr::Comprehension(Box::new(keys)));
    let sorted = member(ident(SORTED), SORT_BY_KEYS, vec![keys]);
    Some(bind(SORTED, list.clone(), sorted))
}

/// An expression with a variable of a value: a macro over no elements.
fn bind(variable: &str, value: IdedExpr, body: IdedExpr) -> IdedExpr {
    plain(Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: empty_list(),
        iter_var: UNUSED.to_owned(),
        iter_var2: None,
        accu_var: variable.to_owned(),
        accu_init: value,
        loop_cond: flag(false),
        loop_step: ident(variable),
        result: body,
    })))
}

/// Returns true if a macro is an expression with a variable of a value.
pub(super) fn is_bind(of: &ComprehensionExpr) -> bool {
    let is_false = matches!(&of.loop_cond.expr, Expr::Literal(LiteralValue::Boolean(value)) if !*value.inner());
    matches!(&of.iter_range.expr, Expr::List(list) if list.elements.is_empty()) && is_false
}

fn two_variables(
    range: &IdedExpr,
    (first, second): (&IdedExpr, &IdedExpr),
    accu_init: IdedExpr,
    loop_cond: IdedExpr,
    loop_step: IdedExpr,
    result: IdedExpr,
) -> IdedExpr {
    plain(Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: range.clone(),
        iter_var: name_of(first).unwrap_or_default(),
        iter_var2: Some(name_of(second).unwrap_or_default()),
        accu_var: RESULT.to_owned(),
        accu_init,
        loop_cond,
        loop_step,
        result,
    })))
}

/// The name of a variable of a macro.
fn name_of(variable: &IdedExpr) -> Option<String> {
    match &variable.expr {
        Expr::Ident(name) => Some(name.clone()),
        _ => None,
    }
}

fn plain(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

fn ident(name: &str) -> IdedExpr {
    plain(Expr::Ident(name.to_owned()))
}

fn empty_list() -> IdedExpr {
    plain(Expr::List(ListExpr::default()))
}

fn flag(value: bool) -> IdedExpr {
    plain(Expr::Literal(LiteralValue::Boolean(value.into())))
}

fn int(value: i64) -> IdedExpr {
    plain(Expr::Literal(LiteralValue::Int(value.into())))
}

fn call(name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    plain(Expr::Call(CallExpr {
        func_name: name.to_owned(),
        target: None,
        args,
    }))
}

fn member(target: IdedExpr, name: &str, args: Vec<IdedExpr>) -> IdedExpr {
    plain(Expr::Call(CallExpr {
        func_name: name.to_owned(),
        target: Some(Box::new(target)),
        args,
    }))
}

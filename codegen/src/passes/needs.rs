//! Needs: the features of the run-time crates that the types and rules of a document use.

use crate::model::{
    Analysed, ApiVersion, Argument, Exact, Field, Macro, Needs, Node, Rules, Sameness, Struct,
    Together, Ty,
};

use super::behaviour;

/// The methods that check keywords as servers of custom resources do.
const OF_SCHEMAS: [&str; 18] = [
    "above",
    "below",
    "combined",
    "encoded",
    "known_number",
    "known_value",
    "max_characters",
    "max_encoded",
    "maximum_fraction",
    "min_characters",
    "min_encoded",
    "min_entries",
    "minimum_fraction",
    "multiple_of",
    "multiple_of_fraction",
    "pattern_of_quantity",
    "required_keys",
    "text_format",
];

/// The functions of `kubernetes_validation::cel` that are there without its library.
const LANGUAGE: [&str; 7] = [
    "add",
    "beside",
    "divide",
    "is_same_set",
    "modulo",
    "multiply",
    "subtract",
];

/// Returns the features that a document needs.
pub(super) fn of(version: &ApiVersion<Analysed>) -> Needs {
    let objects: Vec<_> = version.structs().map(|(_, object)| object).collect();
    let any = |has: fn(&Struct<Analysed>) -> bool| objects.iter().any(|object| has(object));
    Needs {
        custom_resources: version.is_custom || any(uses_schemas),
        patterns: any(has_patterns),
        cel_library: any(calls_library) || compares_texts(version),
        exact_floats: version.is_custom && any(has_floats),
        exact_values: any(has_exact),
    }
}

/// Returns true if a struct has rules that otherwise only custom resources have.
fn uses_schemas(object: &Struct<Analysed>) -> bool {
    fn asks(rules: &Rules) -> bool {
        rules.calls().any(|call| OF_SCHEMAS.contains(&call.method))
            || rules.have_cel()
            || rules.items.as_deref().is_some_and(asks)
    }
    let asks = |field: &Field<Analysed>| asks(&field.server.rules);
    !object.rules.cel.is_empty() || object.fields.iter().any(asks)
}

/// Returns true if a field of a struct has values that are kept as they are written.
fn has_exact(object: &Struct<Analysed>) -> bool {
    let mut fields = object.fields.iter();
    fields.any(|field| field.ty.exact().is_some())
}

/// Returns true if a field of a struct has numbers that may have a fraction.
fn has_floats(object: &Struct<Analysed>) -> bool {
    let may = |ty: &Ty| matches!(ty, Ty::Json | Ty::Exact(Exact::Number));
    let mut fields = object.fields.iter();
    object.is_open || fields.any(|field| may(field.ty.innermost()))
}

/// Returns true if a rule of a struct has a regular expression.
fn has_patterns(object: &Struct<Analysed>) -> bool {
    fn asks(rules: &Rules) -> bool {
        let mut arguments = rules.calls().flat_map(|call| &call.arguments);
        let has = |argument: &Argument| match argument {
            Argument::Pattern(_) => true,
            Argument::Combined(combination) => combination.has_pattern(),
            _ => false,
        };
        arguments.any(has) || rules.items.as_deref().is_some_and(asks)
    }
    let asks = |field: &Field<Analysed>| asks(&field.server.rules);
    let mut together = object.rules.together.iter();
    together.any(|together| match together {
        Together::Combined(combination) => combination.has_pattern(),
        _ => false,
    }) || object.fields.iter().any(asks)
        || has_cel(object, Node::has_pattern)
}

/// Returns true if a rule of a struct calls a function of CEL's library.
fn calls_library(object: &Struct<Analysed>) -> bool {
    has_cel(object, |holds| {
        holds.any(&mut |node| match node {
            Node::Function(name, _) | Node::Sure(name, _) => !LANGUAGE.contains(name),
            Node::Mapped(_, _, body, _) => body.fails(),
            Node::Same(.., same) => same.reads(),
            Node::Map(..) => true,
            Node::Loop(how, ..) => matches!(
                how,
                Macro::FilterMap | Macro::FilterEntries | Macro::MergeEntries | Macro::SortBy
            ),
            _ => false,
        })
    })
}

/// Returns true if a struct that rules compare has texts that a function of the library reads.
fn compares_texts(version: &ApiVersion<Analysed>) -> bool {
    let compared = behaviour::same(version);
    let mut objects = compared.iter().filter_map(|name| version.object(name));
    let reads =
        |field: &Field<Analysed>| field.server.sameness.as_ref().is_some_and(Sameness::reads);
    objects.any(|object| object.fields.iter().any(reads))
}

/// Returns true if a rule of a struct in CEL is so.
fn has_cel(object: &Struct<Analysed>, is: fn(&Node) -> bool) -> bool {
    object.cel_rules().iter().any(|rule| is(&rule.holds))
}

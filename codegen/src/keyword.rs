//! The table of keywords that a schema may have: where each is allowed, and what it does.
//!
//! A keyword that only calls a method of `Checker` with the value and constants is a row here
//! and that method, and nothing else. The order of the rows is that in which a server checks.

use serde_json::{Map, Value};

use crate::diag::Spot;
use crate::load::SCHEMAS;
use crate::model::{ErrorType, ValueForm};
use crate::pointer::Pointer;

/// Where in a document a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// A schema with a name and properties.
    Type,
    /// A schema with a name, of anything else.
    Named,
    /// A property.
    Property,
    /// The elements of a list, or the values of a map.
    Element,
}

/// The kind of the values of a type, which decides the checks that apply to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Text,
    Number,
    Fraction,
    /// A whole number or a text.
    Either,
    List,
    Map,
    Enumeration,
    /// A type of another crate, which may be a quantity.
    External,
    Other,
}

/// A keyword.
#[derive(Debug)]
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    at: &'static [Position],
    pub(crate) meaning: Meaning,
}

/// The purpose of a keyword.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// It describes the value for all readers, or for others than this generator.
    Schema,
    /// It is a fact or a rule that is read by its name.
    Read,
    /// It calls the checker: the first row that is for values of the sort.
    Calls(Calls),
    /// It changes how another keyword of the same schema is checked.
    Modifies(&'static str, Modification),
}

/// The methods that check a keyword, by who says what it means.
#[derive(Debug)]
pub(crate) struct Calls {
    /// Of Kubernetes' own kinds, whose rules are written in Go.
    pub(crate) own: &'static [Method],
    /// Of custom resources, whose rules are their schemas.
    pub(crate) custom: &'static [Method],
}

impl Calls {
    /// Those for a document.
    pub(crate) fn methods(&self, is_custom: bool) -> &'static [Method] {
        if is_custom { self.custom } else { self.own }
    }
}

/// How a keyword becomes a call.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) of: ValueKind,
    pub(crate) name: &'static str,
    pub(crate) takes: ValueForm,
    pub(crate) argument: ArgumentForm,
    /// The type of the error, where an overlay may say another.
    pub(crate) error_type: Option<ErrorType>,
    /// True if the keyword's name is an argument, because several share the method.
    pub(crate) named: bool,
    /// True if what follows is checked only where this holds.
    pub(crate) guards: bool,
    /// True if it is checked only where the field is the only one that is set, of a struct of which
    /// one must be set: into the others a server doesn't look.
    pub(crate) alone: bool,
}

/// The form that the value of a keyword must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentForm {
    /// 1: whether there is anything is all that is checked.
    One,
    /// A whole number.
    Whole,
    /// A length or count.
    Count,
    /// Any number.
    Number,
    /// The values of an enumeration of whole numbers.
    Wholes,
    /// The values of an enumeration of numbers.
    Numbers,
    /// The name of a form of names; other formats are types.
    NameFormat,
    /// A regular expression.
    Pattern,
    /// `true`.
    Flag,
}

/// How one keyword changes another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Modification {
    /// Another method is called.
    Method(&'static str),
    /// Later checks are made in any case, by all servers or those of some releases.
    Unguarded,
    /// Later checks are made of new objects only, by all servers or those of some releases.
    OnCreateOnly,
}

use Position::{Element, Named, Property, Type};

const ANY: &[Position] = &[Type, Named, Property, Element];
const TYPE: &[Position] = &[Type];
const TYPE_OR_PROPERTY: &[Position] = &[Type, Property];
const PROPERTY: &[Position] = &[Property];
const VALUE: &[Position] = &[Property, Element];

const fn keyword(name: &'static str, at: &'static [Position], meaning: Meaning) -> Keyword {
    Keyword { name, at, meaning }
}

const fn schema(name: &'static str) -> Keyword {
    keyword(name, ANY, Meaning::Schema)
}

const fn read(name: &'static str, at: &'static [Position]) -> Keyword {
    keyword(name, at, Meaning::Read)
}

/// Methods for Kubernetes' own kinds, and for custom resources.
const fn calls(name: &'static str, own: &'static [Method], custom: &'static [Method]) -> Keyword {
    keyword(name, VALUE, Meaning::Calls(Calls { own, custom }))
}

const fn modifies(name: &'static str, other: &'static str, modification: Modification) -> Keyword {
    keyword(name, VALUE, Meaning::Modifies(other, modification))
}

const fn method(
    of: ValueKind,
    name: &'static str,
    takes: ValueForm,
    argument: ArgumentForm,
) -> Method {
    Method {
        of,
        name,
        takes,
        argument,
        error_type: None,
        named: false,
        guards: false,
        alone: false,
    }
}

const FORMAT: &[Method] = &[method(
    ValueKind::Text,
    "format",
    ValueForm::Text,
    ArgumentForm::NameFormat,
)];

/// Texts are left out: their enumerations are types.
const NUMBERS: &[Method] = &[
    method(
        ValueKind::Number,
        "known_number",
        ValueForm::Number,
        ArgumentForm::Wholes,
    ),
    method(
        ValueKind::Fraction,
        "known_number",
        ValueForm::Number,
        ArgumentForm::Numbers,
    ),
];

const PATTERN: &[Method] = &[
    method(
        ValueKind::Text,
        "pattern",
        ValueForm::Text,
        ArgumentForm::Pattern,
    ),
    method(
        ValueKind::Enumeration,
        "pattern",
        ValueForm::AsStr,
        ArgumentForm::Pattern,
    ),
    method(
        ValueKind::Either,
        "pattern_of_text",
        ValueForm::Reference,
        ArgumentForm::Pattern,
    ),
    method(
        ValueKind::External,
        "pattern_of_quantity",
        ValueForm::Reference,
        ArgumentForm::Pattern,
    ),
];

const MINIMUM: &[Method] = &[
    method(
        ValueKind::Number,
        "minimum",
        ValueForm::Number,
        ArgumentForm::Whole,
    ),
    method(
        ValueKind::Fraction,
        "minimum_fraction",
        ValueForm::Number,
        ArgumentForm::Number,
    ),
    method(
        ValueKind::External,
        "minimum_quantity",
        ValueForm::Reference,
        ArgumentForm::Whole,
    ),
];

const MAXIMUM: &[Method] = &[
    method(
        ValueKind::Number,
        "maximum",
        ValueForm::Number,
        ArgumentForm::Whole,
    ),
    method(
        ValueKind::Fraction,
        "maximum_fraction",
        ValueForm::Number,
        ArgumentForm::Number,
    ),
];

const fn max_entries(of: ValueKind) -> Method {
    Method {
        error_type: Some(ErrorType::TooMany),
        named: true,
        guards: true,
        ..method(of, "max_entries", ValueForm::Length, ArgumentForm::Count)
    }
}

/// All keywords.
pub(crate) const TABLE: &[Keyword] = &[
    // OpenAPI's own
    schema("$ref"),
    schema("additionalProperties"),
    schema("default"),
    schema("deprecated"),
    schema("description"),
    schema("discriminator"),
    schema("example"),
    schema("externalDocs"),
    schema("items"),
    schema("nullable"),
    schema("properties"),
    schema("readOnly"),
    schema("required"),
    schema("title"),
    schema("type"),
    schema("writeOnly"),
    schema("xml"),
    // Kubernetes'
    schema("x-kubernetes-group-version-kind"),
    schema("x-kubernetes-int-or-string"),
    schema("x-kubernetes-map-type"),
    schema("x-kubernetes-patch-merge-key"),
    schema("x-kubernetes-patch-strategy"),
    schema("x-kubernetes-preserve-unknown-fields"),
    schema("x-kubernetes-print-columns"),
    schema("x-kubernetes-selectable-fields"),
    schema("x-kubernetes-unions"),
    // Facts
    read("x-enum-descriptions", &[Named]),
    read("x-lifecycle", &[Type, Named, Property]),
    read("x-same", PROPERTY),
    read("x-set-defaults", PROPERTY),
    // Rules of a type as a whole, if that is a custom resource or in one
    read("allOf", ANY),
    read("anyOf", ANY),
    read("not", ANY),
    read("oneOf", ANY),
    // Rules of a type as a whole
    read("x-kubernetes-embedded-resource", ANY),
    read("x-dependent-required", TYPE),
    read("x-prepare", TYPE),
    read("x-prepare-status", TYPE),
    read("x-status-alone", TYPE),
    read("x-names-on-create-only", TYPE),
    read("x-unconditional-update", TYPE),
    // Rules of a value, in the order in which a server checks them
    read("x-must-be-set", PROPERTY),
    read("x-check-reading", PROPERTY),
    read("x-check", TYPE_OR_PROPERTY),
    read("x-unknown-allowed", VALUE),
    Keyword {
        at: ANY,
        ..calls("enum", NUMBERS, NUMBERS)
    },
    calls(
        "minLength",
        &[Method {
            guards: true,
            alone: true,
            ..method(
                ValueKind::Text,
                "min_length",
                ValueForm::Text,
                ArgumentForm::One,
            )
        }],
        &[
            method(
                ValueKind::Text,
                "min_characters",
                ValueForm::Text,
                ArgumentForm::Count,
            ),
            method(
                ValueKind::Enumeration,
                "min_characters",
                ValueForm::AsStr,
                ArgumentForm::Count,
            ),
        ],
    ),
    modifies("x-check-empty", "minLength", Modification::Unguarded),
    modifies("x-on-create-only", "minLength", Modification::OnCreateOnly),
    calls(
        "maxLength",
        &[Method {
            error_type: Some(ErrorType::TooLong),
            ..method(
                ValueKind::Text,
                "max_length",
                ValueForm::Text,
                ArgumentForm::Count,
            )
        }],
        &[
            method(
                ValueKind::Text,
                "max_characters",
                ValueForm::Text,
                ArgumentForm::Count,
            ),
            method(
                ValueKind::Enumeration,
                "max_characters",
                ValueForm::AsStr,
                ArgumentForm::Count,
            ),
        ],
    ),
    Keyword {
        at: ANY,
        ..calls("format", FORMAT, FORMAT)
    },
    modifies(
        "x-ignore-case",
        "format",
        Modification::Method("format_lowered"),
    ),
    calls("pattern", PATTERN, PATTERN),
    calls("minimum", MINIMUM, MINIMUM),
    modifies("exclusiveMinimum", "minimum", Modification::Method("above")),
    calls("maximum", MAXIMUM, MAXIMUM),
    modifies("exclusiveMaximum", "maximum", Modification::Method("below")),
    calls(
        "multipleOf",
        &[],
        &[
            method(
                ValueKind::Number,
                "multiple_of",
                ValueForm::Number,
                ArgumentForm::Whole,
            ),
            method(
                ValueKind::Fraction,
                "multiple_of_fraction",
                ValueForm::Number,
                ArgumentForm::Number,
            ),
        ],
    ),
    calls(
        "minItems",
        &[Method {
            named: true,
            ..method(
                ValueKind::List,
                "not_empty",
                ValueForm::Count,
                ArgumentForm::One,
            )
        }],
        &[Method {
            named: true,
            ..method(
                ValueKind::List,
                "min_entries",
                ValueForm::Length,
                ArgumentForm::Count,
            )
        }],
    ),
    Keyword {
        at: &[Type, Property, Element],
        ..calls(
            "minProperties",
            &[Method {
                named: true,
                ..method(
                    ValueKind::Map,
                    "not_empty",
                    ValueForm::Count,
                    ArgumentForm::One,
                )
            }],
            &[Method {
                named: true,
                ..method(
                    ValueKind::Map,
                    "min_entries",
                    ValueForm::Length,
                    ArgumentForm::Count,
                )
            }],
        )
    },
    calls(
        "maxItems",
        &[max_entries(ValueKind::List)],
        &[max_entries(ValueKind::List)],
    ),
    Keyword {
        at: &[Type, Property, Element],
        ..calls(
            "maxProperties",
            &[max_entries(ValueKind::Map)],
            &[max_entries(ValueKind::Map)],
        )
    },
    calls(
        "x-keys-not-empty",
        &[method(
            ValueKind::Map,
            "keys_not_empty",
            ValueForm::Entries,
            ArgumentForm::Flag,
        )],
        &[],
    ),
    calls(
        "x-max-total-length",
        &[method(
            ValueKind::Map,
            "max_total_length",
            ValueForm::Entries,
            ArgumentForm::Count,
        )],
        &[],
    ),
    read("uniqueItems", ANY),
    read("x-kubernetes-list-map-keys", ANY),
    read("x-kubernetes-list-type", ANY),
    read("x-unique-keys", VALUE),
    read("x-repeats-allowed", VALUE),
    read("x-kubernetes-validations", ANY),
    read("x-error-type", VALUE),
    read("x-reported-above", VALUE),
    read("x-reported-as", PROPERTY),
    read("x-warn", TYPE_OR_PROPERTY),
];

/// The keyword of a name.
pub(crate) fn find(name: &str) -> Option<&'static Keyword> {
    TABLE.iter().find(|keyword| keyword.name == name)
}

/// Returns help for a name that isn't known: the one that comes nearest may have been meant.
pub(crate) fn suggest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let all = "spec/overlays/README.md lists the keywords";
    let known = known
        .into_iter()
        .map(|known| (strsim::osa_distance(name, known), known));
    match known.min() {
        Some((distance, nearest)) if distance <= 2 + name.len() / 4 => {
            format!("did you mean `{nearest}`? {all}")
        }
        _ => format!("correct the name or remove the keyword; {all}"),
    }
}

/// Reports the keywords of the schemas with a prefix that aren't known, or are where they have no
/// effect.
pub(crate) fn check(document: &Value, prefix: &str, root: &Spot<'_>) {
    let schemas = document.pointer(SCHEMAS).and_then(Value::as_object);
    for (name, schema) in schemas.into_iter().flatten() {
        if name.starts_with(prefix) {
            let at = match schema.get("properties") {
                Some(_) => Position::Type,
                None => Position::Named,
            };
            check_schema(schema, at, &root.at(Pointer::schema(name)));
        }
    }
}

fn check_schema(schema: &Value, at: Position, spot: &Spot<'_>) {
    let Value::Object(schema) = schema else {
        return;
    };
    for name in schema.keys() {
        check_keyword(name, schema, at, spot);
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        check_schema(
            property,
            Position::Property,
            &spot.child("properties").child(name),
        );
    }
    for name in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(name) {
            check_schema(inner, Position::Element, &spot.child(name));
        }
    }
}

fn check_keyword(name: &str, schema: &Map<String, Value>, at: Position, spot: &Spot<'_>) {
    let shown = name.escape_debug();
    let Some(keyword) = find(name) else {
        let known = TABLE.iter().map(|keyword| keyword.name);
        spot.report(format!("unknown keyword `{shown}`"), suggest(name, known));
        return;
    };
    if !keyword.at.contains(&at) {
        let message = format!("`{shown}` has no effect on {}", described(at));
        let places: Vec<_> = keyword.at.iter().map(|at| described(*at)).collect();
        spot.report(message, format!("it is for {}", places.join(", ")));
    }
    if let Meaning::Modifies(other, _) = keyword.meaning
        && !schema.contains_key(other)
    {
        let message = format!("`{shown}` has no effect without `{other}`");
        spot.report(message, format!("add `{other}`, or remove it"));
    }
}

fn described(at: Position) -> &'static str {
    match at {
        Position::Type => "a schema with properties",
        Position::Named => "a schema without properties",
        Position::Property => "a property",
        Position::Element => "elements",
    }
}

//! The keywords, in the order in which a server checks them.

use super::{ArgumentForm, Calls, Keyword, Meaning, Method, Modification, Position, ValueKind};
use crate::model::{ErrorType, ValueForm};
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
const KNOWN: &[Method] = &[
    method(
        ValueKind::Number,
        "known_number",
        ValueForm::Number,
        ArgumentForm::Wholes,
    ),
    method(
        ValueKind::Fraction,
        "known_number",
        ValueForm::Fraction,
        ArgumentForm::Numbers,
    ),
    method(
        ValueKind::Flag,
        "known_value",
        ValueForm::Reference,
        ArgumentForm::Known,
    ),
    method(
        ValueKind::Either,
        "known_value",
        ValueForm::Reference,
        ArgumentForm::Known,
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
        ValueKind::DateTime,
        "pattern",
        ValueForm::AsStr,
        ArgumentForm::Pattern,
    ),
    method(
        ValueKind::Either,
        "pattern",
        ValueForm::TextOf,
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
        ValueForm::Fraction,
        ArgumentForm::Number,
    ),
    method(
        ValueKind::Either,
        "minimum",
        ValueForm::WholeOf,
        ArgumentForm::Whole,
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
        ValueForm::Fraction,
        ArgumentForm::Number,
    ),
    method(
        ValueKind::Either,
        "maximum",
        ValueForm::WholeOf,
        ArgumentForm::Whole,
    ),
];

const fn min_length(of: ValueKind, takes: ValueForm) -> Method {
    Method {
        guards: true,
        alone: true,
        ..method(of, "min_length", takes, ArgumentForm::One)
    }
}

/// A server doesn't look into a list or map of its own kinds with too many entries.
const fn max_entries(of: ValueKind, guards: bool) -> Method {
    Method {
        error_type: Some(ErrorType::TooMany),
        named: true,
        guards,
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
    read("x-short-names", TYPE),
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
    read("x-status-with-metadata", TYPE),
    read("x-names-on-create-only", TYPE),
    read("x-unconditional-update", TYPE),
    // Rules of a value, in the order in which a server checks them
    read("x-must-be-set", PROPERTY),
    read("x-check-reading", PROPERTY),
    read("x-check", TYPE_OR_PROPERTY),
    read("x-unknown-allowed", VALUE),
    Keyword {
        at: ANY,
        ..calls("enum", KNOWN, KNOWN)
    },
    calls(
        "minLength",
        &[
            min_length(ValueKind::Text, ValueForm::Text),
            min_length(ValueKind::Enumeration, ValueForm::AsStr),
        ],
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
            method(
                ValueKind::DateTime,
                "min_characters",
                ValueForm::AsStr,
                ArgumentForm::Count,
            ),
            method(
                ValueKind::Either,
                "min_characters",
                ValueForm::TextOf,
                ArgumentForm::Count,
            ),
            method(
                ValueKind::Bytes,
                "min_encoded",
                ValueForm::Reference,
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
            method(
                ValueKind::DateTime,
                "max_characters",
                ValueForm::AsStr,
                ArgumentForm::Count,
            ),
            method(
                ValueKind::Either,
                "max_characters",
                ValueForm::TextOf,
                ArgumentForm::Count,
            ),
            method(
                ValueKind::Bytes,
                "max_encoded",
                ValueForm::Reference,
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
                ValueKind::Either,
                "multiple_of",
                ValueForm::WholeOf,
                ArgumentForm::Whole,
            ),
            method(
                ValueKind::Fraction,
                "multiple_of_fraction",
                ValueForm::Fraction,
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
        &[max_entries(ValueKind::List, true)],
        &[max_entries(ValueKind::List, false)],
    ),
    Keyword {
        at: &[Type, Property, Element],
        ..calls(
            "maxProperties",
            &[max_entries(ValueKind::Map, true)],
            &[max_entries(ValueKind::Map, false)],
        )
    },
    calls(
        super::REQUIRED_KEYS,
        &[],
        &[method(
            ValueKind::Map,
            "required_keys",
            ValueForm::Entries,
            ArgumentForm::Texts,
        )],
    ),
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
    read("x-repeats-at-element", VALUE),
    read(super::COMBINED, ANY),
    read("x-kubernetes-validations", ANY),
    read("x-error-type", VALUE),
    read("x-reported-above", VALUE),
    read("x-reported-as", PROPERTY),
    read("x-warn", TYPE_OR_PROPERTY),
];

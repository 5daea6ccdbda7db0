//! Parts of the model that a phase takes over from the one before.

use std::collections::BTreeMap;

use crate::model::{
    ApiVersion, Derived, Docs, Enum, Feature, Field, FieldChecks, FieldForm, FieldRules, Layout,
    Lifecycle, Paths, Phase, Resource, Role, RuleKeywords, SchemaName, Shape, Type, Variant,
};
use crate::name::Ident;

/// A group-version, with the types of the phase and what else it knows.
pub(super) fn version<P: Phase, Q: Phase>(
    version: ApiVersion<P>,
    types: BTreeMap<SchemaName, Type<Q>>,
    layout: Q::Resolved<Layout>,
    features: Q::Analysed<BTreeMap<Ident, Feature>>,
    derived: Q::Complete<Derived>,
) -> ApiVersion<Q> {
    ApiVersion {
        file: version.file,
        files: version.files,
        module: version.module,
        release: version.release,
        is_custom: version.is_custom,
        has_numbers: version.has_numbers,
        unchecked: version.unchecked,
        definitions: version.definitions,
        replaced: version.replaced,
        merges_equal: version.merges_equal,
        others: version.others,
        names: version.names,
        types,
        externs: version.externs,
        aliases: version.aliases,
        home: version.home,
        layout,
        features,
        derived,
    }
}

/// Documentation of which only the description is known.
pub(super) fn description<P: Phase, Q>(docs: &Docs<P>) -> Docs<Q>
where
    Q: Phase<Complete<Vec<String>> = ()> + Phase<Complete<String> = ()>,
{
    Docs {
        description: docs.description.clone(),
        lines: (),
        summary: (),
    }
}

/// An enumeration whose documentation isn't written yet.
pub(super) fn undescribed<P: Phase, Q>(shape: &Enum<P>) -> Enum<Q>
where
    Q: Phase<Complete<Vec<String>> = ()> + Phase<Complete<String> = ()>,
{
    let variants = shape.variants.iter().map(|variant| Variant {
        value: variant.value.clone(),
        name: variant.name.clone(),
        docs: description(&variant.docs),
    });
    Enum {
        variants: variants.collect(),
    }
}

/// A type, with documentation and a shape of the phase.
pub(super) fn ty<P: Phase, Q: Phase>(ty: &Type<P>, docs: Docs<Q>, shape: Shape<Q>) -> Type<Q> {
    Type {
        name: ty.name.clone(),
        pointer: ty.pointer.clone(),
        docs,
        facts: ty.facts.clone(),
        shape,
    }
}

/// A field, with what the phase knows of it.
pub(super) fn field<P: Phase, Q: Phase>(
    field: &Field<P>,
    docs: Docs<Q>,
    form: Q::Resolved<FieldForm>,
    server: Q::Analysed<FieldRules>,
    checks: Q::Complete<FieldChecks>,
    rule_keywords: Q::Unread<RuleKeywords>,
) -> Field<Q> {
    Field {
        json: field.json.clone(),
        name: field.name.clone(),
        pointer: field.pointer.clone(),
        ty: field.ty.clone(),
        required: field.required,
        metadata: field.metadata,
        docs,
        facts: field.facts.clone(),
        form,
        server,
        checks,
        rule_keywords,
    }
}

/// The role of a struct, in which `of` makes the server's view of a kind.
pub(super) fn role<P: Phase, Q: Phase>(
    role: &Role<P>,
    of: impl FnOnce(&Resource<P>) -> Resource<Q>,
) -> Role<Q> {
    match role {
        Role::Kind(kind) => Role::Kind(of(kind)),
        Role::Apply(kind) => Role::Apply(of(kind)),
        Role::List { item, kind } => Role::List {
            item: item.clone(),
            kind: kind.clone(),
        },
        Role::Part => Role::Part,
    }
}

/// The server's view of a kind, with what the phase knows of it.
pub(super) fn resource<P: Phase, Q: Phase>(
    resource: &Resource<P>,
    list: Q::Resolved<Option<SchemaName>>,
    paths: Q::Resolved<Paths>,
    others: Q::Complete<Vec<(String, Lifecycle)>>,
) -> Resource<Q> {
    Resource {
        group: resource.group.clone(),
        version: resource.version.clone(),
        kind: resource.kind.clone(),
        plural: resource.plural.clone(),
        short_names: resource.short_names.clone(),
        namespaced: resource.namespaced,
        status: resource.status,
        scale: resource.scale.clone(),
        deprecation: resource.deprecation.clone(),
        list,
        paths,
        others,
    }
}

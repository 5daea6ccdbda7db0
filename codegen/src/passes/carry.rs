//! Parts of the model that a phase takes over from the one before.

use crate::model::{Docs, Enum, Paths, Phase, Resource, Role, SchemaName, Variant};

/// Documentation of which only the description is known.
pub(super) fn description<P: Phase, Q>(docs: &Docs<P>) -> Docs<Q>
where
    Q: Phase<Complete<Vec<String>> = (), Complete<String> = ()>,
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
    Q: Phase<Complete<Vec<String>> = (), Complete<String> = ()>,
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

/// The role of a struct, which is known once its document is resolved.
pub(super) fn role<P, Q>(role: &Role<P>) -> Role<Q>
where
    P: Phase<Resolved<Option<SchemaName>> = Option<SchemaName>, Resolved<Paths> = Paths>,
    Q: Phase<Resolved<Option<SchemaName>> = Option<SchemaName>, Resolved<Paths> = Paths>,
{
    match role {
        Role::Kind(of) => Role::Kind(resource(of)),
        Role::Apply(of) => Role::Apply(resource(of)),
        Role::List { item } => Role::List { item: item.clone() },
        Role::Part => Role::Part,
    }
}

fn resource<P, Q>(resource: &Resource<P>) -> Resource<Q>
where
    P: Phase<Resolved<Option<SchemaName>> = Option<SchemaName>, Resolved<Paths> = Paths>,
    Q: Phase<Resolved<Option<SchemaName>> = Option<SchemaName>, Resolved<Paths> = Paths>,
{
    Resource {
        group: resource.group.clone(),
        version: resource.version.clone(),
        kind: resource.kind.clone(),
        plural: resource.plural.clone(),
        namespaced: resource.namespaced,
        status: resource.status,
        list: resource.list.clone(),
        paths: resource.paths.clone(),
    }
}

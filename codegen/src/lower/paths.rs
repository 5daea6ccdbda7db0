//! Facts of a kind that its paths have: the plural, the scope, a status subresource.

use std::collections::BTreeMap;

use super::Context;
use crate::load::{Document, GroupVersionKind, Operation};
use crate::model::Resource;

pub(super) type Resources = BTreeMap<GroupVersionKind, Resource>;

/// Collects the resources that the document serves.
pub(super) fn resources(document: &Document, cx: &mut Context<'_>) -> Resources {
    let mut resources = Resources::new();
    for operation in &document.operations {
        let Some(place) = place(operation) else {
            continue;
        };
        let kind = &operation.kind;
        if !is_plural(place.plural) {
            cx.report(
                &operation.pointer,
                format!(
                    "`{}` can't be the plural of a kind",
                    place.plural.escape_debug()
                ),
                "the plural in a path is in lower-case letters",
            );
            continue;
        }
        let resource = resources.entry(kind.clone()).or_insert_with(|| Resource {
            group: kind.group.clone(),
            version: kind.version.clone(),
            kind: kind.kind.clone(),
            plural: place.plural.to_owned(),
            namespaced: false,
            status: false,
            list: None,
            keyed_lists: Vec::new(),
            granular: Vec::new(),
        });
        if resource.plural != place.plural {
            let other = resource.plural.clone();
            cx.report(
                &operation.pointer,
                format!(
                    "`{}` has two plurals, `{other}` and `{}`",
                    kind.kind, place.plural
                ),
                "a kind has one plural, the same in all its paths",
            );
            continue;
        }
        resource.namespaced |= place.namespaced;
        resource.status |= place.subresource == Some("status");
    }
    resources
}

struct Place<'a> {
    plural: &'a str,
    namespaced: bool,
    subresource: Option<&'a str>,
}

/// Takes a path apart: `/apis/GROUP/VERSION[/namespaces/{namespace}]/PLURAL[/{name}[/SUB]]`.
fn place(operation: &Operation) -> Option<Place<'_>> {
    let mut parts = operation.path.trim_start_matches('/').split('/');
    match parts.next()? {
        "apis" => (parts.next()?, parts.next()?),
        "api" => ("", parts.next()?),
        _ => return None,
    };
    let mut plural = parts.next().filter(|part| *part != "watch")?;
    let mut namespaced = false;
    let mut rest = parts.next();
    if plural == "namespaces"
        && rest == Some("{namespace}")
        && let Some(inner) = parts.next()
    {
        plural = inner;
        namespaced = true;
        rest = parts.next();
    }
    let subresource = rest.and_then(|_| parts.next());
    let about_itself = subresource.is_none_or(|sub| sub == "status");
    (!plural.is_empty() && about_itself).then_some(Place {
        plural,
        namespaced,
        subresource,
    })
}

fn is_plural(plural: &str) -> bool {
    plural.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

//! What is lost where objects of one kind become objects of another version of it.

use std::collections::BTreeSet;

use super::api::Api;
use super::fields::plain;
use super::node::Node;

/// The deepest field that is compared, so that types which hold themselves end.
const MAX_DEPTH: usize = 12;

/// The other versions of a kind in the group, the most stable first.
pub(super) fn others<'a>(
    apis: impl IntoIterator<Item = &'a Api>,
    group: &str,
    kind: &str,
    except: &str,
) -> Vec<&'a Api> {
    let is_other = |api: &&Api| {
        api.group() == group
            && api.group_version != except
            && api.kinds.contains_key(kind)
    };
    let mut found: Vec<_> = apis.into_iter().filter(is_other).collect();
    found.sort_by_key(|api| std::cmp::Reverse(stability(&api.group_version)));
    found
}

/// How stable a version is, as Kubernetes orders versions: stable ones before beta ones before alpha
/// ones, then by number.
fn stability(group_version: &str) -> (u8, u64, u64) {
    let version = group_version.rsplit('/').next().unwrap_or_default();
    let digits = version.trim_start_matches('v');
    let mut numbers =
        digits.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let mut next = || numbers.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    let rank = match version {
        v if v.contains("alpha") => 0,
        v if v.contains("beta") => 1,
        _ => 2,
    };
    (rank, next(), next())
}

/// The fields of a kind that another version of it can't represent, as paths.
pub(super) fn lost(kind: &str, from: &Api, to: &Api) -> Vec<String> {
    let schema = |api: &Api| api.kinds.get(kind).map(|kind| kind.schema.clone());
    let mut lost = BTreeSet::new();
    if let (Some(a), Some(b)) = (schema(from), schema(to)) {
        let start = (a.as_str(), b.as_str());
        in_schemas(start, (from, to), "", MAX_DEPTH, &mut lost);
    }
    lost.into_iter().collect()
}

fn in_schemas(
    (a, b): (&str, &str),
    (from, to): (&Api, &Api),
    path: &str,
    depth: usize,
    lost: &mut BTreeSet<String>,
) {
    let (Some(a), Some(b), Some(depth)) =
        (from.schema(a), to.schema(b), depth.checked_sub(1))
    else {
        return;
    };
    let (a, b) = (Node::of(a, from.release), Node::of(b, to.release));
    in_nodes((&a, &b), (from, to), path, depth, lost);
}

fn in_nodes(
    (a, b): (&Node<'_>, &Node<'_>),
    apis: (&Api, &Api),
    path: &str,
    depth: usize,
    lost: &mut BTreeSet<String>,
) {
    let (from, to) = apis;
    if let (Some(a), Some(b)) = (a.reference, b.reference) {
        // A type that both versions share is the same, unless the releases differ in it.
        let is_shared = a == b && !from.owns(a) && !to.owns(b);
        if !is_shared {
            in_schemas((a, b), apis, path, depth, lost);
        }
        return;
    }
    let form = |node: &Node<'_>| {
        let keyword = |name: &str| node.keywords.get(name).map(plain);
        (
            node.items.is_some(),
            node.values.is_some(),
            node.reference.is_some(),
            keyword("type"),
        )
    };
    if form(a) != form(b) && !path.is_empty() {
        lost.insert(path.to_owned());
        return;
    }
    let inner = [((a.items, b.items), "[]"), ((a.values, b.values), "{}")];
    for (pair, mark) in inner {
        if let (Some(a), Some(b)) = pair {
            let (a, b) = (Node::of(a, from.release), Node::of(b, to.release));
            in_nodes((&a, &b), apis, &format!("{path}{mark}"), depth, lost);
        }
    }
    for (name, property) in &a.properties {
        let at = if path.is_empty() {
            (*name).to_owned()
        } else {
            format!("{path}.{name}")
        };
        match b.properties.get(name) {
            None => {
                lost.insert(at);
            }
            Some(other) => {
                let a = Node::of(property, from.release);
                let b = Node::of(other, to.release);
                in_nodes((&a, &b), apis, &at, depth, lost);
            }
        }
    }
}

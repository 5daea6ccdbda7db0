//! Losses where objects of one kind become objects of another version of it.

use std::collections::BTreeSet;

use crate::structure::Compare;

use super::api::Api;
use super::node::Node;
use super::words::plain;

/// The other versions of a kind in the group, the most stable first.
pub(super) fn others<'a>(
    apis: impl IntoIterator<Item = &'a Api>,
    group: &str,
    kind: &str,
    except: &str,
) -> Vec<&'a Api> {
    let is_other = |api: &&Api| {
        api.group() == group && api.group_version != except && api.kinds.contains_key(kind)
    };
    let mut found: Vec<_> = apis.into_iter().filter(is_other).collect();
    found.sort_by_key(|api| std::cmp::Reverse(stability(&api.group_version)));
    found
}

/// The stability of a version, as Kubernetes orders versions: stable ones before beta ones before
/// alpha ones, then by number.
fn stability(group_version: &str) -> (u8, u64, u64) {
    let version = group_version.rsplit('/').next().unwrap_or_default();
    let digits = version.trim_start_matches('v');
    let mut numbers = digits
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let mut next = || {
        numbers
            .next()
            .and_then(|number| number.parse().ok())
            .unwrap_or(0)
    };
    let rank = match version {
        v if v.contains("alpha") => 0,
        v if v.contains("beta") => 1,
        _ => 2,
    };
    (rank, next(), next())
}

/// The fields of a kind that another version of it can't represent, as paths; of a type that is in
/// several places, those in the first.
pub(super) fn lost(kind: &str, from: &Api, to: &Api) -> Vec<String> {
    let mut search = Search {
        from,
        to,
        lost: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    let schema = |api: &Api| api.kinds.get(kind).map(|kind| kind.schema.clone());
    if let (Some(a), Some(b)) = (schema(from), schema(to)) {
        search.in_schemas(&a, &b, &String::new());
    }
    search.lost.into_iter().collect()
}

/// A search for fields without a counterpart.
struct Search<'a> {
    from: &'a Api,
    to: &'a Api,
    lost: BTreeSet<String>,
    /// The types that have been compared: some hold themselves.
    seen: BTreeSet<(String, String)>,
}

impl<'a> Search<'a> {
    fn in_schemas(&mut self, a: &str, b: &str, path: &String) {
        if let (Some(from), Some(to)) = (self.from.schema(a), self.to.schema(b))
            && self.seen.insert((a.to_owned(), b.to_owned()))
        {
            let node = |schema, api: &Api| Node::of(schema, api.release);
            self.walk(path, &node(from, self.from), &node(to, self.to));
        }
    }
}

impl<'a> Compare<'a> for Search<'a> {
    type Structure = Node<'a>;
    type Place = String;

    fn both(&mut self, path: &String, from: &Node<'a>, to: &Node<'a>) -> bool {
        if let (Some(a), Some(b)) = (from.reference, to.reference) {
            // A type that both versions share is the same, unless the releases differ in it.
            let is_shared = a == b && !self.from.owns(a) && !self.to.owns(b);
            if !is_shared {
                self.in_schemas(a, b, path);
            }
            return false;
        }
        let is_lost = form(from) != form(to) && !path.is_empty();
        if is_lost {
            self.lost.insert(path.clone());
        }
        !is_lost
    }

    fn first(&mut self, path: &String, _: &Node<'a>) {
        self.lost.insert(path.clone());
    }

    fn second(&mut self, _: &String, _: &Node<'a>) {}
}

/// Returns the properties that two types must share.
fn form(node: &Node<'_>) -> (bool, bool, bool, Option<String>) {
    let name = node.keywords.get("type").map(plain);
    (
        node.items.is_some(),
        node.values.is_some(),
        node.reference.is_some(),
        name,
    )
}

//! Lists and their pages.

use std::ops::Bound;
use std::sync::Arc;

use serde_json::json;

use crate::collection::{Key, Stored};
use crate::metadata;
use crate::query::Query;
use crate::refusal::Refusal;
use crate::store::Store;
use crate::target::Target;

/// A list, or a page of one.
pub(crate) struct List {
    version: u64,
    items: Vec<Arc<Stored>>,
    /// The start of the next page.
    next: Option<Token>,
    /// The number of objects that follow, if the server counts them.
    remaining: Option<usize>,
}

impl List {
    pub(crate) fn of(store: &Store, target: &Target, query: &Query) -> Result<Self, Refusal> {
        let selector = query.selector()?;
        let (version, start) = position(store, query)?;
        let objects = store.collection(target)?.at(version).ok_or_else(|| {
            let message = match start {
                Some(_) => "the provided continue parameter is too old",
                None => "the provided resource version is too old",
            };
            Refusal::expired(format!(
                "{message} to display a consistent list result; start a new list"
            ))
        })?;
        // A list at any version comes from the server's cache, which knows no pages.
        let limit = query.number::<usize>("limit")?.filter(|limit| *limit > 0);
        let limit = limit.filter(|_| query.get("resourceVersion") != Some("0"));

        let start = match (start, &target.namespace) {
            (Some(last), _) => Bound::Excluded(last),
            (None, Some(namespace)) => Bound::Included((namespace.clone(), String::new())),
            (None, None) => Bound::Unbounded,
        };
        let mut found = objects
            .range((start, Bound::Unbounded))
            .take_while(|(key, _)| target.covers(key))
            .filter(|(_, object)| selector.matches(object.value()))
            .map(|(_, object)| Arc::clone(object));
        let items: Vec<_> = found.by_ref().take(limit.unwrap_or(usize::MAX)).collect();
        let rest = found.next().map(|_| found);
        let next = rest.is_some().then(|| Token::after(version, items.last()));
        let remaining = rest
            .filter(|_| selector.is_empty())
            .map(|rest| rest.count() + 1);
        Ok(Self {
            version,
            items,
            next,
            remaining,
        })
    }

    /// A list of these objects only.
    pub(crate) fn with(version: u64, items: Vec<Arc<Stored>>) -> Self {
        Self {
            version,
            items,
            next: None,
            remaining: None,
        }
    }

    /// The list as JSON.
    pub(crate) fn text(&self, target: &Target) -> String {
        let mut metadata = json!({"resourceVersion": self.version.to_string()});
        if let Some(next) = &self.next {
            metadata["continue"] = next.to_string().into();
        }
        if let Some(remaining) = self.remaining {
            metadata["remainingItemCount"] = remaining.into();
        }
        let kind = target.resource.list_kind;
        let api_version = target.resource.api_version;
        let mut text = format!(
            "{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",\"metadata\":{metadata},\
             \"items\":["
        );
        for (index, item) in self.items.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(item.item());
        }
        text.push_str("]}");
        text
    }
}

/// The version of a list, and the object after which the page begins.
fn position(store: &Store, query: &Query) -> Result<(u64, Option<Key>), Refusal> {
    let version = query.number::<u64>("resourceVersion")?;
    if let Some(token) = query.get("continue") {
        if version.is_some_and(|version| version > 0) {
            let message = "specifying resource version is not allowed when using continue";
            return Err(Refusal::bad_request(message));
        }
        let token = Token::parse(token)
            .ok_or_else(|| Refusal::bad_request(format!("continue key is not valid: {token}")))?;
        return Ok((token.version, Some(token.last)));
    }
    let current = store.version();
    let version = version.unwrap_or_default();
    if version > current {
        return Err(Refusal::too_large(version, current));
    }
    let exact = query.get("resourceVersionMatch") == Some("Exact");
    Ok((
        if exact && version > 0 {
            version
        } else {
            current
        },
        None,
    ))
}

/// The position in a list: its version, and the last object of the page.
struct Token {
    version: u64,
    last: Key,
}

impl Token {
    fn after(version: u64, last: Option<&Arc<Stored>>) -> Self {
        let text = |field| match last {
            Some(last) => metadata::text(last.value(), field).to_owned(),
            None => String::new(),
        };
        Self {
            version,
            last: (text("namespace"), text("name")),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '/');
        let version = parts.next()?.parse().ok()?;
        let last = (parts.next()?.to_owned(), parts.next()?.to_owned());
        Some(Self { version, last })
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.version, self.last.0, self.last.1)
    }
}

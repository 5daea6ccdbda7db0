//! The log of requests.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

/// The most requests that are kept until somebody takes them.
const RECENT: usize = 10_000;

/// One request, as it came in.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The verb, as rules of RBAC name it, such as `list`; empty if the path is unknown.
    pub verb: String,
    /// The resource, as rules of RBAC name it, such as `persistentvolumeclaims/status`; empty
    /// if the path is unknown.
    pub resource: String,
    /// The namespace, unless the request is for a cluster-scoped kind or all namespaces.
    pub namespace: Option<String>,
    /// The name of the object; of a new object, that in the body.
    pub name: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query, as in the URL.
    pub query: String,
    /// The media type of the body, without parameters, or the empty string.
    pub content_type: String,
    /// The body, if it is JSON.
    pub body: Option<Value>,
}

/// The requests of a server.
#[derive(Debug, Default)]
pub(crate) struct Log {
    recent: VecDeque<Request>,
    /// The number of requests by verb and resource.
    counts: BTreeMap<(String, String), u64>,
}

impl Log {
    pub(crate) fn push(&mut self, request: &Request) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(request.clone());
        let key = (request.verb.clone(), request.resource.clone());
        *self.counts.entry(key).or_default() += 1;
    }

    pub(crate) fn take(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.recent).into()
    }

    pub(crate) fn count(&self, verb: &str, resource: &str) -> u64 {
        let counts = self.counts.iter();
        let fits = |wanted: &str, found: &str| wanted == "*" || wanted == found;
        counts
            .filter(|(key, _)| fits(verb, &key.0) && fits(resource, &key.1))
            .map(|(_, count)| count)
            .sum()
    }
}

//! Faults on demand, and rules of authorization.

use std::collections::BTreeSet;
use std::time::Duration;

use fastrand::Rng;

use crate::Request;

/// A fault of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request is answered with an error, and not carried out.
    Refuse {
        /// The HTTP status, such as 500.
        status: u16,
        /// The reason, such as `InternalError`.
        reason: &'static str,
    },
    /// The request is carried out after this time, by the clock of tokio. It is not carried
    /// out if the client leaves before that.
    Delay(Duration),
    /// The request is answered as if it was based on an old version of the object.
    Conflict,
    /// The connection breaks, and the request is not carried out.
    BreakBefore,
    /// The request is carried out, and then the connection breaks: the client can't know
    /// whether it was. A watch is cut before its first event.
    BreakAfter,
}

/// A [`Fault`] and the requests that have it: all, unless the rule is restricted.
///
/// ```
/// use kubernetes_test_apiserver::{Fault, FaultRule};
///
/// // The second volume is created, but the client gets no answer.
/// let rule = FaultRule::new(Fault::BreakAfter)
///     .verb("create")
///     .resource("persistentvolumes")
///     .skip(1)
///     .times(1);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a rule has no effect until it is given to `Server::inject`"]
pub struct FaultRule {
    fault: Fault,
    verb: Option<String>,
    resource: Option<String>,
    name: Option<String>,
    skip: u64,
    times: u64,
    chance: Option<(f64, Rng)>,
}

impl FaultRule {
    /// Returns a rule for all requests.
    pub fn new(fault: Fault) -> Self {
        Self {
            fault,
            verb: None,
            resource: None,
            name: None,
            skip: 0,
            times: u64::MAX,
            chance: None,
        }
    }

    /// Restricts the rule to a verb of RBAC: `get`, `list`, `watch`, `create`, `update`,
    /// `patch`, `delete` or `deletecollection`.
    pub fn verb(mut self, verb: impl Into<String>) -> Self {
        self.verb = Some(verb.into());
        self
    }

    /// Restricts the rule to a resource of RBAC, such as `persistentvolumeclaims` or
    /// `persistentvolumeclaims/status`, of any API group.
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Restricts the rule to objects of this name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Lets the first `count` of these requests pass.
    pub fn skip(mut self, count: u64) -> Self {
        self.skip = count;
        self
    }

    /// Ends the rule after it has had effect so many times.
    pub fn times(mut self, count: u64) -> Self {
        self.times = count;
        self
    }

    /// Gives each request a chance from 0 to 1; equal seeds choose the same requests.
    pub fn probability(mut self, chance: f64, seed: u64) -> Self {
        self.chance = Some((chance, Rng::with_seed(seed)));
        self
    }

    fn fires(&mut self, request: &Request) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == found)
        };
        if !is(&self.verb, Some(&request.verb))
            || !is(&self.resource, Some(&request.resource))
            || !is(&self.name, request.name.as_deref())
        {
            return false;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        let chosen = self
            .chance
            .as_mut()
            .is_none_or(|(chance, random)| random.f64() < *chance);
        if self.times == 0 || !chosen {
            return false;
        }
        self.times -= 1;
        true
    }
}

/// The effect of the rules on one request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) delay: Duration,
    /// Not a delay.
    pub(crate) fault: Option<Fault>,
}

/// The rules of a server.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    faults: Vec<FaultRule>,
    /// Verb and resource; `*` matches all.
    forbidden: BTreeSet<(String, String)>,
}

impl Rules {
    pub(crate) fn inject(&mut self, rule: FaultRule) {
        self.faults.push(rule);
    }

    pub(crate) fn clear(&mut self) {
        self.faults.clear();
    }

    pub(crate) fn forbid(&mut self, verb: &str, resource: &str) {
        self.forbidden
            .insert((verb.to_owned(), resource.to_owned()));
    }

    pub(crate) fn allow(&mut self, verb: &str, resource: &str) {
        self.forbidden
            .remove(&(verb.to_owned(), resource.to_owned()));
    }

    pub(crate) fn forbids(&self, verb: &str, resource: &str) -> bool {
        self.forbidden.iter().any(|(forbidden, of)| {
            (forbidden == verb || forbidden == "*") && (of == resource || of == "*")
        })
    }

    /// Delays add up; of other faults, the first that was injected has effect, and only that
    /// one counts the request.
    pub(crate) fn effect(&mut self, request: &Request) -> Effect {
        let mut effect = Effect::default();
        for rule in &mut self.faults {
            match rule.fault {
                Fault::Delay(delay) => {
                    if rule.fires(request) {
                        effect.delay = effect.delay.saturating_add(delay);
                    }
                }
                _ if effect.fault.is_some() => {}
                _ => {
                    if rule.fires(request) {
                        effect.fault = Some(rule.fault.clone());
                    }
                }
            }
        }
        self.faults.retain(|rule| rule.times > 0);
        effect
    }
}

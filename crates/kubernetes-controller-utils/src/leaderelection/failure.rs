//! Requests that failed, and their log.

use std::time::Duration;

use kube::Error;
use tracing::{info, warn};

use super::config::Config;

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(
        "can't {verb} the Lease {namespace}/{name}: {message}; to allow it, bind a Role in the \
         namespace {namespace} to the service account, with the verbs get, create and update \
         for the resource leases in the API group coordination.k8s.io"
    )]
    Forbidden {
        verb: &'static str,
        namespace: String,
        name: String,
        message: String,
    },
    #[error("can't {verb} the Lease {lease}: {message}")]
    Refused {
        verb: &'static str,
        lease: String,
        message: String,
    },
    #[error("can't {verb} the Lease {lease}: {error}")]
    Failed {
        verb: &'static str,
        lease: String,
        error: Box<Error>,
    },
    #[error("can't {verb} the Lease {lease}: no answer within {timeout:?}")]
    TimedOut {
        verb: &'static str,
        lease: String,
        timeout: Duration,
    },
    #[error("can't update the Lease {0}: the API server returned it without a resource version")]
    NoVersion(String),
    #[error("can't update the Lease {0}: it changes all the time")]
    Contended(String),
}

impl Failure {
    pub(super) fn new(verb: &'static str, error: Error, config: &Config) -> Self {
        let lease = config.lease();
        match error {
            Error::Api(status) if status.is_forbidden() => Self::Forbidden {
                verb,
                namespace: config.namespace.clone(),
                name: config.name.clone(),
                message: status.message,
            },
            Error::Api(status) => Self::Refused {
                verb,
                lease,
                message: status.to_string(),
            },
            error => Self::Failed {
                verb,
                lease,
                error: Box::new(error),
            },
        }
    }

    pub(super) fn timed_out(verb: &'static str, config: &Config) -> Self {
        Self::TimedOut {
            verb,
            lease: config.lease(),
            timeout: config.request_timeout(),
        }
    }
}

/// Logs a failure once, however often the same one occurs in a row.
#[derive(Debug, Default)]
pub(super) struct Log {
    last: Option<String>,
}

impl Log {
    pub(super) fn failed(&mut self, failure: &Failure) {
        let message = failure.to_string();
        if self.last.as_ref() != Some(&message) {
            warn!("{message}");
            self.last = Some(message);
        }
    }

    pub(super) fn worked(&mut self, config: &Config) {
        if self.last.take().is_some() {
            info!(lease = config.lease(), "the API server answers again");
        }
    }
}

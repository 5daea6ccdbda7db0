//! Tokens of service accounts, asked for again when they are due.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tracing::warn;

use crate::{Error, Result};

/// Answers a request for a token of the service account with a namespace and a name.
pub(super) type Ask = Arc<dyn Fn(&str, &str, &TokenRequest) -> Result<TokenRequest> + Send + Sync>;

/// A token is asked for again when this is left of its lifetime, in percent, as by a kubelet.
const LEFT: i64 = 20;

/// Or when it has this age, however long it lives.
const OLDEST: SignedDuration = SignedDuration::from_hours(24);

/// The service account, and the request for its token.
type Key = (String, String, String);

/// The tokens that were asked for, for as long as they are good.
pub(super) struct Tokens {
    ask: Ask,
    kept: Mutex<BTreeMap<Key, Token>>,
}

#[derive(Clone)]
struct Token {
    answer: TokenRequest,
    pod_uid: String,
    due: Timestamp,
    expires: Timestamp,
}

impl Tokens {
    pub(super) fn new(ask: Ask) -> Self {
        Self {
            ask,
            kept: Mutex::new(BTreeMap::new()),
        }
    }

    /// Returns the token that there is, or asks for one. If that fails, the old token is good until
    /// it expires.
    pub(super) fn get(
        &self,
        namespace: &str,
        name: &str,
        request: &TokenRequest,
    ) -> Result<TokenRequest> {
        let wanted = serde_json::to_value(request).map_err(Error::other)?;
        let spec = wanted.get("spec").map(Value::to_string);
        let key = (
            namespace.to_owned(),
            name.to_owned(),
            spec.unwrap_or_default(),
        );
        let now = now();
        let old = self.kept().get(&key).cloned();
        if let Some(old) = old.as_ref().filter(|old| now < old.due) {
            return Ok(old.answer.clone());
        }
        // Nothing is locked meanwhile: an answer may take long.
        match (self.ask)(namespace, name, request) {
            Ok(answer) => {
                self.keep(key, &wanted, &answer, now)?;
                Ok(answer)
            }
            Err(error) => match old.filter(|old| now < old.expires) {
                Some(old) => {
                    warn!("the token of {namespace}/{name} can't be renewed: {error}");
                    Ok(old.answer)
                }
                None => Err(error),
            },
        }
    }

    /// Keeps an answer that says when it expires.
    fn keep(&self, key: Key, request: &Value, answer: &TokenRequest, now: Timestamp) -> Result<()> {
        let answered = serde_json::to_value(answer).map_err(Error::other)?;
        let expires = answered.pointer("/status/expirationTimestamp");
        let expires: Option<Timestamp> = expires
            .and_then(Value::as_str)
            .and_then(|text| text.parse().ok());
        // The server may have granted another lifetime than was asked for.
        let lives = [&answered, request].into_iter();
        let lives = lives.filter_map(|from| from.pointer("/spec/expirationSeconds")?.as_i64());
        let mut kept = self.kept();
        kept.retain(|_, token| now < token.expires);
        if let (Some(expires), Some(lives)) = (expires, lives.max()) {
            let uid = request.pointer("/spec/boundObjectRef/uid");
            let token = Token {
                answer: answer.clone(),
                pod_uid: uid.and_then(Value::as_str).unwrap_or_default().to_owned(),
                due: due(expires, lives),
                expires,
            };
            kept.insert(key, token);
        }
        Ok(())
    }

    /// Forgets the tokens of a Pod.
    pub(super) fn forget(&self, pod_uid: &str) {
        self.kept().retain(|_, token| token.pod_uid != pod_uid);
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, Token>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time in seconds. k8s-openapi has jiff without a clock.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.unwrap_or_default().as_secs();
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX)
}

/// When a token with a lifetime in seconds is asked for again.
fn due(expires: Timestamp, lives: i64) -> Timestamp {
    let earlier = |by: SignedDuration| expires.checked_sub(by).unwrap_or(Timestamp::MIN);
    let nearly_over = earlier(SignedDuration::from_secs(lives.saturating_mul(LEFT) / 100));
    let made = earlier(SignedDuration::from_secs(lives));
    nearly_over.min(made.checked_add(OLDEST).unwrap_or(Timestamp::MAX))
}

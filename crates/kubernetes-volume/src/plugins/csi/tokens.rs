//! Tokens of service accounts that a driver wants.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use serde::Serialize;
use serde_json::Value;
use storage_v1::CSIDriverSpec;

use super::client::{Secrets, TOKENS};
use super::node::Node;
use crate::plugins::shared::{names, newer};
use crate::{Error, Result};

/// A token, with the fields in the order of Kubernetes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    token: String,
    expiration_timestamp: Value,
}

/// Adds the tokens that the driver wants to the attributes of the volume, or to the secrets if the
/// driver wants them there. Every error is transient.
pub(super) fn add(
    node: &Node,
    csi_driver: Option<&CSIDriverSpec>,
    pod: &Pod,
    context: &mut BTreeMap<String, String>,
    secrets: &mut Secrets,
) -> Result<()> {
    let Some(spec) = csi_driver else {
        return Ok(());
    };
    let requests = spec.token_requests.as_deref().unwrap_or_default();
    if requests.is_empty() {
        return Ok(());
    }
    let mut tokens = BTreeMap::new();
    for request in requests {
        let audience = request.audience.as_str();
        let token = ask(node, pod, audience, request.expiration_seconds);
        tokens.insert(audience, token.map_err(Error::transient)?);
    }
    let tokens = serde_json::to_string(&tokens).map_err(Error::other)?;
    let into = if spec.service_account_token_in_secrets == Some(true) {
        &mut secrets.0
    } else {
        context
    };
    into.insert(TOKENS.to_owned(), tokens);
    Ok(())
}

fn ask(node: &Node, pod: &Pod, audience: &str, expiration_seconds: Option<i64>) -> Result<Token> {
    let audience = Some(audience).filter(|audience| !audience.is_empty());
    let request = newer::token_request(pod, audience, expiration_seconds)?;
    let (namespace, account) = (names::pod_namespace(pod), names::service_account(pod));
    let answer = node
        .host
        .service_account_token(namespace, account, &request)?;
    let token = newer::token(&answer);
    if token.is_empty() {
        return Err(Error::invalid(format!(
            "the answer to the request for a token of {namespace}/{account} has no token"
        )));
    }
    let answer = serde_json::to_value(&answer).map_err(Error::other)?;
    let expires = answer.pointer("/status/expirationTimestamp");
    Ok(Token {
        token,
        expiration_timestamp: expires.cloned().unwrap_or_default(),
    })
}

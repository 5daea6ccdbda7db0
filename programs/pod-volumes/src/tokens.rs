//! Tokens of service accounts from a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use k8s_openapi::api::authentication::v1::TokenRequest;
use kubernetes_volume::{Error, Result};
use serde_json::json;

/// Returns the request with the token in the folder, at `NAMESPACE/NAME`.
pub(crate) fn token(
    folder: &Path,
    namespace: &str,
    name: &str,
    request: &TokenRequest,
) -> Result<TokenRequest> {
    let parts = [namespace, name];
    if parts
        .iter()
        .any(|part| part.is_empty() || part.contains('/') || *part == "..")
    {
        return Err(Error::invalid(format!(
            "invalid service account name \"{namespace}/{name}\""
        )));
    }
    let file = folder.join(namespace).join(name);
    let token = match fs::read_to_string(&file) {
        Ok(token) => token.trim().to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let name = format!("{namespace}/{name} ({})", file.display());
            return Err(Error::NotFound {
                kind: "token of the service account",
                name,
            });
        }
        Err(error) => return Err(Error::io("read", &file)(error)),
    };
    let mut answer = serde_json::to_value(request).map_err(Error::other)?;
    if let Some(fields) = answer.as_object_mut() {
        // Nothing here knows when it expires. As one that has, it isn't kept, and the file is read
        // again.
        let status = json!({"token": token, "expirationTimestamp": "1970-01-01T00:00:00Z"});
        fields.insert("status".to_owned(), status);
    }
    serde_json::from_value(answer).map_err(Error::other)
}

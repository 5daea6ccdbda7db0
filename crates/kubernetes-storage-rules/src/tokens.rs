//! Service account tokens of a CSIDriver.

use kubernetes_validation::{Checker, Path};

/// Warns if a new or changed `tokenRequests` comes without `serviceAccountTokenInSecrets`, as
/// servers do since 1.35.
pub fn tokens_in_secrets<T: PartialEq>(
    stored: Option<&Option<Vec<T>>>,
    requests: &Option<Vec<T>>,
    in_secrets: &Option<bool>,
    at: &Path<'_>,
    to: &mut Checker<'_>,
) {
    let has_requests = requests
        .as_ref()
        .is_some_and(|requests| !requests.is_empty());
    let is_new = stored.is_none_or(|stored| stored != requests);
    if has_requests && is_new && in_secrets.is_none() {
        let message = "set it to true if the driver can take tokens as secrets: in the volume \
                       context, where it gets them otherwise, they may end up in a log";
        to.warn(at.field("serviceAccountTokenInSecrets"), message);
    }
}

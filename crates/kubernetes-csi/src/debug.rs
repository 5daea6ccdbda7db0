//! A `Debug` without the tokens that the kubelet sends.

use std::collections::BTreeMap;
use std::fmt;

use crate::v1::NodePublishVolumeRequest;

/// The key under which the kubelet sends tokens of service accounts, in the context of a volume or,
/// if the CSIDriver has `serviceAccountTokenInSecrets`, in the secrets.
pub const SERVICE_ACCOUNT_TOKENS: &str = "csi.storage.k8s.io/serviceAccount.tokens";

/// Returns the context of a volume as it may be printed: with `<masked>` for the tokens.
pub fn without_tokens(volume_context: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    let shown = |(key, value): (_, _)| match key == SERVICE_ACCOUNT_TOKENS {
        true => (key, "<masked>"),
        false => (key, value),
    };
    let all = volume_context.iter();
    all.map(|(key, value)| shown((&**key, &**value))).collect()
}

impl fmt::Debug for NodePublishVolumeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            volume_id,
            publish_context,
            staging_target_path,
            target_path,
            volume_capability,
            readonly,
            secrets,
            volume_context,
        } = self;
        f.debug_struct("NodePublishVolumeRequest")
            .field("volume_id", volume_id)
            .field("publish_context", publish_context)
            .field("staging_target_path", staging_target_path)
            .field("target_path", target_path)
            .field("volume_capability", volume_capability)
            .field("readonly", readonly)
            .field("secrets", secrets)
            .field("volume_context", &without_tokens(volume_context))
            .finish()
    }
}

//! A `Debug` without the tokens that the kubelet sends.

use std::collections::BTreeMap;
use std::fmt;

use crate::v1::NodePublishVolumeRequest;

/// The key under which the kubelet sends tokens of service accounts.
const TOKENS: &str = "csi.storage.k8s.io/serviceAccount.tokens";

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
        let shown = |(key, value)| match key == TOKENS {
            true => (key, "<masked>"),
            false => (key, value),
        };
        let context = volume_context.iter();
        let context = context.map(|(key, value)| shown((&**key, &**value)));
        let context: BTreeMap<&str, &str> = context.collect();
        f.debug_struct("NodePublishVolumeRequest")
            .field("volume_id", volume_id)
            .field("publish_context", publish_context)
            .field("staging_target_path", staging_target_path)
            .field("target_path", target_path)
            .field("volume_capability", volume_capability)
            .field("readonly", readonly)
            .field("secrets", secrets)
            .field("volume_context", &context)
            .finish()
    }
}

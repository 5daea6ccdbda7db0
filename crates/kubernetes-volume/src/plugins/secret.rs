//! secret: the data of a Secret as files in memory.

use k8s_openapi::api::core::v1::{KeyToPath, Secret, SecretVolumeSource};

use super::SECRET;
use super::files::{Inputs, Kind};
use super::shared::payload::{Defaults, Keyed, Payload};
use super::shared::{names, newer};
use crate::{Error, Result};

pub(super) static KIND: Kind = Kind {
    name: SECRET,
    field: "secret",
    in_memory: true,
    supports: |volume| volume.secret.is_some(),
    payload,
    reconstruct: |volume| {
        let secret_name = Some(volume.name.clone());
        volume.secret = Some(SecretVolumeSource {
            secret_name,
            ..SecretVolumeSource::default()
        });
    },
};

fn payload(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    let Some(source) = &inputs.volume.secret else {
        return Ok(payload);
    };
    let defaults = Defaults::new(source.default_mode, newer::secret_user(source))?;
    let name = source.secret_name.as_deref().unwrap_or_default();
    let items = source.items.as_deref().unwrap_or_default();
    let optional = source.optional == Some(true);
    add(inputs, &mut payload, name, items, defaults, optional)?;
    Ok(payload)
}

/// Adds the files of a Secret, of none if it is optional and doesn't exist.
pub(super) fn add(
    inputs: &Inputs<'_>,
    payload: &mut Payload,
    name: &str,
    items: &[KeyToPath],
    defaults: Defaults,
    optional: bool,
) -> Result<()> {
    let namespace = names::pod_namespace(inputs.pod);
    let found = match inputs.host.secret(namespace, name) {
        Err(Error::NotFound { .. }) if optional => return Ok(()),
        found => found?,
    };
    let secret: &Secret = &found;
    Keyed::secret(namespace, name, secret).add_to(payload, items, defaults, optional)
}

//! configMap: the data of a ConfigMap as files.

use k8s_openapi::api::core::v1::{ConfigMap, ConfigMapVolumeSource, KeyToPath};

use super::CONFIG_MAP;
use super::files::{Inputs, Kind};
use super::shared::payload::{Defaults, Keyed, Payload};
use super::shared::{names, newer};
use crate::{Error, Result};

pub(super) static KIND: Kind = Kind {
    name: CONFIG_MAP,
    field: "configMap",
    in_memory: false,
    supports: |volume| volume.config_map.is_some(),
    payload,
    reconstruct: |volume| volume.config_map = Some(ConfigMapVolumeSource::default()),
};

fn payload(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    let Some(source) = &inputs.volume.config_map else {
        return Ok(payload);
    };
    let defaults = Defaults::new(source.default_mode, newer::config_map_user(source))?;
    let items = source.items.as_deref().unwrap_or_default();
    let optional = source.optional == Some(true);
    add(
        inputs,
        &mut payload,
        &source.name,
        items,
        defaults,
        optional,
    )?;
    Ok(payload)
}

/// Adds the files of a ConfigMap, of none if it is optional and doesn't exist.
pub(super) fn add(
    inputs: &Inputs<'_>,
    payload: &mut Payload,
    name: &str,
    items: &[KeyToPath],
    defaults: Defaults,
    optional: bool,
) -> Result<()> {
    let namespace = names::pod_namespace(inputs.pod);
    let found = match inputs.host.config_map(namespace, name) {
        Err(Error::NotFound { .. }) if optional => return Ok(()),
        found => found?,
    };
    let map: &ConfigMap = &found;
    Keyed::config_map(namespace, name, map).add_to(payload, items, defaults, optional)
}

//! downwardAPI: fields of the Pod as files in memory.

mod fields;
mod resources;

pub(crate) use fields::value as field;
pub(crate) use resources::value as resource;

use k8s_openapi::api::core::v1::{DownwardAPIVolumeFile, DownwardAPIVolumeSource};

use super::DOWNWARD_API;
use super::kind::{Inputs, Kind};
use super::shared::newer;
use super::shared::payload::{Defaults, Payload};
use crate::{Error, Result};

pub(super) static KIND: Kind = Kind {
    name: DOWNWARD_API,
    field: "downwardAPI",
    in_memory: true,
    supports: |volume| volume.downward_api.is_some(),
    payload,
    volume_name: |volume| volume.name.clone(),
    reconstruct: |volume| volume.downward_api = Some(DownwardAPIVolumeSource::default()),
};

fn payload(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    let Some(source) = &inputs.volume.downward_api else {
        return Ok(payload);
    };
    let user = newer::downward_api_default_user(source);
    let defaults = Defaults::new(source.default_mode, user)?;
    add(
        inputs,
        &mut payload,
        source.items.as_deref().unwrap_or_default(),
        defaults,
    )?;
    Ok(payload)
}

/// Adds one file for each item.
pub(super) fn add(
    inputs: &Inputs<'_>,
    payload: &mut Payload,
    items: &[DownwardAPIVolumeFile],
    defaults: Defaults,
) -> Result<()> {
    let mut errors = Vec::new();
    for item in items {
        if let Err(error) = add_one(inputs, payload, item, defaults) {
            errors.push(error);
        }
    }
    Error::all(errors)
}

fn add_one(
    inputs: &Inputs<'_>,
    payload: &mut Payload,
    item: &DownwardAPIVolumeFile,
    defaults: Defaults,
) -> Result<()> {
    let (text, from) = match (&item.field_ref, &item.resource_field_ref) {
        (Some(field), None) => {
            let text = fields::value(inputs.pod, &field.field_path)?;
            (text, format!("the field {}", field.field_path))
        }
        (None, Some(resource)) => {
            let text = resources::value(inputs.host, inputs.pod, resource)?;
            (text, format!("the resource {}", resource.resource))
        }
        (None, None) | (Some(_), Some(_)) => {
            return Err(Error::invalid(format!(
                "the item {:?} of the downward API must have either `fieldRef` or \
                 `resourceFieldRef`",
                item.path
            )));
        }
    };
    let user = newer::downward_api_user(item);
    let file = defaults.file(text.into_bytes(), item.mode, user)?;
    payload.add(&item.path, &from, file)
}

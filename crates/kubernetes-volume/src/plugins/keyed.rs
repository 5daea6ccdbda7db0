//! configMap and secret: the data of a ConfigMap, or of a Secret in memory, as files.

use k8s_openapi::api::core::v1::{ConfigMapVolumeSource, KeyToPath, SecretVolumeSource};

use super::kind::{Inputs, Kind};
use super::shared::payload::{Defaults, Keyed, Payload};
use super::shared::{names, newer};
use super::{CONFIG_MAP, SECRET};
use crate::{Error, Result};

pub(super) static CONFIG_MAP_KIND: Kind = Kind {
    name: CONFIG_MAP,
    field: "configMap",
    in_memory: false,
    supports: |volume| volume.config_map.is_some(),
    payload: config_map,
    volume_name: |volume| {
        let source = volume.config_map.as_ref();
        let name = source.map(|source| &*source.name).unwrap_or_default();
        format!("{}/{name}", volume.name)
    },
    reconstruct: |volume| volume.config_map = Some(ConfigMapVolumeSource::default()),
};

pub(super) static SECRET_KIND: Kind = Kind {
    name: SECRET,
    field: "secret",
    in_memory: true,
    supports: |volume| volume.secret.is_some(),
    payload: secret,
    volume_name: |volume| {
        let source = volume.secret.as_ref();
        let name = source.and_then(|source| source.secret_name.clone());
        name.unwrap_or_default()
    },
    reconstruct: |volume| {
        let secret_name = Some(volume.name.clone());
        volume.secret = Some(SecretVolumeSource {
            secret_name,
            ..SecretVolumeSource::default()
        });
    },
};

fn config_map(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    if let Some(source) = &inputs.volume.config_map {
        let defaults = Defaults::new(source.default_mode, newer::config_map_user(source))?;
        let items = source.items.as_deref();
        let reference = Reference::new(Object::ConfigMap, &source.name, items, source.optional);
        reference.add_to(&mut payload, inputs, defaults)?;
    }
    Ok(payload)
}

fn secret(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    if let Some(source) = &inputs.volume.secret {
        let defaults = Defaults::new(source.default_mode, newer::secret_user(source))?;
        let name = source.secret_name.as_deref().unwrap_or_default();
        let items = source.items.as_deref();
        let reference = Reference::new(Object::Secret, name, items, source.optional);
        reference.add_to(&mut payload, inputs, defaults)?;
    }
    Ok(payload)
}

/// An object whose data becomes files.
#[derive(Clone, Copy)]
pub(super) enum Object {
    ConfigMap,
    Secret,
}

/// The reference of a volume, or of a source of a projected volume, to an object.
pub(super) struct Reference<'a> {
    object: Object,
    name: &'a str,
    items: &'a [KeyToPath],
    optional: bool,
}

impl<'a> Reference<'a> {
    pub(super) fn new(
        object: Object,
        name: &'a str,
        items: Option<&'a [KeyToPath]>,
        optional: Option<bool>,
    ) -> Self {
        Self {
            object,
            name,
            items: items.unwrap_or_default(),
            optional: optional == Some(true),
        }
    }

    /// Adds the files of the object, or none if it is optional and doesn't exist.
    pub(super) fn add_to(
        &self,
        payload: &mut Payload,
        inputs: &Inputs<'_>,
        defaults: Defaults,
    ) -> Result<()> {
        let namespace = names::pod_namespace(inputs.pod);
        let add = |keyed: Keyed<'_>, payload: &mut Payload| {
            keyed.add_to(payload, self.items, defaults, self.optional)
        };
        let added = match self.object {
            Object::ConfigMap => inputs
                .host
                .config_map(namespace, self.name)
                .and_then(|map| add(Keyed::config_map(namespace, self.name, &map), payload)),
            Object::Secret => inputs
                .host
                .secret(namespace, self.name)
                .and_then(|secret| add(Keyed::secret(namespace, self.name, &secret), payload)),
        };
        match added {
            Err(Error::NotFound { .. }) if self.optional => Ok(()),
            added => added,
        }
    }
}

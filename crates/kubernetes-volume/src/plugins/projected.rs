//! projected: several sources in one volume, in memory.

use k8s_openapi::api::core::v1::{
    ProjectedVolumeSource, ServiceAccountTokenProjection, VolumeProjection,
};
use kubernetes_mount::atomic_writer::FileProjection;

use super::PROJECTED;
use super::downward_api;
use super::keyed::{Object, Reference};
use super::kind::{Inputs, Kind};
use super::shared::payload::{Defaults, Payload};
use super::shared::{names, newer};
use crate::{Error, Result};

/// The default lifetime of a token, in seconds.
const EXPIRATION: i64 = 3600;

/// The mode of a token that a user or a group shall own. `fsGroup` makes 0640 of it.
const TOKEN_MODE: u32 = 0o600;

pub(super) static KIND: Kind = Kind {
    name: PROJECTED,
    field: "projected",
    in_memory: true,
    supports: |volume| volume.projected.is_some(),
    payload,
    reconstruct: |volume| volume.projected = Some(ProjectedVolumeSource::default()),
};

fn payload(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    let Some(source) = &inputs.volume.projected else {
        return Ok(payload);
    };
    let defaults = Defaults::new(source.default_mode, newer::projected_user(source))?;
    let mut errors = Vec::new();
    for source in source.sources.iter().flatten() {
        errors.extend(add(inputs, &mut payload, source, defaults).err());
    }
    Error::all(errors).map(|()| payload)
}

fn add(
    inputs: &Inputs<'_>,
    payload: &mut Payload,
    source: &VolumeProjection,
    defaults: Defaults,
) -> Result<()> {
    let fields = names::fields(source);
    if fields.len() != 1 {
        return Err(Error::invalid(format!(
            "a source of the projected volume {:?} has {} fields ({}), and must have one",
            inputs.volume.name,
            fields.len(),
            fields.join(", ")
        )));
    }
    if let Some(source) = &source.secret {
        let items = source.items.as_deref();
        Reference::new(Object::Secret, &source.name, items, source.optional)
            .add_to(payload, inputs, defaults)
    } else if let Some(source) = &source.config_map {
        let items = source.items.as_deref();
        Reference::new(Object::ConfigMap, &source.name, items, source.optional)
            .add_to(payload, inputs, defaults)
    } else if let Some(source) = &source.downward_api {
        let items = source.items.as_deref().unwrap_or_default();
        downward_api::add(inputs, payload, items, defaults)
    } else if let Some(source) = &source.service_account_token {
        let file = token(inputs, source, defaults)?;
        payload.add(&source.path, "the token of the service account", file)
    } else {
        Err(Error::NotSupported(format!(
            "the source {} of the projected volume {:?}",
            fields.join(", "),
            inputs.volume.name
        )))
    }
}

fn token(
    inputs: &Inputs<'_>,
    source: &ServiceAccountTokenProjection,
    defaults: Defaults,
) -> Result<FileProjection> {
    let pod = inputs.pod;
    let account = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.service_account_name.as_deref());
    let account = account.filter(|name| !name.is_empty()).unwrap_or("default");
    let audience = source
        .audience
        .as_deref()
        .filter(|audience| !audience.is_empty());
    let expiration = source.expiration_seconds.unwrap_or(EXPIRATION);
    let request = newer::token_request(pod, audience, expiration)?;
    let namespace = names::pod_namespace(pod);
    let answer = inputs
        .host
        .service_account_token(namespace, account, &request)?;
    let token = newer::token(&answer);
    if token.is_empty() {
        return Err(Error::invalid(format!(
            "the answer to the request for a token of {namespace}/{account} has no token"
        )));
    }
    let mut file = defaults.file(token.into_bytes(), None, newer::token_user(source))?;
    file.fs_user = file.fs_user.or(inputs.args.fs_user);
    if file.fs_user.is_some() || inputs.args.fs_group.is_some() {
        file.mode = TOKEN_MODE;
    }
    Ok(file)
}

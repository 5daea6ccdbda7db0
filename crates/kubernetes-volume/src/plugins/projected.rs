//! projected: several sources in one volume, in memory.

use k8s_openapi::api::core::v1::{
    ClusterTrustBundleProjection, ProjectedVolumeSource, ServiceAccountTokenProjection,
    VolumeProjection,
};
use kubernetes_mount::atomic_writer::FileProjection;

use super::PROJECTED;
use super::downward_api;
use super::keyed::{Object, Reference};
use super::kind::{Inputs, Kind};
use super::shared::payload::{Defaults, Payload};
use super::shared::{names, newer};
use crate::interfaces::KubeletVolumeHost;
use crate::{Error, Result};

/// The default lifetime of a token, in seconds.
const EXPIRATION: i64 = 3600;

/// The mode of a token, a trust bundle or a certificate that a user or a group shall own. `fsGroup`
/// makes 0640 of it.
const OWNED_MODE: u32 = 0o600;

pub(super) static KIND: Kind = Kind {
    name: PROJECTED,
    field: "projected",
    in_memory: true,
    supports: |volume| volume.projected.is_some(),
    payload,
    volume_name: |volume| volume.name.clone(),
    reconstruct: |volume| volume.projected = Some(ProjectedVolumeSource::default()),
};

fn payload(inputs: &Inputs<'_>) -> Result<Payload> {
    let mut payload = Payload::default();
    let Some(source) = &inputs.volume.projected else {
        return Ok(payload);
    };
    let defaults = Defaults::new(source.default_mode, newer::projected_user(source))?;
    let mut errors = Vec::new();
    for (index, source) in source.sources.iter().flatten().enumerate() {
        errors.extend(add(inputs, &mut payload, (index, source), defaults).err());
    }
    Error::all(errors).map(|()| payload)
}

fn add(
    inputs: &Inputs<'_>,
    payload: &mut Payload,
    (index, source): (usize, &VolumeProjection),
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
    } else if let Some(source) = &source.cluster_trust_bundle {
        let anchors = trust_anchors(inputs, source)?;
        let file = owned(inputs, anchors, newer::trust_bundle_user(source), defaults)?;
        payload.add(&source.path, "the trust bundle", file)
    } else if let Some(source) = newer::pod_certificate(source)? {
        let pod = inputs.pod;
        let issued =
            kubelet(inputs)?.pod_certificate_credential_bundle(pod, &inputs.volume.name, index)?;
        let (key, chain) = (issued.private_key, issued.certificate_chain);
        let both = [key.clone(), chain.clone()].concat();
        for (path, from, data) in [
            (
                &source.credential_bundle_path,
                "the Pod's credentials",
                both,
            ),
            (&source.key_path, "the key of the Pod's certificate", key),
            (
                &source.certificate_chain_path,
                "the Pod's certificate",
                chain,
            ),
        ] {
            if !path.is_empty() {
                let file = owned(inputs, data, source.user, defaults)?;
                payload.add(path, from, file)?;
            }
        }
        Ok(())
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
    let account = names::service_account(pod);
    let audience = source
        .audience
        .as_deref()
        .filter(|audience| !audience.is_empty());
    let expiration = source.expiration_seconds.unwrap_or(EXPIRATION);
    let request = newer::token_request(pod, audience, Some(expiration))?;
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
    let user = newer::token_user(source);
    owned(inputs, token.into_bytes(), user, defaults)
}

/// Returns a file that belongs to the user of the Pod's containers if nothing names another one.
fn owned(
    inputs: &Inputs<'_>,
    data: Vec<u8>,
    user: Option<i64>,
    defaults: Defaults,
) -> Result<FileProjection> {
    let mut file = defaults.file(data, None, user)?;
    file.fs_user = file.fs_user.or(inputs.args.fs_user);
    if file.fs_user.is_some() || inputs.args.fs_group.is_some() {
        file.mode = OWNED_MODE;
    }
    Ok(file)
}

fn trust_anchors(inputs: &Inputs<'_>, source: &ClusterTrustBundleProjection) -> Result<Vec<u8>> {
    let (host, optional) = (kubelet(inputs)?, source.optional == Some(true));
    match (&source.name, &source.signer_name) {
        (Some(name), _) => host.trust_anchors_by_name(name, optional),
        (None, Some(signer)) => {
            host.trust_anchors_by_signer(signer, source.label_selector.as_ref(), optional)
        }
        (None, None) => Err(Error::invalid(format!(
            "the clusterTrustBundle {:?} of the projected volume {:?} needs a `name` or a \
             `signerName`",
            source.path, inputs.volume.name
        ))),
    }
}

fn kubelet<'a>(inputs: &Inputs<'a>) -> Result<&'a dyn KubeletVolumeHost> {
    inputs.host.as_kubelet().ok_or_else(|| {
        Error::NotSupported("a trust bundle or a certificate on this host".to_owned())
    })
}

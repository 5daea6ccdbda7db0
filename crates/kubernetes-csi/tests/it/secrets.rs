//! Secrets are never printed.

use fastrand::Rng;
use kubernetes_csi::Secrets;
use kubernetes_csi::v1::*;
use prost::Message;

use crate::random::{self, specification};

/// Returns what `Debug` prints of a message.
fn printed<M: Message + Default + std::fmt::Debug>(bytes: &[u8]) -> String {
    let message = M::decode(bytes).unwrap();
    format!("{message:?} {message:#?}")
}

macro_rules! messages {
    ($($name:ident)*) => {
        const WITH_SECRETS: &[(&str, fn(&[u8]) -> String)] =
            &[$((stringify!($name), printed::<$name>)),*];
    };
}

messages! {
    ControllerExpandVolumeRequest
    ControllerGetVolumeHealthRequest
    ControllerListVolumeHealthRequest
    ControllerModifyVolumeRequest
    ControllerPublishVolumeRequest
    ControllerUnpublishVolumeRequest
    CreateSnapshotRequest
    CreateVolumeGroupSnapshotRequest
    CreateVolumeRequest
    DeleteSnapshotRequest
    DeleteVolumeGroupSnapshotRequest
    DeleteVolumeRequest
    GetMetadataAllocatedRequest
    GetMetadataDeltaRequest
    GetSnapshotRequest
    GetVolumeGroupSnapshotRequest
    ListSnapshotsRequest
    NodeExpandVolumeRequest
    NodeGetStorageHealthRequest
    NodePublishVolumeRequest
    NodeStageVolumeRequest
    ValidateVolumeCapabilitiesRequest
}

#[test]
fn no_request_prints_them() {
    let specification = specification();
    let mut found = Vec::new();
    let mut rng = Rng::with_seed(1);
    for message in specification.all_messages() {
        let is_secret = |field: &prost_reflect::FieldDescriptor| {
            let options = field.options();
            options
                .extensions()
                .any(|(option, _)| option.name() == "csi_secret")
        };
        let Some(field) = message.fields().find(is_secret) else {
            continue;
        };
        let mut whole = random::message(message.clone(), &mut rng);
        let entry = (
            prost_reflect::MapKey::String("sesame".to_owned()),
            prost_reflect::Value::String("swordfish".to_owned()),
        );
        whole.set_field(&field, prost_reflect::Value::Map([entry].into()));
        let known = WITH_SECRETS
            .iter()
            .find(|(name, _)| *name == message.name());
        let (_, printed) = known.unwrap_or_else(|| panic!("{}", message.name()));
        let text = printed(&whole.encode_to_vec());
        assert!(text.contains("secrets: 1 secret"), "{text}");
        assert!(
            !text.contains("swordfish") && !text.contains("sesame"),
            "{text}"
        );
        found.push(message.name().to_owned());
    }
    found.sort();
    let listed: Vec<_> = WITH_SECRETS
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    assert_eq!(found, listed);
}

/// All that isn't a token is printed, as by a derived `Debug`.
#[test]
fn tokens_of_the_kubelet_are_hidden() {
    let tokens = "csi.storage.k8s.io/serviceAccount.tokens";
    let context = |value: &str| {
        let entries = [("pool", "fast"), (tokens, value)];
        entries.map(|(key, value)| (key.to_owned(), value.to_owned()))
    };
    let request = NodePublishVolumeRequest {
        volume_id: "volume-1".to_owned(),
        publish_context: [("device".to_owned(), "sda".to_owned())].into(),
        staging_target_path: "/staging".to_owned(),
        target_path: "/target".to_owned(),
        volume_capability: Some(VolumeCapability::default()),
        readonly: true,
        secrets: Secrets::from_iter([("a", "b")]),
        volume_context: context("swordfish").into(),
    };
    assert_eq!(
        format!("{request:?}"),
        "NodePublishVolumeRequest { volume_id: \"volume-1\", \
         publish_context: {\"device\": \"sda\"}, staging_target_path: \"/staging\", \
         target_path: \"/target\", volume_capability: Some(VolumeCapability { \
         access_mode: None, access_type: None }), readonly: true, secrets: 1 secret, \
         volume_context: {\"csi.storage.k8s.io/serviceAccount.tokens\": \"<masked>\", \
         \"pool\": \"fast\"} }"
    );
}

#[test]
fn they_print_their_number() {
    let secrets = Secrets::from_iter([("a", "b"), ("c", "d")]);
    assert_eq!(
        format!("{secrets:?} {:?}", Secrets::default()),
        "2 secrets none"
    );
}

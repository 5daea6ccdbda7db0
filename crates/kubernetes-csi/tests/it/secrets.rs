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

#[test]
fn they_print_their_number() {
    let secrets = Secrets::from_iter([("a", "b"), ("c", "d")]);
    assert_eq!(
        format!("{secrets:?} {:?}", Secrets::default()),
        "2 secrets none"
    );
}

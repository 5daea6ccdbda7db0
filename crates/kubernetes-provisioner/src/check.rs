//! Checks that a claim can use the volume that a provisioner returned.

use core_v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeMode, PersistentVolumeSpec,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::quantity::Amount;

use crate::request::ProvisionRequest;
use crate::{affinity, rules};

/// The reason why a claim can't use a volume.
#[derive(Debug, thiserror::Error)]
#[error("the provisioner returned a volume that the claim can't use: {field}: {problem}")]
pub(crate) struct Mismatch {
    field: &'static str,
    problem: String,
}

fn mismatch(field: &'static str, problem: impl Into<String>) -> Mismatch {
    Mismatch {
        field,
        problem: problem.into(),
    }
}

/// Checks a volume by the rules of Kubernetes 1.37 for binding, `FindMatchingVolume` of
/// `k8s.io/component-helpers/storage/volume`, and sets its name, reclaim policy and
/// VolumeAttributesClass where they are absent.
pub(crate) fn complete(
    request: &ProvisionRequest,
    volume: &mut PersistentVolume,
) -> Result<(), Mismatch> {
    let name = volume
        .metadata
        .name
        .get_or_insert_with(|| request.volume_name.clone());
    if *name != request.volume_name {
        let expected = &request.volume_name;
        return Err(mismatch(
            "metadata.name",
            format!("must be \"{expected}\", not \"{name}\""),
        ));
    }
    let spec = volume
        .spec
        .as_mut()
        .ok_or_else(|| mismatch("spec", "required, with a volume source"))?;
    // A server's default is `Retain`, with which the storage would never be deleted.
    spec.persistent_volume_reclaim_policy
        .get_or_insert_with(|| request.reclaim_policy());
    if let Some(name) = request.volume_attributes_class_name() {
        spec.volume_attributes_class_name
            .get_or_insert_with(|| name.to_owned());
    }
    source(spec)?;
    capacity(&request.claim, spec)?;
    access_modes(&request.claim, spec)?;
    volume_mode(&request.claim, spec)?;
    attributes_class(&request.claim, spec)?;
    node_affinity(request, spec)
}

fn attributes_class(
    claim: &PersistentVolumeClaim,
    spec: &PersistentVolumeSpec,
) -> Result<(), Mismatch> {
    let actual = spec.volume_attributes_class_name.as_deref();
    let actual = actual.unwrap_or_default();
    let wanted = rules::attributes_class(claim).unwrap_or_default();
    if actual == wanted {
        return Ok(());
    }
    let problem = format!("must be \"{wanted}\" as the claim requests, not \"{actual}\"");
    Err(mismatch("spec.volumeAttributesClassName", problem))
}

/// Checks that the selected node can use the volume: the Pod that needs it runs nowhere else.
fn node_affinity(request: &ProvisionRequest, spec: &PersistentVolumeSpec) -> Result<(), Mismatch> {
    let required = spec
        .node_affinity
        .as_ref()
        .and_then(|affinity| affinity.required.as_ref());
    let (Some(required), Some(node)) = (required, &request.selected_node) else {
        return Ok(());
    };
    if affinity::matches(required, &node.metadata) {
        return Ok(());
    }
    let name = node.metadata.name.as_deref().unwrap_or_default();
    let problem = format!("no term matches the selected node \"{name}\"");
    Err(mismatch("spec.nodeAffinity.required", problem))
}

fn source(spec: &PersistentVolumeSpec) -> Result<(), Mismatch> {
    let sources = [
        spec.aws_elastic_block_store.is_some(),
        spec.azure_disk.is_some(),
        spec.azure_file.is_some(),
        spec.cephfs.is_some(),
        spec.cinder.is_some(),
        spec.csi.is_some(),
        spec.fc.is_some(),
        spec.flex_volume.is_some(),
        spec.flocker.is_some(),
        spec.gce_persistent_disk.is_some(),
        spec.glusterfs.is_some(),
        spec.host_path.is_some(),
        spec.iscsi.is_some(),
        spec.local.is_some(),
        spec.nfs.is_some(),
        spec.photon_persistent_disk.is_some(),
        spec.portworx_volume.is_some(),
        spec.quobyte.is_some(),
        spec.rbd.is_some(),
        spec.scale_io.is_some(),
        spec.storageos.is_some(),
        spec.vsphere_volume.is_some(),
    ];
    match sources.iter().filter(|set| **set).count() {
        0 => Err(mismatch(
            "spec",
            "a volume source is required, such as spec.csi",
        )),
        1 => Ok(()),
        count => Err(mismatch(
            "spec",
            format!("must have one volume source, not {count}"),
        )),
    }
}

fn capacity(claim: &PersistentVolumeClaim, spec: &PersistentVolumeSpec) -> Result<(), Mismatch> {
    const FIELD: &str = "spec.capacity[storage]";
    let Some(requested) = rules::requested_storage(claim) else {
        return Ok(());
    };
    let Some(actual) = spec.capacity.as_ref().and_then(|all| all.get("storage")) else {
        let wanted = &requested.0;
        return Err(mismatch(FIELD, format!("required, at least {wanted}")));
    };
    let amount = |quantity: &Quantity| {
        Amount::try_from(quantity).map_err(|error| mismatch(FIELD, error.to_string()))
    };
    if amount(actual)? < amount(requested)? {
        let (actual, wanted) = (&actual.0, &requested.0);
        let problem = format!("{actual} is less than the requested {wanted}");
        return Err(mismatch(FIELD, problem));
    }
    Ok(())
}

fn access_modes(
    claim: &PersistentVolumeClaim,
    spec: &PersistentVolumeSpec,
) -> Result<(), Mismatch> {
    let requested = claim
        .spec
        .as_ref()
        .and_then(|spec| spec.access_modes.as_deref());
    let actual = spec.access_modes.as_deref().unwrap_or_default();
    match requested
        .unwrap_or_default()
        .iter()
        .find(|mode| !actual.contains(mode))
    {
        Some(mode) => {
            let problem = format!("the requested {} is not in it", mode.as_str());
            Err(mismatch("spec.accessModes", problem))
        }
        None => Ok(()),
    }
}

fn volume_mode(claim: &PersistentVolumeClaim, spec: &PersistentVolumeSpec) -> Result<(), Mismatch> {
    let is_block = spec.volume_mode == Some(PersistentVolumeMode::Block);
    if is_block == rules::wants_block(claim) {
        return Ok(());
    }
    let (actual, wanted) = if is_block {
        ("Block", "Filesystem")
    } else {
        ("Filesystem", "Block")
    };
    let problem = format!("must be {wanted} as the claim requests, not {actual}");
    Err(mismatch("spec.volumeMode", problem))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

    use core_v1::{
        HostPathVolumeSource, LocalVolumeSource, PersistentVolumeAccessMode,
        PersistentVolumeClaimSpec, PersistentVolumeReclaimPolicy, VolumeResourceRequirements,
    };
    use storage_v1::StorageClass;

    use super::*;

    fn request() -> ProvisionRequest {
        let size = [("storage", Quantity("1Gi".to_owned()))];
        let spec = PersistentVolumeClaimSpec::new()
            .with_access_modes([PersistentVolumeAccessMode::ReadWriteOnce])
            .with_resources(VolumeResourceRequirements::new().with_requests(size));
        let mut claim = PersistentVolumeClaim::new("data").with_spec(spec);
        claim.metadata.uid = Some("1".to_owned());
        ProvisionRequest::new(claim, StorageClass::new("fast", "example.com/disks"))
    }

    /// The complaint about the volume of `request()` after a change, or "".
    fn complaint(change: impl FnOnce(&mut PersistentVolume)) -> String {
        let request = request();
        let mut volume = request.volume();
        volume.spec.as_mut().unwrap().host_path = Some(HostPathVolumeSource::new("/d").into());
        change(&mut volume);
        let result = complete(&request, &mut volume);
        result
            .err()
            .map(|error| format!("{}: {}", error.field, error.problem))
            .unwrap_or_default()
    }

    fn spec(volume: &mut PersistentVolume) -> &mut PersistentVolumeSpec {
        volume.spec.as_mut().unwrap()
    }

    #[test]
    fn the_volume_of_a_request_fits_once_it_has_a_source() {
        assert_eq!(complaint(|_| ()), "");
        assert_eq!(
            complaint(|volume| spec(volume).host_path = None),
            "spec: a volume source is required, such as spec.csi"
        );
        assert_eq!(
            complaint(|volume| {
                spec(volume).local = Some(LocalVolumeSource::new("/dev/x").into());
            }),
            "spec: must have one volume source, not 2"
        );
        assert_eq!(
            complaint(|volume| volume.spec = None),
            "spec: required, with a volume source"
        );
    }

    #[test]
    fn capacity_is_compared_by_value() {
        let with = |size: &'static str| {
            complaint(move |volume| {
                let size = Quantity(size.to_owned());
                spec(volume).capacity = Some([("storage".to_owned(), size)].into());
            })
        };
        assert_eq!(with("1024Mi"), "");
        assert_eq!(with("2Gi"), "");
        assert_eq!(
            with("1G"),
            "spec.capacity[storage]: 1G is less than the requested 1Gi"
        );
        assert!(with("much").starts_with("spec.capacity[storage]: "));
        assert_eq!(
            complaint(|volume| spec(volume).capacity = None),
            "spec.capacity[storage]: required, at least 1Gi"
        );
    }

    #[test]
    fn modes_must_be_those_of_the_claim() {
        assert_eq!(
            complaint(|volume| spec(volume).access_modes = None),
            "spec.accessModes: the requested ReadWriteOnce is not in it"
        );
        assert_eq!(
            complaint(|volume| spec(volume).volume_mode = Some(PersistentVolumeMode::Block)),
            "spec.volumeMode: must be Filesystem as the claim requests, not Block"
        );
    }

    #[test]
    fn the_volume_has_the_attributes_class_of_the_claim() {
        // The names of the claim and of the volume, and the name that the volume gets.
        let rows = [
            (None, None, Ok(None)),
            (None, Some(""), Ok(Some(""))),
            (Some(""), None, Ok(None)),
            (Some("gold"), None, Ok(Some("gold"))),
            (Some("gold"), Some("gold"), Ok(Some("gold"))),
            (Some("gold"), Some("silver"), Err("must be \"gold\"")),
            (Some("gold"), Some(""), Err("must be \"gold\"")),
            (None, Some("gold"), Err("must be \"\"")),
            (Some(""), Some("gold"), Err("must be \"\"")),
        ];
        for (wanted, given, expected) in rows {
            let mut request = request();
            let claim = request.claim.spec.as_mut().unwrap();
            claim.volume_attributes_class_name = wanted.map(str::to_owned);
            let mut volume = request.volume();
            spec(&mut volume).host_path = Some(HostPathVolumeSource::new("/d").into());
            let copied = spec(&mut volume).volume_attributes_class_name.clone();
            assert_eq!(copied.as_deref(), wanted.filter(|name| !name.is_empty()));
            spec(&mut volume).volume_attributes_class_name = given.map(str::to_owned);
            match (complete(&request, &mut volume), expected) {
                (Ok(()), Ok(name)) => {
                    let actual = &spec(&mut volume).volume_attributes_class_name;
                    assert_eq!(actual.as_deref(), name, "{wanted:?} {given:?}");
                }
                (Err(error), Err(problem)) => {
                    assert_eq!(error.field, "spec.volumeAttributesClassName");
                    assert!(error.problem.starts_with(problem), "{error}");
                }
                (result, _) => panic!("{wanted:?} {given:?}: {result:?}"),
            }
        }
    }

    #[test]
    fn the_selected_node_can_use_the_volume() {
        let node = |zone: &str| {
            let mut node = k8s_openapi::api::core::v1::Node::default();
            node.metadata.name = Some("node-1".to_owned());
            node.metadata.labels = Some([("zone".to_owned(), zone.to_owned())].into());
            node
        };
        let affinity: core_v1::VolumeNodeAffinity = serde_json::from_value(serde_json::json!({
            "required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "zone", "operator": "In", "values": ["a"]},
            ]}]},
        }))
        .unwrap();
        let with = |request: ProvisionRequest| {
            let mut volume = request.volume();
            spec(&mut volume).host_path = Some(HostPathVolumeSource::new("/d").into());
            spec(&mut volume).node_affinity = Some(affinity.clone());
            complete(&request, &mut volume)
        };
        with(request().with_selected_node(node("a"))).unwrap();
        with(request()).unwrap();
        let error = with(request().with_selected_node(node("b"))).unwrap_err();
        assert_eq!(
            format!("{}: {}", error.field, error.problem),
            "spec.nodeAffinity.required: no term matches the selected node \"node-1\""
        );
    }

    #[test]
    fn name_and_reclaim_policy_are_set_where_absent() {
        let request = request();
        let mut volume = PersistentVolume::default().with_spec(
            request
                .volume()
                .spec
                .unwrap()
                .with_local(LocalVolumeSource::new("/dev/x")),
        );
        spec(&mut volume).persistent_volume_reclaim_policy = None;
        complete(&request, &mut volume).unwrap();
        assert_eq!(volume.metadata.name.as_deref(), Some("pvc-1"));
        let policy = &spec(&mut volume).persistent_volume_reclaim_policy;
        assert_eq!(*policy, Some(PersistentVolumeReclaimPolicy::Delete));
        assert_eq!(
            complaint(|volume| volume.metadata.name = Some("other".to_owned())),
            "metadata.name: must be \"pvc-1\", not \"other\""
        );
    }
}

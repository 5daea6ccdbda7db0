#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use core_v1::{
    CSIPersistentVolumeSource, ObjectReference, PersistentVolumeClaimSpec, PersistentVolumeSpec,
    PersistentVolumeStatus, Time,
};
use k8s_openapi::jiff::Timestamp;
use kubernetes_kinds::WithMetadata;

use super::*;

const NAME: &str = "example.com/disks";
const IN_TREE: &str = "kubernetes.io/disks";
const OTHER: &str = "example.org/others";
const IN_TREE_OF_OTHERS: &str = "kubernetes.io/others";

fn names() -> Names {
    Names {
        primary: NAME.to_owned(),
        additional: vec![IN_TREE.to_owned()],
    }
}

fn deleting<K: k8s_openapi::Metadata<Ty = ObjectMeta>>(mut object: K) -> K {
    object.metadata_mut().deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    object
}

fn claim() -> PersistentVolumeClaim {
    let spec = PersistentVolumeClaimSpec::new().with_storage_class_name("fast");
    PersistentVolumeClaim::new("data").with_spec(spec)
}

fn asking(provisioner: &str) -> PersistentVolumeClaim {
    claim().with_annotation(STORAGE_PROVISIONER, provisioner)
}

#[test]
fn claims_that_want_a_volume() {
    let mut bound = asking(NAME);
    bound.spec.as_mut().unwrap().volume_name = Some("volume-1".to_owned());
    let mut unbound = asking(NAME);
    unbound.spec.as_mut().unwrap().volume_name = Some(String::new());
    let beta = |name: &str| claim().with_annotation(STORAGE_PROVISIONER_BETA, name);
    let both =
        |name: &str, beta: &str| asking(name).with_annotation(STORAGE_PROVISIONER_BETA, beta);
    let cases = [
        ("own name", asking(NAME), true),
        ("additional name", asking(IN_TREE), true),
        ("foreign name", asking(OTHER), false),
        ("no annotation", claim(), false),
        ("bound", bound, false),
        ("empty volume name", unbound, true),
        ("deleting", deleting(asking(NAME)), false),
        ("beta annotation", beta(NAME), true),
        ("foreign beta annotation", beta(OTHER), false),
        (
            "the annotation counts before the beta one",
            both(NAME, OTHER),
            true,
        ),
        ("also if it is foreign", both(OTHER, NAME), false),
    ];
    for (case, claim, expected) in cases {
        assert_eq!(wants_volume(&names(), &claim), expected, "{case}");
    }
}

#[test]
fn the_beta_annotation_of_the_class_counts_before_the_field() {
    assert_eq!(class_name(&claim()), "fast");
    assert_eq!(
        class_name(&claim().with_annotation(STORAGE_CLASS_BETA, "slow")),
        "slow"
    );
    assert_eq!(class_name(&PersistentVolumeClaim::new("data")), "");
}

#[test]
fn an_empty_selected_node_is_none() {
    let with = |node: &str| claim().with_annotation(SELECTED_NODE, node);
    assert_eq!(selected_node(&with("node-1")), Some("node-1"));
    assert_eq!(selected_node(&with("")), None);
    assert_eq!(selected_node(&claim()), None);
}

fn volume(phase: PersistentVolumePhase, policy: PersistentVolumeReclaimPolicy) -> PersistentVolume {
    PersistentVolume::new("volume-1")
        .with_annotation(PROVISIONED_BY, NAME)
        .with_spec(PersistentVolumeSpec::new().with_persistent_volume_reclaim_policy(policy))
        .with_status(PersistentVolumeStatus::new().with_phase(phase))
}

fn released() -> PersistentVolume {
    volume(
        PersistentVolumePhase::Released,
        PersistentVolumeReclaimPolicy::Delete,
    )
}

fn bound() -> PersistentVolume {
    volume(
        PersistentVolumePhase::Bound,
        PersistentVolumeReclaimPolicy::Delete,
    )
}

#[test]
fn volumes_that_are_deletable() {
    use PersistentVolumePhase as Phase;
    use PersistentVolumeReclaimPolicy as Policy;
    let cases = [
        ("released", released(), true),
        (
            "released, protected",
            released().with_finalizer(FINALIZER),
            true,
        ),
        ("bound", bound(), false),
        ("bound, protected", bound().with_finalizer(FINALIZER), false),
        ("available", volume(Phase::Available, Policy::Delete), false),
        ("failed", volume(Phase::Failed, Policy::Delete), false),
        ("Retain", volume(Phase::Released, Policy::Retain), false),
        ("Recycle", volume(Phase::Released, Policy::Recycle), false),
        (
            "deleting, the finalizer is gone",
            deleting(released()),
            false,
        ),
        (
            "deleting, the finalizer is there",
            deleting(released().with_finalizer(FINALIZER)),
            true,
        ),
        (
            "deleting, another finalizer is there",
            deleting(released().with_finalizer("kubernetes.io/pv-protection")),
            false,
        ),
    ];
    for (case, volume, expected) in cases {
        assert_eq!(is_deletable(&volume), expected, "{case}");
    }
}

#[test]
fn volumes_of_a_controller() {
    let plain = || PersistentVolume::new("volume-1");
    let by = |name: &str| plain().with_annotation(PROVISIONED_BY, name);
    let csi = |driver: &str| {
        let source = CSIPersistentVolumeSource::new(driver, "handle");
        plain().with_spec(PersistentVolumeSpec::new().with_csi(source))
    };
    let migrated = |volume: PersistentVolume| volume.with_annotation(MIGRATED_TO, NAME);
    // Owned by any name, and by the primary one.
    let cases = [
        ("own name", by(NAME), true, true),
        ("additional name", by(IN_TREE), true, false),
        ("foreign name", by(OTHER), false, false),
        (
            "foreign name, migrated here",
            migrated(by(OTHER)),
            true,
            false,
        ),
        (
            "foreign name, migrated elsewhere",
            by(IN_TREE_OF_OTHERS).with_annotation(MIGRATED_TO, OTHER),
            false,
            false,
        ),
        (
            "own name, with the driver",
            csi(NAME).with_annotation(PROVISIONED_BY, NAME),
            true,
            true,
        ),
        ("nobody's", plain(), false, false),
        ("nobody's, migrated here", migrated(plain()), true, false),
        (
            "nobody's, migrated elsewhere",
            plain().with_annotation(MIGRATED_TO, OTHER),
            false,
            false,
        ),
        ("nobody's, with the driver", csi(NAME), true, false),
        ("nobody's, with another driver", csi(OTHER), false, false),
        (
            "foreign name, with the driver",
            csi(NAME).with_annotation(PROVISIONED_BY, OTHER),
            false,
            false,
        ),
    ];
    for (case, volume, any, primary) in cases {
        assert_eq!(owns(&names(), Ownership::AnyName, &volume), any, "{case}");
        assert_eq!(
            owns(&names(), Ownership::PrimaryName, &volume),
            primary,
            "{case}"
        );
    }
}

#[test]
fn what_happens_to_the_finalizer() {
    use FinalizerChange::{Add, Keep, Remove};
    use PersistentVolumePhase::{Bound, Released};
    use PersistentVolumeReclaimPolicy::{Recycle, Retain};
    let with = |volume: PersistentVolume| volume.with_finalizer(FINALIZER);
    // The change if protection is wanted, and if it is not.
    let cases = [
        ("bound", bound(), Add, Keep),
        ("bound, protected", with(bound()), Keep, Remove),
        ("bound, deleting", deleting(bound()), Keep, Keep),
        (
            "bound, deleting, protected",
            deleting(with(bound())),
            Keep,
            Remove,
        ),
        ("released", released(), Keep, Keep),
        ("bound, Retain", volume(Bound, Retain), Keep, Keep),
        (
            "bound, Retain, protected",
            with(volume(Bound, Retain)),
            Remove,
            Remove,
        ),
        (
            "bound, Recycle, protected",
            with(volume(Bound, Recycle)),
            Remove,
            Remove,
        ),
        (
            "released, Retain, protected",
            with(volume(Released, Retain)),
            Remove,
            Remove,
        ),
    ];
    for (case, volume, protect, leave) in cases {
        assert_eq!(finalizer_change(true, &volume), protect, "{case}");
        assert_eq!(
            finalizer_change(false, &volume),
            leave,
            "{case}, no protection"
        );
    }
}

#[test]
fn foreign_volumes_need_no_work() {
    let needs = |volume: &PersistentVolume| needs_work(&names(), Ownership::AnyName, true, volume);
    assert!(needs(&released()));
    assert!(needs(&bound()));
    assert!(!needs(&bound().with_finalizer(FINALIZER)));
    assert!(!needs(&released().with_annotation(PROVISIONED_BY, OTHER)));
}

#[test]
fn a_volume_belongs_to_the_claim_of_the_same_uid() {
    let mut claim = claim();
    claim.metadata.uid = Some("1".to_owned());
    let of = |reference| {
        PersistentVolume::new("pvc-1")
            .with_spec(PersistentVolumeSpec::new().with_claim_ref(reference))
    };
    assert!(belongs_to(
        &of(ObjectReference::new().with_uid("1")),
        &claim
    ));
    assert!(!belongs_to(
        &of(ObjectReference::new().with_uid("2")),
        &claim
    ));
    assert!(!belongs_to(
        &of(ObjectReference::new().with_name("data")),
        &claim
    ));
    assert!(!belongs_to(&PersistentVolume::new("pvc-1"), &claim));
}

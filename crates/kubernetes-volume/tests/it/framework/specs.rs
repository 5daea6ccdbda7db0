//! Specifications, and the values that have numbers or names in Kubernetes.

use k8s_openapi::api::core::v1::{
    FlexPersistentVolumeSource, FlexVolumeSource, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeSpec, Volume,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kubernetes_volume::probe::{ProbeEvent, ProbeOperation};
use kubernetes_volume::{CsiVolumePhase, Spec, VOLUME_PARAMETER_FS_TYPE, VolumeOptions};

use super::fake::{Plugin, spec};

fn persistent(name: &str) -> PersistentVolume {
    PersistentVolume {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..PersistentVolume::default()
    }
}

#[test]
fn the_name_is_that_of_the_volume_or_else_of_the_persistent_volume() {
    assert_eq!(spec("inline").name(), "inline");
    assert_eq!(
        Spec::from_persistent_volume(persistent("pv"), false).name(),
        "pv"
    );
    let mut both = Spec::from_persistent_volume(persistent("pv"), true);
    assert!(both.read_only);
    both.volume = spec("inline").volume;
    assert_eq!(both.name(), "inline");
    assert_eq!(Spec::default().name(), "");
}

#[test]
fn volumes_and_claims_of_core_v1_are_taken_too() {
    let metadata = |name: &str| ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    };
    let source = core_v1::LocalVolumeSource {
        path: "/mnt/disk".to_owned(),
        ..Default::default()
    };
    let volume = core_v1::PersistentVolume {
        metadata: metadata("disk"),
        spec: Some(core_v1::PersistentVolumeSpec {
            local: Some(source.into()),
            ..Default::default()
        }),
        ..Default::default()
    };
    let spec = Spec::from_persistent_volume(volume, true);
    assert_eq!(spec.name(), "disk");
    let stored = spec.persistent_volume.unwrap().spec.unwrap();
    assert_eq!(stored.local.unwrap().path, "/mnt/disk");

    let claim = core_v1::PersistentVolumeClaim {
        metadata: metadata("data"),
        ..Default::default()
    };
    let ours = VolumeOptions::default().with_claim(claim).unwrap();
    let theirs = PersistentVolumeClaim {
        metadata: metadata("data"),
        ..Default::default()
    };
    assert_eq!(ours, VolumeOptions::default().with_claim(theirs).unwrap());
}

#[test]
fn the_node_grows_flex_volumes_alone() {
    assert!(!spec("data").is_kubelet_expandable());
    assert_eq!(spec("data").kubelet_expandable_plugin_name(), "");
    let driver = "example.com/driver".to_owned();
    let inline = Spec::from(Volume {
        flex_volume: Some(FlexVolumeSource {
            driver: driver.clone(),
            ..Default::default()
        }),
        ..Volume::default()
    });
    let flex = FlexPersistentVolumeSource {
        driver,
        ..Default::default()
    };
    let volume = PersistentVolume {
        spec: Some(PersistentVolumeSpec {
            flex_volume: Some(flex),
            ..Default::default()
        }),
        ..persistent("pv")
    };
    for spec in [inline, Spec::from_persistent_volume(volume, false)] {
        assert!(spec.is_kubelet_expandable());
        assert_eq!(spec.kubelet_expandable_plugin_name(), "example.com/driver");
    }
}

#[test]
fn constants_are_those_of_kubernetes() {
    assert_eq!(VOLUME_PARAMETER_FS_TYPE, "fstype");
    assert_eq!(CsiVolumePhase::Staged.as_str(), "staged");
    assert_eq!(CsiVolumePhase::Published.as_str(), "published");
    let added = ProbeEvent::AddOrUpdate {
        plugin: Plugin::new("a/b", "").boxed(),
    };
    let removed = ProbeEvent::Remove {
        name: "a/b".to_owned(),
    };
    assert_eq!(
        (added.operation() as u32, removed.operation() as u32),
        (2, 4)
    );
    assert_eq!(removed.operation(), ProbeOperation::Remove);
    assert_eq!(
        format!("{added:?} {removed:?}"),
        r#"AddOrUpdate("a/b") Remove("a/b")"#
    );
}

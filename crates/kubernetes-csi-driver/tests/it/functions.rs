//! The rules that no annotation expresses, and what errors say.

use std::collections::BTreeMap;

use kubernetes_csi::Secrets;
use kubernetes_csi::v1::volume_capability::{AccessType, MountVolume};
use kubernetes_csi::v1::*;
use kubernetes_csi_driver::request::{is_file_name, validate};
use tonic::{Code, Status};

use crate::said::{capability, create, map, said};

/// Returns a valid request.
fn publish() -> NodePublishVolumeRequest {
    NodePublishVolumeRequest {
        volume_id: "volume-1".to_owned(),
        target_path: "/target".to_owned(),
        volume_capability: create().volume_capabilities.pop(),
        ..Default::default()
    }
}

#[test]
fn names() {
    let control = "contains a control character; send only tab, line feed and carriage return of \
                   them";
    for name in [
        "\0", "\u{8}", "\u{b}", "\u{c}", "\u{e}", "\u{1f}", "\u{7f}", "\u{9f}",
    ] {
        let name = format!("a{name}");
        let expected = format!("name {name:?} {control}");
        let volume = CreateVolumeRequest {
            name: name.clone(),
            ..create()
        };
        assert_eq!(said(&volume), expected);
        let snapshot = CreateSnapshotRequest {
            source_volume_id: "volume-1".to_owned(),
            name: name.clone(),
            ..Default::default()
        };
        assert_eq!(said(&snapshot), expected);
        let group = CreateVolumeGroupSnapshotRequest {
            name,
            source_volume_ids: vec!["volume-1".to_owned()],
            ..Default::default()
        };
        assert_eq!(said(&group), expected);
    }
    for name in ["a\tb\nc\rd", "\u{a0}", "../Ä 名"] {
        let volume = CreateVolumeRequest {
            name: name.to_owned(),
            ..create()
        };
        assert_eq!(said(&volume), "valid");
    }
}

#[test]
fn capacities() {
    let table = [
        (1, 0, "valid"),
        (0, 1, "valid"),
        (5, 5, "valid"),
        (i64::MAX, i64::MAX, "valid"),
        (
            0,
            0,
            " has no bounds; set required_bytes, limit_bytes or both",
        ),
        (-1, 0, ".required_bytes is -1; send 0 or more"),
        (
            1,
            i64::MIN,
            ".limit_bytes is -9223372036854775808; send 0 or more",
        ),
        (
            6,
            5,
            ".limit_bytes is 5; send at least required_bytes, which is 6, or 0 for no limit",
        ),
    ];
    for (required_bytes, limit_bytes, expected) in table {
        let range = Some(CapacityRange {
            required_bytes,
            limit_bytes,
        });
        let expected = match expected {
            "valid" => "valid".to_owned(),
            error => format!("capacity_range{error}"),
        };
        assert_eq!(
            said(&CreateVolumeRequest {
                capacity_range: range,
                ..create()
            }),
            expected
        );
        let expand = ControllerExpandVolumeRequest {
            volume_id: "volume-1".to_owned(),
            capacity_range: range,
            ..Default::default()
        };
        assert_eq!(said(&expand), expected);
        let expand = NodeExpandVolumeRequest {
            volume_id: "volume-1".to_owned(),
            volume_path: "/path".to_owned(),
            capacity_range: range,
            ..Default::default()
        };
        assert_eq!(said(&expand), expected);
    }
}

#[test]
fn numbers_of_entries() {
    for (number, expected) in [
        (0, "valid"),
        (i32::MAX, "valid"),
        (-1, " is -1; send 0 or more"),
    ] {
        let of = |field: &str| match expected {
            "valid" => "valid".to_owned(),
            error => format!("{field}{error}"),
        };
        let volumes = ListVolumesRequest {
            max_entries: number,
            ..Default::default()
        };
        assert_eq!(said(&volumes), of("max_entries"));
        let health = ControllerListVolumeHealthRequest {
            max_entries: number,
            ..Default::default()
        };
        assert_eq!(said(&health), of("max_entries"));
        let snapshots = ListSnapshotsRequest {
            max_entries: number,
            ..Default::default()
        };
        assert_eq!(said(&snapshots), of("max_entries"));
        let allocated = GetMetadataAllocatedRequest {
            snapshot_id: "snapshot-1".to_owned(),
            max_results: number,
            // The driver answers OUT_OF_RANGE.
            starting_offset: -1,
            ..Default::default()
        };
        assert_eq!(said(&allocated), of("max_results"));
        let delta = GetMetadataDeltaRequest {
            base_snapshot_id: "snapshot-1".to_owned(),
            target_snapshot_id: "snapshot-2".to_owned(),
            max_results: number,
            ..Default::default()
        };
        assert_eq!(said(&delta), of("max_results"));
    }
}

#[test]
fn capabilities() {
    let of = |capability| CreateVolumeRequest {
        volume_capabilities: [create().volume_capabilities, vec![capability]].concat(),
        ..create()
    };
    assert_eq!(
        said(&of(capability(None, 1))),
        "volume_capabilities[1].access_type is missing; set it"
    );
    let mount = |flags: &[&str]| {
        Some(AccessType::Mount(MountVolume {
            mount_flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            ..Default::default()
        }))
    };
    for mode in 1..=7 {
        assert_eq!(said(&of(capability(mount(&["ro"]), mode))), "valid");
    }
    assert_eq!(
        said(&of(capability(mount(&[]), 8))),
        "volume_capabilities[1].access_mode.mode 8 is unknown; send a value of CSI 1.13"
    );
    let swordfish = "swordfish".repeat(500);
    assert_eq!(
        said(&of(capability(mount(&["password", &swordfish]), 1))),
        "volume_capabilities[1].mount.mount_flags has 4508 bytes in all; send at most 4096"
    );
}

#[test]
fn sources() {
    use volume_content_source::{SnapshotSource, Type, VolumeSource};
    let of = |source| CreateVolumeRequest {
        volume_content_source: Some(VolumeContentSource { r#type: source }),
        ..create()
    };
    let snapshot_id = String::new();
    let table = [
        (None, "volume_content_source.type is missing; set it"),
        (
            Some(Type::Snapshot(SnapshotSource { snapshot_id })),
            "volume_content_source.snapshot.snapshot_id is missing; set it",
        ),
        (
            Some(Type::Volume(VolumeSource {
                volume_id: "v".to_owned(),
            })),
            "valid",
        ),
    ];
    for (source, expected) in table {
        assert_eq!(said(&of(source)), expected);
    }
}

#[test]
fn lists_of_ids() {
    let create = |ids: &[&str]| CreateVolumeGroupSnapshotRequest {
        name: "group-1".to_owned(),
        source_volume_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..Default::default()
    };
    // The specification doesn't forbid that an id occurs twice.
    assert_eq!(said(&create(&["a", "a"])), "valid");
    assert_eq!(
        said(&create(&["a", ""])),
        "source_volume_ids[1] is missing; set it"
    );
    let delete = |ids: &[&str]| DeleteVolumeGroupSnapshotRequest {
        group_snapshot_id: "group-1".to_owned(),
        snapshot_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..Default::default()
    };
    let get = |ids: &[&str]| GetVolumeGroupSnapshotRequest {
        group_snapshot_id: "group-1".to_owned(),
        snapshot_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        ..Default::default()
    };
    // csi-sanity sends none.
    for (ids, expected) in [
        (&[][..], "valid"),
        (&[""], "snapshot_ids[0] is missing; set it"),
    ] {
        assert_eq!(said(&delete(ids)), expected);
        assert_eq!(said(&get(ids)), expected);
    }
}

#[test]
fn volume_paths() {
    let stats = |path: &str| NodeGetVolumeStatsRequest {
        volume_id: "volume-1".to_owned(),
        volume_path: path.to_owned(),
        ..Default::default()
    };
    let expand = |path: &str| NodeExpandVolumeRequest {
        volume_id: "volume-1".to_owned(),
        volume_path: path.to_owned(),
        ..Default::default()
    };
    let table = [
        ("", Code::InvalidArgument, "volume_path is missing; set it"),
        (
            "some/path",
            Code::NotFound,
            "volume_path \"some/path\" is relative, and no volume is there; send an absolute path",
        ),
        (
            "/a/../b",
            Code::InvalidArgument,
            "volume_path \"/a/../b\" has the component \"..\"; send a path without it",
        ),
    ];
    for (path, code, expected) in table {
        let (stats, expand) = (validate(&stats(path)), validate(&expand(path)));
        for error in [stats.unwrap_err(), expand.unwrap_err()] {
            assert_eq!(error.code(), code, "{path}");
            let status = Status::from(error);
            assert_eq!((status.code(), status.message()), (code, expected));
        }
    }
}

#[test]
fn what_kubernetes_adds_does_not_count() {
    let tokens = "x".repeat(10_000);
    let added = [
        ("csi.storage.k8s.io/serviceAccount.tokens", &*tokens),
        ("csi.storage.k8s.io/pod.name", "pod-1"),
        (
            "storage.kubernetes.io/csiProvisionerIdentity",
            "1-2-disk.csi.example.com",
        ),
    ];
    let own = |size: usize| map([("key", &*"v".repeat(size - 3))]);
    for (size, is_valid) in [(4096, true), (4097, false)] {
        let context: BTreeMap<_, _> = map(added).into_iter().chain(own(size)).collect();
        let expected = match is_valid {
            true => "valid",
            false => "volume_context has 4097 bytes of keys and values; send at most 4096",
        };
        let request = NodePublishVolumeRequest {
            volume_context: context,
            ..publish()
        };
        assert_eq!(said(&request), expected);
    }
    let secrets = Secrets::from_iter([("csi.storage.k8s.io/serviceAccount.tokens", tokens)]);
    assert_eq!(
        said(&NodePublishVolumeRequest {
            secrets,
            ..publish()
        }),
        "valid"
    );
}

#[test]
fn secrets_are_not_shown() {
    let of = |key: &str, value: &str| NodePublishVolumeRequest {
        secrets: Secrets::from_iter([(key, value)]),
        ..publish()
    };
    assert_eq!(said(&of("aZ09-_.", "swordfish")), "valid");
    for key in ["sesame key", "sesame/key", "sésame", ""] {
        assert_eq!(
            said(&of(key, "swordfish")),
            "secrets has a key that isn't made of letters, digits, `-`, `_` and `.` alone; rename it"
        );
    }
    assert_eq!(
        said(&of("sesame", &"swordfish".repeat(500))),
        "secrets has 4506 bytes of keys and values; send at most 4096"
    );
}

#[test]
fn values_are_shortened() {
    let request = NodePublishVolumeRequest {
        target_path: "a\n".repeat(100),
        ..publish()
    };
    let shown = "a\\n".repeat(32);
    assert_eq!(
        said(&request),
        format!("target_path \"{shown}\"… is relative; send an absolute path")
    );
}

#[test]
fn the_first_field_is_named() {
    let request = NodePublishVolumeRequest::default();
    let status = Status::from(validate(&request).unwrap_err());
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "volume_id is missing; set it");
}

#[test]
fn ids_as_names_of_files() {
    for id in ["pvc-1", "...", "a b", &"a".repeat(255)] {
        assert!(is_file_name(id), "{id}");
    }
    for id in ["", ".", "..", "/", "a/b", "../a", "a\0", &"a".repeat(256)] {
        assert!(!is_file_name(id), "{id}");
    }
}

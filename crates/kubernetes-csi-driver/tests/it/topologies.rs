//! The rules of topologies.

use kubernetes_csi::v1::*;

use crate::said::{create, map, said};

#[test]
fn requirements() {
    type Topologies = &'static [[(&'static str, &'static str); 1]];
    let table: [(Topologies, Topologies, &str); 7] = [
        (
            &[],
            &[],
            " has no topologies; set requisite, preferred or both",
        ),
        (&[[("zone", "a")]], &[], "valid"),
        (&[], &[[("zone", "a")]], "valid"),
        (
            &[[("zone", "a")], [("zone", "b")]],
            &[[("zone", "b")]],
            "valid",
        ),
        (&[[("Zone", "a")]], &[[("zone", "a")]], "valid"),
        (
            &[[("zone", "a")]],
            &[[("zone", "a")], [("zone", "A")]],
            ".preferred[1] isn't in requisite; add it there, or leave it out here",
        ),
        (
            &[[("zone", "a")], [("", "a")]],
            &[],
            ".requisite[1].segments[\"\"] has a key without a valid name; send at most 63 letters, \
             digits, `-`, `_` and `.`, with a letter or digit at both ends",
        ),
    ];
    for (requisite, preferred, expected) in table {
        let topologies = |all: Topologies| {
            let all = all.iter().map(|entries| Topology {
                segments: map(*entries),
            });
            all.collect()
        };
        let requirement = Some(TopologyRequirement {
            requisite: topologies(requisite),
            preferred: topologies(preferred),
        });
        let expected = match expected {
            "valid" => "valid".to_owned(),
            error => format!("accessibility_requirements{error}"),
        };
        let volume = CreateVolumeRequest {
            accessibility_requirements: requirement.clone(),
            ..create()
        };
        assert_eq!(said(&volume), expected);
        let snapshot = CreateSnapshotRequest {
            source_volume_id: "volume-1".to_owned(),
            name: "snapshot-1".to_owned(),
            accessibility_requirements: requirement,
            ..Default::default()
        };
        assert_eq!(said(&snapshot), expected);
    }
}

#[test]
fn topologies() {
    let of = |segments| GetCapacityRequest {
        accessible_topology: Some(Topology { segments }),
        ..Default::default()
    };
    let longest = "a".repeat(63);
    let longer = "a".repeat(64);
    let name = "has a key without a valid name";
    let prefix = "has a key with an invalid prefix";
    let keys = [
        ("zone", ""),
        ("Zone_1.a-b", ""),
        ("topology.kubernetes.io/zone", ""),
        ("my-disks.example.com/zone", ""),
        (&format!("{longest}/{longest}"), ""),
        ("", name),
        ("-zone", name),
        ("zone.", name),
        ("zo ne", name),
        ("zöne", name),
        (&longer, name),
        ("a/", name),
        ("a/b/c", name),
        ("/zone", prefix),
        ("A.example/zone", prefix),
        ("a_b/zone", prefix),
        ("a..b/zone", prefix),
        ("a.-b/zone", prefix),
        ("a-.b/zone", prefix),
        ("a./zone", prefix),
        (&format!("{longer}/zone"), prefix),
    ];
    for (key, expected) in keys {
        let said = said(&of(map([(key, "a")])));
        match expected {
            "" => assert_eq!(said, "valid", "{key}"),
            error => assert!(said.contains(&format!("] {error}; send")), "{key}: {said}"),
        }
    }
    for (value, is_valid) in [
        ("z1", true),
        ("Z_1.a-b", true),
        (&*longest, true),
        ("", false),
        (&longer, false),
        ("_a", false),
        ("a-", false),
        ("a/b", false),
    ] {
        let said = said(&of(map([("zone", value)])));
        let start = format!("accessible_topology.segments[\"zone\"] is {value:?}; send");
        assert_eq!(said.starts_with(&start), !is_valid, "{said}");
        assert_eq!(said == "valid", is_valid, "{said}");
    }
    assert_eq!(
        said(&of(map([("zo ne", "a")]))),
        "accessible_topology.segments[\"zo ne\"] has a key without a valid name; send at most 63 \
         letters, digits, `-`, `_` and `.`, with a letter or digit at both ends"
    );
    assert_eq!(
        said(&of(map([("zone", "a"), ("a/zone", "a"), ("Zone", "b")]))),
        "accessible_topology.segments[\"zone\"] has the same key as \"Zone\", since case doesn't \
         matter; send one of them"
    );
}

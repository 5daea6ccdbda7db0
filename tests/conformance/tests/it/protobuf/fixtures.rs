//! Kubernetes' own fixtures are read from protobuf as from JSON, and are written byte for byte as
//! Go writes them.

use conformance::each_upstream_kind;
use conformance::fixtures::{self, Fixture};
use conformance::kind::Kind;
use kubernetes_kinds::protobuf::{Field, Message, from_slice, to_vec};
use serde_json::Value;

fn load<K: Kind>() -> Vec<Fixture> {
    let folder = fixtures::folder().unwrap();
    fixtures::load(&folder, K::API_VERSION, K::KIND).unwrap()
}

fn read<K: Kind + Field + Message>() {
    for fixture in load::<K>() {
        let name = &fixture.name;
        let object: K = from_slice(&fixture.protobuf).expect(name);
        let expected: Value = serde_json::from_str(&fixture.json).unwrap();
        assert_eq!(serde_json::to_value(&object).unwrap(), expected, "{name}");
    }
}

/// Go of the newest release writes a field that an older one didn't have, if it holds it without a
/// pointer: as in the fixture of what it writes after it has read the older one.
fn written<K: Kind + Field + Message>() {
    let fixtures = load::<K>();
    for fixture in &fixtures {
        let name = &fixture.name;
        let after = fixtures
            .iter()
            .find(|other| other.after_round_trip && other.name.starts_with(name.as_str()));
        let expected = &after.unwrap_or(fixture).protobuf;
        let from_json: K = serde_json::from_str(&fixture.json).unwrap();
        assert!(to_vec(&from_json) == *expected, "{name} from JSON");
        let from_protobuf: K = from_slice(&fixture.protobuf).unwrap();
        assert!(to_vec(&from_protobuf) == *expected, "{name} from protobuf");
    }
}

mod upstream {
    use super::each_upstream_kind;

    mod read {
        super::each_upstream_kind!(
            super::super::read,
            ignore = "needs UPSTREAM_DIR: see docs/testing.md"
        );
    }

    mod written {
        super::each_upstream_kind!(
            super::super::written,
            ignore = "needs UPSTREAM_DIR: see docs/testing.md"
        );
    }
}

//! Random objects pass through k8s-openapi's types of the same kinds and come back unchanged, as
//! JSON and by `From`, which gives what reading the JSON gives.
//!
//! k8s-openapi is made from the same documents by another generator, so whatever both write
//! alike is very likely right. For storage.k8s.io/v1 it carries every value that
//! `conformance::arbitrary` makes; what is left out there is what JSON can't carry.

use conformance::arbitrary::{check_all, list, list_meta};
use conformance::each_newest_kind;
use conformance::kind::{Peer, Wire};
use k8s_openapi::Metadata;
use kubernetes_kinds::counterpart::Counterpart;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// Ours → JSON → theirs → JSON → ours.
fn round_trip<Ours: Wire, Theirs: Wire>(ours: &Ours) -> Result<(), TestCaseError> {
    let json = serde_json::to_value(ours).unwrap();
    let theirs: Theirs = serde_json::from_value(json.clone())
        .map_err(|error| TestCaseError::fail(format!("k8s-openapi refuses: {error}")))?;
    let theirs_json = serde_json::to_value(&theirs).unwrap();
    prop_assert_eq!(&theirs_json, &json);
    let back: Ours = serde_json::from_value(theirs_json).unwrap();
    prop_assert_eq!(&back, ours);

    // Text takes other paths than values do: borrowed keys, escapes, numbers.
    let text = serde_json::to_string(&theirs).unwrap();
    let back: Ours = serde_json::from_str(&text).unwrap();
    prop_assert_eq!(&back, ours);
    Ok(())
}

/// Ours → theirs → ours by `From`, and the same from a reading of the JSON.
fn converted<Ours, Theirs>(ours: Ours) -> Result<(), TestCaseError>
where
    Ours: Wire + Counterpart<Theirs = Theirs> + From<Theirs>,
    Theirs: Wire + From<Ours>,
{
    let read: Theirs = serde_json::from_value(serde_json::to_value(&ours).unwrap()).unwrap();
    prop_assert_eq!(&Theirs::from(ours.clone()), &read);
    let reported = ours.clone().into_k8s_openapi();
    prop_assert_eq!(&reported.object, &read);
    prop_assert_eq!(reported.unrepresentable, vec![]);
    prop_assert_eq!(Ours::from(read), ours);
    Ok(())
}

/// Of 22 sources one is set, so that they are boxed. docs/from-k8s-openapi.md has the figure.
#[test]
fn a_volume_has_no_room_for_every_source() {
    assert!(size_of::<core_v1::PersistentVolume>() <= 840);
}

fn object<K: Peer>() {
    check_all(&K::arbitrary(), |object| round_trip::<K, K::Peer>(&object));
}

fn from_object<K>()
where
    K: Peer + Counterpart<Theirs = K::Peer> + From<K::Peer>,
    K::Peer: From<K>,
{
    converted::<K, K::Peer>(K::sample()).unwrap();
    check_all(&K::arbitrary(), converted::<K, K::Peer>);
}

fn from_list<K>()
where
    K: Peer,
    K::List: Counterpart<Theirs = k8s_openapi::List<K::Peer>>,
    K::List: From<k8s_openapi::List<K::Peer>>,
    k8s_openapi::List<K::Peer>: Wire + From<K::List>,
{
    check_all(
        &lists::<K>(),
        converted::<K::List, k8s_openapi::List<K::Peer>>,
    );
}

fn lists<K: Peer>() -> impl Strategy<Value = K::List> {
    (list_meta(), list(K::arbitrary())).prop_map(|(metadata, items)| {
        let mut list: K::List = items.into_iter().collect();
        *list.metadata_mut() = metadata;
        list
    })
}

fn whole_list<K: Peer>()
where
    k8s_openapi::List<K::Peer>: Wire,
{
    check_all(&lists::<K>(), |list| {
        round_trip::<K::List, k8s_openapi::List<K::Peer>>(&list)
    });
}

/// The samples set every field, so nothing of ours is unknown to k8s-openapi or renamed.
fn sample<K: Peer>() {
    round_trip::<K, K::Peer>(&K::sample()).unwrap();
}

mod objects {
    use super::*;
    each_newest_kind!(super::object);
}

mod from_objects {
    use super::*;
    each_newest_kind!(super::from_object);
}

mod from_lists {
    use super::*;
    each_newest_kind!(super::from_list);
}

mod lists {
    use super::*;
    each_newest_kind!(super::whole_list);
}

mod samples {
    use super::*;
    each_newest_kind!(super::sample);
}

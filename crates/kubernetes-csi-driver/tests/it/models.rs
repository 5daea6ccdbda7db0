//! Sizes, pages and topologies.

use std::collections::BTreeSet;

use kubernetes_csi_driver::model::{CapacityRange, PageRequest, Topology, TopologyRequirement};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use tonic::Code;

/// Sizes, small and large ones, and often none.
fn size() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0..40_u64, any::<u64>(), (u64::MAX - 40)..=u64::MAX]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sizes_are_the_least_that_are_allowed(
        required in size(),
        limit in option::of(size()),
        default in size(),
        unit in prop_oneof![0..9_u64, size()],
    ) {
        let range = CapacityRange { required, limit };
        let unit_of_one = unit.max(1);
        let wanted = default.max(1);
        let chosen = range.choose(default, unit);
        let least = u128::from(required.max(1)).next_multiple_of(u128::from(unit_of_one));
        let most = limit.unwrap_or(u64::MAX);
        let is_possible = least <= u128::from(most);
        match chosen {
            Ok(size) => {
                prop_assert!(range.allows(size) && size > 0);
                prop_assert_eq!(size % unit_of_one, 0);
                if required > 0 {
                    prop_assert_eq!(u128::from(size), least);
                } else if size > wanted {
                    // As little as possible above what is wanted.
                    prop_assert!(size - wanted < unit_of_one);
                } else {
                    // Below it only if there is no multiple between it and the limit.
                    let next = u128::from(size) + u128::from(unit_of_one);
                    prop_assert!(size == wanted || next > u128::from(most));
                }
            }
            Err(error) => {
                prop_assert!(!is_possible, "{error}");
                prop_assert_eq!(error.code(), Code::OutOfRange);
            }
        }
    }
}

#[test]
fn sizes() {
    let range = |required, limit| CapacityRange { required, limit };
    for (range, default, unit, expected) in [
        (range(0, None), 1024, 512, Some(1024)),
        (range(0, None), 0, 512, Some(512)),
        (range(0, None), 1025, 512, Some(1536)),
        (range(1, None), 1024, 512, Some(512)),
        (range(0, Some(1000)), 2048, 512, Some(512)),
        (range(600, Some(1000)), 2048, 512, None),
        (range(600, Some(1024)), 2048, 512, Some(1024)),
        (range(0, Some(100)), 2048, 512, None),
        (range(u64::MAX, None), 1, 512, None),
        (range(5, None), 1, 0, Some(5)),
    ] {
        let chosen = range.choose(default, unit).ok();
        assert_eq!(chosen, expected, "{range:?}, {default}, {unit}");
    }
    let error = range(600, Some(1000)).choose(1, 512).unwrap_err();
    assert_eq!(
        error.message(),
        "capacity_range: at least 600 and at most 1000 bytes are asked for, and sizes are \
         multiples of 512"
    );
    let error = range(u64::MAX, None).choose(1, 512).unwrap_err();
    assert_eq!(
        error.message(),
        "capacity_range: at least 18446744073709551615 bytes are asked for, and sizes are \
         multiples of 512"
    );
}

/// Ids, of which several begin with another.
fn ids() -> impl Strategy<Value = BTreeSet<String>> {
    btree_set("[ab]{1,4}", 0..12)
}

/// Lists all pages. Between them, the entries become those of the next list.
fn listed(lists: &[BTreeSet<String>], most: Option<usize>) -> Vec<String> {
    let mut request = PageRequest {
        max_entries: most,
        starting_token: None,
    };
    let mut all = Vec::new();
    for number in 0..100 {
        let list = &lists[number % lists.len()];
        let page = request
            .of_sorted(list, |id| id.as_str(), |token| !token.is_empty())
            .unwrap();
        assert!(most.is_none_or(|most| page.entries.len() <= most));
        all.extend(page.entries.into_iter().cloned());
        match page.next_token {
            Some(token) => request.starting_token = Some(token),
            None => return all,
        }
    }
    panic!("there is no end of pages: {all:?}")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_entry_is_missed_or_listed_twice(lists in vec(ids(), 1..6), most in option::of(1..14_usize)) {
        let all = listed(&lists, most);
        let once: BTreeSet<_> = all.iter().cloned().collect();
        prop_assert_eq!(once.len(), all.len(), "{:?}", all);
        prop_assert!(all.is_sorted());
        // Those that are there all the time.
        let mut always = lists[0].clone();
        always.retain(|id| lists.iter().all(|list| list.contains(id)));
        prop_assert!(once.is_superset(&always), "{:?} of {:?}", once, always);
        let ever: BTreeSet<_> = lists.into_iter().flatten().collect();
        prop_assert!(once.is_subset(&ever));
    }

    #[test]
    fn pages_are_full(list in ids(), most in 1..14_usize) {
        let request = PageRequest { max_entries: Some(most), starting_token: None };
        let page = request.of_sorted(&list, |id| id.as_str(), |_| true).unwrap();
        prop_assert_eq!(page.entries.len(), most.min(list.len()));
        prop_assert_eq!(page.next_token.is_some(), list.len() > most);
    }
}

#[test]
fn a_token_that_is_none() {
    let request = PageRequest {
        max_entries: None,
        starting_token: Some("other".to_owned()),
    };
    let refused = request.of_sorted(["a"], |id| id, |token| token == "a");
    let error = refused.unwrap_err();
    assert_eq!(error.code(), Code::Aborted);
    assert_eq!(
        error.message(),
        "starting_token: it isn't the next_token of a page; list from the start"
    );
}

fn place(text: &str) -> Topology {
    let segments = text
        .split(' ')
        .filter_map(|segment| segment.split_once('='));
    Topology::from_iter(segments)
}

#[test]
fn parts_of_the_cluster() {
    for (part, place_in_it, is_in) in [
        ("zone=a", "zone=a", true),
        ("zone=a", "zone=a rack=1", true),
        ("zone=a rack=1", "zone=a", false),
        ("zone=a", "zone=b", false),
        ("zone=a", "zone=A", false),
        ("zone=a", "rack=a", false),
        ("", "zone=a", true),
        // The case of keys doesn't matter.
        ("Zone=a", "zone=a", true),
        ("zone=a", "ZONE=a rack=1", true),
    ] {
        let is_contained = place(part).contains(&place(place_in_it));
        assert_eq!(is_contained, is_in, "{part}, {place_in_it}");
    }
}

#[test]
fn requirements() {
    let places = |all: &[&str]| all.iter().map(|text| place(text)).collect();
    let requirement = |requisite, preferred| TopologyRequirement {
        requisite: places(requisite),
        preferred: places(preferred),
    };
    let both = requirement(&["zone=a", "zone=b", "zone=c"], &["zone=c", "zone=a"]);
    let order: Vec<_> = both.in_order().cloned().collect();
    assert_eq!(order, places(&["zone=c", "zone=a", "zone=b"]) as Vec<_>);
    assert!(both.allows(&place("zone=b rack=1")));
    assert!(!both.allows(&place("zone=d")));
    // Without requisite places, those preferred are a wish.
    let wish = requirement(&[], &["zone=a"]);
    assert!(wish.allows(&place("zone=b")));
    assert_eq!(wish.in_order().count(), 1);
    // The case of keys doesn't matter.
    let mixed = requirement(&["Zone=a", "zone=b"], &["zone=a"]);
    let order: Vec<_> = mixed.in_order().cloned().collect();
    assert_eq!(order, places(&["zone=a", "zone=b"]) as Vec<_>);
    assert_eq!(TopologyRequirement::default().in_order().count(), 0);
    assert!(TopologyRequirement::default().allows(&place("zone=a")));
}

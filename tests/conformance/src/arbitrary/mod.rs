//! Random values: the parts that all kinds share.
//!
//! `fieldsV1` holding `null` is left out, because in JSON it is the same as an absent value. Times
//! are whole seconds, which is all that Kubernetes' `Time` keeps.

pub mod csi_v1alpha1;
pub mod storage_v1;
pub mod volume;

use std::collections::BTreeMap;
use std::env;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    FieldsV1, LabelSelector, LabelSelectorRequirement, ListMeta, ManagedFieldsEntry, ObjectMeta,
    OwnerReference, ShardInfo, Time,
};
use k8s_openapi::jiff::Timestamp;
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use serde_json::{Map, Value};

/// Runs `check` on random values: 100, or as many as `PROPTEST_CASES` says.
///
/// They are the same in each run, so that a failure comes from a change and not from chance;
/// `PROPTEST_RNG_SEED` gives others.
///
/// # Panics
///
/// When `check` fails, with the smallest such value that was found.
pub fn check_all<S: Strategy>(strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    run(strategy, config(100), check);
}

/// The same with 500 values, where each is cheap and no example may be missed.
///
/// # Panics
///
/// As [`check_all`].
pub fn check_many<S: Strategy>(
    strategy: &S,
    check: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    run(strategy, config(500), check);
}

fn config(cases: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    config
}

#[allow(clippy::panic)] // It is how a test fails.
fn run<S: Strategy>(
    strategy: &S,
    config: ProptestConfig,
    check: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..config
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(0);
    }
    if let Err(failure) = TestRunner::new(config).run(strategy, check) {
        panic!("{failure}");
    }
}

/// Returns random values, the same for the same seed, for tests that can't pass a closure.
///
/// # Panics
///
/// If the strategy rejects too many of its values.
#[allow(clippy::expect_used)]
pub fn some<S: Strategy>(strategy: &S, seed: u64, count: usize) -> Vec<S::Value> {
    let config = ProptestConfig {
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    let mut value = || strategy.new_tree(&mut runner).expect("a value").current();
    (0..count).map(|_| value()).collect()
}

/// Strings: names as they are usual, and whatever might trip a reader or writer.
///
/// Boxed, as [`object_meta`] and the volumes are, because the state of nested strategies is
/// one flat value and would not fit the stack of a test's thread.
pub fn text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => "[a-z][a-z0-9.-]{0,20}",
        1 => Just(String::new()),
        // Texts that YAML or a careless reader would take for something else.
        1 => proptest::sample::select(vec![
            "null", "~", "true", "no", "0x1f", "1e3", "-", "- a", "a: b", "#", " x ", "\"",
            "'", "\\", "\u{0}", "\n", "a\r\nb\t", "\u{2028}", "\u{feff}", "\u{85}", "{}",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => proptest::collection::vec(any::<char>(), 0..6)
            .prop_map(|chars| chars.into_iter().collect()),
    ]
    .boxed()
}

/// Lists, also empty ones.
pub fn list<S: Strategy>(item: S) -> impl Strategy<Value = Vec<S::Value>> {
    vec(item, 0..4)
}

/// Maps of strings, also empty ones.
pub fn map() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(text(), text(), 0..4)
}

/// A value of an open enumeration, known or not.
pub fn open_enum<T>(known: &'static [&'static str]) -> impl Strategy<Value = T>
where
    T: From<String> + std::fmt::Debug,
{
    prop_oneof![
        2 => proptest::sample::select(known).prop_map(str::to_owned),
        1 => text(),
    ]
    .prop_map(T::from)
}

/// Times, from year 1 to 9999.
pub fn time() -> impl Strategy<Value = Time> {
    (-62_135_596_800_i64..=253_402_207_200)
        .prop_map(|second| Time(Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH)))
}

/// Quantities as they are usual, and as only a broken writer would make them.
pub fn quantity() -> impl Strategy<Value = Quantity> {
    prop_oneof!["[0-9]{1,9}(|Ki|Mi|Gi|m|k|e3)", text()].prop_map(Quantity)
}

/// 64-bit integers with their limits and zero.
pub fn int64() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        Just(i64::MIN),
        Just(i64::MAX),
        any::<i64>(),
        0..100_i64
    ]
}

/// 32-bit integers with their limits and zero.
pub fn int32() -> impl Strategy<Value = i32> {
    prop_oneof![Just(0), Just(i32::MIN), Just(i32::MAX), 0..1000_i32]
}

/// Label selectors.
pub fn label_selector() -> impl Strategy<Value = LabelSelector> {
    let requirement = (text(), text(), of(list(text()))).prop_map(|fields| {
        let (key, operator, values) = fields;
        LabelSelectorRequirement {
            key,
            operator,
            values,
        }
    });
    (of(list(requirement)), of(map())).prop_map(|(match_expressions, match_labels)| LabelSelector {
        match_expressions,
        match_labels,
    })
}

/// The contents of `fieldsV1`: nested objects, and other JSON to be sure.
fn fields_v1() -> impl Strategy<Value = FieldsV1> {
    let leaf = prop_oneof![
        3 => Just(Value::Object(Map::new())),
        1 => any::<bool>().prop_map(Value::from),
        1 => int64().prop_map(Value::from),
        1 => text().prop_map(Value::from),
    ];
    let object = |value: BoxedStrategy<Value>| {
        vec((text(), value), 0..3).prop_map(|entries| Value::Object(entries.into_iter().collect()))
    };
    leaf.prop_recursive(3, 12, 3, move |inner| object(inner).boxed())
        .prop_map(FieldsV1)
}

fn managed_fields_entry() -> impl Strategy<Value = ManagedFieldsEntry> {
    let texts = (of(text()), of(text()), of(text()), of(text()), of(text()));
    (texts, of(fields_v1()), of(time())).prop_map(|(texts, fields_v1, time)| {
        let (api_version, fields_type, manager, operation, subresource) = texts;
        ManagedFieldsEntry {
            api_version,
            fields_type,
            fields_v1,
            manager,
            operation,
            subresource,
            time,
        }
    })
}

fn owner_reference() -> impl Strategy<Value = OwnerReference> {
    (
        text(),
        of(any::<bool>()),
        of(any::<bool>()),
        text(),
        text(),
        text(),
    )
        .prop_map(
            |(api_version, block_owner_deletion, controller, kind, name, uid)| OwnerReference {
                api_version,
                block_owner_deletion,
                controller,
                kind,
                name,
                uid,
            },
        )
}

/// Metadata of objects.
pub fn object_meta() -> BoxedStrategy<ObjectMeta> {
    let texts = (
        of(text()),
        of(text()),
        of(text()),
        of(text()),
        of(text()),
        of(text()),
    );
    let times = (of(time()), of(time()), of(int64()), of(int64()));
    let lists = (
        of(map()),
        of(map()),
        of(list(text())),
        of(list(managed_fields_entry())),
        of(list(owner_reference())),
    );
    (texts, times, lists)
        .prop_map(|(texts, times, lists)| {
            let (name, namespace, generate_name, resource_version, self_link, uid) = texts;
            let (creation_timestamp, deletion_timestamp, grace, generation) = times;
            let (annotations, labels, finalizers, managed_fields, owner_references) = lists;
            ObjectMeta {
                annotations,
                creation_timestamp,
                deletion_grace_period_seconds: grace,
                deletion_timestamp,
                finalizers,
                generate_name,
                generation,
                labels,
                managed_fields,
                name,
                namespace,
                owner_references,
                resource_version,
                self_link,
                uid,
            }
        })
        .boxed()
}

/// Metadata of lists.
pub fn list_meta() -> impl Strategy<Value = ListMeta> {
    let shard = text().prop_map(|selector| ShardInfo { selector });
    (of(text()), of(int64()), of(text()), of(text()), of(shard)).prop_map(
        |(continue_, remaining_item_count, resource_version, self_link, shard_info)| ListMeta {
            continue_,
            remaining_item_count,
            resource_version,
            self_link,
            shard_info,
        },
    )
}

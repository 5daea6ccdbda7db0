//! Quantities that are numbers.

use conformance::kind::scheme;
use core_v1::PersistentVolume;
use kubernetes_manifests::scheme::Syntax;
use kubernetes_manifests::strict;
use serde_json::Value;
use storage_v1::CSIStorageCapacity;

/// Texts of a PersistentVolume and a CSIStorageCapacity in JSON, with a quantity.
fn with(quantity: &str) -> [String; 2] {
    [
        format!(
            r#"{{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {{"name": "5e1 \"{{"}},
            "spec": {{"capacity": {{"a": 0.5, "storage": {quantity} }}}}}}"#
        ),
        format!(
            r#"{{"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
            "storageClassName": "1.5", "capacity": {quantity}, "maximumVolumeSize": {quantity} }}"#
        ),
    ]
}

fn of_volume(volume: PersistentVolume) -> String {
    volume.spec.unwrap().capacity.unwrap()["storage"].0.clone()
}

fn of_capacity(capacity: CSIStorageCapacity) -> [String; 2] {
    [capacity.capacity, capacity.maximum_volume_size].map(|quantity| quantity.unwrap().0)
}

/// `serde_json` gives numbers of 64 bits, which may have lost digits.
#[test]
fn a_number_is_exact_or_refused() {
    for (number, text) in [
        ("5", "5"),
        ("-0.5", "-0.5"),
        ("1e3", "1000"),
        ("18446744073709551615", "18446744073709551615"),
        ("123456789012345.0", "123456789012345"),
        ("1e30", "1000000000000000000000000000000"),
        (r#""1Gi""#, "1Gi"),
        (r#""1\u0047i""#, "1Gi"),
    ] {
        let [volume, capacity] = with(number);
        assert_eq!(of_volume(serde_json::from_str(&volume).unwrap()), text);
        assert_eq!(
            of_volume(serde_json::from_reader(volume.as_bytes()).unwrap()),
            text
        );
        assert_eq!(
            of_capacity(serde_json::from_str(&capacity).unwrap()),
            [text, text]
        );
        let value: Value = serde_json::from_str(&capacity).unwrap();
        assert_eq!(
            of_capacity(serde_json::from_value(value).unwrap()),
            [text, text]
        );
    }
    for number in [
        "18446744073709551616",
        "9007199254740993.0",
        "0.30000000000000004",
    ] {
        let [volume, capacity] = with(number);
        let error = serde_json::from_str::<PersistentVolume>(&volume).unwrap_err();
        assert!(error.to_string().contains("write it in quotes"), "{error}");
        serde_json::from_str::<CSIStorageCapacity>(&capacity).unwrap_err();
    }
    for wrong in ["true", "{}", "[]", r#"{"a": "1"}"#] {
        serde_json::from_str::<CSIStorageCapacity>(&with(wrong)[1]).unwrap_err();
        strict::from_json::<CSIStorageCapacity>(&with(wrong)[1]).unwrap_err();
    }
    let absent = serde_json::from_str::<CSIStorageCapacity>(r#"{"capacity": null}"#);
    assert_eq!(absent.unwrap().capacity, None);
}

/// The readers of `kubernetes-manifests` keep the digits, as a server does.
#[test]
fn manifests_keep_the_digits_of_numbers() {
    for number in [
        "5",
        "9007199254740993.0",
        "18446744073709551616",
        "-0.12345678901234567890123",
        "1e3",
        "1.50",
        "1e400",
        "-1.5E+309",
        "1e-400",
    ] {
        let [volume, capacity] = with(number);
        let read = scheme().decode_json::<PersistentVolume>(&volume).unwrap();
        assert_eq!(of_volume(read.object), number);
        let read = strict::from_json::<PersistentVolume>(&volume).unwrap();
        assert_eq!(of_volume(read.object), number);
        let read = scheme()
            .decode_json::<CSIStorageCapacity>(&capacity)
            .unwrap();
        assert_eq!(of_capacity(read.object), [number, number]);
        let parts = scheme();
        let mut parts = parts.decode_each(&volume, Syntax::Json);
        let object = parts.next().unwrap().object.unwrap().unwrap();
        assert_eq!(of_volume(object.downcast().unwrap()), number);
    }
    // Where no float of 64 bits is, no other field has one.
    for text in [
        r#"{"metadata": {"generation": 1e400}}"#,
        r#"{"nodeTopology": {"matchLabels": {"a": 1e400}}}"#,
    ] {
        let error = strict::from_json::<CSIStorageCapacity>(text).unwrap_err();
        assert!(error.to_string().contains("out of range"), "{error}");
    }
    // Go converts YAML to JSON first, with numbers of 64 bits.
    for (number, text) in [
        ("18446744073709551616", "18446744073709552000"),
        ("1e3", "1000"),
        ("1e21", "1e21"),
        ("0.0000001", "1e-7"),
        ("1_000", "1000"),
    ] {
        let capacity = format!(
            "apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nstorageClassName: a\n\
             capacity: {number}\nmaximumVolumeSize: {number}\n"
        );
        let read = strict::from_yaml::<CSIStorageCapacity>(&capacity).unwrap();
        assert_eq!(of_capacity(read.object), [text, text]);
    }
}

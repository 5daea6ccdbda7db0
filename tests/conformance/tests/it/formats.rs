//! Random objects through every way in and out: the ways of `serde_json`, which differ in
//! whether they lend, copy or give away keys and strings; CBOR, which writes the number of
//! fields before them; and YAML.

use conformance::arbitrary::check_all;
use conformance::each_kind;
use conformance::kind::{Kind, Wire};
use proptest::prelude::*;
use serde_json::Value;

/// Checks random objects, each alone and in a list.
fn check<K: Kind>(
    object: impl Fn(&K) -> Result<(), TestCaseError>,
    list: impl Fn(&K::List) -> Result<(), TestCaseError>,
) {
    check_all(&K::arbitrary(), |random| {
        object(&random)?;
        list(&[random].into_iter().collect())
    });
}

fn json<T: Wire>(object: &T) -> Result<(), TestCaseError> {
    let text = serde_json::to_string(object).unwrap();
    let from_str: T = serde_json::from_str(&text).unwrap();
    prop_assert_eq!(&from_str, object);
    let from_slice: T = serde_json::from_slice(text.as_bytes()).unwrap();
    prop_assert_eq!(&from_slice, object);
    let from_reader: T = serde_json::from_reader(text.as_bytes()).unwrap();
    prop_assert_eq!(&from_reader, object);

    let value: Value = serde_json::to_value(object).unwrap();
    prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &value);
    prop_assert_eq!(&T::deserialize(&value).unwrap(), object);
    prop_assert_eq!(&serde_json::from_value::<T>(value).unwrap(), object);

    let pretty = serde_json::to_string_pretty(object).unwrap();
    prop_assert_eq!(&serde_json::from_str::<T>(&pretty).unwrap(), object);
    Ok(())
}

fn cbor<T: Wire>(object: &T) -> Result<(), TestCaseError> {
    let mut bytes = Vec::new();
    ciborium::into_writer(object, &mut bytes).unwrap();
    // A wrong count makes the reader stop early or run on into what follows.
    bytes.push(0xf6);
    let mut rest = bytes.as_slice();
    let back: T = ciborium::from_reader(&mut rest).unwrap();
    prop_assert_eq!(&back, object);
    prop_assert_eq!(rest, [0xf6]);

    let mut rest = bytes.as_slice();
    let value: ciborium::Value = ciborium::from_reader(&mut rest).unwrap();
    prop_assert_eq!(rest, [0xf6]);
    prop_assert_eq!(&value.deserialized::<T>().unwrap(), object);
    Ok(())
}

fn yaml<T: Wire>(object: &T) -> Result<(), TestCaseError> {
    let text = serde_saphyr::to_string(object).unwrap();
    let back: T = serde_saphyr::from_str(&text)
        .map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    prop_assert_eq!(&back, object, "{}", text);
    Ok(())
}

fn by_json<K: Kind>() {
    check::<K>(json, json);
}

fn by_cbor<K: Kind>() {
    check::<K>(cbor, cbor);
}

fn by_yaml<K: Kind>() {
    check::<K>(yaml, yaml);
}

/// Keys that no reader can lend, because they are written with escapes, and keys longer
/// than any field's name.
fn odd_keys<K: Kind>() {
    let text = serde_json::to_string(&K::sample()).unwrap();
    let escaped = text.replace("\"apiVersion\"", "\"\\u0061piVersion\"");
    let escaped = escaped.replace("\"metadata\"", "\"met\\u0061data\"");
    assert_ne!(escaped, text);
    let long = format!("{{\"{}\":1,\"\":2,{}", "é".repeat(100), &escaped[1..]);
    for text in [escaped, long] {
        assert_eq!(serde_json::from_str::<K>(&text).unwrap(), K::sample());
        let read: K = serde_json::from_reader(text.as_bytes()).unwrap();
        assert_eq!(read, K::sample());
    }
}

mod in_json {
    use super::*;
    each_kind!(super::by_json);
}

mod in_cbor {
    use super::*;
    each_kind!(super::by_cbor);
}

mod in_yaml {
    use super::*;
    each_kind!(super::by_yaml);
}

mod keys {
    use super::*;
    each_kind!(super::odd_keys);
}

//! Values of custom resources, which are written as they were read.

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::apimachinery::pkg::util::intstr;
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::serde::{Serialize, de::DeserializeOwned};
use k8s_openapi::serde_json;
use kubernetes_kinds::values::{DateTime, IntOrQuantity, IntOrString, Number};

/// The JSON that is written for a value that is read.
fn again<T: DeserializeOwned + Serialize>(json: &str) -> Option<String> {
    let value: T = serde_json::from_str(json).ok()?;
    Some(serde_json::to_string(&value).unwrap())
}

#[test]
fn numbers() {
    for json in [
        "0",
        "1",
        "-1",
        "0.5",
        "-0.25",
        "9007199254740993",
        "-9223372036854775808",
    ] {
        assert_eq!(again::<Number>(json).as_deref(), Some(json));
    }
    // A server writes these without a fraction, too.
    for (json, written) in [
        ("1.0", "1"),
        ("-0.0", "0"),
        ("1e3", "1000"),
        ("9.223372036854774e18", "9223372036854773760"),
    ] {
        assert_eq!(again::<Number>(json).as_deref(), Some(written));
    }
    for json in ["\"1\"", "true", "null", "[1]"] {
        assert_eq!(again::<Number>(json), None, "{json}");
    }
    // Beyond 63 bits it is a float, as on a server.
    let large: Number = serde_json::from_str("18446744073709551615").unwrap();
    assert_eq!((large.as_i64(), large.as_f64()), (None, 2f64.powi(64)));
    assert_eq!(Number::from(u64::MAX), large);
    assert_eq!(Number::from(2f64.powi(63)).as_i64(), None);
    assert_eq!(Number::from(-(2f64.powi(63))).as_i64(), Some(i64::MIN));
    assert!(Number::from(i64::MAX) > Number::from(i64::MAX - 1));
    assert!(Number::from(0.5) < Number::from(1));
    for number in [f64::NAN, f64::INFINITY] {
        let error = serde_json::to_string(&Number::from(number)).unwrap_err();
        assert_eq!(error.to_string(), format!("{number} has no JSON"));
    }
}

#[test]
fn numbers_or_texts() {
    for json in ["80", "-1", "8589934592", "\"http\"", "\"80\"", "\"\""] {
        assert_eq!(again::<IntOrString>(json).as_deref(), Some(json));
        assert_eq!(again::<IntOrQuantity>(json).as_deref(), Some(json));
    }
    assert_eq!(again::<IntOrString>("80.0").as_deref(), Some("80"));
    for json in ["1.5", "1e16", "9223372036854775808", "true", "null", "{}"] {
        assert_eq!(again::<IntOrString>(json), None, "{json}");
    }
    let port = intstr::IntOrString::Int(80);
    assert_eq!(IntOrString::from(port.clone()), 80.into());
    assert_eq!(IntOrString::from(80).try_into(), Ok(port));
    let large = IntOrString::from(1i64 << 31);
    assert!(intstr::IntOrString::try_from(large).is_err());
    assert_eq!(IntOrString::from("http").to_string(), "http");
    assert_eq!(
        Quantity::from(IntOrQuantity::from(5)),
        Quantity("5".to_owned())
    );
    let size = Quantity("1Gi".to_owned());
    assert_eq!(IntOrQuantity::from(size.clone()).text(), Some("1Gi"));
    assert_eq!(Quantity::from(IntOrQuantity::from("1Gi")), size);
}

#[test]
fn times() {
    for text in [
        "2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.10Z",
        "2026-01-02t03:04:05.123456789z",
        "2026-01-02T03:04:05+01:00",
    ] {
        let json = format!("\"{text}\"");
        assert_eq!(again::<DateTime>(&json), Some(json));
        assert!(DateTime::from(text).timestamp().is_some(), "{text}");
    }
    let early = DateTime::from("2026-01-02t03:04:05.25z").timestamp();
    assert_eq!(early.map(Timestamp::subsec_millisecond), Some(250));
    assert_eq!(DateTime::from("2026-02-30T03:04:05Z").timestamp(), None);
    assert_eq!(DateTime::default().timestamp(), None);
    let time: Timestamp = "2026-01-02T03:04:05.25Z".parse().unwrap();
    assert_eq!(DateTime::from(time).as_str(), "2026-01-02T03:04:05.25Z");
    for (ours, theirs) in [
        (
            DateTime::from(Time(time)),
            serde_json::to_string(&Time(time)),
        ),
        (
            DateTime::from(MicroTime(time)),
            serde_json::to_string(&MicroTime(time)),
        ),
    ] {
        assert_eq!(serde_json::to_string(&ours).unwrap(), theirs.unwrap());
    }
}

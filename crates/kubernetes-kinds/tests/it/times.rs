//! Times: the form that Go's `time.Parse` takes for RFC 3339. `e2e` asks a server for each.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::serde_json::{self, json};
use kubernetes_kinds::wire;

#[derive(Clone, Debug, Default, PartialEq)]
struct Event {
    time: Option<Time>,
}

wire::object! {
    Event {
        optional "time" => time as time,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Object {
    metadata: ObjectMeta,
}

wire::object! {
    Object {
        required "metadata" => metadata as metadata,
    }
}

/// The time as it is written again.
fn read(text: &str) -> Option<String> {
    let event: Event = serde_json::from_value(json!({"time": text})).ok()?;
    let time = serde_json::to_value(event.time?).unwrap();
    Some(time.as_str()?.to_owned())
}

#[test]
fn what_go_takes_is_read() {
    let times = [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T3:04:05Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.123456789012Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05,5+01:00", "2026-01-02T02:04:05Z"),
        ("2026-01-02T03:04:05-24:00", "2026-01-03T03:04:05Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("9999-12-30T21:59:59Z", "9999-12-30T21:59:59Z"),
        // The last time that there is.
        ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
        ("9999-12-30T22:00:01Z", "9999-12-30T22:00:00Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-30T22:00:00Z"),
        ("9999-12-31T9:59:59-23:00", "9999-12-30T22:00:00Z"),
    ];
    for (text, written) in times {
        assert_eq!(read(text).as_deref(), Some(written), "{text}");
    }
    assert_eq!(
        serde_json::from_value::<Event>(json!({"time": null})).unwrap(),
        Event::default()
    );
}

#[test]
fn the_common_form_is_read_as_others_are() {
    let text = "2024-02-29T23:59:59";
    for at in 0..text.len() {
        for byte in ' '..='~' {
            let text = format!("{}{byte}{}", &text[..at], &text[at + 1..]);
            // A fraction makes it another form.
            let other = read(&format!("{text}.0Z"));
            assert_eq!(read(&format!("{text}Z")), other, "{text}");
        }
    }
}

#[test]
fn times_of_managers_are_read_as_others() {
    let read = |time: &str| -> Option<Time> {
        let object = json!({"metadata": {"managedFields": [{"manager": "m", "time": time}]}});
        let object: Object = serde_json::from_value(object).ok()?;
        object.metadata.managed_fields?.pop()?.time
    };
    let time = |text: &str| Some(Time(text.parse().unwrap()));
    assert_eq!(
        read("2026-01-02T3:04:05,5Z"),
        time("2026-01-02T03:04:05.5Z")
    );
    assert_eq!(read("9999-12-31T00:00:00Z"), time("9999-12-30T22:00:00Z"));
    assert_eq!(read("2026-01-02t03:04:05z"), None);
}

#[test]
fn other_forms_are_errors() {
    for text in [
        "2026-01-02t03:04:05Z",
        "2026-01-02T03:04:05z",
        "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:60Z",
        "2026-01-02T03:04:05",
        "2026-01-02T03:04Z",
        "20260102T030405Z",
        "2026-02-30T03:04:05Z",
        "9999-02-29T03:04:05Z",
        "9999-12-32T03:04:05Z",
        "9999-12-31T24:04:05Z",
        "2026-01-02T24:00:00Z",
        "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05+0100",
        "2026-01-02T03:04:05+25:00",
        "2026-01-02T03:04:05+01:61",
        "2026-01-02T03:04:05Z[UTC]",
        "12026-01-02T03:04:05Z",
        "2026-01-02T",
        "2026-01-02T3:",
        "é026-01-02T03:04:05Z",
        "",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    let error = serde_json::from_value::<Event>(json!({"time": "now"})).unwrap_err();
    assert!(error.to_string().contains("RFC 3339"), "{error}");
}

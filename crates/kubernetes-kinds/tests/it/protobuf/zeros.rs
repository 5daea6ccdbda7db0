//! Zero values of fields that Go holds without a pointer: they are what Go's JSON has.

use k8s_openapi::serde_json;
use kubernetes_kinds::protobuf::{Input, Output, read_message, write_message};
use kubernetes_kinds::wire;

use super::number;

/// Counts of which Go's JSON has the first, even if it is zero, and omits the second.
#[derive(Clone, Debug, Default, PartialEq)]
struct Counts {
    kept: Option<i32>,
    omitted: Option<i32>,
}

wire::object! {
    Counts {
        optional "kept" = 1 kept => kept,
        optional "omitted" = 2 always => omitted,
    }
}

#[test]
fn zeros_are_what_json_has() {
    let bytes = [number(1, 0), number(2, 0)].concat();
    let mut counts = Counts::default();
    read_message(&mut counts, Input::new(&bytes)).unwrap();
    assert_eq!(counts, serde_json::from_str(r#"{"kept":0}"#).unwrap());
    assert_eq!(serde_json::to_string(&counts).unwrap(), r#"{"kept":0}"#);
    for counts in [counts, Counts::default()] {
        let mut output = Output::default();
        write_message(&counts, &mut output);
        assert_eq!(output.into_vec(), bytes);
    }
}

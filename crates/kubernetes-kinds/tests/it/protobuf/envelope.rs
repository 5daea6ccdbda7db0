//! The envelope around an object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kubernetes_kinds::protobuf::{CONTENT_TYPE, from_slice, to_vec};

use super::{bytes, number, tag, varint};

const PREFIX: &[u8] = b"k8s\0";

fn code(input: &[u8]) -> Result<Option<i32>, String> {
    let status = from_slice::<Status>(input).map_err(|error| error.to_string())?;
    Ok(status.code)
}

fn body(fields: &[Vec<u8>]) -> Vec<u8> {
    [PREFIX, &fields.concat()].concat()
}

fn names(api_version: &str, kind: &str) -> Vec<u8> {
    let names = [bytes(1, api_version.as_bytes()), bytes(2, kind.as_bytes())];
    bytes(1, &names.concat())
}

#[test]
fn what_is_read() {
    let object = || bytes(2, &number(6, 404));
    let names = || names("v1", "Status");
    for fields in [
        vec![names(), object()],
        vec![object(), names()],
        // Without a kind it is the one that is expected, as Go has it.
        vec![object()],
        vec![bytes(1, b""), object()],
        vec![
            bytes(1, &bytes(1, b"v1")),
            bytes(1, &bytes(2, b"Status")),
            object(),
        ],
        vec![bytes(2, b"other"), object()],
        vec![
            names(),
            object(),
            bytes(3, b""),
            bytes(4, CONTENT_TYPE.as_bytes()),
        ],
        vec![names(), object(), number(5, 1), bytes(1024 + 2, b"x")],
    ] {
        assert_eq!(code(&body(&fields)), Ok(Some(404)), "{fields:?}");
    }
    assert_eq!(code(&body(&[names()])), Ok(None));
}

#[test]
fn what_is_refused() {
    let no_object = "the input isn't an object in Kubernetes' protobuf";
    for input in [&b""[..], b"k8s", b"k8s\x01", b"{}", b"K8s\0\n\0", PREFIX] {
        assert_eq!(code(input), Err(no_object.to_owned()), "{input:?}");
    }
    let object = || bytes(2, &number(6, 404));
    for (fields, expected) in [
        (
            vec![names("v1", "Pod"), object()],
            "the object is \"v1 Pod\", expected \"v1 Status\"",
        ),
        (
            vec![names("v2", "Status")],
            "the object is \"v2 Status\", expected \"v1 Status\"",
        ),
        (
            vec![names("", "a\nb")],
            "the object is \" a\\nb\", expected \"v1 Status\"",
        ),
        (
            vec![object(), bytes(3, b"gzip")],
            "unknown encoding \"gzip\"",
        ),
        (
            vec![object(), bytes(4, b"application/json\0")],
            "unknown encoding \"application/json\\0\"",
        ),
        (vec![number(2, 1)], "unexpected wire type 0"),
        (vec![number(1, 1)], "unexpected wire type 0"),
        (vec![number(3, 1)], "unexpected wire type 0"),
        (vec![bytes(1, &number(1, 1))], "unexpected wire type 0"),
        (vec![bytes(1, &number(2, 1))], "unexpected wire type 0"),
        (
            vec![tag(2, 2), varint(1 << 63)],
            "a length of 9223372036854775808 bytes exceeds the input",
        ),
        (vec![number(0, 1)], "0 is no number of a field"),
        (vec![tag(9, 4)], "a group ends that hasn't begun"),
        (vec![tag(9, 3)], "the input ends inside a value"),
        (vec![vec![0x80]], "the input ends inside a value"),
        (vec![bytes(2, &[0x80])], "the input ends inside a value"),
        (
            vec![bytes(2, &bytes(6, b""))],
            "Status, field 6: unexpected wire type 2",
        ),
    ] {
        assert_eq!(code(&body(&fields)), Err(expected.to_owned()), "{fields:?}");
    }
}

/// An input that isn't refused is written and read as the same.
#[test]
fn every_cut_and_every_changed_byte() {
    let status = Status {
        code: Some(404),
        message: Some("not found".to_owned()),
        ..Status::default()
    };
    let whole = to_vec(&status);
    let check = |input: &[u8]| match from_slice::<Status>(input) {
        Ok(status) => {
            let again = from_slice::<Status>(&to_vec(&status));
            assert_eq!(again, Ok(status), "{input:?}");
            true
        }
        Err(_) => false,
    };
    let cuts = (0..whole.len()).filter(|length| check(&whole[..*length]));
    // Those after `typeMeta`, after `raw`, and after `contentEncoding`.
    assert_eq!(cuts.count(), 3);
    for at in 0..whole.len() {
        let changed = (0..=u8::MAX).map(|value| {
            let mut changed = whole.clone();
            changed[at] = value;
            changed
        });
        assert!(changed.filter(|changed| check(changed)).count() > 0, "{at}");
    }
}

//! Each sort of field with each wire type.

use super::{EIGHT, END, FOUR, GROUP, LENGTH, VARINT, bytes, error, number, read, tag, varint};

/// The fields, their wire types, and a value. An inlined object has the path of its field.
const FIELDS: [(&[u64], u64, &[u8]); 23] = [
    (&[1], LENGTH, b"\x01a"),
    (&[2], VARINT, b"\x01"),
    (&[3], VARINT, b"\x01"),
    (&[4], VARINT, b"\x01"),
    (&[5], EIGHT, b"\0\0\0\0\0\0\xf0\x3f"),
    (&[6], LENGTH, b"\x01a"),
    (&[7], LENGTH, b"\0"),
    (&[8], LENGTH, b"\x01a"),
    (&[9], LENGTH, b"\0"),
    (&[10], LENGTH, b"\0"),
    (&[11], LENGTH, b"\x04Fast"),
    (&[12], LENGTH, b"\0"),
    (&[13], LENGTH, b"\0"),
    (&[14], LENGTH, b"\0"),
    (&[15], LENGTH, b"\0"),
    (&[16], LENGTH, b"\0"),
    (&[17], LENGTH, b"\0"),
    (&[18], VARINT, b"\x01"),
    (&[19], LENGTH, b"\0"),
    (&[20], LENGTH, b"\0"),
    (&[21], LENGTH, b"\0"),
    (&[21, 1], VARINT, b"\x01"),
    (&[21, 2, 1], LENGTH, b"\x01a"),
];

/// A field in the inlined objects that its path names.
fn at(path: &[u64], wire: u64, value: &[u8]) -> Vec<u8> {
    match path {
        [] => Vec::new(),
        [field] => [&*tag(*field, wire), value].concat(),
        [outer, inner @ ..] => bytes(*outer, &at(inner, wire, value)),
    }
}

/// The place of errors in such a field, as they name it.
fn place(path: &[u64]) -> String {
    path.iter()
        .map(|field| format!("Thing, field {field}: "))
        .collect()
}

#[test]
fn fields_have_one_wire_type() {
    for (path, right, value) in FIELDS {
        assert!(read(&at(path, right, value)).is_ok(), "{path:?}");
        for wire in [VARINT, EIGHT, LENGTH, GROUP, FOUR] {
            // A list of numbers may be packed.
            if wire == right || path == [18] && wire == LENGTH {
                continue;
            }
            let expected = format!("{}unexpected wire type {wire}", place(path));
            // Long enough for any, and the end of a group.
            let value = [&*varint(0), &[0; 8], &tag(path[path.len() - 1], END)].concat();
            assert_eq!(error(&at(path, wire, &value)), expected);
        }
        let outer = place(&path[..path.len() - 1]);
        let ended = error(&at(path, END, &[]));
        assert_eq!(ended, format!("{outer}a group ends that hasn't begun"));
        for wire in [6, 7] {
            let found = error(&at(path, wire, &[]));
            assert_eq!(found, format!("{outer}unexpected wire type {wire}"));
        }
    }
}

#[test]
fn values_end_within_the_input() {
    for (path, wire, value) in FIELDS {
        for length in 0..value.len() {
            let found = error(&at(path, wire, &value[..length]));
            let expected = match (wire, length) {
                (LENGTH, 1..) => format!("a length of {} bytes exceeds the input", value[0]),
                _ => "the input ends inside a value".to_owned(),
            };
            assert_eq!(found, place(path) + &expected);
        }
        if wire == LENGTH {
            for length in [
                1,
                1 << 31,
                1 << 32,
                (1 << 63) - 1,
                1 << 63,
                u64::MAX - 1,
                u64::MAX,
            ] {
                let expected = format!("a length of {length} bytes exceeds the input");
                assert_eq!(
                    error(&at(path, wire, &varint(length))),
                    place(path) + &expected
                );
            }
        }
    }
}

/// The fields of values that are messages on the wire.
#[test]
fn values_with_parts() {
    let parts: [(u64, u64, &[u64]); 12] = [
        (10, 1, &[VARINT, EIGHT, GROUP, FOUR]),
        (10, 2, &[VARINT, EIGHT, GROUP, FOUR]),
        (12, 1, &[EIGHT, LENGTH, GROUP, FOUR]),
        (12, 2, &[EIGHT, LENGTH, GROUP, FOUR]),
        (13, 1, &[EIGHT, LENGTH, GROUP, FOUR]),
        (14, 1, &[VARINT, EIGHT, GROUP, FOUR]),
        (15, 1, &[EIGHT, LENGTH, GROUP, FOUR]),
        (15, 2, &[EIGHT, LENGTH, GROUP, FOUR]),
        (15, 3, &[VARINT, EIGHT, GROUP, FOUR]),
        (16, 1, &[VARINT, EIGHT, GROUP, FOUR]),
        (17, 1, &[VARINT, EIGHT, GROUP, FOUR]),
        (19, 2, &[VARINT, EIGHT, GROUP, FOUR]),
    ];
    for (field, part, wrong) in parts {
        let outer = format!("Thing, field {field}: ");
        for wire in wrong {
            let value = [&*tag(part, *wire), &[0; 8], &tag(part, END)].concat();
            let expected = format!("{outer}unexpected wire type {wire}");
            assert_eq!(error(&bytes(field, &value)), expected);
        }
        let unknown = [number(1024 + part, 7), bytes((1 << 29) - 1, b"a")].concat();
        assert_eq!(
            read(&bytes(field, &unknown)),
            read(&bytes(field, &nothing(field)))
        );
        let cut = error(&bytes(field, &tag(part, LENGTH)[..1]));
        assert!(cut.starts_with(&outer), "{cut}");
        let zero = error(&bytes(field, &number(0, 1)));
        assert_eq!(zero, format!("{outer}0 is no number of a field"));
    }
}

/// A value that equals one of unknown fields: none, but for a time, whose empty message is the
/// year 1.
fn nothing(field: u64) -> Vec<u8> {
    match field {
        12 | 13 => number(1, 0),
        _ => Vec::new(),
    }
}

#[test]
fn json_in_protobuf() {
    for field in [16, 17] {
        let with = |json: &[u8]| bytes(field, &bytes(1, json));
        assert!(read(&with(br#"{"a": [1, null]}"#)).is_ok());
        assert_eq!(read(&with(b"")), read(&with(b"null")));
        assert_eq!(read(&with(b"")), read(&bytes(field, b"")));
        for (json, message) in [
            (&b"{"[..], "EOF while parsing an object at line 1 column 1"),
            (b"{} x", "trailing characters at line 1 column 4"),
            (b"\"\xff\"", "invalid unicode code point at line 1 column 2"),
            (b"1e999", "number out of range at line 1 column 5"),
            (b" ", "EOF while parsing a value at line 1 column 1"),
        ] {
            let expected = format!("Thing, field {field}: invalid JSON: {message}");
            assert_eq!(error(&with(json)), expected);
        }
        let deep = error(&with(&[b'['; 1000]));
        let expected = "invalid JSON: recursion limit exceeded at line 1 column 128";
        assert_eq!(deep, format!("Thing, field {field}: {expected}"));
    }
}

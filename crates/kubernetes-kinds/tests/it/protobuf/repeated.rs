//! Fields that occur again, lists and maps.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;

use super::{EIGHT, Mode, Thing, bytes, error, number, read, tag, varint, written};

/// The object that several fields make.
fn of(fields: &[Vec<u8>]) -> Thing {
    read(&fields.concat()).unwrap()
}

#[test]
fn the_last_value_counts() {
    let ratio = |value: f64| [tag(5, EIGHT), value.to_le_bytes().to_vec()].concat();
    let thing = of(&[
        bytes(1, b"a"),
        number(2, 1),
        number(3, 1),
        number(4, 1),
        ratio(1.5),
        bytes(6, b"a"),
        bytes(11, b"Fast"),
        bytes(1023, b"a"),
        bytes(1, b"b"),
        number(2, 0),
        number(3, 2),
        number(4, 3),
        ratio(0.5),
        bytes(6, b""),
        bytes(11, b"Slow"),
        bytes(1023, b""),
    ]);
    assert_eq!((thing.text.as_str(), thing.flag), ("b", false));
    assert_eq!((thing.small, thing.large, thing.ratio), (2, 3, 0.5));
    assert_eq!(
        (thing.bytes.0.len(), thing.mode),
        (0, Some(Mode::from("Slow")))
    );
    // Go holds it without a pointer, and its JSON omits the empty text.
    assert_eq!(thing.omitted, None);
}

#[test]
fn parts_are_merged() {
    let part = |fields: &[Vec<u8>]| bytes(7, &fields.concat());
    let twice = of(&[
        part(&[bytes(1, b"a"), bytes(8, b"x"), number(3, 1)]),
        part(&[bytes(8, b"y"), number(3, 2)]),
    ]);
    let once = part(&[bytes(1, b"a"), bytes(8, b"x"), bytes(8, b"y"), number(3, 2)]);
    assert_eq!(twice, of(&[once]));

    let inlined = |fields: &[Vec<u8>]| bytes(21, &fields.concat());
    let twice = of(&[
        inlined(&[number(1, 5), bytes(2, &bytes(1, b"a"))]),
        inlined(&[bytes(2, b"")]),
        inlined(&[number(1, 6)]),
    ]);
    assert_eq!(
        (twice.inner, twice.innermost.as_deref()),
        (Some(6), Some("a"))
    );

    let port = |fields: &[Vec<u8>]| bytes(15, &fields.concat());
    let text = port(&[number(1, 1), bytes(3, b"http")]);
    let expected = Some(IntOrString::String("http".to_owned()));
    assert_eq!(of(&[text.clone(), port(&[])]).port, expected);
    assert_eq!(of(&[port(&[number(2, 80)]), text]).port, expected);
    assert_eq!(
        of(&[port(&[number(2, 80)]), port(&[])]).port,
        Some(IntOrString::Int(80))
    );

    let amount = bytes(14, &bytes(1, b"5Gi"));
    let expected = Some(Quantity("5Gi".to_owned()));
    assert_eq!(of(&[amount.clone(), bytes(14, b"")]).amount, expected);
    assert_eq!(of(&[bytes(14, b""), amount]).amount, expected);
}

#[test]
fn times() {
    let time = |field: u64, fields: &[Vec<u8>]| bytes(field, &fields.concat());
    let at = |seconds, nanos| Timestamp::new(seconds, nanos).unwrap();
    // A time replaces one, and an empty one is the year 1.
    let year_one = at(-62_135_596_800, 0);
    for (fields, seconds) in [
        (
            vec![time(12, &[number(1, 5)]), time(12, &[number(2, 5)])],
            0,
        ),
        (vec![time(12, &[number(1, 5)])], 5),
        (
            vec![time(
                12,
                &[number(1, -1_i64 as u64), number(2, 999_999_999)],
            )],
            -1,
        ),
    ] {
        assert_eq!(of(&fields).time, Some(Time(at(seconds, 0))));
    }
    let empty = of(&[time(12, &[number(1, 5)]), time(12, &[])]);
    assert_eq!(empty.time, Some(Time(year_one)));
    // Nanoseconds are any number.
    for (seconds, nanos, expected) in [
        (5, 1_999, at(5, 1_000)),
        (5, 1_000_000_000, at(6, 0)),
        (5, i32::MAX, at(7, 147_483_000)),
        (5, -1, at(5, 0)),
        (5, -1_000, at(4, 999_999_000)),
        (5, i32::MIN, at(2, 852_517_000)),
        (-1, 1_000, at(-1, 1_000)),
    ] {
        let bytes = time(
            13,
            &[
                number(1, seconds as u64),
                number(2, i64::from(nanos) as u64),
            ],
        );
        let micro = of(&[bytes]).micro;
        assert_eq!(micro, Some(MicroTime(expected)), "{seconds} {nanos}");
    }
    // There are none beyond these.
    let last = Timestamp::from_second(253_402_207_200).unwrap();
    for (seconds, nearest) in [
        (i64::MAX, last),
        (253_402_207_201, last),
        (i64::MIN, Timestamp::MIN),
    ] {
        let seconds = seconds as u64;
        assert_eq!(
            of(&[time(12, &[number(1, seconds)])]).time,
            Some(Time(nearest))
        );
        assert_eq!(
            of(&[time(13, &[number(1, seconds)])]).micro,
            Some(MicroTime(nearest))
        );
    }
    for (seconds, nanos, nearest) in [
        (i64::MAX, i32::MAX, last),
        (i64::MIN, i32::MIN, Timestamp::MIN),
    ] {
        let parts = [
            number(1, seconds as u64),
            number(2, i64::from(nanos) as u64),
        ];
        assert_eq!(of(&[time(13, &parts)]).micro, Some(MicroTime(nearest)));
    }
}

#[test]
fn entries_of_maps() {
    let entry = |fields: &[Vec<u8>]| bytes(10, &fields.concat());
    let (key, value) = (
        |text: &str| bytes(1, text.as_bytes()),
        |text: &str| bytes(2, text.as_bytes()),
    );
    let map = of(&[
        entry(&[key("b"), value("1")]),
        entry(&[value("2"), key("a")]),
        entry(&[key("b"), value("3")]),
        entry(&[key("only")]),
        entry(&[key("x"), key("twice"), value("4"), value("5")]),
        entry(&[key("more"), number(3, 9), bytes(4, b"c"), value("6")]),
    ])
    .map;
    let expected = [
        ("a", "2"),
        ("b", "3"),
        ("more", "6"),
        ("only", ""),
        ("twice", "5"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(map, BTreeMap::from(expected));
    for nothing in [entry(&[]), entry(&[number(3, 9)])] {
        let expected = [(String::new(), String::new())];
        assert_eq!(of(&[nothing]).map, BTreeMap::from(expected));
    }
    let only_value = of(&[entry(&[value("1")])]).map;
    assert_eq!(
        only_value,
        BTreeMap::from([(String::new(), "1".to_owned())])
    );

    // A value that is a message is replaced, unlike a part.
    let amounts = of(&[
        bytes(19, &key("a")),
        bytes(19, &[key("b"), bytes(2, &bytes(1, b"1"))].concat()),
    ]);
    let expected =
        [("a", "0"), ("b", "1")].map(|(key, text)| (key.to_owned(), Quantity(text.to_owned())));
    assert_eq!(amounts.amounts, Some(BTreeMap::from(expected)));
    let value = |fields: &[Vec<u8>]| bytes(2, &fields.concat());
    let twice = bytes(
        20,
        &[value(&[number(3, 1)]), value(&[number(4, 2)])].concat(),
    );
    let second = Thing {
        large: 2,
        ..Thing::default()
    };
    assert_eq!(
        of(&[twice]).named,
        BTreeMap::from([(String::new(), second)])
    );
}

#[test]
fn lists() {
    let packed = bytes(18, &[varint(1), varint(u64::MAX), varint(300)].concat());
    let thing = of(&[number(18, 7), packed, number(18, 8), bytes(18, b"")]);
    assert_eq!(thing.numbers, Some(vec![7, 1, -1, 300, 8]));
    assert_eq!(of(&[bytes(18, b"")]).numbers, Some(vec![]));
    for (packed, expected) in [
        (&b"\x80"[..], "the input ends inside a value"),
        (&[0xff; 11], "a number has more than ten bytes"),
    ] {
        // What follows the list is no part of it.
        let input = [bytes(18, packed), vec![1; 20]].concat();
        assert_eq!(error(&input), format!("Thing, field 18: {expected}"));
    }
    let thing = of(&[
        bytes(8, b"a"),
        bytes(9, b""),
        bytes(8, b""),
        bytes(9, &number(3, 1)),
    ]);
    assert_eq!(thing.texts, ["a", ""]);
    let one = Thing {
        small: 1,
        ..Thing::default()
    };
    assert_eq!(thing.parts, Some(vec![Thing::default(), one]));
}

#[test]
fn lists_take_the_memory_of_their_elements() {
    let texts = of(&[bytes(8, b"a"), bytes(8, b"b"), bytes(8, b"c")]).texts;
    assert_eq!((texts.len(), texts.capacity()), (3, 3));
    // Objects without fields are two bytes each, and a hundred times as many here.
    let parts = vec![bytes(9, b""); 5].concat();
    let parts = of(&[parts.clone(), bytes(1, b"a"), parts]).parts;
    assert_eq!(parts.map(|parts| parts.len()), Some(10));
    // The elements after a damaged one aren't looked at.
    let damaged = [bytes(9, &number(3, 1)), bytes(9, &[0x80]), vec![0x4a, 0xff]].concat();
    let expected = "Thing, field 9: the input ends inside a value";
    assert_eq!(error(&damaged), expected);
}

#[test]
fn texts_that_are_no_utf_8() {
    let text = b"a\xff\xe2\x82b\xed\xa0\x80";
    let thing = of(&[
        bytes(1, text),
        bytes(8, text),
        bytes(10, &[bytes(1, text), bytes(2, text)].concat()),
        bytes(11, text),
        bytes(14, &bytes(1, text)),
        bytes(15, &[number(1, 1), bytes(3, text)].concat()),
    ]);
    let expected = "a\u{fffd}\u{fffd}b\u{fffd}\u{fffd}\u{fffd}".to_owned();
    assert_eq!(thing.text, expected);
    assert_eq!(thing.texts, [expected.as_str()]);
    assert_eq!(thing.map.first_key_value(), Some((&expected, &expected)));
    assert_eq!(thing.mode.as_ref().map(Mode::as_str), Some(&*expected));
    assert_eq!(thing.amount, Some(Quantity(expected.clone())));
    assert_eq!(thing.port, Some(IntOrString::String(expected)));
    assert_eq!(of(&[written(&thing)]), thing);
    // Bytes are any.
    assert_eq!(of(&[bytes(6, text)]).bytes.0, text);
}

//! Numbers of several bytes, numbers of fields, groups and levels.

use kubernetes_kinds::protobuf::DEPTH;

use super::{
    END, FOUR, GROUP, LENGTH, Thing, VARINT, bytes, error, number, read, tag, varint, written,
};

const CUT: &str = "the input ends inside a value";
const OVERLONG: &str = "a number has more than ten bytes";

#[test]
fn numbers_have_at_most_ten_bytes() {
    for length in 0..10 {
        let value = vec![0xff; length];
        let expected = format!("Thing, field 4: {CUT}");
        assert_eq!(error(&[tag(4, VARINT), value.clone()].concat()), expected);
        // In a tag; nothing at all is the end.
        if length > 0 {
            assert_eq!(error(&value), CUT);
        }
    }
    for length in 10..13 {
        for last in [0, 1, 0xff] {
            let value = [vec![0xff; length], vec![last]].concat();
            let expected = format!("Thing, field 4: {OVERLONG}");
            assert_eq!(error(&[tag(4, VARINT), value.clone()].concat()), expected);
            assert_eq!(error(&value), OVERLONG);
            let length = [tag(1, LENGTH), value.clone()].concat();
            assert_eq!(error(&length), format!("Thing, field 1: {OVERLONG}"));
            let unknown = [tag(99, VARINT), value].concat();
            assert_eq!(error(&unknown), format!("Thing, field 99: {OVERLONG}"));
        }
    }
}

#[test]
fn bits_that_are_too_many_are_dropped() {
    let large = |value: &[u8]| read(&[&*tag(4, VARINT), value].concat()).unwrap().large;
    // The tenth byte has one bit.
    for last in [1, 3, 0x7f] {
        assert_eq!(large(&[vec![0xff; 9], vec![last]].concat()), -1);
    }
    assert_eq!(large(b"\x81\x80\x80\0"), 1);
    assert_eq!(large(&varint(1 << 63)), i64::MIN);
    let small = |value: u64| read(&number(3, value)).unwrap().small;
    assert_eq!(small(u64::MAX), -1);
    assert_eq!(small((1 << 32) + 5), 5);
    assert_eq!(small(1 << 31), i32::MIN);
    let flag = |value: u64| read(&number(2, value)).unwrap().flag;
    assert!(!flag(0) && flag(2) && flag(1 << 63));
}

#[test]
fn numbers_of_fields() {
    for (field, shown) in [
        (0, "0"),
        (1 << 31, "-2147483648"),
        ((1 << 32) - 1, "-1"),
        (1 << 32, "0"),
    ] {
        let found = error(&number(field, 1));
        assert_eq!(found, format!("{shown} is no number of a field"));
        let nested = error(&bytes(7, &number(field, 1)));
        assert_eq!(
            nested,
            format!("Thing, field 7: {shown} is no number of a field")
        );
    }
    assert_eq!(error(&[0]), "0 is no number of a field");
    // As Go cuts numbers of fields to 32 bits.
    assert_eq!(read(&number((1 << 32) + 4, 9)).unwrap().large, 9);
}

/// A number beyond the ten bits of a key is that of no field, at any level.
#[test]
fn unknown_numbers_are_skipped() {
    let unknown = [
        22,
        99,
        1022,
        1024,
        1025,
        1024 + 4,
        (1 << 20) + 1,
        (1 << 29) - 1,
        (1 << 31) - 1,
    ]
    .into_iter()
    .chain((1..=32).map(|shift| 4 << shift))
    .chain([1, 2, 3, 21].map(|low| 1 << 30 | low))
    .filter(|field| !matches!(field, 8 | 16) && *field < 1 << 31);
    for field in unknown {
        for value in [
            number(field, 7),
            bytes(field, &number(1, 7)),
            [tag(field, 1), vec![7; 8]].concat(),
            [tag(field, FOUR), vec![7; 4]].concat(),
            [tag(field, GROUP), number(4, 7), tag(field, END)].concat(),
        ] {
            assert_eq!(read(&value), Ok(Thing::default()), "{field}");
            assert_eq!(read(&bytes(7, &value)), read(&bytes(7, b"")), "{field}");
        }
    }
    // In inlined objects 1 and 2 are known, and in the innermost one 1.
    for field in [3, 21, 1023, 1024, 1025, 1 << 20 | 1, (1 << 29) - 1] {
        let value = bytes(field, &number(1, 7));
        assert_eq!(read(&bytes(21, &value)), Ok(Thing::default()), "{field}");
        let innermost = bytes(21, &bytes(2, &value));
        assert_eq!(read(&innermost), Ok(Thing::default()), "{field}");
    }
    let innermost = bytes(21, &bytes(2, &number(2, 7)));
    assert_eq!(read(&innermost), Ok(Thing::default()));
    for (wire, rest) in [(1, 7), (FOUR, 3)] {
        let cut = error(&[tag(99, wire), vec![0; rest]].concat());
        let expected = format!("a length of {} bytes exceeds the input", rest + 1);
        assert_eq!(cut, format!("Thing, field 99: {expected}"));
    }
}

#[test]
fn groups_end() {
    let begin = || tag(99, GROUP);
    let end = || tag(99, END);
    let after = number(4, 9);
    for group in [
        [begin(), end()].concat(),
        [begin(), begin(), end(), end()].concat(),
        // Go doesn't compare the numbers.
        [begin(), tag(98, END)].concat(),
        [begin(), number(0, 1), end()].concat(),
        [begin(), bytes(4, &begin()), end()].concat(),
        [begin().repeat(100_000), end().repeat(100_000)].concat(),
    ] {
        let thing = read(&[group, after.clone()].concat()).unwrap();
        assert_eq!(thing.large, 9);
    }
    for (group, expected) in [
        (end(), "a group ends that hasn't begun"),
        (
            [begin(), end(), end()].concat(),
            "a group ends that hasn't begun",
        ),
        (begin(), "Thing, field 99: the input ends inside a value"),
        (
            begin().repeat(100_000),
            "Thing, field 99: the input ends inside a value",
        ),
        (
            [begin(), begin(), end()].concat(),
            "Thing, field 99: the input ends inside a value",
        ),
        (
            [begin(), tag(1, 6)].concat(),
            "Thing, field 99: unexpected wire type 6",
        ),
        (
            [begin(), tag(1, 7)].concat(),
            "Thing, field 99: unexpected wire type 7",
        ),
        (
            [begin(), tag(1, LENGTH), varint(u64::MAX)].concat(),
            "Thing, field 99: a length of 18446744073709551615 bytes exceeds the input",
        ),
    ] {
        assert_eq!(error(&group), expected);
    }
    // The end of a group outside the message with its begin.
    let across = [bytes(7, &begin()), end()].concat();
    assert_eq!(
        error(&across),
        format!("Thing, field 7: Thing, field 99: {CUT}")
    );
}

#[test]
fn objects_have_a_depth() {
    let only = |levels: usize| (0..levels).fold(Vec::new(), |inner, _| bytes(7, &inner));
    assert!(read(&only(DEPTH.into())).is_ok());
    // Inlined objects are written even if they are empty, and have two levels here.
    let deepest = read(&only(usize::from(DEPTH) - 2)).unwrap();
    assert_eq!(read(&written(&deepest)), Ok(deepest));
    for levels in [usize::from(DEPTH) + 1, 10_000] {
        let found = error(&only(levels));
        let place = "Thing, field 7: ".repeat(usize::from(DEPTH) + 1);
        assert_eq!(found, place + "objects are more than 128 levels deep");
    }
    let skipped = (0..10_000).fold(Vec::new(), |inner, _| bytes(99, &inner));
    assert_eq!(read(&skipped), Ok(Thing::default()));
}

//! Texts that have a format, and texts that nearly have it, as servers of Kubernetes 1.37 answer.

use kubernetes_schema_terms::TextFormat::{self, *};

/// Formats with texts that have them, and texts that don't.
const TEXTS: &[(TextFormat, &[&str], &[&str])] = &[
    (
        CreditCard,
        &[
            "4111111111111111",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "card 4111.1111.1111.1111, please",
            "4222222222222",
            "5555555555554444",
            "5105105105105100",
            "378282246310005",
            "371449635398431",
            "6011111111111117",
            "6500000000000002",
            "3530111333300000",
            "30569309025904",
            "38520000023237",
            "36438936438936",
            "180000000000002",
        ],
        &[
            "213100000000008",
            "",
            "4111111111111112",
            "411111111111111",
            "42222222222221",
            "5039288802098206",
            "5655555555554442",
            "6012111111111116",
            "390000000000006",
            "\u{664}111111111111111",
            "no card",
        ],
    ),
    (
        Duration,
        &[
            "0",
            "-0",
            "1h",
            "1h30m",
            "-1.5s",
            ".5s",
            "1.s",
            "1\u{b5}s",
            "1\u{3bc}s",
            "3 days",
            "3 days and 2 hours",
            "1 Week",
            "2wk,1 minutely",
            "- 3 d",
            "1,5 d",
            "3.5 days",
            "1\td",
            "12 34h",
            "1 month 1d",
            "99999999999 weeks",
            "hour 3 hr",
            "1 \u{b5}s",
            "4 NANO",
            "1e3s",
            "1h-1m",
            "P1D",
        ],
        &[
            "",
            ".s",
            "5",
            "1 month",
            "3 n",
            "three days",
            "1\u{a0}d",
            "1\u{b}d",
            "9223372036854775808 d",
            "1d 99999999999999999999x",
            "1 \u{3bc}s",
            "1 s\u{b5} ",
        ],
    ),
    (
        Email,
        &[
            "a@b",
            "a.b@c.de",
            " a@b",
            "a@ b",
            "<a@b>",
            "Jo <jo@example.com>",
            "J. Q <a@b>",
            ".. <a@b>",
            "\"J\" (Q) R <a@b>",
            "\"\" <a@b>",
            "\"a b\"@c",
            "\"a\\\"b\"@c",
            "a@b (c(d)e) (f)",
            "a@b (\\))",
            "a@[127.0.0.1]",
            "a@[::1]",
            "team: a@b;",
            "team:J <a@b>; (x)",
            "\u{e9}@\u{e9}",
            "=?utf-8?q?J=4a?= <a@b>",
            "=?foo?q?=4?= <a@b>",
            "=?foo?b?J?= <a@b>",
            "J =?foo?q?K?= <a@b>",
            "=?u\u{17f}-ascii?b?AA==?= <a@b>",
        ],
        &[
            "a @b",
            "",
            "a",
            "@a",
            "a@",
            "a@b@c",
            "a..b@c",
            ".a@b",
            "a@b.",
            "a@b c",
            "a@b,c@d",
            "a(x)@b",
            "(x) a@b",
            "\"\"@b",
            "\"a@b",
            "\"a\u{1}\"@b",
            "a@[1.2]",
            "a@[01.2.3.4]",
            "a@[::1",
            "<a@b",
            "<a@b> x",
            "a@b (",
            "team:;",
            "team: a@b, c@d;",
            "a@b; c",
            "=?foo?q?J?= <a@b>",
            "a@b (=?foo?q?x?=)",
            "a\u{7f}@b",
            "<>",
        ],
    ),
    (
        Hostname,
        &[
            "a",
            "a-",
            "a-b",
            "localhost",
            "1",
            "example.com",
            "my-host.example.com",
            "1.2.3.com",
            "\u{e9}.com",
            "example.\u{e9}\u{e9}",
            "\u{1f600}",
            "$.com",
            "xn--a.com",
            "A.COM",
        ],
        &[
            "",
            "-a",
            "ab-c",
            "my-host",
            "a--",
            "a.b",
            "a.b1",
            "1.2.3.4",
            "example.com.",
            ".com",
            "a..com",
            "-a.com",
            "a-.com",
            "a_b.com",
            "a b.com",
            "com.\u{1f600}\u{1f600}",
            "\u{300}.com",
            "\u{2160}.com",
            "\u{2ebf0}.com",
            "a.com\n",
        ],
    ),
    (
        Isbn10,
        &[
            "0306406152",
            "0-306-40615-2",
            "080442957X",
            "0 80442957\tX",
            "0000000000",
        ],
        &[
            "",
            "0306406153",
            "080442957x",
            "X804429570",
            "08044\u{a0}2957X",
            "030640615",
            "9780306406157",
            "0_306406152",
        ],
    ),
    (
        Isbn13,
        &[
            "9780306406157",
            "978-0-306-40615-7",
            "978 0306406157\n",
            "0000000000000",
        ],
        &[
            "",
            "9780306406158",
            "978030640615X",
            "0306406152",
            "97803064061577",
        ],
    ),
    (
        RgbColor,
        &[
            "rgb(0,31,255)",
            "rgb( 1 , 22 , 199 )",
            "rgb(\t1,\n2,\r3\u{c})",
            "rgb(249,250,255)",
        ],
        &[
            "",
            "rgb(256,0,0)",
            "rgb(01,0,0)",
            "rgb(+1,0,0)",
            "rgb(0.5,0,0)",
            "rgb(1 2,3,4)",
            "rgb(0,0)",
            "rgb(0,0,0,0)",
            "rgb(,,)",
            "rgb()",
            "rgb (0,0,0)",
            "RGB(0,0,0)",
            " rgb(0,0,0)",
            "rgb(0,0,0",
            "rgba(0,0,0)",
            "rgb(\u{b}1,2,3)",
            "rgb(\u{a0}1,2,3)",
            "rgb(\u{661},1,1)",
        ],
    ),
    (
        Uri,
        &[
            "http://example.com",
            "HTTPS://example.com:80/a?b#c",
            "/a/b",
            "/a b",
            "*",
            "x:",
            "x:y",
            "mailto:a@b.c",
            "x://",
            "//a",
            "/?#%",
            "http://[::1]:80/",
            "http://[fe80::1%25en0]",
            "http://a%20@b",
            "http://a:",
            "ftp://a:1:2/",
            "http://\u{e9}",
            "http://a%80/",
            "x:/%41",
            "a+b-c.d:/x",
            "http:?a",
        ],
        &[
            "http://a/#%",
            "",
            "example.com",
            "./a",
            "a/b",
            "?a",
            "#a",
            ":a",
            "://a",
            "1x:/",
            "\u{e9}:/",
            "http://a:b",
            "http://a:1:2/",
            "http://a b",
            "http://a%41",
            "http://a%",
            "/%zz",
            "/\u{1}",
            "/\u{7f}",
            "http://[::1",
            "http://[1.2.3.4]",
            "http://[::1]x",
            "http://[::1%25]",
            "http://[::1%25%a2]",
            "http://[::1%en0]",
            "http://u[@h",
            "http://\u{e9}@h",
            "http://a#b",
            "http://a\\b",
        ],
    ),
    (
        ShortName,
        &["a", "a-b", "1"],
        &["", "-a", "a-", "a.b", "A", "a_b", "a\n"],
    ),
    (
        LongName,
        &["a", "a.b", "1-a.2"],
        &["", "a.", "a..b", "a.-b", "A.b"],
    ),
];

#[test]
fn texts_have_the_formats_that_servers_find() {
    for (format, taken, refused) in TEXTS {
        for (texts, is_taken) in [(taken, true), (refused, false)] {
            for text in *texts {
                assert_eq!(format.matches(text), is_taken, "{format:?} {text:?}");
            }
        }
    }
}

/// Either number of a book has the format `isbn`.
#[test]
fn books_have_numbers_of_both_lengths() {
    for (format, taken, _) in TEXTS {
        let is_book = matches!(format, Isbn10 | Isbn13);
        for text in *taken {
            assert!(!is_book || Isbn.matches(text), "{text:?}");
        }
    }
    assert!(!Isbn.matches("0306406153") && !Isbn.matches("9780306406158") && !Isbn.matches(""));
}

#[test]
fn lengths_are_limited_in_bytes() {
    let label = "a".repeat(63);
    let accented = "\u{e9}".repeat(31);
    // As long as a name may be.
    let most = format!("{label}.{label}.{label}.{}.com", &label[..59]);
    for (format, text, is_taken) in [
        (Hostname, label.clone(), true),
        (Hostname, format!("{label}a"), false),
        (Hostname, format!("{label}.{label}"), true),
        (Hostname, format!("{label}a.com"), false),
        (Hostname, format!("a.{label}a"), false),
        (Hostname, format!("{accented}.com"), true),
        (Hostname, format!("{accented}\u{e9}.com"), false),
        (Hostname, most.clone(), true),
        (Hostname, format!("{most}m"), false),
        (ShortName, label.clone(), true),
        (ShortName, format!("{label}a"), false),
        (LongName, "a".repeat(253), true),
        (LongName, "a".repeat(254), false),
        (LongName, "a.".repeat(126) + "a", true),
        (LongName, "a.".repeat(127) + "a", false),
    ] {
        assert_eq!(format.matches(&text), is_taken, "{format:?} {text}");
    }
}

#[test]
fn names_are_found_without_dashes() {
    for (name, format) in [
        ("bson-object-id", BsonObjectId),
        ("k8sshortname", ShortName),
        ("k8s-shortname", ShortName),
        ("k8slong-name", LongName),
        ("date-time", DateTime),
        ("credit-card", CreditCard),
    ] {
        assert_eq!(TextFormat::parse(name), Some(format));
    }
}

#[test]
fn dates_are_those_of_the_calendar() {
    let days = [
        ("2023-02-28", true),
        ("2023-02-29", false),
        ("2024-02-29", true),
        ("1900-02-29", false),
        ("2000-02-29", true),
        ("0000-02-29", true),
        ("9999-12-31", true),
        ("2024-04-30", true),
        ("2024-04-31", false),
        ("2024-00-01", false),
        ("2024-13-01", false),
        ("2024-01-00", false),
        ("2024-1-01", false),
        ("2024-01-01 ", false),
        ("2024/01/01", false),
        ("+024-01-01", false),
        ("2024-01-0é", false),
    ];
    for (text, is_day) in days {
        assert_eq!(TextFormat::Date.matches(text), is_day, "{text}");
    }
}

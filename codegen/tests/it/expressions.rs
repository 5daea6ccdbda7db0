//! Regular expressions of custom resources match what Go's package `regexp` matches.

use codegen::Generated;
use regex_lite::Regex;
use serde_json::json;

use crate::unchecked::from;

/// An expression with texts that match and texts that don't, as Go says.
struct Row(
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Every answer is Go's.
const ROWS: &[Row] = &[
    // Characters and classes.
    Row("^[^[]+$", &["a]", "\n"], &["", "a["]),
    Row("^[[:alpha:]]+$", &["aZ"], &["é", "1"]),
    Row("^[[:^alpha:]_]$", &["1", "_", "é"], &["a"]),
    Row("^[]a]+$", &["]a"], &["b"]),
    Row("^[^]a]$", &["b"], &["]", "a"]),
    Row("^[]-a]$", &["^", "_", "`"], &["-", "b"]),
    Row("^[a-]$", &["a", "-"], &["b"]),
    Row("^[--0]$", &["-", ".", "/", "0"], &["1"]),
    Row("^[\\w-.]+$", &["a-.", "_9"], &["é", " "]),
    Row("^[a&&b]$", &["a", "&", "b"], &["c"]),
    Row("^[+--]$", &["+", ",", "-"], &["."]),
    Row("^[\\d-z]+$", &["7-z"], &["y"]),
    Row("^[\\x{D7FF}-\\x{E001}]$", &["\u{E000}"], &["a"]),
    Row("^[^\\s\\S]?$", &[""], &["a", " "]),
    Row(
        "^\\s$",
        &[" ", "\t", "\u{c}", "\r"],
        &["\u{b}", "\u{a0}", "\u{85}"],
    ),
    Row("^[[:space:]]$", &["\u{b}"], &["\u{a0}"]),
    Row("^[^\\s]\\S$", &["\u{b}\u{b}"], &[" a"]),
    Row("^\\d\\w\\W$", &["1_é"], &["٣a "]),
    Row("a\\b", &["a", "aé"], &["ab"]),
    Row("^.$", &["é", "\r", "😀"], &["\n", ""]),
    // Escapes.
    Row("^\\101\\x42\\x{1F600}\\07$", &["AB😀\u{7}"], &["AB"]),
    Row("^\\Qa.b*\\E+$", &["a.b*", "a.b**"], &["aab", "a.ba.b*"]),
    Row("^\\Q[(", &["[(a"], &["("]),
    Row("^\\_\\<\\>\\ \\\"\\-$", &["_<> \"-"], &["_<>"]),
    Row("\\Aa\\z", &["a"], &["a\n", "b"]),
    Row("\\b{start}", &["a{start}"], &["start"]),
    // Anchors and flags.
    Row("a$", &["a", "ba"], &["a\n"]),
    Row("(?m)^a$", &["a\n", "b\na"], &["ab"]),
    Row("^(?s).$", &["\n", "a"], &["ab"]),
    Row("(?i)^k[s]$", &["KS", "\u{212a}\u{17f}"], &["kx"]),
    Row("(?i)^[^k]$", &["a"], &["K", "\u{212a}"]),
    Row("(?i)^\\w$", &["k", "\u{17f}"], &["é"]),
    Row("^a(?i:b)c(?i)d|e(?-i)f$", &["aBcD", "Ef"], &["ABcd", "EF"]),
    Row("^(?:a(?i)b)c$", &["aBc"], &["aBC"]),
    // Groups and alternatives.
    Row("^(?P<n>a)(?<1>b)(?P<n>c)$", &["abc"], &["ab"]),
    Row("^(|a)+(b||c)$", &["", "aab", "c"], &["bc"]),
    // Repetitions.
    Row("^a{,2}$", &["a{,2}"], &["aa", ""]),
    Row("^a{$", &["a{"], &["a"]),
    Row("^a{02}}$", &["a{02}}"], &["aa}"]),
    Row(
        "^(a{10}){2}b{0}$",
        &["aaaaaaaaaaaaaaaaaaaa"],
        &["aaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaab"],
    ),
    Row("(?U)^a+?b*$", &["aab"], &["b"]),
    Row("^*a", &["ba"], &["b"]),
];

/// The expression that the only check of a generated crate compiles, and what it says it is.
fn compiled(crates: &[Generated]) -> (String, String) {
    let file = crates[0].files.iter().find_map(|file| {
        let (_, value) = file.text.split_once("static PATTERN: Pattern =")?;
        value.split_once(");")
    });
    let (call, _) = file.expect("a check");
    let call: syn::ExprCall = syn::parse_str(&format!("{call})")).unwrap();
    let texts: Vec<_> = call.args.iter().map(text).collect();
    (
        texts.first().unwrap().clone(),
        texts.last().unwrap().clone(),
    )
}

fn text(of: &syn::Expr) -> String {
    match of {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => text.value(),
        _ => panic!("no text"),
    }
}

/// The schema of a text with the expression, as a keyword and in a rule.
fn schemas(expression: &str) -> [String; 2] {
    let rule = format!("self.matches({})", json!(expression));
    let rules = json!([{"rule": rule}]);
    [
        json!({"type": "string", "pattern": expression}),
        json!({"type": "string", "x-kubernetes-validations": rules}),
    ]
    .map(|schema| schema.to_string())
}

#[test]
fn they_match_as_in_go() {
    for Row(expression, matching, others) in ROWS {
        for schema in schemas(expression) {
            let crates = from(&schema, false).unwrap_or_else(|e| panic!("{expression}: {e}"));
            let (said, compiled) = compiled(&crates);
            assert_eq!(said, *expression);
            let regex = Regex::new(&compiled).unwrap();
            for text in *matching {
                assert!(regex.is_match(text), "{expression} as {compiled}: {text:?}");
            }
            for text in *others {
                assert!(
                    !regex.is_match(text),
                    "{expression} as {compiled}: {text:?}"
                );
            }
        }
    }
}

#[test]
fn what_both_read_alike_stays_as_it_is() {
    for expression in [
        "^[a-z]([-a-z0-9]*[a-z])?(\\.[a-z]+)*$",
        "^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+?$",
        "^\\d+\\w{2,}[\\d\\.\\-]*[[:alpha:]_]|\\n\\/é$",
    ] {
        for schema in schemas(expression) {
            let (_, compiled) = compiled(&from(&schema, false).unwrap());
            assert_eq!(compiled, expression);
        }
    }
}

#[test]
fn what_is_not_surely_known_is_left_to_a_server() {
    let large = "[acegikmoqsuwy02468]{1000}".repeat(100);
    let deep = format!("{}a{}", "(".repeat(60), ")".repeat(60));
    for (expression, reason) in [
        // Go reads these.
        ("\\pL", "a class of Unicode"),
        ("[^\\P{Greek}]", "a class of Unicode"),
        ("(?i)é", "it ignores the case of `é`"),
        ("(?i)[à-ý]", "it ignores the case of"),
        ("a(?i)*", "a repetition follows flags"),
        ("a*\\Q\\E?", "a repetition follows flags"),
        (&large, "regex-lite doesn't read it"),
        (&deep, "regex-lite doesn't read it"),
        // Go refuses these.
        ("(?=a)", "no group or flag"),
        ("(?<=a)", "the name of a group"),
        ("(?P<a-b>c)", "the name of a group"),
        ("(?x)a", "no group or flag"),
        ("(?i-)a", "no group or flag"),
        ("a**", "a repetition of another"),
        ("a|*", "a repetition of nothing"),
        ("a{1001}", "above 1000"),
        ("a{2,1}", "above 1000 or in this order"),
        ("(a{100}){11}", "1000 nested"),
        ("\\C", "no escape `\\C`"),
        ("\\Z", "no escape `\\Z`"),
        ("\\8", "no escape `\\8`"),
        ("\\x{110000}", "no escape `\\x`"),
        ("a\\", "a backslash at the end"),
        ("[a-\\d]", "a range that ends in a class"),
        ("[z-a]", "a range that ends before"),
        ("[[:foo:]]", "no class `[:foo:]`"),
        ("[]", "a class without its end"),
        ("(a", "a group without its end"),
        ("a)", "the end of a group"),
    ] {
        for schema in schemas(expression) {
            let crates = from(&schema, true).unwrap_or_else(|e| panic!("{expression}: {e}"));
            let [left] = crates[0].unchecked.as_slice() else {
                panic!("{expression}: {:?}", crates[0].unchecked);
            };
            assert!(
                left.reason.contains(reason),
                "{expression}: {}",
                left.reason
            );
        }
    }
}

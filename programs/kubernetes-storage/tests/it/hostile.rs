//! The linter ends with valid findings for every text.

use std::time::{Duration, Instant};

use kubernetes_kinds::Release;
use kubernetes_manifests::scheme::Syntax;
use kubernetes_storage::lint::{FileReport, Line, Linter};
use kubernetes_validation::Target;
use proptest::prelude::*;

const TEXTS: [&str; 5] = [
    include_str!("../invalid/classes.yaml"),
    include_str!("../invalid/drivers.yaml"),
    include_str!("../invalid/versions.yaml"),
    include_str!("../invalid/live.yaml"),
    include_str!("../invalid/more/nodes.json"),
];

fn check(text: &str, syntax: Syntax, target: Target) -> FileReport {
    let report = Linter::new(target).check("a.yaml", text, syntax);
    // In YAML, a carriage return ends a line too.
    let lines = text.matches(['\n', '\r']).count() + 1;
    for pair in report.findings.windows(2) {
        assert!(pair[0].line <= pair[1].line);
    }
    for finding in &report.findings {
        assert!((1..=lines).contains(&finding.line), "{finding:?}");
        assert_ne!(finding.column, Some(0), "{finding:?}");
        assert_eq!(Line(finding).to_string().lines().count(), 1, "{finding:?}");
        assert!(!finding.message.text.is_empty(), "{finding:?}");
    }
    report
}

/// Returns a text in which up to six pieces are replaced.
fn damaged() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[-{}\\[\\],:&*<>\"'#%!|\\n\\r\\t .a0]{0,6}",
        (0..TEXTS.len(), any::<prop::sample::Index>(), 0..80_usize).prop_map(
            |(text, at, length)| {
                let text: Vec<char> = TEXTS[text].chars().collect();
                text.into_iter()
                    .skip(at.index(1000))
                    .take(length)
                    .collect::<String>()
            }
        ),
        any::<char>().prop_map(String::from),
    ];
    let edit = (any::<prop::sample::Index>(), 0..40_usize, piece);
    let edits = prop::collection::vec(edit, 0..6);
    (0..TEXTS.len(), edits).prop_map(|(text, edits)| {
        let mut text: Vec<char> = TEXTS[text].chars().collect();
        for (at, length, piece) in edits {
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn nothing_panics(text in damaged(), json: bool, minor in 10..38_u16) {
        let syntax = if json { Syntax::Json } else { Syntax::JsonOrYaml };
        check(&text, syntax, Target::new(Release::new(1, minor)));
    }

    /// A good document before and after a damaged one is checked as if it were alone.
    #[test]
    fn neighbours_are_checked(text in damaged()) {
        let class = |name: &str| format!(
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: {name}}}\n"
        );
        let all = format!("{}---\n{text}\n...\n---\n{}", class("first"), class("last"));
        let report = check(&all, Syntax::JsonOrYaml, Target::new(storage_all::KUBERNETES));
        prop_assume!(report.note.is_none());
        for name in ["first", "last"] {
            let is_found = report.findings.iter().any(|finding| {
                finding.subject.name.as_deref() == Some(name)
                    && finding.message.path == "provisioner"
            });
            prop_assert!(is_found, "{name}");
        }
    }
}

/// Checks a large text within 20 seconds.
fn large(text: &str, syntax: Syntax) -> FileReport {
    let start = Instant::now();
    let report = check(text, syntax, Target::new(storage_all::KUBERNETES));
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    report
}

#[test]
fn many_damaged_documents_take_linear_time() {
    let report = large(&"a: [\n---\n".repeat(20_000), Syntax::JsonOrYaml);
    assert_eq!(report.findings.len(), 20_000);
    let report = large(&"{\"a\" 1}\n".repeat(20_000), Syntax::Json);
    assert_eq!(report.findings.len(), 20_000);
    large(&"{\n".repeat(20_000), Syntax::JsonOrYaml);
    large(&"[".repeat(100_000), Syntax::JsonOrYaml);
}

#[test]
fn many_errors_of_a_long_name_take_little_memory() {
    let labels: String = (0..20_000).map(|n| format!("    'bad {n}': a\n")).collect();
    let unknown: String = (0..20_000).map(|n| format!("unknown{n}: a\n")).collect();
    let text = format!(
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nprovisioner: a\n\
         {unknown}metadata:\n  name: {}\n  labels:\n{labels}",
        "x".repeat(200_000)
    );
    let report = large(&text, Syntax::JsonOrYaml);
    assert!(report.findings.len() > 20_000);
    let printed: usize = report
        .findings
        .iter()
        .map(|finding| Line(finding).to_string().len())
        .sum();
    assert!(printed < 64 << 20, "{printed} bytes");
}

#[test]
fn aliases_of_many_documents_share_one_limit() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
                c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n---\n";
    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\n";
    let text = bomb.repeat(2_000) + class;
    let report = large(&text, Syntax::JsonOrYaml);
    // The valid document after them is read.
    let last = report.findings.last().unwrap();
    assert_eq!(last.message.path, "provisioner");
    assert!(report.findings.len() > 1_990, "{}", report.findings.len());
}

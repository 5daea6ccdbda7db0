//! `cargo xtask spec verify`, run as a command in a small workspace.

use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK, document};

const NEW: &str = "#/components/schemas/com.example.v1.Part";
const OLD: &str = "#/components/schemas/com.example.v1.Older";

/// A workspace in which `Part` has taken the place of what 1.34 called `Older`.
fn sandbox(differences: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    list(&sandbox, differences);
    sandbox.write("upstream/v1.34/things.json", &document("Thing", "Older"));
    sandbox.write("upstream/v1.37/things.json", &document("Thing", "Part"));
    for release in ["v1.34", "v1.37"] {
        let path = format!("upstream/{release}/things.json");
        let info = "{\"info\": {\"version\": \"unversioned\"}, \"openapi\"";
        sandbox.edit(&path, "{\"openapi\"", info);
    }
    sandbox
}

/// Writes the list, which rests on documents of every release.
fn list(sandbox: &Sandbox, differences: &str) {
    let releases: Vec<_> = (30..=37).map(|minor| format!("1.{minor}")).collect();
    let text = format!("compared = {releases:?}\n{differences}");
    sandbox.write("root/spec/differences.toml", &text);
}

fn listed(key: &str, added: &[&str], removed: &[&str]) -> String {
    format!("[\"v1.37/things.json\".\"{key}\"]\nadded = {added:?}\nremoved = {removed:?}\n")
}

fn verify(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    command
        .args(["spec", "verify"])
        .args(arguments)
        .current_dir(sandbox.path("root"));
    let before = sandbox.snapshot();
    let outcome = Outcome::of(&mut command);
    assert_eq!(sandbox.snapshot(), before, "it only reads");
    outcome
}

#[test]
fn differences_that_are_listed_are_fine() {
    let sandbox = sandbox(&listed("1.35", &[NEW], &[OLD]));
    let outcome = verify(&sandbox, &["--upstream", "../upstream"]).succeeds();
    assert!(outcome.out.contains("v1.34/things.json"), "{}", outcome.out);
    assert!(
        outcome.out.contains("2 differences, all listed"),
        "{}",
        outcome.out
    );
    assert!(
        outcome.out.contains("0 differences, all listed"),
        "{}",
        outcome.out
    );
    verify(&sandbox, &["--upstream", "../upstream/v1.37"]).succeeds();
}

#[test]
fn a_difference_that_is_not_listed_fails() {
    let sandbox = sandbox(&listed("1.35", &[NEW], &[]));
    let outcome = verify(&sandbox, &["--upstream", "../upstream"]).fails_with(&["1 difference"]);
    assert!(
        outcome.out.contains(&format!("{OLD} NOT LISTED")),
        "{}",
        outcome.out
    );
    // A difference that a later release explains is not explained in an earlier one.
    let sandbox = self::sandbox(&listed("1.34", &[NEW], &[OLD]));
    verify(&sandbox, &["--upstream", "../upstream/v1.34"]).fails_with(&["2 differences"]);
}

#[test]
fn a_listed_difference_that_does_not_occur_fails() {
    let sandbox = sandbox(&listed("1.35", &[NEW, "#/paths/~1x"], &[OLD]));
    let outcome = verify(&sandbox, &["--upstream", "../upstream/v1.34"]);
    let outcome = outcome.fails_with(&["1 difference"]);
    assert!(
        outcome.out.contains("LISTED, BUT DOES NOT OCCUR"),
        "{}",
        outcome.out
    );
}

#[test]
fn the_release_must_be_known() {
    let sandbox = sandbox(&listed("1.35", &[NEW], &[OLD]));
    sandbox.write(
        "plain/things.json",
        &sandbox.read("upstream/v1.34/things.json"),
    );
    verify(&sandbox, &["--upstream", "../plain"]).fails_with(&["--release"]);
    verify(&sandbox, &["--upstream", "../plain", "--release", "1.34"]).succeeds();
    verify(&sandbox, &["--upstream", "../missing"]).fails_with(&["missing"]);
    sandbox.write("empty/v1.34/other.json", "{}");
    verify(&sandbox, &["--upstream", "../empty"]).fails_with(&["none of our documents"]);
    assert_eq!(verify(&sandbox, &[]).code, Some(2));
}

#[test]
fn a_list_that_is_wrong() {
    for text in [
        "[\"v1.37/things.json\".\"1.35\"]\nmore = []\n",
        "[\"v1.37/things.json\".\"soon\"]\n",
        "[\"v1.37/things.json\"\n",
        "[\"v1.37/things.json\".\"1.35\"]\nadded = [\"components/schemas/x\"]\n",
    ] {
        let outcome = verify(&sandbox(text), &["--upstream", "../upstream"]);
        outcome.fails_with(&["spec/differences.toml"]);
    }
    // A misspelt document, whose list nothing would ever look at.
    let text = listed("1.35", &[NEW], &[OLD]);
    let more = format!(
        "{text}{}",
        text.replace("v1.37/things.json", "v1.37/thing.json")
    );
    verify(&sandbox(&more), &["--upstream", "../upstream"]).fails_with(&["thing.json"]);
}

/// A workspace with two documents of one file name: 1.34 was the last release to serve
/// `Older`, after it came `Part`. Upstream's `Thing` of 1.33 has no `text` yet.
fn two_of_a_name(differences: &str) -> Sandbox {
    let sandbox = sandbox(differences);
    let older = "[[crate.document]]\nfile = \"things.json\"\nrelease = \"1.34\"\n\
                 prefix = \"com.example.v1.\"\n\n[[crate]]\nname = \"other-v1\"";
    sandbox.edit("root/codegen.toml", "[[crate]]\nname = \"other-v1\"", older);
    sandbox.write("root/spec/v1.34/things.json", &document("Thing", "Older"));
    let first = sandbox.read("upstream/v1.34/things.json");
    sandbox.write(
        "upstream/v1.33/things.json",
        &first.replacen("\"text\"", "\"word\"", 1),
    );
    sandbox.write(
        "upstream/v1.36/things.json",
        &sandbox.read("upstream/v1.37/things.json"),
    );
    sandbox
}

const TEXT: &str = "#/components/schemas/com.example.v1.Thing/properties/text";
const WORD: &str = "#/components/schemas/com.example.v1.Thing/properties/word";

/// A section for all documents.
fn shared(key: &str, added: &[&str], removed: &[&str]) -> String {
    listed(key, added, removed).replace("v1.37/things.json", "*")
}

#[test]
fn of_two_documents_of_one_name_the_first_that_is_not_older_counts() {
    let list = listed("1.34", &[TEXT], &[WORD]);
    let older = list.replace("v1.37", "v1.34");
    let sandbox = two_of_a_name(&older);
    let outcome = verify(&sandbox, &["--upstream", "../upstream"]).succeeds();
    for line in [
        "v1.33/things.json (checked in): 2 differences",
        "v1.34/things.json (checked in): 0 differences",
        "v1.36/things.json (checked in): 0 differences",
        "v1.37/things.json (checked in): 0 differences",
    ] {
        assert!(outcome.out.contains(line), "no `{line}` in {}", outcome.out);
    }
    // An entry for one document doesn't explain the other.
    let sandbox = two_of_a_name(&list);
    verify(&sandbox, &["--upstream", "../upstream"]).fails_with(&["2 differences"]);
}

#[test]
fn what_holds_for_all_documents_is_said_once() {
    let sandbox = two_of_a_name(&shared("1.34", &[TEXT], &[WORD]));
    verify(&sandbox, &["--upstream", "../upstream"]).succeeds();
    // If a document has the schema, it must occur; in 1.36 and 1.34 both are alike.
    for key in ["1.35", "1.37"] {
        let sandbox = two_of_a_name(&shared(key, &[TEXT], &[WORD]));
        let outcome = verify(&sandbox, &["--upstream", "../upstream"]);
        let outcome = outcome.fails_with(&["difference"]);
        let expected = format!("{TEXT} (Kubernetes {key}) LISTED, BUT DOES NOT OCCUR");
        assert!(outcome.out.contains(&expected), "{}", outcome.out);
    }
}

/// `Part` is in one of the documents only, so the other one isn't asked for it.
#[test]
fn what_holds_for_all_documents_is_asked_of_those_that_have_the_schema() {
    let added = shared("1.37", &[&format!("{NEW}/properties/text")], &[]);
    let sandbox = two_of_a_name(&(added + &shared("1.34", &[TEXT], &[WORD])));
    let upstream = "upstream/v1.36/things.json";
    let (thing, part) = sandbox.read(upstream).split_once("v1.Part").map_or_else(
        || panic!("no Part"),
        |(thing, part)| (thing.to_owned(), part.replacen("\"text\"", "\"word\"", 1)),
    );
    sandbox.write(upstream, &format!("{thing}v1.Part{part}"));
    verify(&sandbox, &["--upstream", "../upstream"]).fails_with(&["1 difference"]);
    let word = format!("{NEW}/properties/word");
    let both = shared("1.37", &[&format!("{NEW}/properties/text")], &[&word]);
    list(&sandbox, &(both + &shared("1.34", &[TEXT], &[WORD])));
    verify(&sandbox, &["--upstream", "../upstream"]).succeeds();
    // One that no document has would never be asked for.
    let missing = NEW.replace("Part", "Missing");
    list(&sandbox, &shared("1.37", &[&missing], &[]));
    let parts = ["no document has the schema", &missing, "help: "];
    verify(&sandbox, &["--upstream", "../upstream"]).fails_with(&parts);
}

#[test]
fn a_star_stands_for_any_text() {
    for at in ["#/components/schemas/com.example.v1.P*", "#/components/*/*"] {
        let sandbox = sandbox(&listed("1.35", &[at], &[OLD]));
        verify(&sandbox, &["--upstream", "../upstream"]).succeeds();
    }
    // A * matches parts as a whole, and must match something.
    for at in [
        "#/components/*",
        "#/components/schemas/com.example.v1.Q*",
        "#/*/*/*/*",
    ] {
        let sandbox = sandbox(&listed("1.35", &[NEW, at], &[OLD]));
        let outcome = verify(&sandbox, &["--upstream", "../upstream/v1.34"]);
        if at == "#/*/*/*/*" {
            // Inside of what is new as a whole.
            outcome.succeeds();
        } else {
            outcome.fails_with(&["1 difference"]);
        }
    }
}

/// Kubernetes' documents may lack what a release had; no release explains that.
#[test]
fn what_upstream_leaves_out() {
    let list = listed("left-out", &[NEW], &[]) + &listed("1.35", &[], &[OLD]);
    let sandbox = sandbox(&list);
    verify(&sandbox, &["--upstream", "../upstream/v1.34"]).succeeds();
    let outcome = verify(&sandbox, &["--upstream", "../upstream/v1.37"]);
    let outcome = outcome.fails_with(&["1 difference"]);
    assert!(
        outcome.out.contains("(left out upstream) LISTED, BUT"),
        "{}",
        outcome.out
    );
}

/// A schema that came and went again before ours: 1.34 had it, 1.33 didn't.
#[test]
fn a_difference_from_a_release_on() {
    let from = |release: &str| {
        let place = format!("{{ at = \"{OLD}\", from = \"{release}\" }}");
        listed("1.35", &[NEW], &[OLD]).replace(&format!("\"{OLD}\""), &place)
    };
    let run = |release: &str| {
        let sandbox = sandbox(&from(release));
        let thing = sandbox.read("upstream/v1.34/things.json");
        let without = thing.replacen("\"com.example.v1.Older\"", "\"com.example.v1.Oldest\"", 1);
        sandbox.write("upstream/v1.33/things.json", &without);
        let oldest = OLD.replace("Older", "Oldest");
        let list = sandbox.read("root/spec/differences.toml") + &listed("1.34", &[], &[&oldest]);
        sandbox.write("root/spec/differences.toml", &list);
        verify(&sandbox, &["--upstream", "../upstream"])
    };
    run("1.34").succeeds();
    run("1.33").fails_with(&["1 difference"]);
    run("1.35").fails_with(&["1 difference"]);
}

/// A schema that is new in 1.36 may be in 1.35 already, if no document of that was compared.
#[test]
fn a_release_between_those_that_the_list_rests_on() {
    let sandbox = sandbox(&listed("1.36", &[NEW], &[OLD]));
    for document in ["Part", "Older"] {
        let text = sandbox
            .read("upstream/v1.37/things.json")
            .replace("Part", document);
        sandbox.write("between/v1.35/things.json", &text);
        let without = "compared = [\"1.34\", \"1.36\"]\n".to_owned();
        let list = without + &listed("1.36", &[NEW], &[OLD]);
        sandbox.write("root/spec/differences.toml", &list);
        let outcome = verify(&sandbox, &["--upstream", "../between"]).succeeds();
        if document == "Older" {
            let says = format!("{NEW} (Kubernetes 1.36, or earlier but after 1.34)");
            assert!(outcome.out.contains(&says), "{}", outcome.out);
        }
    }
    let outcome = verify(&sandbox, &["--upstream", "../upstream/v1.37"]).succeeds();
    assert!(outcome.stderr.contains("1.34 to 1.36, not on any of 1.37"));
    list(&sandbox, &listed("1.36", &[NEW], &[OLD]));
    sandbox.write(
        "between/v1.35/things.json",
        &sandbox.read("upstream/v1.37/things.json"),
    );
    verify(&sandbox, &["--upstream", "../between"]).fails_with(&["2 differences"]);
}

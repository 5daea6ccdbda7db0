//! Conversions that can't be worked out: each error names the obstacle.

use crate::common::goldens;
use codegen::{Diagnostics, Generated, Source, generate};

const OLD: &str = "v1beta1.json";
const NEW: &str = "v1.json";
const MUG: &str = "com.example.v1beta1.MugSpec";

/// The golden of conversions with changes of its texts: file, what is replaced, by what.
fn changed(changes: &[(&str, &str, &str)]) -> Result<Vec<Generated>, Diagnostics> {
    let mut golden = goldens()
        .into_iter()
        .find(|golden| golden.name == "conversion")
        .unwrap();
    let config = golden.folder.join("codegen.toml");
    let mut config = std::fs::read_to_string(config).unwrap();
    for (file, from, to) in changes {
        let text = match *file {
            "codegen.toml" => &mut config,
            file => {
                let path = format!("v1.37/{file}");
                &mut golden.inputs.documents.get_mut(&path).unwrap().source.text
            }
        };
        assert!(text.contains(from), "{file} has no {from}");
        *text = text.replacen(from, to, 1);
    }
    let config = codegen::Config::parse(&Source::new("codegen.toml", config))?;
    generate(&config, &golden.inputs)
}

/// Checks that generating fails with this one error.
fn bad(changes: &[(&str, &str, &str)], file: &str, message: &str) {
    let errors = changed(changes).map(|_| ()).unwrap_err();
    let told = errors.to_string();
    assert_eq!(errors.len(), 1, "{told}");
    let error = errors.iter().next().unwrap();
    assert!(error.message.contains(message), "{told}");
    assert_eq!(error.file, file, "{told}");
    assert!(
        error.help.as_ref().is_some_and(|help| help.len() > 20),
        "{told}"
    );
    assert!(file == "codegen.toml" || error.line.is_some(), "{told}");
}

/// A further property of the object that has `volume`.
fn with_field(file: &'static str, field: &'static str) -> (&'static str, &'static str, String) {
    (
        file,
        "\"volume\": {",
        format!("\"{field}\": {{\"type\": \"string\"}}, \"volume\": {{"),
    )
}

fn rule(schema: &str, rest: &str) -> String {
    format!("[[crate.conversion.rule]]\nschema = \"{schema}\"\n{rest}\n\n[[extern]]")
}

#[test]
fn the_golden_itself_is_good() {
    // Two versions and their bundle.
    assert_eq!(changed(&[]).unwrap().len(), 3);
}

/// Added to one version only, a field stops the generator until a rule says what to do.
#[test]
fn a_field_of_one_version_only() {
    for (file, schema, other) in [
        (OLD, "v1beta1.MugSpec", "v1.MugSpec"),
        (NEW, "v1.MugSpec", "v1beta1.MugSpec"),
    ] {
        let (file, from, to) = with_field(file, "glaze");
        let message = format!(
            "`glaze` of `com.example.{schema}` has no counterpart in `com.example.{other}`"
        );
        bad(&[(file, from, &to)], file, &message);

        let schema = format!("com.example.{schema}");
        let drop = rule(&schema, "fields = [\"glaze\"]\ndrop = \"it wears off\"");
        let crates = changed(&[(file, from, &to), ("codegen.toml", "[[extern]]", &drop)]);
        let crates = crates.unwrap();
        let mug = crates[1]
            .files
            .iter()
            .find(|file| file.path == "src/beta/mug.rs")
            .unwrap();
        assert!(
            mug.text.contains("Lost: `glaze`, because it wears off."),
            "{}",
            mug.text
        );
        // A conversion that is no longer total isn't a plain `From`.
        assert!(!mug.text.contains("impl From<Mug> for"), "{}", mug.text);
        assert!(mug.text.contains("impl From<Lid> for"), "{}", mug.text);
    }
}

#[test]
fn a_field_that_has_another_name() {
    let (old, from, to) = with_field(OLD, "glaze");
    let (new, new_from, new_to) = with_field(NEW, "finish");
    let rename = rule(MUG, "fields = [\"glaze\"]\nto = \"finish\"");
    let crates = changed(&[
        (old, from, &to),
        (new, new_from, &new_to),
        ("codegen.toml", "[[extern]]", &rename),
    ]);
    let crates = crates.unwrap();
    let mug = crates[1]
        .files
        .iter()
        .find(|file| file.path == "src/beta/mug.rs")
        .unwrap();
    assert!(mug.text.contains("impl From<Mug> for"), "{}", mug.text);
    assert!(mug.text.contains("finish: value.glaze"), "{}", mug.text);

    let rename = rule(MUG, "fields = [\"volume\"]\nto = \"content\"");
    let errors = changed(&[("codegen.toml", "[[extern]]", &rename)])
        .map(|_| ())
        .unwrap_err();
    assert!(
        errors.to_string().contains("which has no `content`"),
        "{errors}"
    );
}

#[test]
fn two_fields_that_become_one() {
    let (old, from, to) = with_field(OLD, "glaze");
    let rename = rule(MUG, "fields = [\"glaze\"]\nto = \"names\"");
    let errors = changed(&[(old, from, &to), ("codegen.toml", "[[extern]]", &rename)]);
    let errors = errors.map(|_| ()).unwrap_err().to_string();
    assert!(
        errors.contains("is the second field to become `names`"),
        "{errors}"
    );
}

#[test]
fn a_field_of_another_type() {
    let int64 = ("\"format\": \"int32\"", "\"format\": \"int64\"");
    bad(
        &[(OLD, int64.0, int64.1)],
        OLD,
        "`volume` of `com.example.v1beta1.MugSpec` is of another type than `volume` of",
    );
    let required = "\"volume\"\n    ]";
    bad(
        &[(OLD, required, "\"volume\", \"names\"\n    ]")],
        OLD,
        "is required, unlike",
    );
    bad(
        &[(NEW, required, "\"volume\", \"names\"\n    ]")],
        OLD,
        "is optional, unlike",
    );
}

#[test]
fn an_enumeration_that_was_an_object() {
    let changes = [(
        OLD,
        "\"type\": \"string\",\n    \"description\": \"The place of the handle.\",\n    \"enum\": [\n     \"left\",\n     \"right\"\n    ]",
        "\"type\": \"object\", \"properties\": {\"side\": {\"type\": \"string\"}}",
    )];
    bad(&changes, OLD, "are an enumeration and an object");
}

#[test]
fn a_kind_without_counterpart() {
    let jug = r#"schema = "com.example.v1beta1.Jug"
to = "com.example.v1.Jar"
forth = "crate::beta::rules::jar"
back = "crate::beta::rules::jug""#;
    let message = "`com.example.v1beta1.Jug` has no counterpart in golden-conversion-v1";
    bad(
        &[(
            "codegen.toml",
            &format!("[[crate.conversion.rule]]\n{jug}"),
            "",
        )],
        OLD,
        message,
    );
    bad(&[("codegen.toml", "v1.Jar", "v1.Jam")], OLD, message);

    let drop = "schema = \"com.example.v1beta1.Jug\"\ndrop = \"broken\"";
    let crates = changed(&[("codegen.toml", jug, drop)]).unwrap();
    assert_eq!(crates[1].hand_written, ["src/beta/rules.rs"]);
    let file = crates[1]
        .files
        .iter()
        .find(|file| file.path == "src/beta/jug.rs")
        .unwrap();
    assert!(!file.text.contains("convert::"), "{}", file.text);

    // A rule for releases that are past doesn't hold.
    let drop = format!("{drop}\nbefore = \"1.37\"");
    bad(&[("codegen.toml", jug, &drop)], OLD, message);
    let drop = drop.replace("1.37", "1.38");
    changed(&[("codegen.toml", jug, &drop)]).unwrap();
}

#[test]
fn a_function_in_a_generated_file() {
    for file in [
        "beta::tray",
        "beta::scheme",
        "beta::apply",
        "beta::validation",
        "beta",
    ] {
        let path = format!("crate::{file}::jar");
        let changes = [("codegen.toml", "crate::beta::rules::jar", path.as_str())];
        bad(&changes, "codegen.toml", "is in a file that is generated");
    }
}

#[test]
fn modules_by_hand_that_nobody_can_write() {
    let generated = "is a file that is generated";
    let nowhere = "is a file of the module `gamma`, which isn't there";
    for (module, message) in [
        ("beta::tray", generated),
        ("beta::scheme", generated),
        ("beta", generated),
        ("pub lib", generated),
        ("gamma::rules", nowhere),
    ] {
        let before = "name = \"golden-conversion-v1beta1\"";
        let by_hand = format!("by-hand = [\"{module}\"]\n{before}");
        bad(
            &[("codegen.toml", before, &by_hand)],
            "codegen.toml",
            message,
        );
    }
    let path = "crate::gamma::rules::jar";
    let changes = [("codegen.toml", "crate::beta::rules::jar", path)];
    bad(
        &changes,
        "codegen.toml",
        "is in a file of the module `gamma`, which isn't there",
    );
}

#[test]
fn modules_of_rules_are_public_and_need_the_feature() {
    let before = "name = \"golden-conversion-v1beta1\"";
    for (rules, message) in [
        (
            "crate::beta::tray",
            "`rules` of the crate names a file that is generated",
        ),
        (
            "crate::gamma::rules",
            "the module `gamma`, which isn't there",
        ),
    ] {
        let rules = format!("{before}\nrules = \"{rules}\"");
        bad(&[("codegen.toml", before, &rules)], "codegen.toml", message);
    }
    let rules = format!("{before}\nrules = \"crate::checks\"");
    let crates = changed(&[("codegen.toml", before, &rules)]).unwrap();
    assert_eq!(
        crates[1].hand_written,
        ["src/checks.rs", "src/beta/rules.rs"]
    );
    let root = crates[1]
        .files
        .iter()
        .find(|file| file.path == "src/lib.rs")
        .unwrap();
    let gated = "#[cfg(feature = \"validation\")]\nmod checks;";
    assert!(root.text.contains(gated), "{}", root.text);
    // Conversions need the module without the feature.
    let rules = format!("{before}\nrules = \"crate::beta::rules\"");
    let crates = changed(&[("codegen.toml", before, &rules)]).unwrap();
    let path = "src/beta/mod.rs";
    let beta = crates[1]
        .files
        .iter()
        .find(|file| file.path == path)
        .unwrap();
    let text = &beta.text;
    let gated = "validation\")]\nmod rules;";
    assert!(
        text.contains("\nmod rules;") && !text.contains(gated),
        "{text}"
    );
}

/// A module that is both named and called is declared once.
#[test]
fn a_module_by_hand_whose_functions_are_called() {
    let before = "name = \"golden-conversion-v1beta1\"";
    let by_hand = format!("by-hand = [\"pub beta::rules\", \"more\"]\n{before}");
    let crates = changed(&[("codegen.toml", before, &by_hand)]).unwrap();
    assert_eq!(crates[1].hand_written, ["src/more.rs", "src/beta/rules.rs"]);
    let text = |path: &str| {
        let file = crates[1].files.iter().find(|file| file.path == path);
        file.unwrap().text.clone()
    };
    assert!(text("src/lib.rs").contains("\nmod more;\n"));
    let beta = text("src/beta/mod.rs");
    assert_eq!(beta.matches("mod rules;").count(), 1, "{beta}");
    assert!(beta.contains("\npub mod rules;\n"), "{beta}");
}

#[test]
fn a_rule_about_nothing() {
    for (schema, rest) in [
        (MUG, "fields = [\"gone\"]\ndrop = \"it is gone\""),
        ("com.example.v1.Gone", "to = \"com.example.v1.Mug\""),
        // The second of two rules for one field.
        (
            "com.example.v1.Tray",
            "fields = [\"price\"]\ndrop = \"gone\"",
        ),
    ] {
        let rule = rule(schema, rest);
        bad(
            &[("codegen.toml", "[[extern]]", &rule)],
            "codegen.toml",
            "is about nothing",
        );
    }
}

//! What is no manifest, or not yet, is a note.

use std::fs;

use crate::common::{GOOD, folder, lint, run_in};

/// A template is one note and no error, however many syntax errors it has. Notes are printed only
/// if they are asked for.
#[test]
fn templates_are_not_read() {
    let class = |provisioner: &str, more: &str| GOOD.replace("csi.example.com", provisioner) + more;
    for (line, text) in [
        // Templates of Helm, Jinja and ERB.
        (
            5,
            class(
                "a",
                "{{- if .Values.class }}\nmountOptions: [a]\n{{- end }}\n",
            ),
        ),
        (4, class("{{ .Values.driver }}", "")),
        (
            4,
            class("{{ .Values.driver | quote }}\nreclaimPolicy: Keep", ""),
        ),
        (5, class("a", "{% if a %}\nparameters: {}\n{% endif %}\n")),
        (5, class("a", "<% if a %>\n  - a\n<% end %>\n")),
        // Placeholders of printf, sed and a shell.
        (4, class("%s", "")),
        (4, class("@DRIVER@", "---\n---\na: [\n")),
        (5, class("a", "${PARAMETERS}\n")),
        (5, class("a", "parameters: {a: %[1]d}\n")),
        (3, GOOD.replace("good", "${NAME}")),
    ] {
        let text = format!("{text}---\n{GOOD}");
        let ran = lint(&["--warnings-as-errors", "--notes"], &text);
        let [note] = ran.stdout.lines().collect::<Vec<_>>()[..] else {
            panic!("{text}{}", ran.stdout);
        };
        assert!(
            note.starts_with(&format!("<stdin>:{line}: ")),
            "{text}{note}"
        );
        assert!(
            note.ends_with(
                ": Note: template, not read; lint the rendered manifests instead [template]"
            ),
            "{note}"
        );
        assert_eq!(ran.code, 0, "{text}");
        let expected = "1 file, 0 objects, 0 errors, 0 warnings, 1 template\n";
        assert_eq!(ran.stderr, expected, "{text}");
        let quiet = lint(&[], &text);
        assert_eq!(
            (quiet.stdout.as_str(), quiet.stderr.as_str()),
            ("", expected)
        );
    }
    // A placeholder in a text isn't a template, and other syntax errors are errors.
    for (code, text) in [
        (
            0,
            class("a", "parameters: {a: '{{ pod.name }}', b: 50%, c: a@b}\n"),
        ),
        (1, class("a", "parameters: {a: '{{ pod.name }}'\n")),
        (1, class("''", "parameters: {a: '{{ pod.name }}'}\n")),
        (1, class("a", "# {{ a comment }}\nparameters: {\n")),
        (1, class("a", "parameters: {a: @b}\n")),
        // A variable that is a text, beside an error.
        (1, class("a", "reclaimPolicy: ${POLICY}\n parameters: {}\n")),
        (1, class("a", "mountOptions:\n  - ${OPTION}\n - b\n")),
        // Text of a block scalar, and another document.
        (
            1,
            class("a", "parameters:\n  a: |\n    {{ pod.name }}\n b: c\n"),
        ),
        (
            1,
            format!(
                "a: |\n  {{{{ .Values.a }}}}\n---\n{}",
                class("a", " b: c\n")
            ),
        ),
    ] {
        let ran = lint(&[], &text);
        assert_eq!(ran.code, code, "{text}{}", ran.stdout);
        assert!(!ran.stderr.contains("template"), "{text}{}", ran.stderr);
    }
}

/// Of an object with placeholders, the rest is checked.
#[test]
fn placeholders_are_left_out() {
    let class = |provisioner: &str, more: &str| GOOD.replace("csi.example.com", provisioner) + more;
    for (line, text) in [
        (4, class("\"{{ .Values.driver }}\"", "")),
        (3, GOOD.replace("good", "\"{{ .Release.Name }}\"")),
        // Variables of a shell and of Flux.
        (3, GOOD.replace("good", "'${NAME}'")),
        (3, GOOD.replace("good", "$NAME")),
        (3, GOOD.replace("good", "\"${NAME:=Good}\"")),
        (3, GOOD.replace("good", "Good-$(NAME)")),
        (5, class("a", "reclaimPolicy: ${POLICY:-Delete}\n")),
        // Of autoconf, of chainsaw, and of printf.
        (5, class("a", "reclaimPolicy: '@POLICY@'\n")),
        (3, GOOD.replace("good", "($name)")),
        (3, GOOD.replace("good", "\"(join('-', ['a', 'b']))\"")),
        (5, class("a", "(length(parameters)): 2\n")),
        (3, GOOD.replace("good", "good-%s")),
        // Of another type than the field.
        (
            5,
            class("a", "allowVolumeExpansion: '{{ .Values.expand }}'\n"),
        ),
        (5, class("a", "mountOptions: ${OPTIONS}\n")),
    ] {
        let bad = text.clone() + "mountoptions: []\n";
        for (text, errors) in [(&text, 0), (&bad, 1)] {
            let text = format!("{text}---\n{}", GOOD.replace("good", "better"));
            let ran = lint(&["--notes"], &text);
            let (notes, others): (Vec<_>, Vec<_>) = ran
                .stdout
                .lines()
                .partition(|line| line.contains(": Note: "));
            let [note] = notes[..] else {
                panic!("{text}{}", ran.stdout);
            };
            assert!(note.starts_with(&format!("<stdin>:{line}: ")), "{note}");
            let end = ": Note: a placeholder, not checked; lint the rendered manifests as well \
                       [template]";
            assert!(note.ends_with(end), "{note}");
            assert_eq!(others.len(), errors, "{text}{others:?}");
            let summary = format!(
                "1 file, 2 objects, {errors} error{}, 0 warnings, 1 template\n",
                if errors == 1 { "" } else { "s" }
            );
            assert_eq!(ran.stderr, summary, "{text}");
        }
    }
    // What is certain of an object whose fields are of the wrong type.
    let text = class("''", "mountOptions: ${OPTIONS}\nreclaimPolicy: Keep\n");
    let ran = lint(&[], &text);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
}

/// What says neither its `apiVersion` nor its `kind` is no manifest.
#[test]
fn what_is_no_manifest_is_a_note() {
    let here = folder("no-manifests");
    for (name, text) in [
        ("tsconfig.json", "{\n  // A comment.\n  \"a\": [1,],\n}\n"),
        ("find.json", "switched to db a\n{ \"_id\" : ObjectId(1) }\n"),
        ("broken.yaml", "a: [\n"),
        ("workflow.yml", "on: push\njobs: {a: {steps: [{run: a}]}}\n"),
    ] {
        fs::write(here.join(name), text).unwrap();
    }
    fs::write(here.join("latin1.yaml"), b"name: caf\xe9\n").unwrap();
    let ran = run_in(&here, &["."], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let end = ", 4 files without manifests, 1 document left alone\n";
    assert!(ran.stderr.ends_with(end), "{}", ran.stderr);
    let ran = run_in(&here, &["--notes", "."], "");
    assert!(
        ran.stdout
            .lines()
            .all(|line| line.contains(": Note: no manifest: "))
    );
    for text in [
        "apiVersion: v1\nkind: A\na: [\n",
        "apiVersion: v1\nkind: A\n---\na: b: c\n",
        "{\"kind\": \"A\", \"apiVersion\": \"v1\",, }\n",
    ] {
        fs::write(here.join("broken.yaml"), text).unwrap();
        let ran = run_in(&here, &["."], "");
        assert!(ran.stdout.contains("Syntax error: "), "{text}");
    }
}

//! `kubernetes-storage convert`: changes of texts.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::common::{self, Ran, assert_golden, folder, run, texts};

const OLD: &str = "# A class.\n\napiVersion: storage.k8s.io/v1beta1 # old\nkind: StorageClass\n\
    metadata: {name: \"fast\"}\nprovisioner:   'a.example.com'\nparameters:\n\n  b: \"1\"\n  a: '2'\n";

/// Converts a text on standard input.
pub(crate) fn convert(arguments: &[&str], text: &str) -> Ran {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    run(here, &[&["convert"], arguments].concat(), text)
}

#[track_caller]
fn becomes(arguments: &[&str], text: &str, wanted: &str) -> Ran {
    let ran = convert(arguments, text);
    assert_eq!(ran.stdout, wanted, "{}", ran.stderr);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Converting again changes nothing.
    assert_eq!(convert(arguments, wanted).stdout, wanted);
    ran
}

#[test]
fn only_the_version_changes() {
    let v1 = |text: &str| text.replace("/v1beta1", "/v1");
    let ran = becomes(&[], OLD, &v1(OLD));
    let expected = "<stdin>:3: storage.k8s.io/v1beta1 StorageClass fast becomes \
                storage.k8s.io/v1 StorageClass\n1 file, 1 changed, 0 templates not read\n";
    assert_eq!(ran.stderr, expected);
    let body = "\nkind: StorageClass\nmetadata: {name: a}\nprovisioner: a\n";
    for version in [
        "apiVersion: 'storage.k8s.io/v1beta1'",
        "\"apiVersion\": \"storage.k8s.io/v1beta1\"  # why",
        "apiVersion:\n  storage.k8s.io/v1beta1",
        "newer: ä\n? apiVersion\n: storage.k8s.io/v1beta1\napiVersion : storage.k8s.io/v1beta1",
    ] {
        let text = format!("{version}{body}");
        // The last of equal keys counts, so only that one has to change.
        let wanted = match text.rsplit_once("/v1beta1") {
            Some((before, after)) => format!("{before}/v1{after}"),
            None => text.clone(),
        };
        let ran = convert(&[], &text);
        assert_eq!(ran.stdout, wanted, "{}", ran.stderr);
    }
    let flow = "{kind: StorageClass, metadata: {name: a}, provisioner: a,\n apiVersion: \
                storage.k8s.io/v1beta1}\n";
    becomes(&[], flow, &v1(flow));
    let json = "{\"kind\":\"StorageClass\", \"apiVersion\" : \"storage.k8s.io/v1beta1\",\n\
                \t\"metadata\":{\"name\":\"a\"},\"provisioner\":\"a\"}\n";
    becomes(&[], json, &v1(json));
    let windows = OLD.replace('\n', "\r\n");
    becomes(&[], &windows, &v1(&windows));
}

#[test]
fn other_documents_stay() {
    let other = "apiVersion: example.com/v1beta1\nkind: StorageClass # storage.k8s.io/v1beta1\n\
                 spec: {a: storage.k8s.io/v1beta1}\n";
    let good = OLD.replace("/v1beta1", "/v1");
    let text = format!("---\n{other}---\n{OLD}...\n---\n{good}--- # the end\n{OLD}");
    let wanted = format!("---\n{other}---\n{good}...\n---\n{good}--- # the end\n{good}");
    becomes(&[], &text, &wanted);
}

#[test]
fn lists_and_their_items_change() {
    let list = |class: &str, list: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: storage.k8s.io/{class}\n  \
             kind: StorageClass\n  metadata: {{name: a}}\n  provisioner: a\n\
             ---\napiVersion: storage.k8s.io/{list}\nkind: CSIStorageCapacityList\nitems:\n\
             - metadata: {{name: b}} # has no type\n  storageClassName: a\n"
        )
    };
    becomes(&[], &list("v1beta1", "v1beta1"), &list("v1", "v1"));
}

#[test]
fn a_release_decides() {
    let class = |version: &str| {
        format!(
            "kind: VolumeAttributesClass\napiVersion: storage.k8s.io/{version}\n\
             metadata: {{name: a}}\ndriverName: a\n"
        )
    };
    for (release, version) in [
        ("1.30", "v1alpha1"),
        ("1.33", "v1beta1"),
        ("1.34", "v1"),
        ("1.37", "v1"),
    ] {
        for from in ["v1alpha1", "v1beta1", "v1"] {
            becomes(
                &["--target-release", release],
                &class(from),
                &class(version),
            );
        }
    }
    let ran = convert(&["--target-release=1.28"], &class("v1"));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr
            .contains("Kubernetes 1.28 serves no version of this kind"),
        "{}",
        ran.stderr
    );
}

const DRIVER: &str = "# In front.\n---\n# Kept.\napiVersion: csi.storage.k8s.io/v1alpha1\n\
    kind: CSIDriver # gone\nmetadata: {name: a.example.com}\nspec: {podInfoOnMountVersion: v2}\n\
    ---\n# After.\n";

#[test]
fn what_would_be_lost_is_left() {
    let ran = convert(&[], DRIVER);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let expected = "<stdin>:4: error: not converted: csi.storage.k8s.io/v1alpha1 CSIDriver \
                a.example.com: storage.k8s.io/v1 CSIDriver cannot represent \
                spec.podInfoOnMountVersion: \"v2\"; see --lossy\n";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);

    let wanted = "# In front.\n---\n# Kept.\napiVersion: storage.k8s.io/v1\nkind: CSIDriver\n\
                  metadata:\n  name: a.example.com\nspec:\n";
    let ran = convert(&["--lossy=discard"], DRIVER);
    assert!(ran.stdout.starts_with(wanted), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n---\n# After.\n") && !ran.stdout.contains("v2"));
    assert!(
        ran.stderr.contains(", rewritten without its comments\n"),
        "{}",
        ran.stderr
    );
    let ran = convert(&["--lossy=annotate"], DRIVER);
    assert!(
        ran.stdout.contains("kubernetes-storage.rs/conversion-data"),
        "{}",
        ran.stdout
    );

    // An unknown field is kept if only the version changes, and prevents rewriting otherwise.
    let unknown = OLD.to_owned() + "newer: 1\n";
    becomes(&[], &unknown, &unknown.replace("/v1beta1", "/v1"));
    let unknown = DRIVER.replace("v2}", "v1, newer: 1}");
    let ran = convert(&[], &unknown);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .contains("unknown field \"spec.newer\" would be lost"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_cannot_be_read_is_left() {
    for (text, expected) in [
        (format!("{OLD}---\na: [\n"), "<stdin>:"),
        (
            format!("{OLD}---\n{OLD}allowVolumeExpansion: 1\n"),
            "expected a boolean",
        ),
        (
            OLD.replace("storage.k8s.io/v1beta1", "!!str storage.k8s.io/v1beta1"),
            "change it manually",
        ),
    ] {
        let ran = convert(&[], &text);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{text}");
        assert!(
            ran.stderr.contains("error: not converted: "),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    let template = format!("{OLD}{{{{- if .Values.a }}}}\n");
    let ran = convert(&[], &template);
    assert_eq!((ran.code, ran.stdout), (0, template));
    assert!(
        ran.stderr.contains("<stdin>:11: template, not read; "),
        "{}",
        ran.stderr
    );
}

/// Unknown versions and kinds of a registered group are errors.
#[test]
fn what_has_never_been_is_left_with_an_error() {
    let object = |version: &str, kind: &str| {
        format!("{OLD}---\nmetadata: {{name: a}}\napiVersion: {version}\nkind: {kind}\n")
    };
    let here = folder("convert-never");
    let file = here.join("never.yaml");
    for (version, kind, expected) in [
        (
            "storage.k8s.io/v2",
            "CSINode",
            "13: error: not converted: Kubernetes has no storage.k8s.io/v2 CSINode; available: \
             storage.k8s.io/v1 CSINode, storage.k8s.io/v1beta1 CSINode\n",
        ),
        (
            "storage.k8s.io/v1alpha1",
            "StorageClass",
            "available: storage.k8s.io/v1 StorageClass, ",
        ),
        (
            "storage.k8s.io/v1beta2",
            "CSINodeList",
            "available: storage.k8s.io/v1 CSINodeList, ",
        ),
        (
            "storage.k8s.io/v1beta1",
            "StorageClas",
            "14: error: not converted: Kubernetes has no storage.k8s.io/v1beta1 StorageClas; \
             did you mean StorageClass?\n",
        ),
        (
            "csi.storage.k8s.io/v1",
            "CSIDrivr",
            "did you mean CSIDriver?\n",
        ),
        (
            "storage.k8s.io/v1",
            "[]",
            "14: error: not converted: kind: not a string\n",
        ),
        (
            "storage.k8s.io/v1",
            "",
            "12: error: not converted: kind is missing; ",
        ),
    ] {
        let text = object(version, kind);
        fs::write(&file, &text).unwrap();
        let ran = run(&here, &["convert", "--in-place", "."], "");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with("never.yaml:") && ran.stderr.contains(expected),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr
                .ends_with("1 file, 0 changed, 0 templates not read\n")
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(convert(&["--check"], &text).code, 1);
    }
    // An item of a list, too.
    let list =
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: storage.k8s.io/v2\n  kind: CSINode\n";
    let ran = convert(&[], list);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr.starts_with("<stdin>:4: error: not converted: "),
        "{}",
        ran.stderr
    );

    // Other groups and placeholders are left alone.
    for (version, kind) in [
        ("example.com/v2", "CSINode"),
        ("snapshot.storage.k8s.io/v9", "VolumeSnapshot"),
        ("v1", "StorageClass"),
        ("apps/v1", "Deploiment"),
        ("storage.k8s.io/v1", "'{{ .Values.kind }}'"),
        ("'storage.k8s.io/{{ .Values.version }}'", "CSINode"),
    ] {
        let text = object(version, kind);
        becomes(&[], &text, &text.replacen("/v1beta1", "/v1", 1));
    }
}

#[test]
fn files_are_written_as_asked() {
    let here = folder("convert-files");
    let put = |name: &str, text: &str| common::put(&here, name, text);
    let new = OLD.replace("/v1beta1", "/v1");
    put("in/a/old.yaml", OLD);
    put("in/new.yaml", &new);
    put("in/lossy.yaml", DRIVER);
    put("in/notes.txt", OLD);
    let read = |name: &str| fs::read_to_string(here.join(name)).unwrap_or_default();
    let run = |arguments: &[&str]| run(&here, &[&["convert"], arguments].concat(), "");

    let ran = run(&["in"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("--in-place, --output, --diff or --check is required")
    );

    let ran = run(&["--diff", "in/a"]);
    let diff = "--- in/a/old.yaml\n+++ in/a/old.yaml\n@@ -1,6 +1,6 @@\n # A class.\n \n\
                -apiVersion: storage.k8s.io/v1beta1 # old\n\
                +apiVersion: storage.k8s.io/v1 # old\n kind: StorageClass\n \
                metadata: {name: \"fast\"}\n provisioner:   'a.example.com'\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, diff));
    let ran = run(&["--check", "in/a"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, diff));
    assert_eq!(run(&["--check", "in/new.yaml"]).code, 0);
    assert_eq!(read("in/a/old.yaml"), OLD);

    // A file that can't be converted is not copied.
    let ran = run(&["--output", "out/deep", "in"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(read("out/deep/a/old.yaml"), new);
    assert_eq!(read("out/deep/new.yaml"), new);
    assert!(!here.join("out/deep/lossy.yaml").exists());
    assert!(!here.join("out/deep/notes.txt").exists());
    assert_eq!(read("in/a/old.yaml"), OLD);

    let ran = run(&["--in-place", "in"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(
        (read("in/a/old.yaml"), read("in/lossy.yaml")),
        (new, DRIVER.to_owned())
    );
    assert_eq!(read("in/notes.txt"), OLD);
    assert!(
        ran.stderr
            .ends_with("3 files, 1 changed, 0 templates not read, 1 file skipped\n")
    );
    let here: Vec<_> = fs::read_dir(here.join("in")).unwrap().collect();
    assert_eq!(here.len(), 4, "nothing is left beside the files");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let here = folder("convert-links");
    let file = here.join("real.yaml");
    fs::write(&file, OLD).unwrap();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("real.yaml", here.join("link.yaml")).unwrap();
    let ran = run(&here, &["convert", "--in-place", "link.yaml"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        fs::symlink_metadata(here.join("link.yaml"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        OLD.replace("/v1beta1", "/v1")
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

/// A dump of a cluster is edited in the time that reading takes: ten times as many objects don't
/// take a hundred times as long.
#[test]
fn many_objects_take_linear_time() {
    let item = "- apiVersion: storage.k8s.io/v1beta1\n  kind: StorageClass\n  \
                metadata: {name: a}\n  provisioner: a\n";
    let took = |count| {
        let text = format!("apiVersion: v1\nkind: List\nitems:\n{}", item.repeat(count));
        let start = Instant::now();
        let ran = convert(&[], &text);
        assert_eq!(ran.stdout, text.replace("/v1beta1", "/v1"));
        start.elapsed()
    };
    let (few, many) = (took(2_000), took(20_000));
    assert!(many < 40 * few, "{few:?}, {many:?}");
}

/// The folder with every version of the kinds, from the root of the repository.
const MANIFESTS: &str = "programs/kubernetes-storage/tests/manifests";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

/// Converts the folder to another one, and returns the texts and the report.
fn convert_folder(name: &str) -> (PathBuf, String, Ran) {
    let to = folder(name);
    let output = to.to_str().unwrap();
    let arguments = [
        "convert", "--lossy", "annotate", "--output", output, MANIFESTS,
    ];
    let ran = run(root(), &arguments, "");
    let ran = Ran {
        stderr: ran.stderr.replace(&format!("{output}/"), "v1/"),
        ..ran
    };
    let text = texts(&to).into_values().collect();
    (to, text, ran)
}

/// Both forms of csi.storage.k8s.io, lists of both kinds, and objects of others.
#[test]
fn a_folder_becomes_the_newest_version() {
    let (to, text, ran) = convert_folder("convert-folder");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_golden("converted.yaml", &text);
    assert_golden("converted.txt", &ran.stderr);
    let again = run(&to, &["convert", "--check", "."], "");
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (0, ""),
        "{}",
        again.stderr
    );
}

/// docs/conversion.md shows the first and the last lines of the report.
#[test]
fn the_documentation_is_true() {
    let text = fs::read_to_string(root().join("docs/conversion.md")).unwrap();
    assert!(text.contains(&format!(
        " convert --lossy annotate --output v1 {MANIFESTS}\n"
    )));
    let (_, shown) = text.split_once("```text\n").unwrap();
    let (first, last) = shown
        .split_once("```")
        .unwrap()
        .0
        .split_once("…\n")
        .unwrap();
    let (_, _, ran) = convert_folder("convert-documentation");
    assert!(
        ran.stderr.starts_with(first) && ran.stderr.ends_with(last),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_byte_order_mark_stays() {
    let here = folder("mark");
    let old = "\u{feff}apiVersion: storage.k8s.io/v1beta1\nkind: StorageClass\n\
               metadata: {name: a}\nprovisioner: a\n";
    let json = "\u{feff}{\"apiVersion\": \"storage.k8s.io/v1beta1\", \"kind\": \"StorageClass\",\n\
                \"metadata\": {\"name\": \"a\"}, \"provisioner\": \"a\"}\n";
    // Files one after the other.
    let two = format!("{old}---\n{old}--- \r\n{json}---\n# None.\n{}", &old[3..]);
    for (name, text) in [("a.yaml", old), ("a.json", json), ("two.yaml", &two)] {
        let path = here.join(name);
        fs::write(&path, text).unwrap();
        let ran = run(&here, &["convert", "--in-place", name], "");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let new = fs::read_to_string(&path).unwrap();
        assert_eq!(new, text.replace("v1beta1", "v1"));
    }
}

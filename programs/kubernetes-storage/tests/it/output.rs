//! `kubernetes-storage convert --output`: no file is lost.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{GOOD, Ran, folder, put, run, texts};

const OLD: &str = "apiVersion: storage.k8s.io/v1beta1\nkind: StorageClass\nmetadata: {name: a}\n\
                   provisioner: a\n";

fn names(folder: &Path) -> Vec<String> {
    let names = texts(folder).into_keys();
    names.map(|path| path.display().to_string()).collect()
}

fn convert(here: &Path, arguments: &[&str]) -> Ran {
    run(here, &[&["convert", "--output"], arguments].concat(), "")
}

#[test]
fn files_of_the_same_name_keep_their_folders() {
    let here = folder("output-names");
    for name in ["a/x.yaml", "b/x.yaml", "b/c/x.yaml", "y.yaml"] {
        put(
            &here,
            name,
            &OLD.replace("name: a", &format!("name: {name}")),
        );
    }
    for (out, named, wanted) in [
        (
            "1",
            &["a", "b"] as &[_],
            &["a/x.yaml", "b/c/x.yaml", "b/x.yaml"] as &[_],
        ),
        ("2", &["b"], &["c/x.yaml", "x.yaml"]),
        ("3", &["b", "b/c"], &["c/x.yaml", "x.yaml"]),
        (
            "4",
            &["a/x.yaml", "b/c/x.yaml"],
            &["a/x.yaml", "b/c/x.yaml"],
        ),
        ("5", &["a/x.yaml"], &["x.yaml"]),
        (
            "6",
            &["./a/../b", "a/x.yaml", "a"],
            &["a/x.yaml", "b/c/x.yaml", "b/x.yaml"],
        ),
        ("7", &["a", "y.yaml"], &["a/x.yaml", "y.yaml"]),
        ("deep/8", &["a/x.yaml", "./a/x.yaml"], &["x.yaml"]),
    ] {
        let ran = convert(&here, &[&[out], named].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(names(&here.join(out)), wanted, "{named:?}");
        let said = ran
            .stderr
            .lines()
            .filter(|line| line.contains(": converted to "));
        assert_eq!(said.count(), wanted.len(), "{}", ran.stderr);
    }
    // An absolute path is below the same folder.
    let absolute = here.join("a");
    let ran = convert(&here, &["9", absolute.to_str().unwrap(), "b"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(names(&here.join("9")).len(), 3);
}

#[test]
fn what_happens_to_each_file_is_said() {
    let here = folder("output-said");
    let template = "a: {{ .Values.a }}\n";
    let more = [
        ("new.yaml", GOOD),
        ("old.yaml", OLD),
        ("t.yaml", template),
        ("n.txt", OLD),
    ];
    more.iter()
        .for_each(|(name, text)| put(&here, &format!("in/{name}"), text));
    let wanted = "in/old.yaml:1: storage.k8s.io/v1beta1 StorageClass a becomes storage.k8s.io/v1 \
                  StorageClass\nin/t.yaml:1: template, not read; convert the rendered manifests \
                  instead\nin/new.yaml: copied to out/new.yaml\n\
                  in/old.yaml: converted to out/old.yaml\n\
                  in/t.yaml: a template, copied to out/t.yaml\n\
                  3 files, 1 changed, 1 template not read, 1 file skipped\n";
    let ran = convert(&here, &["out", "in"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, wanted));
    let ran = convert(&here, &["out", "in", "--verbose"]);
    assert!(
        ran.stderr.starts_with("skipped: in/n.txt\n"),
        "{}",
        ran.stderr
    );
    let again = "in/old.yaml: converted to out/old.yaml, in place of another file\n";
    assert!(ran.stderr.contains(again), "{}", ran.stderr);
}

/// What earlier runs have written is no input of the next.
#[test]
fn an_output_folder_in_its_input_is_left_out() {
    let here = folder("output-inside");
    put(&here, "a.yaml", OLD);
    for _ in 0..2 {
        let ran = convert(&here, &["v1", "."]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(names(&here.join("v1")), ["a.yaml"]);
    }
}

/// Nothing is written if a file has no place of its own.
#[test]
fn a_file_without_a_place_of_its_own_is_refused() {
    let here = folder("output-refused");
    put(&here, "a/x.yaml", OLD);
    put(&here, "a/b/x.yaml", OLD);
    put(&here, "a/y.yaml", OLD);
    put(&here, "to/y.yaml/z.yaml", OLD);
    put(&here, "file", OLD);
    let before = texts(&here);
    for (arguments, wanted) in [
        (
            &["a", "a"] as &[_],
            "error: a/b/x.yaml would be written to a/b/x.yaml, which would replace",
        ),
        (
            &["a/b", "a", "a/b"],
            "error: a/x.yaml would be written to a/b/x.yaml, which would replace",
        ),
        (
            &["to", "a"],
            "error: a/y.yaml would be written to to/y.yaml, which is a folder",
        ),
        (
            &["file", "a"],
            "would be written to file/x.yaml, but file is no folder",
        ),
        (&["to", "-"], "error: standard input has no file"),
        (&["to", "a", "-"], "error: standard input has no file"),
        (&["to"], "error: standard input has no file"),
    ] {
        let ran = convert(&here, arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(wanted), "{arguments:?}: {}", ran.stderr);
        assert_eq!(texts(&here), before, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_what_they_lead_to_are_written() {
    use std::os::unix::fs::symlink;

    let here = folder("output-links");
    put(&here, "in/a/real.yaml", OLD);
    put(&here, "else/far.yaml", OLD);
    symlink("a/real.yaml", here.join("in/link.yaml")).unwrap();
    symlink("a", here.join("in/folder")).unwrap();
    symlink("../in", here.join("in/round")).unwrap();
    symlink("../else/far.yaml", here.join("in/far.yaml")).unwrap();
    let ran = convert(&here, &["out", "in"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let new = OLD.replace("v1beta1", "v1");
    let written = texts(&here.join("out"));
    let wanted = ["a/real.yaml", "far.yaml", "folder/real.yaml", "link.yaml"];
    assert_eq!(names(&here.join("out")), wanted);
    assert!(written.values().all(|text| *text == new));
    let said = "in/link.yaml: a link, converted to out/link.yaml\n";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(here.join("else/far.yaml")).unwrap(), OLD);
    // A link as what is named.
    let ran = convert(&here, &["named", "in/folder", "in/link.yaml"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        names(&here.join("named")),
        ["folder/real.yaml", "link.yaml"]
    );
}

/// A file of a random tree.
#[derive(Clone, Debug)]
struct Made {
    folder: usize,
    name: usize,
    /// The file that it is a link to.
    link: Option<prop::sample::Index>,
    is_old: bool,
}

const FOLDERS: [&str; 6] = ["a", "b", "a/b", "a/b/c", "b/a", "c"];
const NAMES: [&str; 4] = ["x.yaml", "y.yaml", "x.json", "z.yml"];

fn made() -> impl Strategy<Value = Made> {
    let link = prop::option::weighted(0.2, any::<prop::sample::Index>());
    let parts = (0..FOLDERS.len(), 0..NAMES.len(), link, any::<bool>());
    parts.prop_map(|(folder, name, link, is_old)| Made {
        folder,
        name,
        link,
        is_old,
    })
}

fn object(index: usize, is_old: bool) -> String {
    let version = if is_old { "v1beta1" } else { "v1" };
    format!(
        "{{\"apiVersion\": \"storage.k8s.io/{version}\", \"kind\": \"StorageClass\", \"metadata\": \
         {{\"name\": \"n{index}\"}}, \"provisioner\": \"a\"}}\n"
    )
}

/// The output has what the input has: each path below a named folder, with its object.
#[cfg(unix)]
#[test]
fn random_trees_keep_all_files() {
    let here = folder("output-random");
    let tree = prop::collection::vec(made(), 1..12);
    let named = prop::collection::vec(0..FOLDERS.len(), 1..4);
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok()).unwrap_or(100);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&(tree, named), |(tree, named)| {
        let (input, output) = (here.join("in"), here.join("out"));
        let _ = fs::remove_dir_all(&input);
        let _ = fs::remove_dir_all(&output);
        for folder in FOLDERS {
            fs::create_dir_all(input.join(folder)).unwrap();
        }
        let mut files: Vec<PathBuf> = Vec::new();
        for (index, made) in tree.iter().enumerate() {
            let path = input.join(FOLDERS[made.folder]).join(NAMES[made.name]);
            if files.contains(&path) {
                continue;
            }
            match &made.link {
                Some(to) if !files.is_empty() => {
                    std::os::unix::fs::symlink(to.get(&files), &path).unwrap();
                }
                _ => fs::write(&path, object(index, made.is_old)).unwrap(),
            }
            files.push(path);
        }
        let roots: Vec<_> = named.iter().map(|folder| FOLDERS[*folder]).collect();
        let is_named = |path: &Path| {
            let inside = path.strip_prefix(&input).unwrap();
            roots.iter().any(|root| inside.starts_with(root))
        };
        let mut wanted: Vec<_> = files
            .iter()
            .filter(|path| is_named(path))
            .map(|path| fs::read_to_string(path).unwrap().replace("v1beta1", "v1"))
            .collect();
        let paths: Vec<_> = roots.iter().map(|root| format!("in/{root}")).collect();
        let mut arguments = vec!["out"];
        arguments.extend(paths.iter().map(String::as_str));
        let ran = convert(&here, &arguments);
        prop_assert_eq!(ran.code, 0, "{}", ran.stderr);
        let written = texts(&output);
        for path in written.keys() {
            let is_source = |file: &&PathBuf| file.ends_with(path);
            prop_assert!(
                files.iter().any(|file| is_source(&file)),
                "{}",
                path.display()
            );
        }
        let mut found: Vec<_> = written.into_values().collect();
        wanted.sort();
        found.sort();
        prop_assert_eq!(found, wanted, "{}", ran.stderr);
        Ok(())
    });
    result.unwrap();
}

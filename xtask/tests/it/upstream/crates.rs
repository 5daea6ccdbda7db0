//! Crates from Kubernetes' own documents, of every release that is there, compile.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::Path;

use xtask_testing::upstream;

use crate::common::{ALL_FEATURES, compile, compile_with, generate, real_root};

/// The kinds that Kubernetes documents, by crate and file, each with the minor releases from
/// the first to the last; what goes back further or on is cut at those of the documents.
const KINDS: &[(&str, &str, u32, u32)] = &[
    ("storage-v1", "csi_driver", 23, 99),
    ("storage-v1", "csi_node", 23, 99),
    ("storage-v1", "csi_storage_capacity", 24, 99),
    ("storage-v1", "storage_class", 23, 99),
    ("storage-v1", "volume_attachment", 23, 99),
    ("storage-v1", "volume_attributes_class", 34, 99),
    ("storage-v1beta1", "csi_storage_capacity", 23, 26),
    ("storage-v1beta1", "volume_attributes_class", 31, 36),
    ("storage-v1alpha1", "csi_storage_capacity", 23, 23),
    ("storage-v1alpha1", "volume_attributes_class", 29, 34),
];

/// The files of each crate that hold kinds.
type Crates = BTreeMap<String, BTreeSet<String>>;

fn expected(minor: u32) -> Crates {
    let mut crates = Crates::new();
    for (name, file, first, last) in KINDS {
        if (*first..=*last).contains(&minor) {
            crates
                .entry((*name).to_owned())
                .or_default()
                .insert(format!("{file}.rs"));
        }
    }
    crates
}

/// The crates of versions in a folder, which their bundle is beside. Kinds of older versions that
/// v1 has too must become those.
fn generated(out: &Path, minor: u32) -> Crates {
    assert!(out.join("storage-all/src/kinds.rs").is_file(), "no bundle");
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect()
    };
    let crates = names(out)
        .into_iter()
        .filter(|name| name.starts_with("storage-v"));
    let crates: Crates = crates
        .map(|name| {
            let mut files = names(&out.join(&name).join("src"));
            for file in ["group_version.rs", "lib.rs", "merge.rs", "scheme.rs"] {
                assert!(files.remove(file), "{name} has no {file}");
            }
            for folder in ["apply", "schema", "validation"] {
                assert!(files.remove(folder), "{name} has no folder {folder}");
            }
            // Only for the releases that k8s-openapi has.
            assert_eq!(files.remove("counterparts.rs"), minor >= 33, "{name}");
            // Hand-written rules are in a package of their own.
            assert!(!files.contains("rules"), "{name}");
            (name, files)
        })
        .collect();
    for (name, files) in crates.iter().filter(|(name, _)| *name != "storage-v1") {
        for file in files {
            let text = fs::read_to_string(out.join(name).join("src").join(file)).unwrap();
            let converted = text.contains("for storage_v1::");
            assert_eq!(
                converted,
                crates["storage-v1"].contains(file),
                "{name}/{file}"
            );
        }
    }
    crates
}

/// Slow, and in need of Kubernetes' documents.
#[test]
#[ignore = "needs UPSTREAM_DIR: see docs/testing.md"]
fn crates_from_kubernetes_own_documents_compile() {
    let Some(root) = real_root() else { return };
    let upstream = upstream(&root);
    let folders = fs::read_dir(upstream.join("openapi")).unwrap();
    let mut folders: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| {
        folder
            .join("apis__storage.k8s.io__v1_openapi.json")
            .is_file()
    });
    folders.sort();
    assert!(
        !folders.is_empty(),
        "no documents of storage.k8s.io/v1 in UPSTREAM_DIR"
    );
    let mut errors = Vec::new();
    // CI compiles some of them, and `cargo xtask proof upstream-releases` all.
    let all = env::var("COMPILED_RELEASES").is_ok_and(|value| value == "all");
    let last = folders.len() - 1;
    for (number, folder) in folders.into_iter().enumerate() {
        let release = folder.file_name().unwrap().to_string_lossy().into_owned();
        let out = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("upstream")
            .join(&release);
        // The results of an earlier run would be taken for those of this one.
        let _ = fs::remove_dir_all(&out);
        let (spec, to) = (folder.display().to_string(), out.display().to_string());
        let result = std::panic::catch_unwind(|| {
            let output = generate(&root, &["--spec", &spec, "--out", &to]);
            let minor = release.strip_prefix("v1.").unwrap().parse().unwrap();
            assert_eq!(generated(&out, minor), expected(minor), "{release}");
            // Without features whole files are left out, in the same way for each release.
            if number == 0 || number == last {
                compile(&root, &out);
            } else if all || number.is_multiple_of(3) {
                compile_with(&root, &out, &[ALL_FEATURES]);
            }
            output
        });
        match result {
            Ok(output) => println!("{release}: {}", output.trim_end()),
            Err(_) => errors.push(release),
        }
    }
    assert!(
        errors.is_empty(),
        "{errors:?} can't be generated or compiled, see above"
    );
}

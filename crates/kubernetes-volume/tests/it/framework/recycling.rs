//! The Pod that empties a volume.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use k8s_openapi::api::core::v1::Pod;
use kubernetes_volume::VolumeConfig;
use kubernetes_volume::recycler::{
    documented_timeout, persistent_volume_recycler_pod_template, timeout,
    validate_recycler_pod_template,
};

#[test]
fn the_template_is_valid_and_one_without_volumes_is_not() {
    let mut pod = persistent_volume_recycler_pod_template();
    validate_recycler_pod_template(&pod).unwrap();
    assert_eq!(pod.metadata.generate_name.as_deref(), Some("pv-recycler-"));
    let spec = pod.spec.as_mut().unwrap();
    assert_eq!(spec.active_deadline_seconds, Some(60));
    assert_eq!(spec.restart_policy.as_deref(), Some("Never"));
    spec.volumes = Some(vec![]);
    for pod in [pod, Pod::default()] {
        let error = validate_recycler_pod_template(&pod).unwrap_err();
        assert_eq!(error.to_string(), "does not contain any volume(s)");
    }
}

/// Runs the script of the Pod on a folder in place of the volume.
fn scrub(folder: &std::path::Path) -> bool {
    let pod = persistent_volume_recycler_pod_template();
    let container = pod.spec.unwrap().containers.remove(0);
    let mut command = container.command.unwrap();
    command.extend(container.args.unwrap());
    let script = command
        .pop()
        .unwrap()
        .replace("/scrub", folder.to_str().unwrap());
    Command::new(&command[0])
        .args(&command[1..])
        .arg(script)
        .status()
        .unwrap()
        .success()
}

#[test]
fn everything_is_removed_and_nothing_outside() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("kept"), "").unwrap();
    for name in [
        "a",
        ".hidden",
        "..twice",
        "...",
        "with space",
        "sub/deep/file",
        ".sub/file",
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    symlink(outside.path(), folder.path().join("link")).unwrap();
    assert!(scrub(folder.path()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(outside.path().join("kept").exists());
    // Repeated, and without a volume.
    assert!(scrub(folder.path()));
    assert!(!scrub(&folder.path().join("missing")));
}

#[test]
fn the_timeouts_are_those_of_the_documentation_and_of_the_code() {
    const GI: u64 = 1 << 30;
    let config = VolumeConfig {
        recycler_minimum_timeout: 60,
        recycler_timeout_increment: 30,
        ..VolumeConfig::default()
    };
    // The size, the documented seconds, and those of the code.
    for (bytes, documented, code) in [
        (0, 60, 60),
        (GI - 1, 60, 60),
        (GI, 90, 60),
        (5 * GI, 210, 150),
        (u64::MAX, u64::MAX, 0),
    ] {
        if bytes < u64::MAX {
            assert_eq!(documented_timeout(&config, bytes), documented, "{bytes}");
            assert_eq!(timeout(&config, bytes), code, "{bytes}");
        } else {
            // As much as 16 EiB needs, without overflow.
            assert_eq!(timeout(&config, bytes), (bytes / GI) * 30);
        }
    }
}

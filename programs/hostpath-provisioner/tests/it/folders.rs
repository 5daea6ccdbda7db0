//! Folders as volumes: what is made, found again, removed, and left alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use core_v1::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec,
    PersistentVolumeReclaimPolicy,
};
use hostpath_provisioner::{Folders, HostPath, NODE, RootError};
use k8s_openapi::api::core::v1::Node;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::ResourceExt as _;
use kubernetes_provisioner::{DeleteError, ProvisionError, ProvisionRequest, Provisioner};
use storage_v1::StorageClass;
use tempfile::TempDir;

fn request() -> ProvisionRequest {
    let mut claim = PersistentVolumeClaim::new("data");
    claim.metadata.uid = Some("1234".to_owned());
    claim.spec = Some(PersistentVolumeClaimSpec::new());
    ProvisionRequest::new(claim, StorageClass::new("folders", "example.com/folders"))
}

fn with_parameter(name: &str, value: &str) -> ProvisionRequest {
    let mut request = request();
    request.class = request.class.with_parameters([(name, value)]);
    request
}

fn shared() -> (TempDir, HostPath) {
    let root = TempDir::new().unwrap();
    let provisioner = HostPath::shared(Folders::open(root.path()).unwrap());
    (root, provisioner)
}

fn path(volume: &PersistentVolume) -> &str {
    &volume
        .spec
        .as_ref()
        .unwrap()
        .host_path
        .as_ref()
        .unwrap()
        .path
}

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn a_folder_is_made_found_again_and_removed() {
    let (root, provisioner) = shared();
    let volume = provisioner.provision(&request()).await.unwrap();
    let folder = root.path().join("pvc-1234");
    assert_eq!(Path::new(path(&volume)), folder);
    assert_eq!(mode(&folder), 0o777);
    fs::create_dir(folder.join("inside")).unwrap();
    fs::write(folder.join("inside/file"), "kept").unwrap();

    let again = provisioner.provision(&request()).await.unwrap();
    assert_eq!(again, volume);
    assert_eq!(
        fs::read_to_string(folder.join("inside/file")).unwrap(),
        "kept"
    );

    provisioner.delete(&volume).await.unwrap();
    assert!(!folder.exists());
    provisioner.delete(&volume).await.unwrap();
}

#[tokio::test]
async fn what_is_not_stored_is_told_after_a_restart() {
    let (root, provisioner) = shared();
    let volume = provisioner.provision(&request()).await.unwrap();
    let mut kept = request();
    kept.class = kept.class.with_reclaim_policy("Retain");
    kept.volume_name = "pvc-5678".to_owned();
    provisioner.provision(&kept).await.unwrap();

    let again = HostPath::shared(Folders::open(root.path()).unwrap());
    let found = again.unstored().await.unwrap();
    let [one, two] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (one.name_any(), path(one)),
        (volume.name_any(), path(&volume))
    );
    let policy = |volume: &PersistentVolume| {
        let spec = volume.spec.clone().unwrap();
        spec.persistent_volume_reclaim_policy.unwrap()
    };
    assert_eq!(policy(one), PersistentVolumeReclaimPolicy::Delete);
    assert_eq!(policy(two), PersistentVolumeReclaimPolicy::Retain);
    again.delete(one).await.unwrap();
    again.stored("pvc-5678").await.unwrap();
    again.stored("pvc-5678").await.unwrap();
    assert_eq!(again.unstored().await.unwrap(), []);
    assert!(!root.path().join("pvc-1234").exists());
    assert!(root.path().join("pvc-5678").exists());
}

/// A process can be killed between any two steps.
#[tokio::test]
async fn notes_that_a_killed_process_left_are_no_trouble() {
    let (root, provisioner) = shared();
    let notes = root.path().join(".unstored");
    fs::write(notes.join(".probe"), "").unwrap();
    // Created, but not written: there is no folder yet.
    fs::write(notes.join("pvc-1234"), "").unwrap();
    let found = provisioner.unstored().await.unwrap();
    let [volume] = &found[..] else {
        panic!("{found:?}")
    };
    let policy = volume
        .spec
        .clone()
        .unwrap()
        .persistent_volume_reclaim_policy;
    assert_eq!(policy, Some(PersistentVolumeReclaimPolicy::Delete));
    provisioner.delete(volume).await.unwrap();
    Folders::open(root.path()).unwrap();
    assert_eq!(fs::read_dir(&notes).unwrap().count(), 0);
}

#[tokio::test]
async fn a_class_says_the_permissions() {
    let (_root, provisioner) = shared();
    let volume = provisioner
        .provision(&with_parameter("mode", "2770"))
        .await
        .unwrap();
    assert_eq!(mode(path(&volume)), 0o2770);
    for (name, value, said) in [
        (
            "mode",
            "rwx",
            "parameter `mode` of the class is `rwx`, not permissions",
        ),
        ("mode", "10000", "not permissions such as `0770`"),
        (
            "mod",
            "0770",
            "unknown parameter `mod` of the class; the only one is `mode`",
        ),
    ] {
        let error = provisioner
            .provision(&with_parameter(name, value))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[tokio::test]
async fn what_no_folder_can_be_is_infeasible() {
    let (root, provisioner) = shared();
    let mut selects = request();
    selects.claim.spec.as_mut().unwrap().selector = Some(LabelSelector::default());
    let error = provisioner.provision(&selects).await.unwrap_err();
    assert!(matches!(error, ProvisionError::Infeasible(_)), "{error}");
    let entries: Vec<_> = fs::read_dir(root.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(entries, [".unstored"]);
}

#[tokio::test]
async fn volumes_of_others_are_left_alone() {
    let (root, provisioner) = shared();
    let volume = provisioner.provision(&request()).await.unwrap();
    let elsewhere = TempDir::new().unwrap();
    fs::create_dir(elsewhere.path().join("pvc-1234")).unwrap();
    let other = HostPath::shared(Folders::open(elsewhere.path()).unwrap());
    let error = other.delete(&volume).await.unwrap_err();
    assert!(matches!(error, DeleteError::Ignored { .. }), "{error}");
    for name in ["", "..", "pvc-1234/..", "/etc", ".unstored"] {
        let mut named = volume.clone();
        named.metadata.name = Some(name.to_owned());
        named
            .spec
            .as_mut()
            .unwrap()
            .host_path
            .as_mut()
            .unwrap()
            .path = format!("{}/{name}", root.path().display());
        let error = provisioner.delete(&named).await.unwrap_err();
        assert!(
            matches!(error, DeleteError::Ignored { .. }),
            "{name:?}: {error}"
        );
    }
    assert!(root.path().join("pvc-1234").exists());
    assert!(elsewhere.path().join("pvc-1234").exists());
}

#[tokio::test]
async fn symbolic_links_are_not_followed() {
    let (root, provisioner) = shared();
    let target = TempDir::new().unwrap();
    fs::write(target.path().join("file"), "kept").unwrap();
    symlink(target.path(), root.path().join("pvc-1234")).unwrap();
    let error = provisioner.provision(&request()).await.unwrap_err();
    assert!(
        error.to_string().contains("exists and is not a folder"),
        "{error}"
    );
    fs::remove_file(root.path().join("pvc-1234")).unwrap();

    let volume = provisioner.provision(&request()).await.unwrap();
    symlink(target.path(), root.path().join("pvc-1234/link")).unwrap();
    provisioner.delete(&volume).await.unwrap();
    assert!(target.path().join("file").exists());
}

#[tokio::test]
async fn folders_of_a_node() {
    let root = TempDir::new().unwrap();
    let folders = Folders::open(root.path()).unwrap();
    let [one, two] = ["one", "two"].map(|node| HostPath::of_node(folders.clone(), node));
    let mut claim = request().claim;
    assert!(!one.should_provision(&claim).await);
    let selected = (
        "volume.kubernetes.io/selected-node".to_owned(),
        "one".to_owned(),
    );
    claim.metadata.annotations = Some([selected].into());
    assert!(one.should_provision(&claim).await);
    assert!(!two.should_provision(&claim).await);

    let mut node = Node::default();
    node.metadata.name = Some("one".to_owned());
    let label = (
        "kubernetes.io/hostname".to_owned(),
        "one.example.com".to_owned(),
    );
    node.metadata.labels = Some([label].into());
    let request = ProvisionRequest::new(claim, request().class).with_selected_node(node);
    let volume = one.provision(&request).await.unwrap();
    let affinity = volume
        .spec
        .as_ref()
        .unwrap()
        .node_affinity
        .as_ref()
        .unwrap();
    let term = &affinity.required.as_ref().unwrap().node_selector_terms[0];
    let expression = &term.match_expressions.as_ref().unwrap()[0];
    assert_eq!(
        expression.values.as_deref(),
        Some(&["one.example.com".to_owned()][..])
    );
    assert_eq!(volume.metadata.annotations.as_ref().unwrap()[NODE], "one");
    assert!(one.should_delete(&volume).await);
    assert!(!two.should_delete(&volume).await);
    assert!(!HostPath::shared(folders).should_delete(&volume).await);
}

#[test]
fn roots_that_cannot_be_used() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let said = |root: &Path| Folders::open(root).unwrap_err().to_string();
    assert!(matches!(Folders::open("here"), Err(RootError::Relative(_))));
    assert!(said(file.path()).contains("can't use the root"));
    assert!(said(Path::new("/nowhere")).contains("mount a folder of the node there"));
}

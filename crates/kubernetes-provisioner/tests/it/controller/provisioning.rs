//! The claims that are provisioned, and their volumes.

use core_v1::{
    PersistentVolumeClaim, PersistentVolumeMode, PersistentVolumeReclaimPolicy,
    TypedLocalObjectReference,
};
use k8s_openapi::api::core::v1::{TopologySelectorLabelRequirement, TopologySelectorTerm};
use kubernetes_kinds::WithMetadata;
use kubernetes_provisioner::ProvisionError;
use kubernetes_provisioner::names;
use storage_v1::{StorageClass, VolumeBindingMode};

use super::fake::{Answer, Fake};
use super::world::{NAME, NAMESPACE, World, claim, class, until};

const OTHER: &str = "example.org/others";

#[tokio::test]
async fn own_claim_is_provisioned_and_foreign_claim_is_not() {
    let world = World::new().await;
    world
        .server
        .create(&StorageClass::new("other", OTHER))
        .unwrap();
    let own = world.claim(&claim("own", "fast"));
    let foreign = claim("foreign", "other")
        .with_annotation(names::STORAGE_PROVISIONER, OTHER)
        .with_annotation(names::STORAGE_PROVISIONER_BETA, NAME);
    world.claim(&foreign);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    let stored = world.stored(&own).unwrap();
    assert_eq!(stored.metadata.finalizers.unwrap(), [names::FINALIZER]);
    assert_eq!(running.fake.provisions("own"), 1);
    assert_eq!(running.fake.provisions("foreign"), 0);
    assert_eq!(running.provisioned(), (1, 0));
}

#[tokio::test]
async fn claim_of_an_additional_name_is_provisioned() {
    let world = World::new().await;
    world
        .server
        .create(&StorageClass::new("in-tree", "kubernetes.io/disks"))
        .unwrap();
    let claim =
        claim("data", "in-tree").with_annotation(names::STORAGE_PROVISIONER, "kubernetes.io/disks");
    let volume = world.claim(&claim);
    let names = ["kubernetes.io/disks", "kubernetes.io/others"];
    let running = world
        .start_with(Fake::default(), |builder| {
            builder.additional_provisioner_names(names)
        })
        .await;
    running.idle().await;
    let volume = world.stored(&volume).unwrap();
    let annotations = volume.metadata.annotations.unwrap();
    assert_eq!(annotations[names::PROVISIONED_BY], "kubernetes.io/disks");
}

#[tokio::test]
async fn claim_with_only_the_beta_annotations_is_provisioned() {
    let world = World::new().await;
    let mut claim = claim("data", "other")
        .with_annotation(names::STORAGE_CLASS_BETA, "fast")
        .with_annotation(names::STORAGE_PROVISIONER_BETA, NAME);
    claim
        .metadata
        .annotations
        .as_mut()
        .unwrap()
        .remove(names::STORAGE_PROVISIONER);
    let volume = world.claim(&claim);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    let spec = world.stored(&volume).unwrap().spec.unwrap();
    assert_eq!(spec.storage_class_name.as_deref(), Some("fast"));
}

#[tokio::test]
async fn bound_claim_is_not_provisioned() {
    let world = World::new().await;
    let mut bound = claim("data", "fast");
    bound.spec.as_mut().unwrap().volume_name = Some("volume-1".to_owned());
    world.claim(&bound);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 0);
    assert_eq!(running.provisioned(), (0, 0));
}

#[tokio::test]
async fn claim_whose_volume_exists_is_not_provisioned() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let first = world.start(Fake::default()).await;
    until("the volume", || world.stored(&volume).is_some()).await;
    first.stop().await.unwrap();
    let second = world.start(Fake::default()).await;
    second.idle().await;
    assert_eq!(second.fake.provisions("data"), 0);
    // As the Go library counts it.
    assert_eq!(second.provisioned(), (0, 1));
}

#[tokio::test]
async fn claim_of_a_missing_class_is_provisioned_once_the_class_exists() {
    let world = World::new().await;
    let mut of_snapshot = claim("data", "later");
    let source = TypedLocalObjectReference::new("VolumeSnapshot", "snapshot");
    of_snapshot.spec.get_or_insert_default().data_source = Some(source);
    let volume = world.claim(&of_snapshot);
    let running = world.start(Fake::default()).await;
    let failed = "controller_persistentvolumeclaim_provision_failed_total\
                  {class=\"later\",source=\"VolumeSnapshot\"}";
    until("a failure", || running.metric(failed) > 0).await;
    assert_eq!(running.fake.provisions("data"), 0);
    world.server.create(&class("later")).unwrap();
    until("the volume", || world.stored(&volume).is_some()).await;
}

#[tokio::test]
async fn claim_whose_class_has_a_foreign_provisioner_is_not_provisioned() {
    let world = World::new().await;
    world
        .server
        .create(&StorageClass::new("other", OTHER))
        .unwrap();
    world.claim(&claim("data", "other"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 0);
    let failed = "controller_persistentvolumeclaim_provision_failed_total\
                  {class=\"other\",source=\"\"}";
    assert_eq!(running.metric(failed), 1);
}

#[tokio::test]
async fn claim_that_is_being_deleted_is_not_provisioned() {
    let world = World::new().await;
    world.claim(&claim("data", "fast").with_finalizer("kubernetes.io/pvc-protection"));
    world.delete_claim("data");
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 0);
}

#[tokio::test]
async fn claims_are_not_read_while_the_cache_is_up_to_date() {
    let world = World::new().await;
    world.claim(&claim("listed", "fast"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("listed"), 1);
    world.claim(&claim("sent", "fast"));
    until("the claim is provisioned", || {
        running.fake.provisions("sent") == 1
    })
    .await;
    running.idle().await;
    assert_eq!(world.server.count("get", "persistentvolumeclaims"), 0);
}

#[tokio::test]
async fn claim_that_the_qualifier_refuses_is_not_provisioned() {
    let world = World::new().await;
    // Also of a class that is absent, which is no failure then.
    for class in ["fast", "absent"] {
        let data = claim("data", class).with_namespace(class);
        world.claim(&data);
    }
    let fake = Fake {
        refused_claim: "data",
        ..Fake::default()
    };
    let running = world.start(fake).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 0);
    assert!(world.reasons("data").is_empty());
    let reads = world.server.take_requests();
    let of_data = reads
        .iter()
        .filter(|request| request.path.contains("/data"));
    assert_eq!(of_data.count(), 0, "{reads:?}");
    assert!(!running.metrics.encode().contains("class=\"absent\""));
}

#[tokio::test]
async fn failing_provisioner_is_reported_and_retried() {
    let world = World::new().await;
    let volume = world.claim(&claim("data", "fast"));
    let fake = Fake::provisioning(|call, _| match call {
        1 => Answer::Error(ProvisionError::failed("the pool is full")),
        _ => Answer::Volume,
    });
    let running = world.start(fake).await;
    assert_eq!(
        world.event("data", "ProvisioningFailed").await,
        "the pool is full"
    );
    running.idle().await;
    assert!(world.stored(&volume).is_some());
    assert_eq!(running.provisioned(), (1, 1));
}

#[tokio::test]
async fn ignored_claim_is_neither_provisioned_nor_reported() {
    let world = World::new().await;
    let ignored = world.claim(&claim("ignored", "fast"));
    let other = world.claim(&claim("other", "fast"));
    let fake = Fake::provisioning(|_, request| match request.claim.metadata.name.as_deref() {
        Some("ignored") => Answer::Error(ProvisionError::ignored("not mine")),
        _ => Answer::Volume,
    });
    let running = world.start(fake).await;
    running.idle().await;
    assert!(world.stored(&ignored).is_none());
    assert!(world.stored(&other).is_some());
    assert_eq!(running.fake.provisions("ignored"), 1);
    assert_eq!(world.reasons("ignored"), ["Provisioning"]);
    // As the Go library counts it.
    assert_eq!(running.provisioned(), (1, 1));
}

#[tokio::test]
async fn volume_has_all_that_the_claim_and_the_class_ask_for() {
    let world = World::new().await;
    let retain = class("keep")
        .with_reclaim_policy("Retain")
        .with_mount_options(["ro"])
        .with_parameters([("tier", "gold")]);
    world.server.create(&retain).unwrap();
    let volume = world.claim(&claim("data", "keep"));
    let running = world.start(Fake::default()).await;
    running.idle().await;

    let stored = world.stored(&volume).unwrap();
    // Its storage is not deleted, so nothing has to keep it until then.
    assert_eq!(stored.metadata.finalizers, None);
    assert_eq!(
        stored.metadata.annotations.unwrap()[names::PROVISIONED_BY],
        NAME
    );
    let spec = stored.spec.unwrap();
    let policy = spec.persistent_volume_reclaim_policy;
    assert_eq!(policy, Some(PersistentVolumeReclaimPolicy::Retain));
    assert_eq!(spec.mount_options.unwrap(), ["ro"]);
    assert_eq!(spec.storage_class_name.as_deref(), Some("keep"));
    assert_eq!(spec.capacity.unwrap()["storage"].0, "1Gi");

    let claim = world.read_claim("data");
    let reference = spec.claim_ref.unwrap();
    assert_eq!(reference.api_version.as_deref(), Some("v1"));
    assert_eq!(reference.kind.as_deref(), Some("PersistentVolumeClaim"));
    assert_eq!(reference.namespace.as_deref(), Some(NAMESPACE));
    assert_eq!(reference.name.as_deref(), Some("data"));
    assert_eq!(reference.uid, claim.metadata.uid);
    assert_eq!(reference.resource_version, claim.metadata.resource_version);

    let request = running.fake.requests("data").remove(0);
    assert_eq!(request.volume_name, volume);
    assert_eq!(request.parameters()["tier"], "gold");
    assert_eq!(request.claim.metadata.uid, claim.metadata.uid);
}

#[tokio::test]
async fn request_has_the_allowed_topologies_of_the_class() {
    let world = World::new().await;
    let term = TopologySelectorTerm {
        match_label_expressions: Some(vec![TopologySelectorLabelRequirement {
            key: "topology.kubernetes.io/zone".to_owned(),
            values: vec!["a".to_owned()],
        }]),
    };
    let zoned = class("zoned").with_allowed_topologies([term.clone()]);
    world.server.create(&zoned).unwrap();
    world.claim(&claim("data", "zoned"));
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(
        running.fake.requests("data")[0].allowed_topologies(),
        std::slice::from_ref(&term)
    );

    let of_node = zoned.with_name("waiting");
    let of_node = of_node.with_volume_binding_mode(VolumeBindingMode::WaitForFirstConsumer);
    world.server.create(&of_node).unwrap();
    world.node("node-1");
    world.claim(&claim("both", "waiting").with_annotation(names::SELECTED_NODE, "node-1"));
    world.claim(&claim("none", "fast"));
    running.idle().await;
    let both = running.fake.requests("both").remove(0);
    assert_eq!(both.allowed_topologies(), [term]);
    assert_eq!(
        both.selected_node.unwrap().metadata.name.as_deref(),
        Some("node-1")
    );
    let none = running.fake.requests("none").remove(0);
    assert_eq!(
        (none.allowed_topologies().len(), none.selected_node),
        (0, None)
    );
}

fn block_claim() -> PersistentVolumeClaim {
    let mut block = claim("data", "fast");
    block.spec.as_mut().unwrap().volume_mode = Some(PersistentVolumeMode::Block);
    block
}

#[tokio::test]
async fn block_claim_without_block_support_is_refused_for_good() {
    let world = World::new().await;
    world.claim(&block_claim());
    let running = world.start(Fake::default()).await;
    running.idle().await;
    assert_eq!(running.fake.provisions("data"), 0);
    let message = world.event("data", "ProvisioningFailed").await;
    assert_eq!(message, "example.com/disks has no raw block volumes");
    assert_eq!(running.provisioned(), (0, 1));
}

#[tokio::test]
async fn block_claim_with_block_support_is_provisioned() {
    let world = World::new().await;
    let volume = world.claim(&block_claim());
    let fake = Fake {
        block: true,
        ..Fake::default()
    };
    let running = world.start(fake).await;
    running.idle().await;
    let mode = world.stored(&volume).unwrap().spec.unwrap().volume_mode;
    assert_eq!(mode, Some(PersistentVolumeMode::Block));
}

#[tokio::test]
async fn file_system_claim_needs_no_block_support() {
    for block in [false, true] {
        let world = World::new().await;
        let mut explicit = claim("data", "fast");
        explicit.spec.as_mut().unwrap().volume_mode = Some(PersistentVolumeMode::Filesystem);
        let volume = world.claim(&explicit);
        let fake = Fake {
            block,
            ..Fake::default()
        };
        let running = world.start(fake).await;
        running.idle().await;
        let mode = world.stored(&volume).unwrap().spec.unwrap().volume_mode;
        assert_eq!(mode, Some(PersistentVolumeMode::Filesystem));
    }
}

#[tokio::test]
async fn data_source_is_a_label_of_the_metrics() {
    let world = World::new().await;
    let mut copy = claim("data", "fast");
    copy.spec.as_mut().unwrap().data_source =
        Some(TypedLocalObjectReference::new("VolumeSnapshot", "monday"));
    world.claim(&copy);
    let running = world.start(Fake::default()).await;
    running.idle().await;
    let name = "controller_persistentvolumeclaim_provision";
    let labels = "class=\"fast\",source=\"VolumeSnapshot\"";
    assert_eq!(running.metric(&format!("{name}_total{{{labels}}}")), 1);
    assert_eq!(
        running.metric(&format!("{name}_duration_seconds_count{{{labels}}}")),
        1
    );
    let text = running.metrics.encode();
    assert!(text.contains(&format!(
        "{name}_duration_seconds_bucket{{le=\"0.005\",{labels}}}"
    )));
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn claim_that_was_deleted_and_made_again_gets_a_volume_of_its_own() {
    let world = World::new().await;
    let first = world.claim(&claim("data", "fast"));
    let running = world.start(Fake::default()).await;
    until("the first volume", || world.stored(&first).is_some()).await;
    world.delete_claim("data");
    let second = world.claim(&claim("data", "fast"));
    until("the second volume", || world.stored(&second).is_some()).await;
    assert_ne!(first, second);
    assert_eq!(running.fake.provisions("data"), 2);
}

//! Claims and classes that ask for what there can't be, names and sizes at their limits, and a role
//! without the permissions that are needed.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use core_v1::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, PersistentVolumeMode,
    TypedLocalObjectReference,
};
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::api::rbac::v1::ClusterRole;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::Api;
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use serde_json::json;
use storage_v1::StorageClass;
use tokio::time::{Instant, sleep};

use super::control_plane::{CLASS, Cluster, PROVISIONER, claim, stop};
use super::proxy::Proxy;

fn with(
    mut claim: PersistentVolumeClaim,
    change: impl FnOnce(&mut PersistentVolumeClaimSpec),
) -> PersistentVolumeClaim {
    change(claim.spec.get_or_insert_default());
    claim
}

/// The message of the warning about a claim.
async fn warning(cluster: &Cluster, claim: &str) -> String {
    let events: Api<Event> = Api::default_namespaced(cluster.client.clone());
    let about = ListParams::default().fields(&format!(
        "involvedObject.name={claim},reason=ProvisioningFailed,type=Warning"
    ));
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let found = events.list(&about).await.unwrap().items;
        let mut own = found
            .into_iter()
            .filter(|event| event.reporting_component.as_deref() == Some(PROVISIONER));
        if let Some(event) = own.next() {
            return event.message.unwrap();
        }
        assert!(Instant::now() < deadline, "no event about {claim}");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn what_can_not_be_is_said_once_and_not_tried_in_a_loop() {
    let cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let (proxy, address) = Proxy::start(cluster.account().await, 1).await;
    cluster.use_server(&address);
    let program = cluster.run(&["--log=error"]);
    let mut typo = StorageClass::new("typo", PROVISIONER);
    typo.parameters = Some(BTreeMap::from([("size".to_owned(), "big".to_owned())]));
    cluster.create_class(&typo).await;

    let other = TypedLocalObjectReference::new("PersistentVolumeClaim", "other");
    let refused = [
        (
            claim("parameter", "typo", "1Gi"),
            "unknown parameter `size` of the class",
        ),
        (
            with(claim("selector", CLASS, "1Gi"), |spec| {
                spec.selector = Some(LabelSelector::default());
            }),
            "volumes can't be provisioned for a selector; remove the selector of the claim",
        ),
        (
            with(claim("source", CLASS, "1Gi"), |spec| {
                spec.data_source = Some(other)
            }),
            "folders have no data sources; remove the data source of the claim",
        ),
        (
            with(claim("block", CLASS, "1Gi"), |spec| {
                spec.volume_mode = Some(PersistentVolumeMode::Block);
            }),
            "has no raw block volumes",
        ),
    ];
    for (claim, _) in &refused {
        cluster
            .claims
            .create(&PostParams::default(), claim)
            .await
            .unwrap();
    }
    for (claim, expected) in &refused {
        let name = claim.metadata.name.as_deref().unwrap();
        let message = warning(&cluster, name).await;
        assert!(message.contains(expected), "{name}: {message}");
    }

    let longest = "n".repeat(253);
    for (name, size) in [
        (longest.as_str(), "1Gi"),
        ("huge", "9223372036854775807"),
        ("beyond", "1e30"),
        ("one-byte", "1"),
        ("less", "1m"),
    ] {
        let claim = claim(name, CLASS, size);
        cluster
            .claims
            .create(&PostParams::default(), &claim)
            .await
            .unwrap();
        let volume = cluster.bound(name).await;
        println!("{size}: {:?}", volume.spec.unwrap().capacity);
    }

    proxy.take_requests();
    sleep(Duration::from_secs(10)).await;
    let requests = proxy.take_requests();
    println!("10 s of claims that can't be: {requests:#?}");
    // A renewal of the Lease every 2 s, and of the refused claims at most one attempt each.
    assert!(
        requests.values().sum::<usize>() <= 5 + 3 * refused.len(),
        "{requests:#?}"
    );
    assert_eq!(cluster.folders().len(), 5);
    stop(program).await;
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn missing_permissions_are_said_once_and_waited_for() {
    let cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let roles: Api<ClusterRole> = Api::all(cluster.client.clone());
    let whole = roles
        .get("hostpath-provisioner")
        .await
        .unwrap()
        .rules
        .unwrap();
    let of = |resource: &str| {
        let names = |rule: &&k8s_openapi::api::rbac::v1::PolicyRule| {
            rule.resources.iter().flatten().any(|name| name == resource)
        };
        whole.iter().find(names).unwrap().clone()
    };
    let mut volumes = of("persistentvolumes");
    volumes.verbs.retain(|verb| verb != "create");
    let less = [volumes, of("persistentvolumeclaims"), of("storageclasses")];
    let set = async |rules: serde_json::Value| {
        let patch = Patch::Merge(json!({"rules": rules}));
        let params = PatchParams::default();
        roles
            .patch("hostpath-provisioner", &params, &patch)
            .await
            .unwrap();
    };
    set(json!(less)).await;

    let log = tempfile::NamedTempFile::new().unwrap();
    let program = cluster.run_with_log(&["--log=error"], log.reopen().unwrap());
    cluster.add_claim("data", CLASS).await;
    // Enough for some attempts.
    sleep(Duration::from_secs(10)).await;
    let said = fs::read_to_string(log.path()).unwrap();
    println!("{said}");
    assert_eq!(said.matches("missing permissions").count(), 1, "{said}");
    for rule in [
        "- apiGroups: [\"\"]\n  resources: [persistentvolumes]\n  verbs: [create]\n",
        "- apiGroups: [\"\"]\n  resources: [nodes]\n  verbs: [get]\n",
        "- apiGroups: [\"\"]\n  resources: [events]\n  verbs: [create, patch]\n",
    ] {
        assert!(said.contains(rule), "{said}");
    }
    assert_eq!(said.matches("resources: ").count(), 3, "{said}");

    set(json!(whole)).await;
    let claims = cluster.server.object(&cluster.claims, "data");
    let has_volume = |claim: &PersistentVolumeClaim| {
        claim
            .spec
            .as_ref()
            .is_some_and(|spec| spec.volume_name.is_some())
    };
    // The first retry is after 15 s.
    claims
        .within(Duration::from_secs(60))
        .until("to have a volume", has_volume)
        .await
        .unwrap();
    stop(program).await;
}

//! The program with the manifests of `deploy/`, as their service account, on a control plane that
//! binds claims and schedules Pods.

mod away;
mod control_plane;
mod hostile;
mod kills;
mod load;
mod paused;
mod proxy;
mod replica;

use std::fs;

use control_plane::{CLASS, Cluster, PROVISIONER, path, stop};
use core_v1::PersistentVolumeReclaimPolicy;
use e2e::{add_node, pod_with_claim};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, PostParams};
use kube::{Api, ResourceExt};
use storage_v1::StorageClass;

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn claims_get_folders_which_go_with_them() {
    let cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let programs = [cluster.run(&[]), cluster.run(&[])];
    cluster.add_claim("one", CLASS).await;
    let volume = cluster.bound("one").await;
    assert_eq!(cluster.folders(), [volume.name_any()]);
    fs::write(format!("{}/file", path(&volume)), "text").unwrap();

    cluster.delete_claim("one").await;
    cluster
        .server
        .object(&cluster.volumes, &volume.name_any())
        .until_gone()
        .await
        .unwrap();
    assert_eq!(cluster.folders(), [""; 0]);

    let mut kept = StorageClass::new("kept", PROVISIONER);
    kept.reclaim_policy = Some("Retain".into());
    cluster.create_class(&kept).await;
    cluster.add_claim("two", "kept").await;
    let volume = cluster.bound("two").await;
    let policy = volume
        .spec
        .as_ref()
        .unwrap()
        .persistent_volume_reclaim_policy
        .as_ref();
    assert_eq!(policy, Some(&PersistentVolumeReclaimPolicy::Retain));
    cluster.delete_claim("two").await;
    // Whatever would be deleted is deleted before what comes after it.
    cluster.add_claim("three", CLASS).await;
    let last = cluster.bound("three").await.name_any();
    cluster.delete_claim("three").await;
    cluster
        .server
        .object(&cluster.volumes, &last)
        .until_gone()
        .await
        .unwrap();
    assert_eq!(cluster.folders(), [volume.name_any()]);
    assert!(
        cluster
            .volumes
            .get_opt(&volume.name_any())
            .await
            .unwrap()
            .is_some()
    );
    for program in programs {
        stop(program).await;
    }
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_volume_is_on_the_node_of_its_pod() {
    let cluster = Cluster::start(&["rbac.yaml", "per-node.yaml"]).await;
    add_node(&cluster.client, "one", "a").await.unwrap();
    add_node(&cluster.client, "two", "a").await.unwrap();
    let programs = [cluster.run(&["--node=one"]), cluster.run(&["--node=two"])];
    cluster.add_claim("data", CLASS).await;
    let pods: Api<Pod> = Api::default_namespaced(cluster.client.clone());
    let pod = pod_with_claim("pod", "data");
    pods.create(&PostParams::default(), &pod).await.unwrap();

    let volume = cluster.bound("data").await;
    let has_node = |pod: &Pod| {
        pod.spec
            .as_ref()
            .is_some_and(|spec| spec.node_name.is_some())
    };
    let pod = cluster
        .server
        .object(&pods, "pod")
        .until("to have a node", has_node)
        .await;
    let node = pod.unwrap().spec.unwrap().node_name.unwrap();
    assert_eq!(volume.annotations()[hostpath_provisioner::NODE], node);
    let affinity = volume
        .spec
        .as_ref()
        .unwrap()
        .node_affinity
        .as_ref()
        .unwrap();
    let term = &affinity.required.as_ref().unwrap().node_selector_terms[0];
    let expression = &term.match_expressions.as_ref().unwrap()[0];
    assert_eq!(expression.values.as_deref(), Some(&[node][..]));

    let now = DeleteParams::default().grace_period(0);
    pods.delete("pod", &now).await.unwrap();
    cluster.delete_claim("data").await;
    cluster
        .server
        .object(&cluster.volumes, &volume.name_any())
        .until_gone()
        .await
        .unwrap();
    assert_eq!(cluster.folders(), [""; 0]);
    for program in programs {
        stop(program).await;
    }
}

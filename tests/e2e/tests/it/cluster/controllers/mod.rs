//! A control plane that does something by itself.

mod double;
mod scheduled;

use std::time::Duration;

use e2e::ControlPlane;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kube::Api;
use kube::api::PostParams;
use serde_json::json;
use storage_v1::StorageClass;

const PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";

/// The controller that binds claims asks the class's driver for a volume.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn a_claim_is_seen_by_the_controller() {
    let builder = ControlPlane::builder().controllers(["persistentvolume-binder-controller"]);
    let server = builder.start().await.unwrap();
    let client = server.client().unwrap();
    let class = StorageClass::new("fast", "csi.example.com");
    let classes = Api::all(client.clone());
    classes
        .create(&PostParams::default(), &class)
        .await
        .unwrap();

    let claim: PersistentVolumeClaim = serde_json::from_value(json!({
        "metadata": {"name": "claim"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "fast",
        },
    }))
    .unwrap();
    let claims: Api<PersistentVolumeClaim> = Api::default_namespaced(client);
    claims.create(&PostParams::default(), &claim).await.unwrap();
    let asked = async {
        loop {
            let claim = claims.get("claim").await.unwrap();
            if let Some(driver) = claim
                .metadata
                .annotations
                .unwrap_or_default()
                .get(PROVISIONER)
            {
                return driver.clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let driver = tokio::time::timeout(Duration::from_secs(30), asked)
        .await
        .expect("in time");
    assert_eq!(driver, "csi.example.com");
}

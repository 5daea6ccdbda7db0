//! The kit's example beside the kubelet.

use std::fs;
use std::path::Path;

use k8s_openapi::api::storage::v1::{CSIDriver, CSINode};
use kube::Api;
use kube::api::DeleteParams;
use kubernetes_csi::v1::controller_client::ControllerClient;
use kubernetes_csi::v1::volume_capability::access_mode::Mode;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};
use kubernetes_csi::v1::{CreateVolumeRequest, DeleteVolumeRequest, Volume, VolumeCapability};
use rustix::process::Signal;
use serde_json::json;
use tonic::transport::{Channel, Endpoint};

use super::node::{Node, identity};
use super::objects::{create, of_claim};
use super::on_node;
use crate::folders;

const DRIVER: &str = "folders.csi.example.com";

/// Sets the environment of the example, which then takes the place of this program.
const ENV: &str = "/usr/bin/env";

/// Waits until the kubelet knows the example, or doesn't any more.
async fn is_registered(node: &Node, wanted: bool) {
    let nodes = Api::<CSINode>::all(node.client.clone());
    let found = async || {
        let found = nodes.get_opt("kubelet").await.unwrap()?;
        let mut drivers = found.spec.drivers.iter();
        (drivers.any(|driver| driver.name == DRIVER) == wanted).then_some(())
    };
    let what = format!("a CSINode whose drivers have the example: {wanted}");
    node.eventually(&what, found).await;
}

async fn connect(node: &Node, socket: &Path) -> ControllerClient<Channel> {
    let endpoint = Endpoint::from_shared(format!("unix://{}", socket.display())).unwrap();
    let connected = async || endpoint.connect().await.ok();
    let channel = node.eventually("an example that listens", connected).await;
    ControllerClient::new(channel)
}

async fn volume(driver: &mut ControllerClient<Channel>) -> Volume {
    let capability = VolumeCapability {
        access_mode: Some(AccessMode {
            mode: Mode::SingleNodeWriter.into(),
        }),
        access_type: Some(AccessType::Mount(MountVolume::default())),
    };
    let request = CreateVolumeRequest {
        name: "of-the-example".to_owned(),
        volume_capabilities: vec![capability],
        ..CreateVolumeRequest::default()
    };
    let created = driver.create_volume(request).await.unwrap();
    created.into_inner().volume.unwrap()
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_pod_has_a_volume_of_the_kits_example() {
    on_node(async |node| {
        let shared = node.server.folder().join("shared");
        let socket = node.root().join("plugins").join(DRIVER).join("csi.sock");
        fs::create_dir(&shared).unwrap();
        fs::create_dir_all(socket.parent().unwrap()).unwrap();
        let drivers = Api::<CSIDriver>::all(node.client.clone());
        let object = json!({"metadata": {"name": DRIVER}, "spec": {"attachRequired": false}});
        create(&drivers, object).await;
        let arguments = [
            format!("CSI_ENDPOINT=unix://{}", socket.display()),
            folders::program().display().to_string(),
            shared.display().to_string(),
            "node-of-the-example".to_owned(),
            node.root().join("plugins_registry").display().to_string(),
            socket.display().to_string(),
        ];
        let started = node.server.start_on_node(Path::new(ENV), &arguments);
        started.unwrap();
        is_registered(node, true).await;

        let mut driver = connect(node, &socket).await;
        let volume = volume(&mut driver).await;
        let data = shared.join(&volume.volume_id);
        fs::write(data.join("file"), "before").unwrap();
        node.bind_of(DRIVER, "exemplary", &volume, "Filesystem", None)
            .await;
        node.create_pod("exemplary", &[("v", of_claim("exemplary"))])
            .await;
        let pod = node.running("exemplary").await;
        let place = node.mounted(&pod, "exemplary");
        assert_eq!(identity(&place), identity(&data));
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "before");
        fs::write(place.join("file"), "written by the Pod").unwrap();
        assert_eq!(
            fs::read_to_string(data.join("file")).unwrap(),
            "written by the Pod"
        );

        node.delete_pods(&["exemplary"]).await;
        let gone = async || node.mounts_of(&pod).is_empty().then_some(());
        node.eventually("an unmounted volume", gone).await;
        assert!(data.join("file").exists());
        let deletion = DeleteVolumeRequest {
            volume_id: volume.volume_id,
            ..DeleteVolumeRequest::default()
        };
        driver.delete_volume(deletion).await.unwrap();
        assert_eq!(fs::read_dir(&shared).unwrap().count(), 0);

        // Other tests have the node for their driver alone.
        node.server.end("env", Signal::TERM).unwrap();
        is_registered(node, false).await;
        drivers
            .delete(DRIVER, &DeleteParams::default())
            .await
            .unwrap();
        node.assert_clean().await;
    });
}

//! The capabilities that a driver announces, and the calls that it has: exactly those of its parts.

use std::collections::BTreeSet;

use kubernetes_csi::v1::controller_client::ControllerClient;
use kubernetes_csi::v1::group_controller_client::GroupControllerClient;
use kubernetes_csi::v1::identity_client::IdentityClient;
use kubernetes_csi::v1::node_client::NodeClient;
use kubernetes_csi::v1::*;
use kubernetes_csi_driver::model::AccessMode;
use kubernetes_csi_driver::{Driver, Growth};
use tonic::Code;

use crate::support::{Call, Fake, Server, driver, every_call};

/// The calls that each driver has.
const IDENTITY: &str = "GetPluginInfo GetPluginCapabilities Probe";

/// The calls of each controller part.
const CONTROLLER: &str = "ControllerGetCapabilities ValidateVolumeCapabilities";

/// The calls of each node part.
const NODE: &str = "NodeGetCapabilities NodeGetInfo NodePublishVolume NodeUnpublishVolume";

/// A driver and what it announces, as words.
struct Row {
    driver: Driver,
    plugin: &'static str,
    controller: &'static str,
    node: &'static str,
    group: &'static str,
    /// The calls beside those of identity.
    calls: String,
}

impl Row {
    fn of(driver: Driver, plugin: &'static str, calls: &str) -> Self {
        Self {
            driver,
            plugin,
            controller: "",
            node: "",
            group: "",
            calls: calls.to_owned(),
        }
    }

    /// Returns a row of a driver with a controller part.
    fn controller(driver: Driver, controller: &'static str, calls: &str) -> Self {
        let calls = format!("{CONTROLLER} {calls}");
        Self {
            controller,
            ..Self::of(driver, "CONTROLLER_SERVICE", &calls)
        }
    }

    /// Returns a row of a driver with a node part.
    fn node(driver: Driver, node: &'static str, calls: &str) -> Self {
        Self {
            node,
            ..Self::of(driver, "", &format!("{NODE} {calls}"))
        }
    }

    fn plugin(self, plugin: &'static str) -> Self {
        Self { plugin, ..self }
    }

    async fn check(self) {
        let server = Server::of(self.driver.build().unwrap()).await;
        let expected = words(&format!("{IDENTITY} {}", self.calls));
        let what = format!("{expected:?}");
        let mut implemented = BTreeSet::new();
        for call in every_call() {
            let name = format!("{}/{}", call.parent_service().name(), call.name());
            let answer = Call::of(&name, &()).send(&server.channel).await;
            match answer.map_err(|status| status.code()) {
                Err(Code::Unimplemented) => {}
                _ => drop(implemented.insert(call.name().to_owned())),
            }
        }
        assert_eq!(implemented, expected);
        assert_eq!(plugin(&server).await, words(self.plugin), "{what}");
        assert_eq!(controller(&server).await, words(self.controller), "{what}");
        assert_eq!(node(&server).await, words(self.node), "{what}");
        assert_eq!(group(&server).await, words(self.group), "{what}");
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

async fn plugin(server: &Server) -> BTreeSet<String> {
    use plugin_capability::Type;
    let mut client = IdentityClient::new(server.channel.clone());
    let request = GetPluginCapabilitiesRequest {};
    let answer = client.get_plugin_capabilities(request).await.unwrap();
    let all = answer.into_inner().capabilities.into_iter();
    let text = |capability: PluginCapability| match capability.r#type.unwrap() {
        Type::Service(service) => service.r#type().as_str_name().to_owned(),
        Type::VolumeExpansion(growth) => growth.r#type().as_str_name().to_owned(),
    };
    all.map(text).collect()
}

async fn controller(server: &Server) -> BTreeSet<String> {
    use controller_service_capability::Type;
    let mut client = ControllerClient::new(server.channel.clone());
    let request = ControllerGetCapabilitiesRequest {};
    let Ok(answer) = client.controller_get_capabilities(request).await else {
        return BTreeSet::new();
    };
    let all = answer.into_inner().capabilities.into_iter();
    all.map(|capability| match capability.r#type.unwrap() {
        Type::Rpc(rpc) => rpc.r#type().as_str_name().to_owned(),
    })
    .collect()
}

async fn node(server: &Server) -> BTreeSet<String> {
    use node_service_capability::Type;
    let mut client = NodeClient::new(server.channel.clone());
    let request = NodeGetCapabilitiesRequest {};
    let Ok(answer) = client.node_get_capabilities(request).await else {
        return BTreeSet::new();
    };
    let all = answer.into_inner().capabilities.into_iter();
    all.map(|capability| match capability.r#type.unwrap() {
        Type::Rpc(rpc) => rpc.r#type().as_str_name().to_owned(),
    })
    .collect()
}

async fn group(server: &Server) -> BTreeSet<String> {
    use group_controller_service_capability::Type;
    let mut client = GroupControllerClient::new(server.channel.clone());
    let request = GroupControllerGetCapabilitiesRequest {};
    let Ok(answer) = client.group_controller_get_capabilities(request).await else {
        return BTreeSet::new();
    };
    let all = answer.into_inner().capabilities.into_iter();
    all.map(|capability| match capability.r#type.unwrap() {
        Type::Rpc(rpc) => rpc.r#type().as_str_name().to_owned(),
    })
    .collect()
}

/// Returns a driver without parts, whose access modes bring no capability.
fn bare() -> Driver {
    Driver::new("fake.csi.example.com", "1").access_modes([AccessMode::SingleNodeWriter])
}

#[tokio::test]
async fn parts_of_no_service() {
    let fake = Fake::new();
    let snapshot_metadata = "GetMetadataAllocated GetMetadataDelta";
    let groups = "GroupControllerGetCapabilities CreateVolumeGroupSnapshot \
                  DeleteVolumeGroupSnapshot GetVolumeGroupSnapshot";
    let table = [
        Row::of(bare(), "", ""),
        Row::of(bare().probe(fake.clone()), "", ""),
        Row::of(bare().topology(), "VOLUME_ACCESSIBILITY_CONSTRAINTS", ""),
        Row::of(
            bare().metadata(fake.clone()),
            "SNAPSHOT_METADATA_SERVICE",
            snapshot_metadata,
        ),
        Row {
            group: "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT",
            ..Row::of(
                bare().group_snapshots(fake.clone()),
                "GROUP_CONTROLLER_SERVICE",
                groups,
            )
        },
    ];
    for row in table {
        row.check().await;
    }
}

#[tokio::test]
async fn parts_of_the_controller() {
    let (fake, more) = (Fake::new(), Fake::with_more());
    let own = || bare().controller(fake.clone());
    let with_volumes = || own().volumes(fake.clone());
    let volumes = "CreateVolume DeleteVolume";
    let publishing = "ControllerPublishVolume ControllerUnpublishVolume";
    let snapshots = format!("{volumes} CreateSnapshot DeleteSnapshot");
    let growing = |growth| own().expansion(fake.clone()).growth(growth);
    let of = Row::controller;
    let table = [
        of(own(), "", ""),
        of(with_volumes(), "CREATE_DELETE_VOLUME", volumes),
        of(
            own().volumes(more.clone()),
            "CREATE_DELETE_VOLUME CLONE_VOLUME",
            volumes,
        ),
        of(
            own().list_volumes(fake.clone()),
            "LIST_VOLUMES",
            "ListVolumes",
        ),
        of(
            own().list_volumes(more.clone()).attachments(fake.clone()),
            "LIST_VOLUMES LIST_VOLUMES_PUBLISHED_NODES PUBLISH_UNPUBLISH_VOLUME",
            &format!("ListVolumes {publishing}"),
        ),
        of(
            own().get_volume(fake.clone()),
            "GET_VOLUME",
            "ControllerGetVolume",
        ),
        of(
            own().attachments(fake.clone()),
            "PUBLISH_UNPUBLISH_VOLUME",
            publishing,
        ),
        of(
            own().attachments(more.clone()),
            "PUBLISH_UNPUBLISH_VOLUME PUBLISH_READONLY",
            publishing,
        ),
        of(own().capacity(fake.clone()), "GET_CAPACITY", "GetCapacity"),
        of(
            growing(Growth::Online),
            "EXPAND_VOLUME",
            "ControllerExpandVolume",
        )
        .plugin("CONTROLLER_SERVICE ONLINE"),
        of(
            growing(Growth::Offline),
            "EXPAND_VOLUME",
            "ControllerExpandVolume",
        )
        .plugin("CONTROLLER_SERVICE OFFLINE"),
        of(
            own().modification(fake.clone()),
            "MODIFY_VOLUME",
            "ControllerModifyVolume",
        ),
        of(
            with_volumes().snapshots(fake.clone()),
            "CREATE_DELETE_VOLUME CREATE_DELETE_SNAPSHOT",
            &snapshots,
        ),
        of(
            own().list_snapshots(fake.clone()),
            "LIST_SNAPSHOTS",
            "ListSnapshots",
        ),
        of(
            own().get_snapshot(fake.clone()),
            "GET_SNAPSHOT",
            "GetSnapshot",
        ),
    ];
    for row in table {
        row.check().await;
    }
}

#[tokio::test]
async fn parts_of_the_node() {
    let fake = Fake::new();
    let own = || bare().node(fake.clone());
    let growing = own().node_expansion(fake.clone()).growth(Growth::Offline);
    let of = Row::node;
    let table = [
        of(own(), "", ""),
        of(
            own().staging(fake.clone()),
            "STAGE_UNSTAGE_VOLUME",
            "NodeStageVolume NodeUnstageVolume",
        ),
        of(
            own().stats(fake.clone()),
            "GET_VOLUME_STATS",
            "NodeGetVolumeStats",
        ),
        of(growing, "EXPAND_VOLUME", "NodeExpandVolume").plugin("OFFLINE"),
        of(own().volume_mount_group(), "VOLUME_MOUNT_GROUP", ""),
        of(own().block_volumes(), "", ""),
    ];
    for row in table {
        row.check().await;
    }
}

/// Both parts announce the access modes that only callers know who look for them.
#[tokio::test]
async fn access_modes() {
    let fake = Fake::new();
    let both = |driver: Driver| driver.controller(fake.clone()).node(fake.clone());
    let by_default = both(Driver::new("fake.csi.example.com", "1"));
    for (driver, expected) in [
        (by_default, "SINGLE_NODE_MULTI_WRITER"),
        (
            both(bare().access_modes([
                AccessMode::SingleNodeWriter,
                AccessMode::SingleNodeSingleWriter,
            ])),
            "SINGLE_NODE_MULTI_WRITER",
        ),
        (
            both(bare().access_modes([
                AccessMode::SingleNodeWriter,
                AccessMode::SingleNodeMultiWriter,
            ])),
            "SINGLE_NODE_MULTI_WRITER",
        ),
        (
            both(bare().access_modes([AccessMode::MultiNodeMultiWriter])),
            "",
        ),
    ] {
        let row = Row {
            controller: expected,
            node: expected,
            ..Row::of(
                driver,
                "CONTROLLER_SERVICE",
                &format!("{CONTROLLER} {NODE}"),
            )
        };
        row.check().await;
    }
}

/// Calls that the kit lacks are among those of a driver with everything else.
#[tokio::test]
async fn a_driver_with_all_parts_lacks_health() {
    let fake = Fake::with_more();
    let server = Server::of(driver(&fake).build().unwrap()).await;
    let mut lacking = BTreeSet::new();
    for call in every_call() {
        let name = format!("{}/{}", call.parent_service().name(), call.name());
        let answer = Call::of(&name, &()).send(&server.channel).await;
        if let Err(status) = answer
            && status.code() == Code::Unimplemented
        {
            let name = call.name();
            assert_eq!(status.message(), format!("the driver has no {name}"));
            lacking.insert(name.to_owned());
        }
    }
    let health = "ControllerListVolumeHealth ControllerGetVolumeHealth NodeGetVolumeHealth \
                  NodeGetStorageHealth";
    assert_eq!(lacking, words(health));
}

#[tokio::test]
async fn identity() {
    let fake = Fake::new();
    let driver = bare().manifest("url", "https://example.com");
    let server = Server::of(driver.probe(fake).build().unwrap()).await;
    let mut client = IdentityClient::new(server.channel.clone());
    let info = client.get_plugin_info(GetPluginInfoRequest {}).await;
    let info = info.unwrap().into_inner();
    assert_eq!(
        (&*info.name, &*info.vendor_version),
        ("fake.csi.example.com", "1")
    );
    assert_eq!(info.manifest["url"], "https://example.com");
    let probe = client.probe(ProbeRequest {}).await.unwrap().into_inner();
    assert_eq!(probe.ready, Some(false));
    let server = Server::of(bare().build().unwrap()).await;
    let mut client = IdentityClient::new(server.channel.clone());
    let probe = client.probe(ProbeRequest {}).await.unwrap().into_inner();
    assert_eq!(probe.ready, Some(true));
}

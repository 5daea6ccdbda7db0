//! One call at a time for a volume, a name or a snapshot, and each to its end.

use std::sync::Arc;
use std::time::Duration;

use kubernetes_csi::v1::controller_server::Controller as _;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};
use kubernetes_csi::v1::*;
use kubernetes_csi_driver::Services;
use tokio::time::timeout;
use tonic::{Code, Request};

use crate::said::map;
use crate::support::{Call, Fake, Script, Server, driver};

fn mounted() -> Option<VolumeCapability> {
    let access_type = Some(AccessType::Mount(MountVolume::default()));
    let access_mode = Some(AccessMode { mode: 1 });
    Some(VolumeCapability {
        access_type,
        access_mode,
    })
}

fn create(name: &str) -> CreateVolumeRequest {
    CreateVolumeRequest {
        name: name.to_owned(),
        volume_capabilities: mounted().into_iter().collect(),
        ..Default::default()
    }
}

fn created_from(name: &str, source: volume_content_source::Type) -> Call {
    let request = CreateVolumeRequest {
        volume_content_source: Some(VolumeContentSource {
            r#type: Some(source),
        }),
        ..create(name)
    };
    Call::of("Controller/CreateVolume", &request)
}

fn cloned(name: &str, source: &str) -> Call {
    let volume_id = source.to_owned();
    let source = volume_content_source::VolumeSource { volume_id };
    created_from(name, volume_content_source::Type::Volume(source))
}

fn restored(name: &str, source: &str) -> Call {
    let snapshot_id = source.to_owned();
    let source = volume_content_source::SnapshotSource { snapshot_id };
    created_from(name, volume_content_source::Type::Snapshot(source))
}

fn list(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// Returns a call: its name, and what it is about.
fn call(text: &str) -> Call {
    let words: Vec<&str> = text.split(' ').collect();
    let word = |index: usize| words.get(index).copied().unwrap_or_default().to_owned();
    let (id, other) = (word(1), word(2));
    match words[0] {
        "create" => Call::of("Controller/CreateVolume", &create(&id)),
        "clone" => cloned(&id, &other),
        "restore" => restored(&id, &other),
        "delete" => Call::of(
            "Controller/DeleteVolume",
            &DeleteVolumeRequest {
                volume_id: id,
                ..Default::default()
            },
        ),
        "attach" => Call::of(
            "Controller/ControllerPublishVolume",
            &ControllerPublishVolumeRequest {
                volume_id: id,
                node_id: other,
                volume_capability: mounted(),
                ..Default::default()
            },
        ),
        "detach" => Call::of(
            "Controller/ControllerUnpublishVolume",
            &ControllerUnpublishVolumeRequest {
                volume_id: id,
                node_id: other,
                ..Default::default()
            },
        ),
        "grow" => Call::of(
            "Controller/ControllerExpandVolume",
            &ControllerExpandVolumeRequest {
                volume_id: id,
                capacity_range: Some(CapacityRange {
                    required_bytes: 1,
                    limit_bytes: 0,
                }),
                ..Default::default()
            },
        ),
        "modify" => Call::of(
            "Controller/ControllerModifyVolume",
            &ControllerModifyVolumeRequest {
                volume_id: id,
                mutable_parameters: map([("a", "b")]),
                ..Default::default()
            },
        ),
        "validate" => Call::of(
            "Controller/ValidateVolumeCapabilities",
            &ValidateVolumeCapabilitiesRequest {
                volume_id: id,
                volume_capabilities: mounted().into_iter().collect(),
                ..Default::default()
            },
        ),
        "snapshot" => Call::of(
            "Controller/CreateSnapshot",
            &CreateSnapshotRequest {
                name: id,
                source_volume_id: other,
                ..Default::default()
            },
        ),
        "unsnapshot" => Call::of(
            "Controller/DeleteSnapshot",
            &DeleteSnapshotRequest {
                snapshot_id: id,
                ..Default::default()
            },
        ),
        "group" => Call::of(
            "GroupController/CreateVolumeGroupSnapshot",
            &CreateVolumeGroupSnapshotRequest {
                name: id,
                source_volume_ids: list(&words[2..]),
                ..Default::default()
            },
        ),
        "ungroup" => Call::of(
            "GroupController/DeleteVolumeGroupSnapshot",
            &DeleteVolumeGroupSnapshotRequest {
                group_snapshot_id: id,
                snapshot_ids: list(&words[2..]),
                ..Default::default()
            },
        ),
        _ => call_of_node(words[0], id, other),
    }
}

fn call_of_node(name: &str, id: String, path: String) -> Call {
    match name {
        "stage" => Call::of(
            "Node/NodeStageVolume",
            &NodeStageVolumeRequest {
                volume_id: id,
                staging_target_path: path,
                volume_capability: mounted(),
                ..Default::default()
            },
        ),
        "unstage" => Call::of(
            "Node/NodeUnstageVolume",
            &NodeUnstageVolumeRequest {
                volume_id: id,
                staging_target_path: path,
            },
        ),
        "publish" => Call::of(
            "Node/NodePublishVolume",
            &NodePublishVolumeRequest {
                volume_id: id,
                target_path: path,
                staging_target_path: "/staged".to_owned(),
                volume_capability: mounted(),
                ..Default::default()
            },
        ),
        "unpublish" => Call::of(
            "Node/NodeUnpublishVolume",
            &NodeUnpublishVolumeRequest {
                volume_id: id,
                target_path: path,
            },
        ),
        "extend" => Call::of(
            "Node/NodeExpandVolume",
            &NodeExpandVolumeRequest {
                volume_id: id,
                volume_path: path,
                ..Default::default()
            },
        ),
        "stats" => Call::of(
            "Node/NodeGetVolumeStats",
            &NodeGetVolumeStatsRequest {
                volume_id: id,
                volume_path: path,
                ..Default::default()
            },
        ),
        other => panic!("there is no call {other}"),
    }
}

async fn serve() -> (Arc<Fake>, Server) {
    let fake = Fake::with_more();
    let server = Server::of(driver(&fake).build().unwrap()).await;
    (fake, server)
}

/// Sends the second call while the first one is under way. Both come to their ends then.
async fn both(fake: &Arc<Fake>, server: &Server, first: &str, second: &str) -> Option<String> {
    fake.script(Script::Wait);
    let send = |text: &str| {
        let (call, channel) = (call(text), server.channel.clone());
        tokio::spawn(async move { call.send(&channel).await })
    };
    let running = send(first);
    fake.started().await;
    let mut other = send(second);
    let refused = tokio::select! {
        () = fake.started() => None,
        refused = &mut other => Some(refused.unwrap().unwrap_err()),
    };
    fake.release(if refused.is_none() { 2 } else { 1 });
    running.await.unwrap().unwrap();
    if refused.is_none() {
        other.await.unwrap().unwrap();
    }
    fake.script(Script::Succeed);
    call(second).send(&server.channel).await.unwrap();
    refused.map(|status| {
        assert_eq!(status.code(), Code::Aborted, "{first}, {second}: {status}");
        status.message().to_owned()
    })
}

#[tokio::test]
async fn calls_that_exclude_each_other() {
    let (fake, server) = serve().await;
    let volume = r#"volume "v""#;
    let table = [
        ("create a", "create a", r#"a volume named "a""#),
        ("create a", "clone a v", r#"a volume named "a""#),
        ("delete v", "delete v", volume),
        ("clone a v", "delete v", volume),
        ("delete v", "clone a v", volume),
        ("restore a s", "unsnapshot s", r#"snapshot "s""#),
        ("unsnapshot s", "restore a s", r#"snapshot "s""#),
        ("attach v n", "attach v n", r#"volume "v" on node "n""#),
        ("attach v n", "detach v n", r#"volume "v" on node "n""#),
        ("attach v n", "detach v", volume),
        ("detach v", "attach v n", volume),
        ("attach v n", "delete v", volume),
        ("grow v", "delete v", volume),
        ("grow v", "modify v", volume),
        ("modify v", "attach v n", volume),
        ("snapshot s v", "snapshot s v", r#"a snapshot named "s""#),
        ("snapshot s v", "delete v", volume),
        ("unsnapshot s", "unsnapshot s", r#"snapshot "s""#),
        (
            "group g v w",
            "group g v w",
            r#"a group snapshot named "g""#,
        ),
        ("group g w v", "delete v", volume),
        ("ungroup g s t", "ungroup g s t", r#"group snapshot "g""#),
        ("ungroup g t s", "unsnapshot s", r#"snapshot "s""#),
        ("ungroup g s s", "unsnapshot s", r#"snapshot "s""#),
        ("stage v /a", "stage v /a", volume),
        ("stage v /a", "unstage v /b", volume),
        ("stage v /a", "publish v /b", volume),
        ("publish v /a", "unstage v /b", volume),
        ("publish v /a", "publish v /a", r#"volume "v" at /a"#),
        ("publish v /a", "unpublish v /a", r#"volume "v" at /a"#),
        ("extend v /a", "publish v /a", volume),
    ];
    for (first, second, busy) in table {
        let refused = both(&fake, &server, first, second).await;
        let expected = format!("another call for {busy} is under way");
        assert_eq!(refused, Some(expected), "{first}, {second}");
    }
}

#[tokio::test]
async fn calls_that_run_beside_each_other() {
    let (fake, server) = serve().await;
    for (first, second) in [
        ("create a", "create b"),
        ("create v", "delete v"),
        ("clone a v", "clone b v"),
        ("clone a v", "snapshot s v"),
        ("clone a v", "attach v n"),
        ("restore a s", "restore b s"),
        ("restore a s", "delete s"),
        ("delete v", "delete w"),
        ("attach v n", "attach v m"),
        ("attach v n", "attach w n"),
        ("grow v", "grow w"),
        ("delete v", "validate v"),
        ("snapshot s v", "snapshot t v"),
        ("snapshot s v", "unsnapshot s"),
        ("group g v w", "group h v w"),
        ("group g v w", "snapshot s v"),
        ("ungroup g s", "unsnapshot t"),
        ("stage v /a", "stage w /a"),
        ("publish v /a", "publish v /b"),
        ("publish v /a", "publish w /a"),
        ("publish v /a", "unpublish v /b"),
        ("extend v /a", "stats v /a"),
    ] {
        let refused = both(&fake, &server, first, second).await;
        assert_eq!(refused, None, "{first}, {second}");
    }
}

/// A lock that several calls share is held until the last of them ends.
#[tokio::test]
async fn shared_locks_are_counted() {
    let (fake, server) = serve().await;
    fake.script(Script::Wait);
    let send = |text: &str| {
        let (call, channel) = (call(text), server.channel.clone());
        tokio::spawn(async move { call.send(&channel).await })
    };
    let first = send("publish v /a");
    fake.started().await;
    let second = send("publish v /b");
    fake.started().await;
    fake.release(1);
    first.await.unwrap().unwrap();
    let refused = call("unstage v /c").send(&server.channel).await;
    assert_eq!(refused.unwrap_err().code(), Code::Aborted);
    fake.release(2);
    second.await.unwrap().unwrap();
    call("unstage v /c").send(&server.channel).await.unwrap();
}

fn services() -> (Arc<Fake>, Services) {
    let fake = Fake::new();
    let services = driver(&fake).build().unwrap();
    (fake, services)
}

#[tokio::test]
async fn a_call_whose_caller_goes_away_runs_to_its_end() {
    let (fake, services) = services();
    fake.script(Script::Wait);
    tokio::select! {
        _ = services.create_volume(Request::new(create("a"))) => panic!("it waits"),
        () = fake.started() => {}
    }
    // The call was dropped, as tonic does when its client cancels it.
    let repeated = services.create_volume(Request::new(create("a")));
    let repeated = timeout(Duration::from_secs(10), repeated).await.unwrap();
    assert_eq!(repeated.unwrap_err().code(), Code::Aborted);
    assert_eq!(fake.ended(), 0);
    fake.release(1);
    fake.one_ended().await;
    fake.script(Script::Succeed);
    services
        .create_volume(Request::new(create("a")))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_call_runs_to_its_end_after_the_deadline() {
    let (fake, server) = serve().await;
    fake.script(Script::Wait);
    let short = Call {
        timeout: Some(Duration::from_millis(50)),
        ..call("delete v")
    };
    let late = short.send(&server.channel).await.unwrap_err();
    let codes = [Code::Cancelled, Code::DeadlineExceeded];
    assert!(codes.contains(&late.code()), "{late}");
    let repeated = call("delete v").send(&server.channel).await;
    assert_eq!(repeated.unwrap_err().code(), Code::Aborted);
    assert_eq!(fake.ended(), 0);
    fake.release(1);
    fake.one_ended().await;
    fake.script(Script::Succeed);
    call("delete v").send(&server.channel).await.unwrap();
}

#[tokio::test]
async fn a_panic_ends_the_call_alone() {
    let (fake, server) = serve().await;
    for (text, name) in [
        ("create a", "CreateVolume"),
        ("group g v", "CreateVolumeGroupSnapshot"),
        ("publish v /a", "NodePublishVolume"),
    ] {
        fake.script(Script::Panic("as the test wants".to_owned()));
        let status = call(text).send(&server.channel).await.unwrap_err();
        assert_eq!(status.code(), Code::Internal);
        assert_eq!(status.message(), format!("the driver panicked in {name}"));
        fake.script(Script::Succeed);
        call(text).send(&server.channel).await.unwrap();
    }
}

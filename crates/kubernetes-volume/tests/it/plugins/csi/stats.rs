//! Metrics, which the driver measures.

use kubernetes_volume::plugins::csi::{
    NodeGetVolumeHealthRequest, VolumeHealth, VolumeHealthStatus, VolumeStats, VolumeUsage,
};

use super::*;

fn usage(available: u64) -> VolumeUsage {
    VolumeUsage {
        available,
        total: available + 1,
        used: 1,
    }
}

#[test]
fn a_volume_is_measured() {
    let csi = Csi::new([NodeCapability::GetVolumeStats], json!({}));
    let mounter = csi.mounter(&disk(json!({}))).unwrap();
    mounter.set_up(&no_args()).unwrap();
    csi.driver.set_stats(VolumeStats {
        bytes: Some(usage(100)),
        inodes: Some(usage(50)),
    });
    let unmounter = csi.plugin().new_unmounter("disk", UID).unwrap();
    for metrics in [mounter.metrics().unwrap(), unmounter.metrics().unwrap()] {
        assert!(metrics.time.is_some());
        let space = (metrics.available, metrics.capacity, metrics.used);
        assert_eq!(space, (Some(100), Some(101), Some(1)));
        let inodes = (metrics.inodes_free, metrics.inodes, metrics.inodes_used);
        assert_eq!(inodes, (Some(50), Some(51), Some(1)));
    }
    let Some(FakeCsiCall::GetStats(request)) = csi.driver.calls().pop() else {
        panic!("a request");
    };
    assert_eq!(request.volume_id, HANDLE);
    assert_eq!(request.volume_path, mounter.path());
    // What isn't measured is not known.
    csi.driver.set_stats(VolumeStats {
        bytes: Some(usage(100)),
        inodes: None,
    });
    let metrics = mounter.metrics().unwrap();
    assert_eq!((metrics.available, metrics.inodes), (Some(100), None));
}

#[test]
fn what_can_not_be_measured_is_an_error() {
    let csi = Csi::new([NodeCapability::GetVolumeStats], json!({}));
    let mounter = csi.mounter(&disk(json!({}))).unwrap();
    let error = mounter.metrics().unwrap_err();
    assert!(
        error.message.contains("neither bytes nor inodes"),
        "{error}"
    );
    csi.driver.fail(
        "NodeGetVolumeStats",
        CsiError::new(Code::NotFound, "no such volume"),
    );
    let error = mounter.metrics().unwrap_err();
    assert!(
        error.message.contains("no such volume") && !error.is_not_supported(),
        "{error}"
    );
    csi.driver.fail("NodeGetCapabilities", timed_out());
    assert!(!mounter.metrics().unwrap_err().is_not_supported());
    csi.drivers.unregister(DRIVER);
    let error = mounter.metrics().unwrap_err();
    assert!(error.message.contains("is not registered"), "{error}");

    let csi = Csi::new([], json!({}));
    let mounter = csi.mounter(&disk(json!({}))).unwrap();
    let error = mounter.metrics().unwrap_err();
    assert!(
        error.is_not_supported() && error.message.contains(DRIVER),
        "{error}"
    );
    let unmounter = csi.plugin().new_unmounter("disk", UID).unwrap();
    assert!(unmounter.metrics().unwrap_err().is_not_supported());
}

#[test]
fn a_driver_says_what_is_wrong_with_a_volume() {
    let csi = Csi::new([NodeCapability::GetVolumeHealth], json!({}));
    let problem = VolumeHealth {
        status: VolumeHealthStatus::Degraded,
        reason: "Rebuilding".to_owned(),
        message: "one replica is gone".to_owned(),
    };
    csi.driver.set_health(vec![problem.clone()]);
    let driver = csi.drivers.get(DRIVER).unwrap();
    let request = NodeGetVolumeHealthRequest {
        volume_id: HANDLE.to_owned(),
        volume_publish_path: PathBuf::from("/published"),
        staging_target_path: PathBuf::from("/staged"),
    };
    let health = driver.client.node_get_volume_health(&request).unwrap();
    assert_eq!(health, [problem]);
}

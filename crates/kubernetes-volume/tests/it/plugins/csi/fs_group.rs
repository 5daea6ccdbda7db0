//! `fsGroup`: applied by the node or by the driver.

use kubernetes_volume::plugins::csi::AccessType;
use root_tests::as_root;

use super::*;

/// A driver's policy, a volume, whether it is read-only, and whether the node applies the group.
#[test]
fn the_policy_says_who_applies_the_group() {
    as_root(|| {
        let typed = |modes: Value| disk(json!({"accessModes": modes, "csi": {"fsType": "ext4"}}));
        let untyped = disk(json!({"accessModes": ["ReadWriteOnce"]}));
        let once = typed(json!(["ReadWriteOnce"]));
        let inline = |rest: Value| {
            let mut source = json!({"driver": DRIVER});
            merge(&mut source, rest);
            volume(json!({"name": "disk", "csi": source}))
        };
        let many = typed(json!(["ReadWriteMany"]));
        let default = [None, Some("ReadWriteOnceWithFSType")];
        let cases = [
            (&default[..], once.clone(), false, true),
            (
                &default[..],
                typed(json!(["ReadWriteOncePod"])),
                false,
                true,
            ),
            (
                &default[..],
                typed(json!(["ReadOnlyMany", "ReadWriteOnce"])),
                false,
                true,
            ),
            (&default[..], once.clone(), true, false),
            (&default[..], many.clone(), false, false),
            (&default[..], typed(json!(["ReadOnlyMany"])), false, false),
            (&default[..], typed(json!(null)), false, false),
            (&default[..], untyped.clone(), false, false),
            (&default[..], inline(json!({"fsType": "ext4"})), false, true),
            (&default[..], inline(json!({})), false, false),
            (&[Some("File")], untyped.clone(), false, true),
            (&[Some("File")], many.clone(), false, true),
            (&[Some("File")], many, true, false),
            (&[Some("File")], inline(json!({})), false, true),
            (
                &[Some("File")],
                inline(json!({"readOnly": true})),
                false,
                false,
            ),
            (&[Some("None")], once, false, false),
        ];
        for (policies, mut spec, read_only, expected) in cases {
            spec.read_only = read_only;
            for policy in policies {
                let csi = Csi::new([], json!({"fsGroupPolicy": policy}));
                let dir = csi.set_up(&spec, &group(3000)).unwrap();
                let (_, group, mode) = of(&dir);
                let applied = group == 3000 && mode & 0o2070 == 0o2070;
                assert_eq!(applied, expected, "{policy:?} {spec:?}");
                let AccessType::Mount {
                    volume_mount_group, ..
                } = csi.published().volume_capability.access_type
                else {
                    panic!("a file system");
                };
                assert_eq!(volume_mount_group, "");
            }
        }
    });
}

#[test]
fn a_driver_that_can_applies_the_group() {
    as_root(|| {
        for args in [group(3000), no_args()] {
            let csi = Csi::new(
                [NodeCapability::VolumeMountGroup],
                json!({"fsGroupPolicy": "File"}),
            );
            let dir = csi.set_up(&disk(json!({})), &args).unwrap();
            let request = csi.published();
            let AccessType::Mount {
                volume_mount_group, ..
            } = request.volume_capability.access_type
            else {
                panic!("a file system");
            };
            let expected = args.fs_group.map(|group| group.to_string());
            assert_eq!(volume_mount_group, expected.unwrap_or_default());
            assert_ne!(of(&dir).1, 3000);
        }
    });
}

/// The volume is mounted, so that it must be torn down.
#[test]
fn a_group_that_can_not_be_applied_leaves_the_volume_mounted() {
    struct Removes(Arc<FakeCsiDriver>);
    use kubernetes_volume::plugins::csi as api;
    impl api::NodeClient for Removes {
        fn node_get_info(&self) -> Result<api::NodeInfo, CsiError> {
            self.0.node_get_info()
        }
        fn node_get_capabilities(&self) -> Result<Vec<NodeCapability>, CsiError> {
            self.0.node_get_capabilities()
        }
        fn node_stage_volume(&self, request: &NodeStageVolumeRequest) -> Result<(), CsiError> {
            self.0.node_stage_volume(request)
        }
        fn node_unstage_volume(
            &self,
            request: &api::NodeUnstageVolumeRequest,
        ) -> Result<(), CsiError> {
            self.0.node_unstage_volume(request)
        }
        fn node_publish_volume(&self, request: &NodePublishVolumeRequest) -> Result<(), CsiError> {
            self.0.node_publish_volume(request)?;
            fs::remove_dir(&request.target_path).unwrap();
            Ok(())
        }
        fn node_unpublish_volume(
            &self,
            request: &api::NodeUnpublishVolumeRequest,
        ) -> Result<(), CsiError> {
            self.0.node_unpublish_volume(request)
        }
        fn node_expand_volume(
            &self,
            request: &api::NodeExpandVolumeRequest,
        ) -> Result<u64, CsiError> {
            self.0.node_expand_volume(request)
        }
        fn node_get_volume_stats(
            &self,
            request: &api::NodeGetVolumeStatsRequest,
        ) -> Result<api::VolumeStats, CsiError> {
            self.0.node_get_volume_stats(request)
        }
    }
    let csi = Csi::new([], json!({"fsGroupPolicy": "File"}));
    let removes = Arc::new(Removes(csi.driver.clone()));
    csi.drivers.unregister(DRIVER);
    csi.drivers
        .register(DRIVER, "/csi.sock", &["1.0.0"], removes.clone())
        .unwrap();
    let error = csi.set_up(&disk(json!({})), &group(3000)).unwrap_err();
    assert!(error.is_uncertain(), "{error}");
    csi.tear_down("disk").unwrap();
    assert!(
        csi.calls()
            .ends_with(&["NodePublishVolume", "NodeUnpublishVolume"])
    );
    // A client that doesn't say what is wrong with volumes.
    let request = api::NodeGetVolumeHealthRequest {
        volume_id: HANDLE.to_owned(),
        volume_publish_path: PathBuf::new(),
        staging_target_path: PathBuf::new(),
    };
    let error = api::NodeClient::node_get_volume_health(&*removes, &request).unwrap_err();
    assert_eq!(error.code, Some(Code::Unimplemented));
}

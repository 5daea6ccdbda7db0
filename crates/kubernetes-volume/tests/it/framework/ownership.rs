//! The change of a volume's files to a group by plugins.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kubernetes_volume::interfaces::{EventType, Mounter, Volume};
use kubernetes_volume::metrics::{Metrics, MetricsError, MetricsNil, MetricsProvider};
use kubernetes_volume::ownership::{
    Applied, FsGroupChangePolicy, Ownership, progress_events, set_volume_ownership,
};
use kubernetes_volume::testing::FakeEvents;
use kubernetes_volume::{Attributes, MounterArgs, Result};
use root_tests::as_root;

const GROUP: u32 = 3000;
const SHORT: Duration = Duration::from_millis(1);

fn many() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..3000 {
        fs::write(dir.path().join(at.to_string()), "").unwrap();
    }
    dir
}

#[test]
fn the_pod_gets_an_event() {
    as_root(|| {
        let dir = many();
        let recorder = Arc::new(FakeEvents::default());
        let pod = ObjectReference {
            kind: Some("Pod".to_owned()),
            name: Some("web-0".to_owned()),
            ..ObjectReference::default()
        };
        for group in GROUP.. {
            let events = Arc::clone(&recorder);
            let ownership = Ownership::new(group).intervals(SHORT, SHORT);
            ownership
                .report(progress_events(pod.clone(), "data", events))
                .apply(dir.path())
                .unwrap();
            if !recorder.recorded().is_empty() {
                break;
            }
        }
        let events = recorder.recorded();
        let event = &events[0];
        assert_eq!(event.object, pod);
        assert_eq!(event.event_type, EventType::Warning);
        assert_eq!(event.reason, "VolumePermissionChangeInProgress");
        assert!(event.message.contains("\"data\""), "{}", event.message);
    });
}

#[test]
fn a_change_that_is_done_in_time_is_no_event() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let recorder = Arc::new(FakeEvents::default());
        let report = progress_events(ObjectReference::default(), "data", recorder.clone());
        let ownership = Ownership::new(GROUP).report(report);
        ownership.apply(dir.path()).unwrap();
        assert_eq!(recorder.recorded().len(), 0);
    });
}

/// A volume that is mounted already.
struct Mounted {
    read_only: bool,
}

impl MetricsProvider for Mounted {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsNil.metrics()
    }
}

impl Volume for Mounted {
    fn path(&self) -> PathBuf {
        PathBuf::new()
    }
}

impl Mounter for Mounted {
    fn set_up_at(&self, _: &Path, _: &MounterArgs) -> Result<()> {
        Ok(())
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: self.read_only,
            ..Attributes::default()
        }
    }
}

#[test]
fn without_a_group_nothing_is_done() {
    let mounted = Mounted { read_only: false };
    let always = Some(FsGroupChangePolicy::Always);
    // Not even looked at.
    let done = set_volume_ownership(&mounted, Path::new("/no/such/path"), None, always).unwrap();
    assert_eq!(done, Applied::default());
}

#[test]
fn a_plugin_says_whether_the_volume_is_read_only() {
    as_root(|| {
        for (read_only, wanted) in [(false, 0o660), (true, 0o640)] {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("file");
            fs::write(&file, "").unwrap();
            chown(&file, None, Some(0)).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            let mounted = Mounted { read_only };
            // No policy is Always.
            set_volume_ownership(&mounted, dir.path(), Some(GROUP), None).unwrap();
            let metadata = fs::metadata(&file).unwrap();
            assert_eq!((metadata.gid(), metadata.mode() & 0o7777), (GROUP, wanted));
        }
    });
}

//! The driver is killed before each system call that changes something, in each call of CSI; the
//! next driver then does what the call asks for, and nothing is left of the first attempt.

mod client;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kubernetes_csi::v1::volume_capability::{AccessType, BlockVolume, MountVolume};
use kubernetes_csi::v1::volume_content_source::{SnapshotSource, Type, VolumeSource};
use kubernetes_csi::v1::{CreateVolumeRequest, VolumeCapability, VolumeContentSource};
use root_tests::{Ended, as_root, killed_while, loop_files, setting};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tonic::transport::Endpoint;
use tonic::{Code, Status};

use super::driver::{capability, mount, volume};
use client::Client;

const PROGRAM: &str = env!("CARGO_BIN_EXE_csi-hostpath");

/// More steps than any call has.
const MOST: u64 = 200;

const SIZE: u64 = 4 << 20;

/// The name of the volume or snapshot that calls make.
const NAME: &str = "made";

/// A driver that is started for each call.
struct World {
    folder: TempDir,
    runtime: Runtime,
    /// The volume that all calls but one are about.
    base: String,
    access_type: AccessType,
    parameters: BTreeMap<String, String>,
}

/// A driver that runs.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A call that is repeated.
type Call<'a> = dyn Fn(&Client) -> Result<(), Status> + Sync + 'a;

/// The mounts, devices and files.
type Seen = BTreeSet<String>;

impl World {
    /// Makes the volume.
    fn new(access_type: AccessType, parameters: BTreeMap<String, String>) -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["staged", "staged/one", "pods"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let runtime = Runtime::new().unwrap();
        let mut world = Self {
            folder,
            runtime,
            base: String::new(),
            access_type,
            parameters,
        };
        world.base = world.call(|driver| driver.create(world.volume("base")));
        world
    }

    /// A request for a volume, as the other is one.
    fn volume(&self, name: &str) -> CreateVolumeRequest {
        CreateVolumeRequest {
            parameters: self.parameters.clone(),
            ..volume(name, SIZE, self.access_type.clone())
        }
    }

    /// A request for a volume that begins as another or a snapshot.
    fn copy(&self, source: Type) -> CreateVolumeRequest {
        CreateVolumeRequest {
            volume_content_source: Some(VolumeContentSource {
                r#type: Some(source),
            }),
            ..self.volume(NAME)
        }
    }

    fn capability(&self) -> Option<VolumeCapability> {
        Some(capability(self.access_type.clone()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn args(&self) -> Vec<String> {
        vec![
            format!("--endpoint=unix://{}", self.text("csi.sock")),
            format!("--statedir={}", self.text("state")),
            "--nodeid=n".to_owned(),
            "--enable-attach".to_owned(),
            "--accepted-mutable-parameter-names=iops".to_owned(),
        ]
    }

    /// Calls a driver that nobody kills.
    fn call<T>(&self, call: impl FnOnce(&Client) -> Result<T, Status>) -> T {
        let process = Command::new(PROGRAM)
            .args(self.args())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let _driver = Driver(process.unwrap());
        call(&self.connect(|| true).unwrap()).unwrap()
    }

    /// Connects to a driver as soon as it listens; `None` if there is none any more.
    fn connect(&self, is_there: impl Fn() -> bool) -> Option<Client<'_>> {
        let socket = format!("unix://{}", self.text("csi.sock"));
        let endpoint = Endpoint::from_shared(socket).unwrap();
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            match self.runtime.block_on(endpoint.connect()) {
                Ok(channel) => {
                    return Some(Client {
                        world: self,
                        channel,
                    });
                }
                Err(_) if !is_there() => return None,
                Err(error) => assert!(Instant::now() < end, "{error}"),
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Makes a call to a driver that is killed before its change number `at`. Returns true if it
    /// was.
    fn killed_in(&self, at: u64, call: &Call) -> bool {
        let args = self.args();
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let ended = killed_while(OsStr::new(PROGRAM), &args, at, |pid| {
            let is_there = || {
                let status = fs::read_to_string(format!("/proc/{pid}/status"));
                status.is_ok_and(|status| !status.contains("State:\tZ"))
            };
            let Some(client) = self.connect(is_there) else {
                return;
            };
            if let Err(status) = call(&client) {
                let is_lost = matches!(status.code(), Code::Unavailable | Code::Unknown);
                assert!(is_lost, "killed at {at}: {status}");
            }
            // It may have died of the call.
            let ended = Command::new("kill").arg(pid.to_string()).output();
            assert!(ended.is_ok());
        });
        let is_right = matches!(ended, Ended::Killed | Ended::Exited(0));
        assert!(is_right, "{ended:?}");
        ended == Ended::Killed
    }

    /// Kills the driver at each step of a call and of the one that undoes it.
    fn kill(&self, name: &str, call: &Call, undo: &Call) {
        let every = setting("VOLUME_KILL_EVERY", 3).max(1);
        let mut at = u64::try_from(name.len()).unwrap() % every;
        let before = self.seen();
        let mut done = None;
        loop {
            let mut was_killed = self.killed_in(at, call);
            self.call(call);
            let seen = self.seen();
            assert_eq!(
                done.get_or_insert_with(|| seen.clone()),
                &seen,
                "{name}, {at}"
            );
            was_killed |= self.killed_in(at, undo);
            self.call(undo);
            assert_eq!(self.seen(), before, "{name} undone, {at}");
            if !was_killed {
                break;
            }
            at += every;
            assert!(at < MOST, "{name} doesn't end");
        }
        println!("{name}: {at} steps");
        assert!(at > every, "{name}: the steps are not seen");
    }

    /// Nothing stands still: programs can write to the volume that is staged.
    fn assert_writable(&self) {
        let place = self.path("staged/one");
        let is_still = Command::new("fsfreeze")
            .arg("--unfreeze")
            .arg(&place)
            .output();
        assert!(!is_still.unwrap().status.success());
        fs::write(place.join("file"), "text").unwrap();
    }

    /// Returns mounts, devices and files of the driver, but for names that differ each time.
    fn seen(&self) -> Seen {
        let mut seen = Seen::new();
        let folder = self.folder.path().display().to_string();
        let mounts = fs::read_to_string("/proc/thread-self/mountinfo").unwrap();
        for line in mounts.lines().filter(|line| line.contains(&folder)) {
            let place = line.split(' ').nth(4).unwrap();
            // Twice at one place are two.
            let count = seen.iter().filter(|known| known.contains(place)).count();
            seen.insert(format!("mount {place} {count}"));
        }
        for (index, (_, read_only)) in loop_files(self.folder.path()).iter().enumerate() {
            seen.insert(format!("device {index} {read_only}"));
        }
        for kind in ["volumes", "snapshots", "groups", "data"] {
            let files = fs::read_dir(self.path("state").join(kind));
            let count = files.into_iter().flatten().count();
            seen.insert(format!("{count} {kind}"));
        }
        for place in ["staged", "pods"] {
            for entry in fs::read_dir(self.path(place)).unwrap() {
                seen.insert(format!("{place} {}", entry.unwrap().file_name().display()));
            }
        }
        seen
    }
}

/// Kills the driver in all calls, for volumes of a sort.
fn kill_all(access_type: AccessType, parameters: BTreeMap<String, String>) {
    let world = World::new(access_type, parameters);
    let base = world.base.clone();
    let clone = world.copy(Type::Volume(VolumeSource {
        volume_id: base.clone(),
    }));
    world.kill(
        "create",
        &|driver| driver.create(world.volume(NAME)).map(drop),
        &|driver| driver.delete_made(),
    );
    world.kill(
        "clone",
        &|driver| driver.create(clone.clone()).map(drop),
        &|driver| driver.delete_made(),
    );
    world.kill("attach", &|driver| driver.attach(), &|driver| {
        driver.detach()
    });
    world.kill("modify", &|driver| driver.modify("1"), &|driver| {
        driver.modify("2")
    });
    world.kill("stage", &|driver| driver.stage(), &|driver| {
        driver.unstage()
    });
    world.call(|driver| driver.stage());
    for readonly in [false, true] {
        let publish = |driver: &Client| driver.publish(&base, readonly);
        world.kill("publish", &publish, &|driver| driver.unpublish(&base));
    }
    let snapshot = |driver: &Client| driver.snapshot().map(drop);
    world.kill("snapshot", &snapshot, &|driver| driver.delete_snapshots());
    let group = |driver: &Client| driver.group().map(drop);
    world.kill("group", &group, &|driver| driver.delete_group());
    world.kill("expand", &|driver| driver.expand(), &|driver| {
        driver.expand()
    });
    world.assert_writable();

    let snapshot_id = world.call(|driver| driver.snapshot());
    let restore = world.copy(Type::Snapshot(SnapshotSource { snapshot_id }));
    world.call(|driver| driver.unstage());
    let restore = |driver: &Client| driver.create(restore.clone()).map(drop);
    // It has grown meanwhile.
    let restored = world.call(|driver| Ok(restore(driver).map_err(|error| error.code())));
    assert_eq!(restored, Err(Code::OutOfRange));
    world.call(|driver| driver.delete_snapshots());
}

#[test]
fn in_calls_for_folders() {
    as_root(|| kill_all(mount(), BTreeMap::new()));
}

#[test]
fn in_calls_for_images() {
    as_root(|| {
        let ext4 = AccessType::Mount(MountVolume {
            fs_type: "ext4".to_owned(),
            ..MountVolume::default()
        });
        kill_all(
            ext4,
            BTreeMap::from([("backing".to_owned(), "image".to_owned())]),
        );
    });
}

#[test]
fn in_calls_for_devices() {
    as_root(|| kill_all(AccessType::Block(BlockVolume {}), BTreeMap::new()));
}

#[test]
fn in_calls_for_inline_volumes() {
    as_root(|| {
        let world = World::new(mount(), BTreeMap::new());
        let publish = |driver: &Client| driver.publish("csi-inline", false);
        let unpublish = |driver: &Client| driver.unpublish("csi-inline");
        world.kill("inline", &publish, &unpublish);
    });
}

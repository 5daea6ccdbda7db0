//! The program is killed at each of its steps, and then run again.

use std::os::unix::fs::symlink;

use root_tests::{Ended, Loop, as_root, killed_at, setting, write_program};
use serde_json::{Value, json};

use super::*;

/// More steps than anything has here.
const MOST: u64 = 2000;

/// A volume, and what is true of it once it is mounted.
struct Case<'a> {
    world: World,
    /// The directory that a Pod can write to.
    writable: Option<PathBuf>,
    /// The directories that must not change.
    outside: Vec<PathBuf>,
    check: Box<dyn Fn(&World) + 'a>,
}

impl Case<'_> {
    fn outside(&self) -> Vec<Vec<String>> {
        self.outside.iter().map(|dir| listed(dir)).collect()
    }

    /// Kills the command at each step, and then runs these commands, after which all is clean.
    fn kill(&self, command: &str, prepare: &[&str], after: &[&str]) -> u64 {
        let canary = self.world.path("canary");
        // In short, every third step, beginning at another one for each case.
        let every = setting("VOLUME_KILL_EVERY", 3).max(1);
        let mut at = u64::try_from(command.len() + after.len()).unwrap() % every;
        loop {
            let before = self.outside();
            for command in prepare {
                self.run(command);
            }
            // Files that a Pod may leave to be removed.
            if let Some(dir) = self.writable.as_ref().filter(|dir| dir.exists()) {
                symlink(&canary, dir.join("to-canary")).unwrap();
            }
            let args = self.world.args(command);
            let ended = killed_at(OsStr::new(PROGRAM), &arguments(&args), at);
            for command in after {
                self.run(command);
            }
            if let Ended::Exited(code) = ended {
                assert_eq!(code, 0, "{command}");
                if command == "mount" {
                    self.run("unmount");
                }
            }
            self.world.assert_clean();
            assert_eq!(self.outside(), before, "{command} killed at step {at}");
            if ended != Ended::Killed {
                return at;
            }
            at += every;
            assert!(at < MOST, "{command} doesn't end");
        }
    }

    fn run(&self, command: &str) {
        self.world.run(command);
        if command == "mount" {
            (self.check)(&self.world);
        }
    }

    fn kill_all(&self, name: &str) {
        let of_mount = self.kill("mount", &[], &["unmount"]);
        self.kill("mount", &[], &["mount", "unmount"]);
        let of_unmount = self.kill("unmount", &["mount"], &["unmount"]);
        self.kill("unmount", &["mount"], &["mount", "unmount"]);
        println!("{name}: about {of_mount} steps to mount, {of_unmount} to unmount");
        assert!(
            of_mount > 1 && of_unmount > 1,
            "{name}: the steps are not seen"
        );
    }
}

/// Kills at each step of mounting and unmounting this volume of a Pod.
fn killed<'a>(
    volume: Value,
    others: &[Value],
    plugin: &str,
    is_writable: bool,
    check: impl Fn(&World, &Path) + 'a,
) {
    let name = volume["name"].as_str().unwrap().to_owned();
    let manifests: Vec<Value> = [&[pod(&[volume])], others].concat();
    let world = World::new(&manifests);
    world.write("canary/dir/file", "canary");
    world.write("tokens/shop/default", "token");
    fs::create_dir(world.path("root")).unwrap();
    let dir = world.volume(plugin, &name);
    let case = Case {
        outside: vec![world.path("canary"), world.path("manifests")],
        writable: is_writable.then(|| dir.clone()),
        world,
        check: Box::new(move |world| check(world, &dir)),
    };
    case.kill_all(&name);
}

fn has(dir: &Path, name: &str, content: &str) {
    let file = dir.join(name);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        content,
        "{}",
        file.display()
    );
    // The directory gets the group after all files.
    use std::os::unix::fs::MetadataExt;
    assert_eq!(
        fs::metadata(&file).unwrap().gid(),
        3000,
        "{}",
        file.display()
    );
}

#[test]
fn of_an_empty_dir() {
    as_root(|| {
        let volume = json!({"name": "scratch", "emptyDir": {}});
        killed(volume, &[], "kubernetes.io/empty-dir", true, |_, dir| {
            has_group_and_mode(dir, 0o2777)
        });
    });
}

fn has_group_and_mode(dir: &Path, mode: u32) {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(dir).unwrap();
    assert_eq!((metadata.gid(), metadata.mode() & 0o7777), (3000, mode));
}

#[test]
fn of_an_empty_dir_in_memory() {
    as_root(|| {
        let volume =
            json!({"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}});
        killed(volume, &[], "kubernetes.io/empty-dir", true, |_, dir| {
            has_group_and_mode(dir, 0o3777)
        });
    });
}

fn object(kind: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "settings", "namespace": "shop"}, "stringData": data, "data": data})
}

#[test]
fn of_a_config_map() {
    as_root(|| {
        let mut map = object("ConfigMap", &json!({"a": "1", "b": "2"}));
        map.as_object_mut().unwrap().remove("stringData");
        let items = json!([{"key": "a", "path": "a"}, {"key": "b", "path": "dir/b"}]);
        let volume = json!({"name": "config", "configMap": {"name": "settings", "items": items}});
        killed(
            volume,
            &[map],
            "kubernetes.io/configmap",
            false,
            |_, dir| {
                has(dir, "a", "1");
                has(dir, "dir/b", "2");
            },
        );
    });
}

#[test]
fn of_a_secret() {
    as_root(|| {
        let mut secret = object("Secret", &json!({"a": "1"}));
        secret.as_object_mut().unwrap().remove("data");
        let volume = json!({"name": "secret", "secret": {"secretName": "settings"}});
        killed(
            volume,
            &[secret],
            "kubernetes.io/secret",
            false,
            |_, dir| has(dir, "a", "1"),
        );
    });
}

#[test]
fn of_the_downward_api() {
    as_root(|| {
        let items = json!([{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]);
        let volume = json!({"name": "downward", "downwardAPI": {"items": items}});
        killed(
            volume,
            &[],
            "kubernetes.io/downward-api",
            false,
            |_, dir| {
                has(dir, "labels", "app=\"web\"");
            },
        );
    });
}

#[test]
fn of_a_projection() {
    as_root(|| {
        let mut map = object("ConfigMap", &json!({"a": "1"}));
        map.as_object_mut().unwrap().remove("stringData");
        let sources = json!([
            {"configMap": {"name": "settings"}},
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
        ]);
        let volume = json!({"name": "projected", "projected": {"sources": sources}});
        killed(
            volume,
            &[map],
            "kubernetes.io/projected",
            false,
            |_, dir| {
                has(dir, "a", "1");
                has(dir, "token", "token");
            },
        );
    });
}

/// A claim of the Pod and its PersistentVolume.
pub(super) fn claimed(source: Value) -> [Value; 2] {
    let mut spec = json!({
        "capacity": {"storage": "16Mi"}, "accessModes": ["ReadWriteOnce"],
        "claimRef": {"namespace": "shop", "name": "claim"},
    });
    spec.as_object_mut()
        .unwrap()
        .extend(source.as_object().unwrap().clone());
    [
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": spec}),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "claim", "namespace": "shop"},
            "spec": {"volumeName": "disk", "accessModes": ["ReadWriteOnce"]},
        }),
    ]
}

#[test]
fn of_a_local_directory() {
    as_root(|| {
        let outside = tempfile::tempdir().unwrap();
        let data = outside.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::write(data.join("file"), "kept").unwrap();
        let others = claimed(json!({"local": {"path": data}}));
        // Named as the PersistentVolume, which names the directory.
        let volume = json!({"name": "disk", "persistentVolumeClaim": {"claimName": "claim"}});
        killed(
            volume,
            &others,
            "kubernetes.io/local-volume",
            false,
            |_, dir| has(dir, "file", "kept"),
        );
        assert_eq!(fs::read_to_string(data.join("file")).unwrap(), "kept");
    });
}

#[test]
fn of_a_local_device() {
    as_root(|| {
        let outside = tempfile::tempdir().unwrap();
        let device = Loop::empty(&outside.path().join("image"));
        let others = claimed(json!({"local": {"path": device.path(), "fsType": "ext4"}}));
        let volume = json!({"name": "disk", "persistentVolumeClaim": {"claimName": "claim"}});
        killed(
            volume,
            &others,
            "kubernetes.io/local-volume",
            false,
            |_, dir| {
                fs::write(dir.join("file"), "").unwrap();
                has_group_of(dir);
            },
        );
    });
}

fn has_group_of(dir: &Path) {
    use std::os::unix::fs::MetadataExt;
    assert_eq!(fs::metadata(dir).unwrap().gid(), 3000);
    assert!(fs::metadata(dir.join("lost+found")).unwrap().is_dir());
}

#[test]
fn of_a_host_path() {
    as_root(|| {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "kept").unwrap();
        let source = json!({"path": outside.path(), "type": "Directory"});
        let volume = json!({"name": "host", "hostPath": source});
        let world = World::new(&[pod(&[volume])]);
        fs::create_dir(world.path("root")).unwrap();
        // It is used where it is: there is nothing to be made or removed.
        world.run("mount");
        world.run("unmount");
        world.assert_clean();
        assert_eq!(
            fs::read_to_string(outside.path().join("file")).unwrap(),
            "kept"
        );
    });
}

#[test]
fn of_a_flex_volume() {
    as_root(|| {
        let volume = json!({"name": "flex", "flexVolume": {"driver": "example.com/nas"}});
        let world = World::new(&[pod(&[volume])]);
        write_program(
            &world.path("drivers/example.com~nas/nas"),
            "#!/bin/sh\nok() { echo '{\"status\":\"Success\"}'; }\ncase $1 in\n\
             init) ok;;\n\
             mountdevice) mount -t tmpfs nas \"$2\" && echo content > \"$2/file\" && ok;;\n\
             unmountdevice) umount \"$2\" 2>/dev/null; ok;;\n\
             *) echo '{\"status\":\"Not supported\"}';;\nesac\n",
        );
        world.write("canary/file", "canary");
        fs::create_dir(world.path("root")).unwrap();
        let case = Case {
            outside: vec![world.path("canary"), world.path("drivers")],
            writable: None,
            world,
            check: Box::new(|world| {
                has(
                    &world.volume("example.com/nas", "flex"),
                    "file",
                    "content\n",
                )
            }),
        };
        case.kill_all("flex");
    });
}

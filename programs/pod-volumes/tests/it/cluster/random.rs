//! Random Pods and the objects that they name.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use fastrand::Rng;
use serde_json::{Value, json};

/// The node's files are below this path in manifests; each side has a copy of its own.
pub(crate) const FILES: &str = "/FILES";

const MODES: [u32; 9] = [
    0o400, 0o444, 0o600, 0o640, 0o644, 0o755, 0o777, 0o000, 0o4711,
];
pub(crate) const USERS: [i64; 4] = [0, 11, 1000, 65_534];

/// A Pod with its objects.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The name of the Pod, with which all names of its objects begin.
    pub(crate) name: String,
    pub(crate) pod: Value,
    /// ConfigMaps and Secrets as they are first. Some that the Pod names are missing.
    pub(crate) objects: Vec<Value>,
    /// ConfigMaps and Secrets as they are after an update: some are changed, some are new.
    pub(crate) updated: Vec<Value>,
    /// The labels and annotations of the Pod after an update.
    pub(crate) updated_metadata: Value,
    /// PersistentVolumes with their claims.
    pub(crate) claimed: Vec<(Value, Value)>,
}

impl Case {
    /// Returns true if containers end and may be started again.
    pub(crate) fn restarts(&self) -> bool {
        self.pod["spec"]["restartPolicy"] == "OnFailure"
    }

    /// Returns true if a container mounts a part of a volume, which may be made for it.
    pub(crate) fn has_sub_path(&self) -> bool {
        let spec = self.pod["spec"].to_string();
        spec.contains("\"subPath")
    }
}

/// Makes one Pod.
pub(crate) fn case(rng: &mut Rng, name: &str) -> Case {
    let mut maker = Maker {
        rng,
        name: name.to_owned(),
        objects: Vec::new(),
        updated: Vec::new(),
        claimed: Vec::new(),
    };
    let pod = maker.pod();
    let updated_metadata = maker.metadata();
    Case {
        name: name.to_owned(),
        pod,
        updated_metadata,
        objects: maker.objects,
        updated: maker.updated,
        claimed: maker.claimed,
    }
}

/// Makes the node's files of one Pod, below a folder.
pub(crate) fn make_files(rng: &mut Rng, folder: &Path) {
    let make = |path: &str, mode: u32, owner: (u32, u32)| {
        let path = folder.join(path);
        if path.extension().is_some() {
            fs::write(&path, "content").unwrap();
        } else {
            fs::create_dir_all(&path).unwrap();
        }
        chown(&path, Some(owner.0), Some(owner.1)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(folder).unwrap();
    for place in ["dir", "local"] {
        for path in ["", "/sub", "/sub/deep", "/f.txt", "/sub/g.sh"] {
            let owner = (pick(rng, &[0, 7, 1000]), pick(rng, &[0, 8, 3000]));
            let modes = [0o700, 0o755, 0o750, 0o2770, 0o1777, 0o4755, 0o400, 0o660];
            make(&format!("{place}{path}"), pick(rng, &modes), owner);
        }
        symlink("f.txt", folder.join(place).join("link")).unwrap();
        symlink("sub", folder.join(place).join("inside")).unwrap();
        symlink("nowhere", folder.join(place).join("dangling")).unwrap();
        symlink("../dir", folder.join(place).join("outside")).unwrap();
        symlink(format!("../{place}/sub"), folder.join(place).join("back")).unwrap();
        let absolute = folder.join(place).join("sub/deep");
        symlink(absolute, folder.join(place).join("absolute")).unwrap();
    }
    make("file.txt", 0o640, (5, 6));
}

pub(crate) fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())].clone()
}

pub(crate) struct Maker<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) name: String,
    pub(crate) objects: Vec<Value>,
    pub(crate) updated: Vec<Value>,
    pub(crate) claimed: Vec<(Value, Value)>,
}

impl Maker<'_> {
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        pick(self.rng, from)
    }

    /// Sets a field of an object with a probability.
    pub(crate) fn maybe(
        &mut self,
        object: &mut Value,
        percent: u32,
        field: &str,
        value: impl Into<Value>,
    ) {
        if self.chance(percent) {
            object[field] = value.into();
        }
    }

    pub(crate) fn mode(&mut self) -> u32 {
        self.pick(&MODES) & 0o777
    }

    fn metadata(&mut self) -> Value {
        let mut metadata = json!({"labels": {"app": "x"}, "annotations": {}});
        for field in ["labels", "annotations"] {
            for _ in 0..self.rng.usize(..4) {
                let key = self.pick(&["app", "example.com/key", "b", "Tier"]);
                let values = match field {
                    "labels" => ["", "v1", "a.b_c"],
                    _ => ["", "line\nfeed \"quoted\" \\ \u{7f} ü", "v1"],
                };
                metadata[field][key] = self.pick(&values).into();
            }
        }
        metadata
    }

    fn pod(&mut self) -> Value {
        let mut metadata = self.metadata();
        metadata["name"] = self.name.clone().into();
        let count = self.rng.usize(1..5);
        let volumes: Vec<_> = (0..count).map(|index| self.volume(index)).collect();
        let ends = self.chance(8);
        let names: Vec<_> = volumes
            .iter()
            .map(|volume| volume["name"].clone())
            .collect();
        let containers = self.rng.usize(1..4);
        let containers: Vec<_> = (0..containers)
            .map(|index| self.container(&format!("c{index}"), &names, ends))
            .collect();
        let mut spec = json!({
            "nodeName": "kubelet",
            "terminationGracePeriodSeconds": 0,
            "volumes": volumes,
            "containers": containers,
            "automountServiceAccountToken": false,
        });
        if ends {
            spec["restartPolicy"] = self.pick(&["Never", "OnFailure"]).into();
        }
        if self.chance(25) {
            spec["initContainers"] = json!([self.container("init", &names, true)]);
        }
        let mut context = json!({});
        let group = self.pick(&[0, 3000, 65_534]);
        self.maybe(&mut context, 40, "fsGroup", group);
        let policy = self.pick(&["Always", "OnRootMismatch"]);
        self.maybe(&mut context, 30, "fsGroupChangePolicy", policy);
        let user = self.pick(&USERS);
        self.maybe(&mut context, 30, "runAsUser", user);
        self.maybe(&mut spec, 70, "securityContext", context);
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    }

    fn container(&mut self, name: &str, volumes: &[Value], ends: bool) -> Value {
        let mut container = json!({"name": name, "image": "idle", "env": [
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "PART", "value": "in-$(POD)"},
            {"name": "LABEL", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
            {"name": "EMPTY", "value": ""},
        ]});
        if ends {
            let code = if name == "init" {
                "0"
            } else {
                self.pick(&["0", "0", "1"])
            };
            container["command"] = json!(["exit", code]);
        }
        if self.chance(50) {
            container["resources"] = self.resources();
        }
        let mut context = json!({});
        let user = self.pick(&USERS);
        self.maybe(&mut context, 25, "runAsUser", user);
        self.maybe(&mut container, 50, "securityContext", context);
        let mut mounts = Vec::new();
        let mut paths = Vec::new();
        for volume in volumes {
            for _ in 0..self.pick(&[0, 1, 1, 1, 2]) {
                let path = self.mount_path();
                if !paths.contains(&path) {
                    paths.push(path.clone());
                    mounts.push(self.volume_mount(volume, &path));
                }
            }
        }
        container["volumeMounts"] = mounts.into();
        container
    }

    /// Limits with small requests, or small limits that are the requests too: all Pods have to fit
    /// on one node. Limits of memory are those of files in memory, too, and a kubelet's annotations
    /// are longer by two lines.
    fn resources(&mut self) -> Value {
        let has_requests = self.chance(60);
        let (memory, cpu) = if has_requests {
            (["64Mi", "1500k", "1G"], ["1", "250m", "1500m"])
        } else {
            (["1Mi", "1500k", "100Ki"], ["1m", "2m", "0"])
        };
        let mut limits = json!({});
        let memory = self.pick(&memory);
        self.maybe(&mut limits, 60, "memory", memory);
        let cpu = self.pick(&cpu);
        self.maybe(&mut limits, 60, "cpu", cpu);
        if has_requests {
            json!({"limits": limits, "requests": {"cpu": "1m", "memory": "1500"}})
        } else {
            json!({"limits": limits})
        }
    }

    fn mount_path(&mut self) -> String {
        let first = self.pick(&["/m", "/n", "/data", "/deep/er", "relative"]);
        let second = self.pick(&["", "", "", "/nested", "/nested/other", "/dir", "/./x//y"]);
        format!("{first}{second}")
    }

    fn volume_mount(&mut self, volume: &Value, path: &str) -> Value {
        let mut mount = json!({"name": volume, "mountPath": path});
        match self.rng.u32(..10) {
            0..=1 => {
                let parts = [
                    "a",
                    "b.txt",
                    "dir/sub",
                    "new/part",
                    "sub",
                    "inside",
                    "outside",
                    "back",
                    "absolute",
                    "absolute/new",
                    "dangling",
                    "f.txt",
                    "link",
                    "./a",
                    "f.txt/below",
                ];
                mount["subPath"] = self.pick(&parts).into();
            }
            2 => {
                let parts = [
                    "$(POD)",
                    "$(PART)/x",
                    "$$(POD)",
                    "$(EMPTY)",
                    "$(UNKNOWN)",
                    "l-$(LABEL)",
                    "$(POD",
                    "plain",
                ];
                mount["subPathExpr"] = self.pick(&parts).into();
            }
            _ => {}
        }
        self.maybe(&mut mount, 40, "readOnly", true);
        if mount["readOnly"] == true {
            let mode = self.pick(&["Enabled", "IfPossible", "Disabled"]);
            self.maybe(&mut mount, 40, "recursiveReadOnly", mode);
        }
        let recursive = mount["recursiveReadOnly"].as_str().unwrap_or("Disabled");
        if recursive == "Disabled" {
            let propagation = self.pick(&["None", "HostToContainer"]);
            self.maybe(&mut mount, 20, "mountPropagation", propagation);
        }
        mount
    }
}

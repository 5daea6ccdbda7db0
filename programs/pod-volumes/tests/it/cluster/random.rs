//! Random Pods and the objects that they name.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// The node's files are below this path in manifests; each side has a copy of its own.
pub(crate) const FILES: &str = "/FILES";

const KEYS: [&str; 6] = ["a", "b.txt", ".hidden", "-dash", "UPPER_case", "z.9"];
const PATHS: [&str; 9] = [
    "a",
    "b.txt",
    "dir",
    "dir/a",
    "dir/sub/b",
    ".x",
    "a..b",
    "other/a",
    "a/b",
];
const MODES: [u32; 9] = [
    0o400, 0o444, 0o600, 0o640, 0o644, 0o755, 0o777, 0o000, 0o4711,
];
const USERS: [i64; 4] = [0, 11, 1000, 65_534];

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
    }
    make("file.txt", 0o640, (5, 6));
}

pub(crate) fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())].clone()
}

struct Maker<'a> {
    rng: &'a mut Rng,
    name: String,
    objects: Vec<Value>,
    updated: Vec<Value>,
    claimed: Vec<(Value, Value)>,
}

impl Maker<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        pick(self.rng, from)
    }

    /// Sets a field of an object with a probability.
    fn maybe(&mut self, object: &mut Value, percent: u32, field: &str, value: impl Into<Value>) {
        if self.chance(percent) {
            object[field] = value.into();
        }
    }

    fn mode(&mut self) -> u32 {
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

    /// Limits with small requests, or small limits that are the requests too: all Pods have to fit on
    /// one node.
    fn resources(&mut self) -> Value {
        let has_requests = self.chance(60);
        let (memory, cpu) = if has_requests {
            (["64Mi", "1500k", "1G"], ["1", "250m", "1500m"])
        } else {
            (["1Mi", "1500k", "2000"], ["1m", "2m", "0"])
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

    fn volume(&mut self, index: usize) -> Value {
        let mut volume = match self.rng.u32(..100) {
            0..=19 => json!({"emptyDir": self.empty_dir()}),
            20..=37 => json!({"configMap": self.keyed(index, "ConfigMap")}),
            38..=53 => json!({"secret": self.keyed(index, "Secret")}),
            54..=64 => json!({"downwardAPI": self.downward()}),
            65..=81 => json!({"projected": self.projected(index)}),
            82..=91 => json!({"hostPath": self.host_path()}),
            _ => self.local(index),
        };
        volume["name"] = format!("v{index}").into();
        volume
    }

    fn empty_dir(&mut self) -> Value {
        let mut source = json!({});
        self.maybe(&mut source, 50, "medium", "Memory");
        let limit = self.pick(&["1Mi", "100Ki", "0", "1", "5000", "2M"]);
        self.maybe(&mut source, 50, "sizeLimit", limit);
        source
    }

    /// A ConfigMap or a Secret as a volume, or in a projected one.
    fn keyed(&mut self, index: usize, kind: &str) -> Value {
        let name = format!("{}-{}-{index}", self.name, kind.to_lowercase());
        let mut source = match kind {
            "Secret" => json!({"secretName": name}),
            _ => json!({"name": name}),
        };
        self.object(kind, &name);
        self.maybe(&mut source, 40, "optional", true);
        let mode = self.mode();
        self.maybe(&mut source, 40, "defaultMode", mode);
        if self.chance(50) {
            source["items"] = self.items(&KEYS[..4]).into();
        }
        source
    }

    fn items(&mut self, keys: &[&str]) -> Vec<Value> {
        let items = 0..self.rng.usize(1..4);
        items
            .map(|_| {
                let mut item = json!({"key": self.pick(keys), "path": self.pick(&PATHS)});
                let mode = self.mode();
                self.maybe(&mut item, 40, "mode", mode);
                item
            })
            .collect()
    }

    /// Decides what becomes of an object: most exist and are changed later.
    fn object(&mut self, kind: &str, name: &str) {
        let first = self.data(kind, name);
        let mut then = self.data(kind, name);
        match self.rng.u32(..10) {
            // Never there.
            0 => {}
            // There later.
            1 => self.updated.push(then),
            2 => {
                let mut first = first;
                first["immutable"] = true.into();
                self.objects.push(first);
            }
            3 => self.objects.push(first),
            _ => {
                // A Secret keeps its type.
                then["type"] = first["type"].clone();
                self.objects.push(first);
                self.updated.push(then);
            }
        }
    }

    fn data(&mut self, kind: &str, name: &str) -> Value {
        let mut object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}});
        let (field, other) = match kind {
            "Secret" => ("stringData", "data"),
            _ => ("data", "binaryData"),
        };
        let mut texts = Map::new();
        for key in KEYS {
            if self.chance(60) {
                let text = self.pick(&["", "text", "with\nlines\n", "ünïcode"]);
                texts.insert(key.to_owned(), format!("{text}{}", self.rng.u8(..)).into());
            }
        }
        object[field] = texts.into();
        // Bytes that are no text.
        self.maybe(&mut object, 20, other, json!({"bytes": "AP/+gA=="}));
        if kind == "Secret" {
            object["type"] = "Opaque".into();
        }
        object
    }

    fn downward(&mut self) -> Value {
        let mut source = json!({"items": self.fields()});
        let mode = self.mode();
        self.maybe(&mut source, 40, "defaultMode", mode);
        source
    }

    fn fields(&mut self) -> Vec<Value> {
        let items = 0..self.rng.usize(1..4);
        items
            .map(|number| {
                let mut item = if self.chance(60) {
                    let fields = [
                        "metadata.name",
                        "metadata.namespace",
                        "metadata.uid",
                        "metadata.labels",
                        "metadata.labels['app']",
                        "metadata.labels['none']",
                        "metadata.annotations['example.com/key']",
                    ];
                    json!({"path": self.pick(&PATHS), "fieldRef": {"fieldPath": self.pick(&fields)}})
                } else if self.chance(30) {
                    let path = format!("annotations{number}");
                    json!({"path": path, "fieldRef": {"fieldPath": "metadata.annotations"}})
                } else {
                    let resources = [
                        ("limits.cpu", "1m"), ("limits.cpu", "1"), ("requests.cpu", "1m"),
                        ("limits.memory", "1"), ("limits.memory", "1Mi"), ("requests.memory", "1k"),
                        ("limits.ephemeral-storage", "1"), ("requests.ephemeral-storage", "1Gi"),
                    ];
                    let (resource, divisor) = self.pick(&resources);
                    let mut field = json!({"containerName": "c0", "resource": resource});
                    self.maybe(&mut field, 60, "divisor", divisor);
                    json!({"path": self.pick(&PATHS), "resourceFieldRef": field})
                };
                let mode = self.mode();
                self.maybe(&mut item, 40, "mode", mode);
                item
            })
            .collect()
    }

    fn projected(&mut self, index: usize) -> Value {
        let sources = 0..self.rng.usize(1..5);
        let sources = sources.map(|number| match self.rng.u32(..10) {
            0..=2 => {
                let mut source = self.keyed((index + 1) * 10 + number, "ConfigMap");
                source.as_object_mut().unwrap().remove("defaultMode");
                json!({"configMap": source})
            }
            3..=5 => {
                let mut source = self.keyed((index + 1) * 10 + number, "Secret");
                let source = source.as_object_mut().unwrap();
                source.remove("defaultMode");
                let name = source.remove("secretName").unwrap();
                source.insert("name".to_owned(), name);
                json!({"secret": source})
            }
            6..=7 => json!({"downwardAPI": {"items": self.fields()}}),
            _ => {
                let mut source = json!({"path": self.pick(&PATHS)});
                self.maybe(&mut source, 30, "audience", "vault");
                self.maybe(&mut source, 30, "expirationSeconds", 900);
                let user = self.pick(&USERS);
                self.maybe(&mut source, 30, "user", user);
                json!({"serviceAccountToken": source})
            }
        });
        let sources: Vec<_> = sources.collect();
        let mut source = json!({"sources": sources});
        let mode = self.mode();
        self.maybe(&mut source, 40, "defaultMode", mode);
        let user = self.pick(&USERS);
        self.maybe(&mut source, 15, "defaultUser", user);
        source
    }

    fn host_path(&mut self) -> Value {
        let types = [
            "",
            "Directory",
            "DirectoryOrCreate",
            "File",
            "FileOrCreate",
            "Socket",
            "BlockDevice",
        ];
        let path = self.pick(&[
            "dir",
            "dir/sub",
            "file.txt",
            "new",
            "new/er",
            "dir/link",
            "dir/dangling",
        ]);
        let mut source = json!({"path": format!("{FILES}/{}/{path}", self.name)});
        let kind = self.pick(&types);
        self.maybe(&mut source, 80, "type", kind);
        source
    }

    /// A claim whose PersistentVolume is a directory of the node.
    fn local(&mut self, index: usize) -> Value {
        let name = format!("{}-local-{index}", self.name);
        let path = self.pick(&["local", "local/sub", "absent", "file.txt"]);
        let path = format!("{FILES}/{}/{path}", self.name);
        let source = if self.chance(80) {
            json!({"local": {"path": path}})
        } else {
            json!({"hostPath": {"path": path}})
        };
        let requirement = json!({"key": "kubernetes.io/hostname", "operator": "Exists"});
        let mut spec = json!({
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "",
            "claimRef": {"namespace": "default", "name": name},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}},
        });
        for (field, value) in source.as_object().unwrap() {
            spec[field] = value.clone();
        }
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": name}, "spec": spec,
        });
        let claim = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": "",
                "volumeName": name,
            },
        });
        self.claimed.push((volume, claim));
        let mut source = json!({"claimName": name});
        self.maybe(&mut source, 20, "readOnly", true);
        json!({"persistentVolumeClaim": source})
    }
}

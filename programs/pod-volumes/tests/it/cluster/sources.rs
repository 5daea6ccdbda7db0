//! Random volumes of random Pods.

use serde_json::{Map, Value, json};

use super::random::{FILES, Maker, USERS};

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

impl Maker<'_> {
    pub(crate) fn volume(&mut self, index: usize) -> Value {
        let mut volume = match self.rng.u32(..100) {
            0..=19 => json!({"emptyDir": self.empty_dir()}),
            20..=37 => json!({"configMap": self.keyed(index, "ConfigMap")}),
            38..=53 => json!({"secret": self.keyed(index, "Secret")}),
            54..=64 => json!({"downwardAPI": self.downward()}),
            65..=81 => json!({"projected": self.projected(index)}),
            82..=90 => json!({"hostPath": self.host_path(index)}),
            91..=93 => json!({"image": {"reference": "idle"}}),
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
        // Alpha. In memory, a kubelet sets it beneath the mount, where nobody sees it, and ours on
        // the mount.
        if source.get("medium").is_none() {
            let mode = self.pick(&[0o700, 0o750, 0o777]);
            self.maybe(&mut source, 20, "mode", mode);
        }
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
        self.decide(|maker| maker.data(kind, name));
    }

    /// Does the same with what a function makes, before and after an update.
    pub(crate) fn decide(&mut self, mut make: impl FnMut(&mut Self) -> Value) {
        let first = make(self);
        let mut then = make(self);
        let is_secret = first["kind"] == "Secret";
        match self.rng.u32(..10) {
            // Never there.
            0 => {}
            // There later.
            1 => self.updated.push(then),
            2 if first["kind"] != "ClusterTrustBundle" => {
                let mut first = first;
                first["immutable"] = true.into();
                self.objects.push(first);
            }
            3 => self.objects.push(first),
            _ => {
                // A Secret keeps its type.
                if is_secret {
                    then["type"] = first["type"].clone();
                }
                self.objects.push(first);
                self.updated.push(then);
            }
        }
    }

    /// A path of a file in a volume.
    pub(crate) fn path(&mut self) -> &'static str {
        self.pick(&PATHS)
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
        let sources = sources.map(|number| match self.rng.u32(..14) {
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
            8..=11 => self.trust_bundle((index + 1) * 10 + number),
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

    fn host_path(&mut self, index: usize) -> Value {
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
        // A kubelet makes paths side by side, in any order.
        let path = path.replacen("new", &format!("new{index}"), 1);
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

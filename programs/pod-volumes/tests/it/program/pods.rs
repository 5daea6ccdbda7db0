//! Mounting, the table of volumes, and errors.

use root_tests::as_root;
use serde_json::json;

use super::*;

fn config_map(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": data})
}

#[test]
fn volumes_are_mounted_and_shown_in_a_table() {
    as_root(|| {
        let world = World::new(&[
            pod(&[
                json!({"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}),
                json!({"name": "config", "configMap": {"name": "settings"}}),
            ]),
            config_map(&json!({"a": "1"})),
        ]);
        for command in ["mount", "mount", "metrics"] {
            let table = world.run(command);
            let rows: Vec<Vec<&str>> = table
                .lines()
                .map(|line| line.split_whitespace().collect())
                .collect();
            let (mut rows, head) = (rows[1..].to_vec(), &rows[0]);
            assert_eq!(
                head[..6],
                ["POD", "VOLUME", "PLUGIN", "USED", "AVAILABLE", "CAPACITY"],
                "{table}"
            );
            rows.sort_by_key(|row| row[1]);
            let pod = if command == "metrics" {
                "shop.web"
            } else {
                "shop/web"
            };
            let at = |row: &[&str]| row[..3].join(" ");
            assert_eq!(
                at(&rows[0]),
                format!("{pod} config kubernetes.io/configmap")
            );
            assert_eq!(
                at(&rows[1]),
                format!("{pod} memory kubernetes.io/empty-dir")
            );
            assert_eq!(rows[1][5], "1Mi", "{table}");
        }
        let file = world.volume("kubernetes.io/configmap", "config").join("a");
        assert_eq!(fs::read_to_string(file).unwrap(), "1");
        world.run("unmount");
        world.assert_clean();
        assert_eq!(world.run("metrics"), "");
    });
}

/// As a kubelet leaves them out.
#[test]
fn what_no_container_uses_is_not_mounted() {
    as_root(|| {
        let mut used = pod(&[json!({"name": "used", "emptyDir": {}})]);
        let unused = json!({"name": "unused", "emptyDir": {}});
        used["spec"]["volumes"].as_array_mut().unwrap().push(unused);
        let mut ended = pod(&[json!({"name": "used", "emptyDir": {}})]);
        ended["metadata"]["name"] = "done".into();
        ended["status"] = json!({"phase": "Failed"});
        let world = World::new(&[used, ended]);
        let output = world.output("mount");
        assert!(output.status.success(), "{output:?}");
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.contains("shop/web  used "), "{table}");
        assert_eq!(table.lines().count(), 2, "{table}");
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(
            log.contains("no container mounts the volume \"unused\""),
            "{log}"
        );
        assert_eq!(names(&world.path("root/pods")), ["shop.web"]);
        assert_eq!(
            names(&world.path("root/pods/shop.web/volumes/kubernetes.io~empty-dir")),
            ["used"]
        );
        world.run("unmount");
        world.assert_clean();
    });
}

/// The names in a directory, sorted.
fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn mounts_of_containers_are_lines_of_json() {
    as_root(|| {
        let mut web = pod(&[
            json!({"name": "data", "emptyDir": {}}),
            json!({"name": "host", "hostPath": {"path": "/etc"}}),
            json!({"name": "image", "image": {"reference": "example.com/data:1"}}),
        ]);
        let spec = &mut web["spec"];
        spec["initContainers"] = json!([{"name": "init", "image": "init", "volumeMounts": [
            {"name": "data", "mountPath": "/data", "subPath": "a/b"},
        ]}]);
        spec["containers"][0]["volumeMounts"] = json!([
            {"name": "data", "mountPath": "/data", "readOnly": true, "recursiveReadOnly": "Enabled"},
            {"name": "host", "mountPath": "/host", "mountPropagation": "HostToContainer"},
            {"name": "image", "mountPath": "/image", "subPath": "part"},
        ]);
        spec["containers"].as_array_mut().unwrap().push(json!({
            "name": "side", "image": "side", "volumeMounts": [
                {"name": "data", "mountPath": "/data", "subPathExpr": "$(NONE)"},
            ],
        }));
        let world = World::new(&[web]);
        let mut arguments = world.args("mount");
        arguments.push("--containers".to_owned());
        let mount = || Command::new(PROGRAM).args(&arguments).output().unwrap();
        for _ in 0..2 {
            let output = mount();
            let errors = String::from_utf8(output.stderr).unwrap();
            let expected = "pod \"shop/web\": container \"side\": subPathExpr \"$(NONE)\" needs values for NONE";
            assert!(
                !output.status.success() && errors.contains(expected),
                "{errors}"
            );
            let printed = String::from_utf8(output.stdout).unwrap();
            let lines: Vec<Value> = printed
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let volume = world.volume("kubernetes.io/empty-dir", "data");
            let part = world.path("root/pods/shop.web/volume-subpaths/data/init/0");
            let line = |container: &str, mounts: Value| json!({"podUID": "shop.web", "container": container, "mounts": mounts});
            let init = json!([{
                "volume": "data", "containerPath": "/data", "hostPath": part,
                "readOnly": false, "recursiveReadOnly": false, "mountPropagation": "None",
            }]);
            let main = json!([
                {
                    "volume": "data", "containerPath": "/data", "hostPath": volume,
                    "readOnly": true, "recursiveReadOnly": true, "mountPropagation": "None",
                },
                {
                    "volume": "host", "containerPath": "/host", "hostPath": "/etc",
                    "readOnly": false, "recursiveReadOnly": false, "mountPropagation": "HostToContainer",
                },
                {
                    "volume": "image", "containerPath": "/image", "hostPath": "",
                    "readOnly": true, "recursiveReadOnly": false, "mountPropagation": "None",
                    "image": "example.com/data:1", "imageSubPath": "part",
                },
            ]);
            assert_eq!(lines, [line("init", init), line("main", main)]);
            assert!(part.is_dir() && volume.join("a/b").is_dir());
        }
        world.run("unmount");
        world.assert_clean();
    });
}

#[test]
fn a_volume_that_fails_keeps_no_other_from_being_mounted() {
    as_root(|| {
        let world = World::new(&[
            pod(&[
                json!({"name": "missing", "configMap": {"name": "nothing"}}),
                json!({"name": "none"}),
                json!({"name": "csi", "csi": {"driver": "csi.example.com"}}),
                json!({"name": "own", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}),
                json!({"name": "two", "emptyDir": {}, "hostPath": {"path": "/"}}),
                json!({"name": "up", "hostPath": {"path": "/tmp/../etc"}}),
                json!({"name": "claim", "persistentVolumeClaim": {"claimName": "gone"}}),
                json!({"name": "flex", "flexVolume": {"driver": "example.com/absent"}}),
                json!({"name": "config", "configMap": {"name": "settings"}}),
                json!({"name": "config", "emptyDir": {}}),
            ]),
            config_map(&json!({"a": "1"})),
        ]);
        let errors = world.fail("mount");
        let pod = "pod \"shop/web\": volume";
        for expected in [
            format!("{pod} \"missing\": configmap \"shop/nothing\" not found"),
            format!(
                "{pod} \"none\": no volume plugin matched: the volume has no source, such as emptyDir"
            ),
            format!("{pod} \"csi\": no volume plugin matched: unsupported source csi; see --help"),
            format!("{pod} \"own\": persistentvolumeclaim \"shop/web-own\" not found"),
            format!(
                "{pod} \"two\": multiple volume plugins matched: kubernetes.io/empty-dir,kubernetes.io/host-path"
            ),
            format!("{pod} \"up\": the path \"/tmp/../etc\""),
            format!("{pod} \"claim\": persistentvolumeclaim \"shop/gone\" not found"),
            format!(
                "{pod} \"flex\": no volume plugin matched: driver \"example.com/absent\" not found in"
            ),
            format!("{pod} \"config\": duplicate volume name"),
        ] {
            assert!(errors.contains(&expected), "{expected}\n{errors}");
        }
        assert_eq!(errors.lines().count(), 9, "{errors}");
        assert!(
            world
                .volume("kubernetes.io/configmap", "config")
                .join("a")
                .exists()
        );
        world.run("unmount");
        world.assert_clean();
    });
}

#[test]
fn an_ephemeral_volume_is_the_claim_that_a_cluster_makes_for_it() {
    as_root(|| {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "kept").unwrap();
        let claim = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "web-own", "namespace": "shop"}, "spec": {"volumeName": "disk"},
        });
        let local = |name: &str, source: Value| {
            let mut spec = json!({"capacity": {"storage": "1Gi"}});
            spec.as_object_mut()
                .unwrap()
                .extend(source.as_object().unwrap().clone());
            json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec})
        };
        let own = json!({"name": "own", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}});
        let disk = local("disk", json!({"local": {"path": outside.path()}}));
        let world = World::new(&[pod(std::slice::from_ref(&own)), claim.clone(), disk]);
        world.run("mount");
        let dir = world.volume("kubernetes.io/local-volume", "disk");
        assert_eq!(fs::read_to_string(dir.join("file")).unwrap(), "kept");
        world.run("unmount");
        world.assert_clean();

        let remote = local(
            "disk",
            json!({"iscsi": {"targetPortal": "a", "iqn": "b", "lun": 0}}),
        );
        let errors = World::new(&[pod(&[own]), claim, remote]).fail("mount");
        let expected = "no volume plugin matched: persistentvolume \"disk\" must be hostPath, local, nfs or flexVolume";
        assert!(errors.contains(expected), "{errors}");
    });
}

#[test]
fn manifests_that_are_wrong_change_nothing() {
    for (manifest, expected) in [
        ("kind: Pod", "(line 1, column 1): apiVersion is missing"),
        ("apiVersion: v1\nkind: Pod\nmetadata: {}", "metadata.name"),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}",
            "document 2, v1 Pod a (line 5, column 1): duplicate object",
        ),
        (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: 3}",
            "v1 Pod a, spec.containers (line 4, column 8): invalid type",
        ),
        ("a: [", "wrong.yaml"),
    ] {
        let world = World::new(&[]);
        world.write("manifests/wrong.yaml", manifest);
        let errors = world.fail("mount");
        assert!(
            errors.contains(expected) && errors.contains("wrong.yaml"),
            "{manifest}: {errors}"
        );
        assert!(!world.path("root").exists());
    }
}

/// Checks that YAML 1.1 is read, and that unknown and duplicate fields cause warnings.
#[test]
fn manifests_are_read_as_kubectl_reads_them() {
    as_root(|| {
        let world = World::new(&[config_map(&json!({"a": "1"}))]);
        let manifest = "# A comment\napiVersion: v1\nkind: Pod\nmetadata:\n  {name: web, namespace: shop}\nspec:\n  \
             volumes:\n  - name: config\n    configMap:\n      name: none\n      name: settings\n      \
             defaultMode: 0440\n      surprise: 1\n  containers:\n  - name: main\n    \
             volumeMounts: [{name: config, mountPath: /config}]\n";
        world.write("manifests/pod.yaml", manifest);
        let output = world.output("mount");
        assert!(output.status.success(), "{output:?}");
        let warnings =
            String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
        for warning in [
            "duplicate field \"spec.volumes[0].configMap.name\" (line 11)",
            "unknown field \"spec.volumes[0].configMap.surprise\" (line 13)",
        ] {
            assert!(warnings.contains(warning), "{warnings}");
        }
        let file = world.volume("kubernetes.io/configmap", "config").join("a");
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o7777,
            0o440
        );
        world.run("unmount");
        world.assert_clean();
    });
}

#[test]
fn arguments_that_are_wrong_are_told() {
    let run = |args: &[&str]| {
        let output = Command::new(PROGRAM).args(args).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(run(&["mount", "--root", "relative", "/dev/null"]).contains("relative"));
    assert!(
        run(&["mount", "--root", "/tmp/x", "/nonexistent"]).contains("/nonexistent: No such file")
    );
    assert!(
        run(&[
            "mount",
            "--root",
            "/tmp/x",
            "--allocatable",
            "memory",
            "/dev/null"
        ])
        .contains("memory=2Gi")
    );
}

/// Of both versions; a Pod's certificate needs a cluster.
#[test]
fn trust_bundles_are_read_from_manifests() {
    as_root(|| {
        let certificate = "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n";
        let bundle = |version: &str, name: &str, text: &str| {
            json!({
                "apiVersion": format!("certificates.k8s.io/{version}"), "kind": "ClusterTrustBundle",
                "metadata": {"name": name, "labels": {"tier": "gold"}},
                "spec": {"signerName": "example.com/one", "trustBundle": text},
            })
        };
        let trust = |path: &str, mut source: Value| {
            source["path"] = path.into();
            json!({"clusterTrustBundle": source})
        };
        let by_signer = json!({"signerName": "example.com/one", "labelSelector": {}});
        let volume = json!({"name": "trust", "projected": {"sources": [
            trust("one.pem", json!({"name": "example.com:one:a"})),
            trust("all.pem", by_signer),
            trust("none.pem", json!({"name": "absent", "optional": true})),
        ]}});
        let issued = json!({"name": "issued", "projected": {"sources": [{"podCertificate": {
            "signerName": "example.com/pods", "keyType": "ED25519", "keyPath": "key.pem",
        }}]}});
        let other = certificate.replace("QQ==", "Qg==");
        let world = World::new(&[
            pod(&[volume, issued]),
            bundle(
                "v1",
                "example.com:one:a",
                &format!("# a comment\n{certificate}"),
            ),
            bundle(
                "v1beta1",
                "example.com:one:b",
                &format!("{certificate}{other}"),
            ),
        ]);
        let error = world.fail("mount");
        assert!(
            error.contains("volume \"issued\": a certificate of the Pod is not supported"),
            "{error}"
        );
        let at = world.volume("kubernetes.io/projected", "trust");
        let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
        assert_eq!(read("one.pem"), certificate);
        let all = read("all.pem");
        assert_eq!(all.len(), 2 * certificate.len());
        assert!(all.contains(certificate) && all.contains(&other), "{all}");
        assert_eq!(read("none.pem"), "");
        world.run("unmount");
        world.assert_clean();
    });
}

//! Volumes that are images.

use std::collections::BTreeMap;

use kubernetes_volume::containers::{ImageMount, MountedVolume, mounts};
use kubernetes_volume::plugins::IMAGE;

use super::*;

const REFERENCE: &str = "example.com/data:1";

fn spec() -> Spec {
    volume(json!({"name": "data", "image": {"reference": REFERENCE, "pullPolicy": "Always"}}))
}

#[test]
fn a_plugin_does_nothing() {
    let node = Node::new();
    let plugin = node.manager.find_plugin_by_spec(&spec()).unwrap();
    assert_eq!(plugin.plugin_name(), IMAGE);
    let mounter = node.mounter(&spec(), &pod(json!({}))).unwrap();
    mounter.set_up(&group(3000)).unwrap();
    assert_eq!(mounter.path(), Path::new(""));
    assert!(mounter.metrics().is_err());
    let attributes = mounter.attributes();
    assert!(attributes.read_only && !attributes.managed && !attributes.selinux_relabel);
    node.tear_down(IMAGE, "data").unwrap();
    node.assert_clean();
    let rebuilt = plugin
        .construct_volume_spec("data", Path::new("/"))
        .unwrap();
    assert!(plugin.can_support(&rebuilt.spec));
    assert!(!plugin.can_support(&volume(json!({"name": "data", "emptyDir": {}}))));
    let error = failed(plugin.volume_name(&volume(json!({"name": "data", "emptyDir": {}}))));
    assert!(error.contains("has no image"), "{error}");
}

/// The runtime gets the image and the part of it, and no path.
#[test]
fn containers_get_the_image() {
    let node = Node::new();
    let pod = pod(json!({"spec": {
        "volumes": [
            {"name": "data", "image": {"reference": REFERENCE}},
            {"name": "scratch", "emptyDir": {}},
        ],
        "containers": [{
            "name": "main", "env": [{"name": "PART", "value": "b"}],
            "volumeMounts": [
                {"name": "data", "mountPath": "/all"},
                {"name": "data", "mountPath": "/part", "subPath": "a/../a"},
                {"name": "data", "mountPath": "/part", "subPath": "a"},
                {"name": "data", "mountPath": "/expr", "subPathExpr": "$(PART)/c"},
                {"name": "scratch", "mountPath": "/scratch"},
            ],
        }],
    }}));
    let scratch = volume(json!({"name": "scratch", "emptyDir": {}}));
    let of = |spec: &Spec| MountedVolume::new(spec.name(), &*node.mounter(spec, &pod).unwrap());
    let volumes = BTreeMap::from([
        ("data".to_owned(), of(&spec())),
        ("scratch".to_owned(), of(&scratch)),
    ]);
    let error = failed(mounts(&*node.host, &pod, "main", &volumes));
    assert!(
        error.contains("\"a/../a\" must be a relative path"),
        "{error}"
    );
    let mut pod = pod;
    let container = &mut pod.spec.as_mut().unwrap().containers[0];
    container.volume_mounts.as_mut().unwrap().remove(1);
    let found = mounts(&*node.host, &pod, "main", &volumes).unwrap();
    let image = |sub_path: &str| {
        Some(ImageMount {
            reference: REFERENCE.to_owned(),
            sub_path: sub_path.to_owned(),
        })
    };
    let images: Vec<_> = found.iter().map(|mount| mount.image.clone()).collect();
    assert_eq!(images, [image(""), image("a"), image("b/c"), None]);
    for mount in &found[..3] {
        assert_eq!(mount.host_path, Path::new(""));
        assert!(mount.read_only, "{mount:?}");
    }
    assert_eq!(found[3].host_path, volumes["scratch"].path);
    assert!(!found[3].read_only);

    let error = failed(mounts(&*node.host, &pod, "main", &BTreeMap::new()));
    assert!(error.contains("is not mounted"), "{error}");
}

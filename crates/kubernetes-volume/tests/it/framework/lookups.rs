//! Each lookup, for no plugin, for one that can't, and for one that can.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{FlexVolumeSource, Volume};
use kubernetes_volume::Spec;
use kubernetes_volume::manager::{FindError, VolumePluginManager};

use super::fake::{Nothing, Plugin, spec};

/// A lookup by the name of a volume or plugin, and what is left of its result.
type Find<T, E = FindError> = fn(&VolumePluginManager, &str) -> Result<T, E>;

/// Plugins that can do everything, and one that only mounts.
fn manager() -> VolumePluginManager {
    let manager = VolumePluginManager::new();
    let plugins = vec![
        Plugin::full("kubernetes.io/testPlugin", "full", Some(true)).boxed(),
        Plugin::full("example.com/never", "never", Some(false)).boxed(),
        Plugin::full("example.com/unknown", "unknown", None).boxed(),
        Plugin::new("example.com/plain", "plain").boxed(),
        Plugin::new("example.com/b", "both").boxed(),
        Plugin::new("example.com/a", "both").boxed(),
    ];
    manager
        .init_plugins(plugins, None, Arc::new(Nothing))
        .unwrap();
    manager
}

#[test]
fn a_volume_has_one_plugin() {
    let manager = manager();
    let find = |name| manager.find_plugin_by_spec(&spec(name));
    assert_eq!(
        find("full").unwrap().plugin_name(),
        "kubernetes.io/testPlugin"
    );
    assert_eq!(
        find("none").err().unwrap().to_string(),
        "no volume plugin matched"
    );
    assert_eq!(
        find("both").err().unwrap().to_string(),
        "multiple volume plugins matched: example.com/a,example.com/b"
    );
    let error = manager.find_plugin_by_spec(None).err().unwrap();
    assert_eq!(
        error.to_string(),
        "Could not find plugin because volume spec is nil"
    );
    // A plugin decides what an empty specification is.
    let anything = VolumePluginManager::new();
    let plugins = vec![Plugin::new("a/x", "").boxed()];
    anything
        .init_plugins(plugins, None, Arc::new(Nothing))
        .unwrap();
    assert!(anything.find_plugin_by_spec(Some(&Spec::default())).is_ok());
}

#[test]
fn a_name_has_one_plugin() {
    let manager = manager();
    let find = |name| manager.find_plugin_by_name(name);
    assert!(find("kubernetes.io/testPlugin").is_ok());
    assert_eq!(
        find("example.com/none").err().unwrap().to_string(),
        "no volume plugin matched name: example.com/none"
    );
}

/// Returns whether a lookup that requires a kind of plugin finds one, or its error.
macro_rules! required {
    ($manager:ident, $by_spec:ident, $name:expr) => {
        $manager
            .$by_spec(&spec($name))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
}

#[test]
fn what_must_be_of_a_kind_is_an_error_otherwise() {
    let manager = manager();
    let kinds = [
        "persistent",
        "recyclable",
        "deletable",
        "creatable",
        "attach limited",
    ];
    let finds: [Find<(), String>; 5] = [
        |manager, name| required!(manager, find_persistent_plugin_by_spec, name),
        |manager, name| required!(manager, find_recyclable_plugin_by_spec, name),
        |manager, name| required!(manager, find_deletable_plugin_by_spec, name),
        |manager, name| required!(manager, find_creatable_plugin_by_spec, name),
        |manager, name| required!(manager, find_volume_plugin_with_limits_by_spec, name),
    ];
    for (kind, find) in kinds.into_iter().zip(finds) {
        assert_eq!(find(&manager, "full"), Ok(()), "{kind}");
        let wrong = find(&manager, "plain").unwrap_err();
        assert_eq!(wrong, format!("no {kind} volume plugin matched"));
        let none = find(&manager, "none").unwrap_err();
        if ["persistent", "attach limited"].contains(&kind) {
            assert!(none.contains("\"none\"") && none.ends_with("no volume plugin matched"));
        } else {
            assert_eq!(none, "no volume plugin matched", "{kind}");
        }
    }
    let finds: [Find<()>; 3] = [
        |manager, name| manager.find_persistent_plugin_by_name(name).map(drop),
        |manager, name| manager.find_deletable_plugin_by_name(name).map(drop),
        |manager, name| manager.find_provisionable_plugin_by_name(name).map(drop),
    ];
    for (kind, find) in ["persistent", "deletable", "provisionable"]
        .into_iter()
        .zip(finds)
    {
        assert_eq!(find(&manager, "kubernetes.io/testPlugin"), Ok(()));
        assert_eq!(
            find(&manager, "example.com/plain"),
            Err(FindError::NotOfKind(kind))
        );
        let none = "example.com/none";
        assert_eq!(
            find(&manager, none),
            Err(FindError::NoSuchName(none.to_owned()))
        );
    }
}

#[test]
fn what_may_be_of_a_kind_is_nothing_otherwise() {
    let manager = manager();
    let by_spec: [Find<bool>; 5] = [
        |m, name| Ok(m.find_attachable_plugin_by_spec(&spec(name))?.is_some()),
        |m, name| {
            Ok(m.find_device_mountable_plugin_by_spec(&spec(name))?
                .is_some())
        },
        |m, name| Ok(m.find_expandable_plugin_by_spec(&spec(name))?.is_some()),
        |m, name| Ok(m.find_mapper_plugin_by_spec(&spec(name))?.is_some()),
        |m, name| {
            Ok(m.find_node_expandable_plugin_by_spec(&spec(name))?
                .is_some())
        },
    ];
    for find in by_spec {
        assert_eq!(find(&manager, "full"), Ok(true));
        assert_eq!(find(&manager, "plain"), Ok(false));
        assert_eq!(find(&manager, "none"), Err(FindError::NotFound));
    }
    let by_name: [Find<bool>; 5] = [
        |m, name| Ok(m.find_attachable_plugin_by_name(name)?.is_some()),
        |m, name| Ok(m.find_device_mountable_plugin_by_name(name)?.is_some()),
        |m, name| Ok(m.find_expandable_plugin_by_name(name)?.is_some()),
        |m, name| Ok(m.find_mapper_plugin_by_name(name)?.is_some()),
        |m, name| Ok(m.find_node_expandable_plugin_by_name(name)?.is_some()),
    ];
    for find in by_name {
        assert_eq!(find(&manager, "kubernetes.io/testPlugin"), Ok(true));
        assert_eq!(find(&manager, "example.com/plain"), Ok(false));
        let none = "example.com/none";
        assert_eq!(
            find(&manager, none),
            Err(FindError::NoSuchName(none.to_owned()))
        );
    }
    // These two ask the plugin about the volume.
    for find in &by_spec[..2] {
        assert_eq!(find(&manager, "never"), Ok(false));
        let error = find(&manager, "unknown").unwrap_err().to_string();
        assert_eq!(error, "example.com/unknown: nobody knows");
    }
}

#[test]
fn a_flex_volume_without_a_plugin_is_grown_on_the_node() {
    let flex = FlexVolumeSource {
        driver: "example.com/flex".to_owned(),
        ..Default::default()
    };
    let flex = Spec::from(Volume {
        flex_volume: Some(flex),
        ..Volume::default()
    });
    let found = manager()
        .find_expandable_plugin_by_spec(&flex)
        .unwrap()
        .unwrap();
    assert_eq!(found.plugin_name(), "example.com/flex");
    assert_eq!(found.expand_volume_device(&flex, 20, 10).unwrap(), 20);
    assert!(found.requires_fs_resize());
    let mounter = found.new_mounter(&flex, &Default::default(), &Default::default());
    assert!(
        mounter
            .err()
            .unwrap()
            .to_string()
            .contains("example.com/flex")
    );
}

#[test]
fn plugins_with_limits_are_listed_by_name() {
    let found = manager().list_volume_plugins_with_limits();
    let names: Vec<_> = found
        .iter()
        .map(|plugin| plugin.plugin_name().to_owned())
        .collect();
    assert_eq!(
        names,
        [
            "example.com/never",
            "example.com/unknown",
            "kubernetes.io/testPlugin"
        ]
    );
}

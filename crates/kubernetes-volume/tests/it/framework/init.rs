//! Registering plugins.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kubernetes_volume::Error;
use kubernetes_volume::manager::{InitError, VolumePluginManager};
use kubernetes_volume::probe::{DynamicPluginProber, ProbeEvent};

use super::fake::{Nothing, Plugin, STARTED, spec};

fn failing(name: &str) -> Plugin {
    Plugin {
        init: Box::new(|| Err(Error::invalid("no device"))),
        ..Plugin::new(name, "x")
    }
}

#[test]
fn one_error_is_displayed_plainly_and_the_others_are_registered() {
    let manager = VolumePluginManager::new();
    let plugins = vec![
        Plugin::new("example.com/a", "a").boxed(),
        failing("example.com/broken").boxed(),
        Plugin::new("example.com/b", "b").boxed(),
    ];
    let errors = manager
        .init_plugins(plugins, None, Arc::new(Nothing))
        .unwrap_err();
    assert_eq!(
        errors.to_string(),
        r#"failed to load volume plugin "example.com/broken", error: no device"#
    );
    for name in ["a", "b"] {
        let found = manager.find_plugin_by_spec(&spec(name)).unwrap();
        assert_eq!(found.plugin_name(), format!("example.com/{name}"));
    }
    assert!(manager.find_plugin_by_name("example.com/broken").is_err());
}

#[test]
fn several_errors_are_a_list_without_repetitions() {
    let manager = VolumePluginManager::new();
    let names = ["a b", "example.com/a", "example.com/a", "example.com/a"];
    let plugins = names.map(|name| Plugin::new(name, "").boxed()).into();
    let errors = manager
        .init_plugins(plugins, None, Arc::new(Nothing))
        .unwrap_err();
    assert_eq!(errors.errors().len(), 3);
    assert!(
        matches!(&errors.errors()[1], InitError::Twice { plugin } if plugin == "example.com/a")
    );
    let text = errors.to_string();
    let start = r#"[volume plugin has invalid name: "a b": "#;
    let end = r#", volume plugin "example.com/a" was registered more than once]"#;
    assert!(text.starts_with(start) && text.ends_with(end), "{text}");
    assert_eq!(text.matches("more than once").count(), 1);
}

#[test]
fn the_first_of_two_with_a_name_stays() {
    let manager = VolumePluginManager::new();
    let plugins = vec![
        Plugin::new("a/x", "first").boxed(),
        Plugin::new("a/x", "second").boxed(),
    ];
    manager
        .init_plugins(plugins, None, Arc::new(Nothing))
        .unwrap_err();
    assert!(manager.find_plugin_by_spec(&spec("first")).is_ok());
    assert!(manager.find_plugin_by_spec(&spec("second")).is_err());
}

#[test]
fn names_are_qualified() {
    let long = "x".repeat(63);
    let prefix = [
        "a".repeat(63),
        "b".repeat(63),
        "c".repeat(63),
        "d".repeat(61),
    ]
    .join(".");
    let good = [
        "a",
        "kubernetes.io/testPlugin",
        "a.b-c/D_e.f",
        &long,
        &format!("{prefix}/x"),
    ];
    let too_long = [format!("{long}x"), format!("{prefix}x/x")];
    let bad = [
        "", "/", "a/", "/a", "a/b/c", "A/b", "a_b/c", "-a/b", "a-/b", "a..b/c", "a/-b", "é",
    ];
    let register = |name: &str| {
        let plugins = vec![Plugin::new(name, "").boxed()];
        VolumePluginManager::new().init_plugins(plugins, None, Arc::new(Nothing))
    };
    for name in good {
        register(name).unwrap_or_else(|error| panic!("{error}"));
    }
    for name in bad.into_iter().chain(too_long.iter().map(String::as_str)) {
        let error = register(name).unwrap_err();
        assert!(matches!(&error.errors()[0], InitError::Name { plugin, .. } if plugin == name));
    }
}

struct Broken;

impl DynamicPluginProber for Broken {
    fn init(&mut self) -> kubernetes_volume::Result<()> {
        Err(Error::invalid("no folder"))
    }

    fn probe(&mut self) -> kubernetes_volume::Result<Vec<ProbeEvent>> {
        panic!("it was not initialized")
    }
}

#[test]
fn a_prober_that_cannot_be_used_is_left_out() {
    let manager = VolumePluginManager::new();
    let plugins = vec![Plugin::new("a/x", "x").boxed()];
    manager
        .init_plugins(plugins, Some(Box::new(Broken)), Arc::new(Nothing))
        .unwrap();
    assert!(manager.find_plugin_by_name("a/x").is_ok());
}

#[test]
fn the_caches_of_a_kubelet_are_started_once_there_is_a_host() {
    let manager = VolumePluginManager::new();
    assert!(manager.host().is_none());
    manager.run();
    assert_eq!(STARTED.load(Ordering::Relaxed), 0);
    manager
        .init_plugins(vec![], None, Arc::new(Nothing))
        .unwrap();
    let host = manager.host().unwrap();
    assert_eq!(host.node_name(), "node-a");
    manager.run();
    assert!(host.as_kubelet().unwrap().csi_drivers_synced());
    assert_eq!(STARTED.load(Ordering::Relaxed), 1);
}

//! Plugins that come and go.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use kubernetes_volume::manager::{FindError, VolumePluginManager};
use kubernetes_volume::probe::{DynamicPluginProber, ProbeEvent};
use kubernetes_volume::{Error, Result};

use super::fake::{Nothing, Plugin, spec};

/// Returns what a test has put in: the events of one probe after the other. Keeps the names of
/// plugins that have failed.
#[derive(Clone, Default)]
struct Script(
    Arc<Mutex<VecDeque<Result<Vec<ProbeEvent>>>>>,
    Arc<Mutex<Vec<String>>>,
);

impl Script {
    fn then(&self, events: Result<Vec<ProbeEvent>>) {
        self.0.lock().unwrap().push_back(events);
    }
}

impl DynamicPluginProber for Script {
    fn init(&mut self) -> Result<()> {
        Ok(())
    }

    fn probe(&mut self) -> Result<Vec<ProbeEvent>> {
        self.0.lock().unwrap().pop_front().unwrap_or(Ok(vec![]))
    }

    fn failed(&mut self, plugin_name: &str) {
        self.1.lock().unwrap().push(plugin_name.to_owned());
    }
}

fn add(plugin: Plugin) -> ProbeEvent {
    ProbeEvent::AddOrUpdate {
        plugin: plugin.boxed(),
    }
}

fn remove(name: &str) -> ProbeEvent {
    ProbeEvent::Remove {
        name: name.to_owned(),
    }
}

fn manager(plugins: Vec<Plugin>) -> (Arc<VolumePluginManager>, Script) {
    let (manager, script) = (Arc::new(VolumePluginManager::new()), Script::default());
    let plugins = plugins.into_iter().map(Plugin::boxed).collect();
    manager
        .init_plugins(plugins, Some(Box::new(script.clone())), Arc::new(Nothing))
        .unwrap();
    (manager, script)
}

#[test]
fn a_plugin_is_found_while_it_is_there() {
    let (manager, script) = manager(vec![]);
    let find = || manager.find_plugin_by_spec(&spec("x")).map(drop);
    assert_eq!(find(), Err(FindError::NotFound));
    script.then(Ok(vec![add(Plugin::new("a/x", "x"))]));
    assert_eq!(find(), Ok(()));
    assert!(manager.find_plugin_by_name("a/x").is_ok());
    // Another one of the same name takes its place.
    script.then(Ok(vec![add(Plugin::new("a/x", "y"))]));
    assert_eq!(find(), Err(FindError::NotFound));
    script.then(Ok(vec![remove("a/x"), remove("a/never-there")]));
    let none = FindError::NoSuchName("a/x".to_owned());
    assert_eq!(manager.find_plugin_by_name("a/x").err(), Some(none));
}

#[test]
fn an_error_leaves_the_plugins_as_they_are() {
    let (manager, script) = manager(vec![]);
    script.then(Ok(vec![add(Plugin::new("a/x", "x"))]));
    assert!(manager.find_plugin_by_name("a/x").is_ok());
    script.then(Err(Error::invalid("the folder is gone")));
    assert!(manager.find_plugin_by_name("a/x").is_ok());
}

#[test]
fn a_plugin_that_cannot_be_used_hides_no_other() {
    let (manager, script) = manager(vec![]);
    let broken = Plugin {
        init: Box::new(|| Err(Error::invalid("broken"))),
        ..Plugin::new("a/b", "b")
    };
    let plugins = vec![
        add(Plugin::new("a b", "z")),
        add(broken),
        add(Plugin::new("a/x", "x")),
    ];
    script.then(Ok(plugins));
    assert!(manager.find_plugin_by_name("a/x").is_ok());
    assert!(manager.find_plugin_by_name("a/b").is_err());
    assert_eq!(*script.1.lock().unwrap(), ["a b", "a/b"]);
}

#[test]
fn a_registered_and_a_probed_one_are_several() {
    let (manager, script) = manager(vec![Plugin::new("a/x", "x")]);
    script.then(Ok(vec![add(Plugin::new("a/x", "x"))]));
    let both = FindError::Multiple(vec!["a/x".to_owned(), "a/x".to_owned()]);
    assert_eq!(manager.find_plugin_by_name("a/x").err(), Some(both.clone()));
    assert_eq!(manager.find_plugin_by_spec(&spec("x")).err(), Some(both));
}

#[test]
fn a_plugin_may_look_up_others_while_it_is_initialized() {
    let (manager, script) = manager(vec![Plugin::new("a/known", "known")]);
    let (own, found) = (Arc::clone(&manager), Arc::new(OnceLock::new()));
    let seen = Arc::clone(&found);
    let init = move || {
        let _ = seen.set(own.find_plugin_by_name("a/known").is_ok());
        Ok(())
    };
    let plugin = Plugin {
        init: Box::new(init),
        ..Plugin::new("a/x", "x")
    };
    script.then(Ok(vec![add(plugin)]));
    assert!(manager.find_plugin_by_name("a/x").is_ok());
    assert_eq!(found.get(), Some(&true));
}

/// A lookup waits for a probe that another thread has begun.
#[test]
fn every_lookup_finds_a_plugin_that_is_reported_once() {
    for _ in 0..20 {
        let (manager, script) = manager(vec![]);
        script.then(Ok(vec![add(Plugin::new("a/x", "x"))]));
        thread::scope(|scope| {
            for _ in 0..100 {
                scope.spawn(|| {
                    assert!(manager.find_plugin_by_name("a/x").is_ok());
                    assert!(manager.find_plugin_by_spec(&spec("x")).is_ok());
                });
            }
        });
    }
}

#[test]
fn a_lookup_sees_a_plugin_as_it_was_or_as_it_is() {
    let (manager, script) = manager(vec![Plugin::new("a/known", "known")]);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert!(manager.find_plugin_by_name("a/known").is_ok());
                    match manager.find_plugin_by_spec(&spec("x")) {
                        Ok(plugin) => assert_eq!(plugin.plugin_name(), "a/x"),
                        Err(error) => assert_eq!(error, FindError::NotFound),
                    }
                }
            });
        }
        for _ in 0..500 {
            script.then(Ok(vec![add(Plugin::new("a/x", "x"))]));
            script.then(Ok(vec![add(Plugin::new("a/x", "x")), remove("a/x")]));
            thread::yield_now();
        }
        while !script.0.lock().unwrap().is_empty() {
            thread::yield_now();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(manager.find_plugin_by_name("a/x").is_err());
}

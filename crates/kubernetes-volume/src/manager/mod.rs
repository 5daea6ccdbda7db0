//! Finds the plugin of a volume.
//!
//! ```
//! use std::sync::Arc;
//!
//! use kubernetes_volume::interfaces::VolumeHost;
//! use kubernetes_volume::manager::VolumePluginManager;
//! # fn example(
//! #     plugins: Vec<Box<dyn kubernetes_volume::interfaces::VolumePlugin>>,
//! #     host: Arc<dyn VolumeHost>,
//! #     spec: kubernetes_volume::Spec,
//! # ) -> kubernetes_volume::Result<()> {
//!
//! let manager = VolumePluginManager::new();
//! // Those that can't be used are named by the error; the others are there.
//! if let Err(errors) = manager.init_plugins(plugins, None, host) {
//!     eprintln!("{errors}");
//! }
//! let plugin = manager.find_plugin_by_spec(&spec)?;
//! if let Some(attachable) = manager.find_attachable_plugin_by_spec(&spec)? {
//!     attachable.new_attacher()?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Two kinds of lookups differ in what they do if the plugin can't do what is asked for:
//!
//! | lookups | no plugin | a plugin that can't |
//! |---|---|---|
//! | persistent, limits, by specification | an error that names the specification | an error |
//! | persistent by name, recyclable, provisionable, deletable, creatable | an error | an error |
//! | attachable, device-mountable, expandable, mapper, node-expandable | an error | `Ok(None)` |
//!
//! because every volume is mounted, but not every one is attached, grown or used as a device.

mod error;
mod find;
mod names;
mod noop;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, ThreadId};

pub use error::{FindError, InitError, InitErrors};
use tracing::{error, warn};

use crate::interfaces::{VolumeHost, VolumePlugin};
use crate::probe::{DummyProber, DynamicPluginProber, ProbeEvent};

/// A plugin that can be used.
type Plugin = Arc<dyn VolumePlugin>;

/// Knows the plugins of a program, and finds that of a volume (`VolumePluginMgr`).
///
/// It can be shared. A lookup first asks the prober, and waits while another one does, so that it
/// misses no plugin. A plugin may look up others while it is initialized, though not those that are
/// being probed.
#[derive(Default)]
pub struct VolumePluginManager {
    plugins: RwLock<Plugins>,
    /// Locked while the prober is asked, and what it returns is applied, in its order.
    prober: Mutex<Option<Box<dyn DynamicPluginProber>>>,
    /// The thread that has locked the prober.
    probing: Mutex<Option<ThreadId>>,
}

#[derive(Default)]
struct Plugins {
    registered: BTreeMap<String, Plugin>,
    probed: BTreeMap<String, Plugin>,
    host: Option<Arc<dyn VolumeHost>>,
}

impl std::fmt::Debug for VolumePluginManager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plugins = self.plugins.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("VolumePluginManager")
            .field("registered", &plugins.registered.keys())
            .field("probed", &plugins.probed.keys())
            .finish_non_exhaustive()
    }
}

impl VolumePluginManager {
    /// Returns a manager without plugins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Initializes and registers plugins. Plugins of the prober are registered when the first
    /// volume is looked up.
    ///
    /// # Errors
    ///
    /// All plugins that can't be used, each with the reason: a name that isn't qualified, a name
    /// that another plugin has, a failed initialization. The others are registered nevertheless. A
    /// prober that can't be used is logged, and left out.
    pub fn init_plugins(
        &self,
        plugins: Vec<Box<dyn VolumePlugin>>,
        prober: Option<Box<dyn DynamicPluginProber>>,
        host: Arc<dyn VolumeHost>,
    ) -> Result<(), InitErrors> {
        self.write().host = Some(Arc::clone(&host));
        let mut prober = prober.unwrap_or_else(|| Box::new(DummyProber));
        if let Err(error) = prober.init() {
            error!(%error, "plugins can't be probed for, and are not");
            prober = Box::new(DummyProber);
        }
        *lock(&self.prober) = Some(prober);

        let mut errors = Vec::new();
        for plugin in plugins {
            if let Err(error) = self.register(plugin, &host) {
                errors.push(error);
            }
        }
        InitErrors::of(errors)
    }

    /// Returns the host that the plugins were initialized with, or nothing before that.
    #[must_use]
    pub fn host(&self) -> Option<Arc<dyn VolumeHost>> {
        self.read().host.clone()
    }

    /// Starts the caches that plugins read from, if the host is a kubelet
    /// ([`start_caches`](crate::interfaces::KubeletVolumeHost::start_caches)). It is called after
    /// [`init_plugins`](Self::init_plugins), and doesn't wait: plugins do, by
    /// [`wait_for_cache_sync`](crate::interfaces::KubeletVolumeHost::wait_for_cache_sync).
    pub fn run(&self) {
        let host = self.host();
        if let Some(kubelet) = host.as_ref().and_then(|host| host.as_kubelet()) {
            kubelet.start_caches();
        }
    }

    fn register(
        &self,
        plugin: Box<dyn VolumePlugin>,
        host: &Arc<dyn VolumeHost>,
    ) -> Result<(), InitError> {
        let name = plugin.plugin_name().to_owned();
        names::check(&name)?;
        let twice = || InitError::Twice {
            plugin: name.clone(),
        };
        if self.read().registered.contains_key(&name) {
            return Err(twice());
        }
        let plugin = initialized(plugin, &name, host)?;
        // Without the lock, another thread may have been faster.
        let mut plugins = self.write();
        if plugins.registered.contains_key(&name) {
            return Err(twice());
        }
        plugins.registered.insert(name, plugin);
        Ok(())
    }

    /// Asks the prober what has changed. Lookups do so themselves.
    ///
    /// Failures are logged: if the prober fails, plugins stay as they were; a plugin that fails is
    /// left out, and the prober [is told](DynamicPluginProber::failed).
    pub fn refresh_probed_plugins(&self) {
        let own = thread::current().id();
        if *lock(&self.probing) == Some(own) {
            // A plugin that is being initialized looks up another one.
            return;
        }
        let mut prober = lock(&self.prober);
        let Some(prober) = prober.as_mut() else {
            return;
        };
        *lock(&self.probing) = Some(own);
        // Not in the `match`: its values live to its end, and the lock with them.
        let (probed, host) = (prober.probe(), self.host());
        match (probed, host) {
            (Ok(events), Some(host)) => {
                for failed in self.apply(events, &host) {
                    prober.failed(&failed);
                }
            }
            (Ok(_), None) => {}
            (Err(error), _) => warn!(%error, "can't probe for plugins"),
        }
        *lock(&self.probing) = None;
    }

    /// Returns the plugins that can't be used.
    fn apply(&self, events: Vec<ProbeEvent>, host: &Arc<dyn VolumeHost>) -> Vec<String> {
        let mut failed = Vec::new();
        for event in events {
            match event {
                ProbeEvent::Remove { name } => {
                    self.write().probed.remove(&name);
                }
                ProbeEvent::AddOrUpdate { plugin } => failed.extend(self.add_probed(plugin, host)),
            }
        }
        failed
    }

    /// Returns the name of a plugin that can't be used.
    fn add_probed(
        &self,
        plugin: Box<dyn VolumePlugin>,
        host: &Arc<dyn VolumeHost>,
    ) -> Option<String> {
        let name = plugin.plugin_name().to_owned();
        let plugin = names::check(&name).and_then(|()| initialized(plugin, &name, host));
        match plugin {
            Ok(plugin) => {
                self.write().probed.insert(name, plugin);
                None
            }
            Err(error) => {
                error!(%error, plugin = name, "a probed plugin is left out");
                Some(name)
            }
        }
    }

    /// Returns all plugins by their names, the registered ones first. Plugins are asked without a
    /// lock: they may look up others.
    fn all(&self) -> Vec<(String, Plugin)> {
        self.refresh_probed_plugins();
        let plugins = self.read();
        let all = plugins.registered.iter().chain(&plugins.probed);
        all.map(|(name, plugin)| (name.clone(), Arc::clone(plugin)))
            .collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Plugins> {
        self.plugins.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Plugins> {
        self.plugins.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Initializes a plugin, without any lock: it may look up other plugins.
fn initialized(
    mut plugin: Box<dyn VolumePlugin>,
    name: &str,
    host: &Arc<dyn VolumeHost>,
) -> Result<Plugin, InitError> {
    match plugin.init(Arc::clone(host)) {
        Ok(()) => Ok(plugin.into()),
        Err(source) => Err(InitError::Failed {
            plugin: name.to_owned(),
            source,
        }),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Plugins that appear and disappear while a program runs.

mod directory;

pub use directory::{DirectoryProber, Driver};

use crate::Result;
use crate::interfaces::VolumePlugin;

/// A change of a plugin (`ProbeEvent`). [`ProbeOperation`] has Kubernetes' numbers.
pub enum ProbeEvent {
    /// It is new, or another one than before.
    AddOrUpdate {
        /// The plugin, not initialized yet.
        plugin: Box<dyn VolumePlugin>,
    },
    /// It is gone.
    Remove {
        /// Its name.
        name: String,
    },
}

/// The kind of a [`ProbeEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProbeOperation {
    /// A plugin is new, or another one than before (`ProbeAddOrUpdate`).
    AddOrUpdate = 2,
    /// A plugin is gone (`ProbeRemove`).
    Remove = 4,
}

impl ProbeEvent {
    /// Returns the kind of the event.
    #[must_use]
    pub fn operation(&self) -> ProbeOperation {
        match self {
            Self::AddOrUpdate { .. } => ProbeOperation::AddOrUpdate,
            Self::Remove { .. } => ProbeOperation::Remove,
        }
    }

    /// Returns the name of the plugin.
    #[must_use]
    pub fn plugin_name(&self) -> &str {
        match self {
            Self::AddOrUpdate { plugin } => plugin.plugin_name(),
            Self::Remove { name } => name,
        }
    }
}

impl std::fmt::Debug for ProbeEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({:?})", self.operation(), self.plugin_name())
    }
}

/// Looks for plugins.
pub trait DynamicPluginProber: Send {
    /// Prepares the prober. It is called once, before [`probe`](Self::probe).
    ///
    /// # Errors
    ///
    /// When it can't look for plugins.
    fn init(&mut self) -> Result<()>;

    /// Returns the changes since the last call; at the first call, all plugins.
    /// It is called for each lookup, so it must be fast if nothing has happened.
    ///
    /// # Errors
    ///
    /// When it can't find out. The plugins stay as they were.
    fn probe(&mut self) -> Result<Vec<ProbeEvent>>;

    /// Learns that the plugin of an [`AddOrUpdate`](ProbeEvent::AddOrUpdate) couldn't be
    /// initialized. The prober may report it again, so that it is tried again.
    fn failed(&mut self, plugin_name: &str) {
        let _ = plugin_name;
    }
}

/// A prober that never finds a plugin.
#[derive(Clone, Copy, Debug, Default)]
pub struct DummyProber;

impl DynamicPluginProber for DummyProber {
    fn init(&mut self) -> Result<()> {
        Ok(())
    }

    fn probe(&mut self) -> Result<Vec<ProbeEvent>> {
        Ok(Vec::new())
    }
}

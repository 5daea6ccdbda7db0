//! The state of a server.

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::fault::Rules;
use crate::request::Log;
use crate::store::Store;

/// The state of a server, which all connections share. No lock is poisoned: what reads the objects
/// of a test may panic.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Mutex<Store>,
    pub(crate) log: Mutex<Log>,
    pub(crate) rules: Mutex<Rules>,
    /// Set while nothing is answered.
    hangs: watch::Sender<bool>,
}

impl Shared {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store: Mutex::new(store),
            log: Mutex::default(),
            rules: Mutex::default(),
            hangs: watch::Sender::new(false),
        }
    }

    /// Lets the server hang, or go on.
    pub(crate) fn hang(&self, hangs: bool) {
        self.hangs.send_replace(hangs);
    }

    /// Waits while the server hangs.
    pub(crate) async fn awake(&self) {
        // It only fails without a sender, which `self` has.
        let _ = self.hangs.subscribe().wait_for(|hangs| !hangs).await;
    }
}

//! The driver on a node with a real kubelet.

mod example;
mod images;
mod kills;
pub(crate) mod node;
pub(crate) mod objects;
mod registration;
mod storage;
mod volumes;

use std::sync::{LazyLock, Mutex, PoisonError};

use root_tests::as_root;
use tokio::runtime::Runtime;

use node::Node;

/// The runtime of all tests: a client of the control plane belongs to one.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The node that all tests use, one after the other. The end of the process stops it.
static NODE: Mutex<Option<Node>> = Mutex::new(None);

/// Runs a test as root on the node. After one that failed, the next has a new one.
fn on_node(test: impl AsyncFnOnce(&mut Node) + Send) {
    as_root(|| {
        let mut shared = NODE.lock().unwrap_or_else(PoisonError::into_inner);
        let used = shared.take();
        RUNTIME.block_on(async {
            let mut node = match used {
                Some(node) => node,
                None => Node::start().await,
            };
            test(&mut node).await;
            *shared = Some(node);
        });
    });
}

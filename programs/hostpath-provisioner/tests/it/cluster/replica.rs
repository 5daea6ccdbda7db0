//! The program as a Deployment runs it.

use std::pin::pin;

use tokio::process::{Child, Command};
use tokio::select;

use super::control_plane::{Cluster, stop};

/// A replica: it is started anew if it loses its Lease, as on a machine that is too busy to renew
/// it in time.
pub(crate) struct Replica<'a> {
    cluster: &'a Cluster,
    arguments: &'static [&'static str],
    program: Child,
}

impl<'a> Replica<'a> {
    pub(crate) fn start(cluster: &'a Cluster, arguments: &'static [&'static str]) -> Self {
        Self {
            cluster,
            arguments,
            program: cluster.run(arguments),
        }
    }

    /// Waits for something while the replica runs.
    pub(crate) async fn until<T>(&mut self, wanted: impl Future<Output = T>) -> T {
        let mut wanted = pin!(wanted);
        loop {
            select! {
                found = &mut wanted => return found,
                () = self.ended() => {}
            }
            *self = Self::start(self.cluster, self.arguments);
        }
    }

    /// Waits until the program ends, as it does when it has lost its Lease.
    pub(crate) async fn ended(&mut self) {
        let ended = self.program.wait().await.unwrap();
        assert_eq!(ended.code(), Some(1), "{ended}");
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.program.try_wait().unwrap().is_some()
    }

    pub(crate) async fn signal(&self, name: &str) {
        let id = self.program.id().unwrap().to_string();
        let sent = Command::new("kill").args([name, &id]).status().await;
        assert!(sent.unwrap().success());
    }

    /// Sends SIGTERM, and expects an end without an error.
    pub(crate) async fn stop(self) {
        stop(self.program).await;
    }
}

//! The checks, by service and call.

mod calls;
mod capacity;
mod create_volume;
mod expand;
mod groups;
mod health;
mod identity;
mod list_snapshots;
mod metadata;
mod modify;
mod node;
mod node_requests;
mod publish;
mod secrets;
mod snapshots;
mod sources;
mod topology;
mod volumes;

use crate::check::Check;

/// Returns all checks, in the order in which they run.
pub(crate) fn all() -> Vec<Check> {
    let all = [
        identity::checks(),
        calls::checks(),
        create_volume::checks(),
        sources::checks(),
        topology::checks(),
        volumes::checks(),
        capacity::checks(),
        publish::checks(),
        expand::checks(),
        modify::checks(),
        health::checks(),
        snapshots::checks(),
        list_snapshots::checks(),
        groups::checks(),
        metadata::checks(),
        node_requests::checks(),
        node::checks(),
        // The last one: it looks at the answers of all others.
        secrets::checks(),
    ];
    all.into_iter().flatten().collect()
}

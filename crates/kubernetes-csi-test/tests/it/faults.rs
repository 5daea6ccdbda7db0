//! A good driver passes, and each fault of a driver makes the checks fail that look for it.

use std::collections::BTreeSet;

use kubernetes_csi_test::{Checks, Report, in_process};
use tempfile::TempDir;

use crate::faulty::{Fault, routes};
use crate::memory;

/// Each fault, with the checks that fail: all of them, and no others.
const FAULTS: [(Fault, &[&str]); 26] = [
    (Fault::PluginWithoutName, &["get_plugin_info/name"]),
    (
        Fault::CapabilityTwice,
        &["controller_get_capabilities/each_once"],
    ),
    (Fault::NameNotRequired, &["create_volume/without_name"]),
    (Fault::LongNameCut, &["create_volume/long_name"]),
    (
        Fault::SizeOfNameIgnored,
        &["create_volume/same_name_other_size"],
    ),
    (
        Fault::SmallVolume,
        &[
            "controller_get_volume/got",
            "create_volume/required_size",
            "create_volume/size_limit",
        ],
    ),
    (
        Fault::LimitIgnored,
        &["create_volume/limit_below_required_size"],
    ),
    (Fault::TwoVolumesAtOnce, &["create_volume/eight_at_once"]),
    (
        Fault::SourceForgotten,
        &[
            "create_volume/from_deleted_volumes_snapshot",
            "create_volume/from_snapshot",
            "create_volume/from_volume",
        ],
    ),
    (Fault::SecretInError, &["secrets/in_no_answer"]),
    (
        Fault::DeletionOfUnknownFails,
        &[
            "delete_volume/deleted_twice",
            "delete_volume/unknown_deleted",
        ],
    ),
    (
        Fault::UnknownIsValid,
        &[
            "delete_volume/deleted",
            "delete_volume/deleted_with_snapshot",
            "validate_volume_capabilities/unknown_validated",
        ],
    ),
    (
        Fault::TokenIgnored,
        &["list_volumes/listed_in_pages", "list_volumes/unknown_token"],
    ),
    (
        Fault::MaxEntriesIgnored,
        &[
            "list_volumes/listed_in_pages",
            "list_volumes/negative_max_entries",
        ],
    ),
    (
        Fault::LastNotListed,
        &[
            "controller_publish_volume/listed",
            "create_volume/cancelled_leaves_one",
            "list_volumes/listed_in_pages",
            "list_volumes/listed_new",
        ],
    ),
    (
        Fault::UnknownIsInternal,
        &[
            "controller_get_volume/got",
            "controller_get_volume/unknown_got",
        ],
    ),
    (
        Fault::AnyNode,
        &[
            "clean_up/nothing_is_left",
            "controller_publish_volume/to_unknown_node",
        ],
    ),
    (
        Fault::ReadonlyIgnored,
        &["controller_publish_volume/attached_with_other_readonly"],
    ),
    (
        Fault::ExpandUnimplemented,
        &[
            "controller_expand_volume/grown",
            "controller_expand_volume/grown_twice",
            "controller_expand_volume/huge_size",
            "controller_expand_volume/known_size",
            "controller_expand_volume/large_enough",
            "controller_expand_volume/large_secrets",
            "controller_expand_volume/limit_below_required_size",
            "controller_expand_volume/long_volume_id",
            "controller_expand_volume/negative_required_size",
            "controller_expand_volume/negative_size_limit",
            "controller_expand_volume/of_unknown_volume",
            "controller_expand_volume/size_without_bounds",
            "controller_expand_volume/undefined_mode",
            "controller_expand_volume/without_access_mode",
            "controller_expand_volume/without_access_type",
            "controller_expand_volume/without_capacity_range",
            "controller_expand_volume/without_mode",
            "controller_expand_volume/without_volume_id",
            "controller_get_capabilities/announced_calls_are_there",
        ],
    ),
    (
        Fault::FilterIgnored,
        &[
            "list_snapshots/of_id_and_other_volume",
            "list_snapshots/of_volume",
        ],
    ),
    (
        Fault::SnapshotOfOtherVolume,
        &["create_snapshot/same_name_other_volume"],
    ),
    (
        Fault::GroupNotNamed,
        &["create_volume_group_snapshot/answer"],
    ),
    (
        Fault::BlocksOverlap,
        &[
            "get_metadata_allocated/allocated_blocks",
            "get_metadata_allocated/allocated_from_offset",
            "get_metadata_allocated/allocated_with_max_results",
        ],
    ),
    (
        Fault::OffsetIgnored,
        &["get_metadata_allocated/allocated_from_offset"],
    ),
    (
        Fault::MaxResultsIgnored,
        &["get_metadata_allocated/allocated_with_max_results"],
    ),
    (
        Fault::TargetStays,
        &["clean_up/nothing_is_left", "node_publish_volume/published"],
    ),
];

async fn run(checks: Checks) -> Report {
    let folder = TempDir::new().unwrap();
    let checks = checks
        .folder(folder.path())
        .mutable_parameters([("iops", "100")])
        .leave_out(
            "node_publish_volume/read_only_is_not_written",
            "links have no such option",
        );
    checks.run().await
}

#[tokio::test]
async fn a_good_driver_passes() {
    let report = run(Checks::of_services(&memory::services())).await;
    println!("{report}");
    report.assert();
    assert!(report.passed().count() > 250, "{report}");
}

/// In short, only the checks of the calls that are to fail run.
#[tokio::test(flavor = "multi_thread")]
async fn faults_are_found() {
    let all = std::env::var_os("CSI_FAULTS_ALL").is_some();
    let mut running = tokio::task::JoinSet::new();
    for (fault, wanted) in FAULTS {
        running.spawn(async move {
            let channel = in_process(routes(memory::services(), fault));
            let calls = wanted.iter().filter(|_| !all);
            let calls = calls.filter_map(|name| name.split_once('/'));
            let checks = calls.fold(Checks::new(channel), |checks, (call, _)| {
                checks.only(format!("{call}/"))
            });
            (fault, wanted, run(checks).await)
        });
    }
    let mut problems = Vec::new();
    while let Some(done) = running.join_next().await {
        let (fault, wanted, report) = done.unwrap();
        let failed: BTreeSet<_> = report.failed().map(|check| &*check.name).collect();
        if failed != wanted.iter().copied().collect() {
            problems.push(format!("{fault:?}: {failed:#?}\n{report}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

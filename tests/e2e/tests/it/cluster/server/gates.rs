//! The feature gates that a server says it knows are those that `--feature-gate` takes.

use std::collections::BTreeSet;

use e2e::send;
use http::Method;

use super::run;

/// A line of the metrics for each gate, with its name and its stage.
const METRIC: &str = "kubernetes_feature_enabled{name=\"";

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_gates_of_a_server_are_known() {
    run(async |server| {
        let answer = send(&server.client, Method::GET, "/metrics", None);
        let answer = answer.await.unwrap();
        let lines = answer.body.as_str().unwrap().lines();
        let names = lines.filter_map(|line| Some(line.strip_prefix(METRIC)?.split_once('"')?.0));
        let theirs: BTreeSet<_> = names.filter(|name| !name.starts_with("All")).collect();
        let ours: BTreeSet<_> = kubernetes_storage::gates(server.release).collect();
        println!("{} gates", theirs.len());
        let lacking: Vec<_> = theirs.difference(&ours).collect();
        let wrong: Vec<_> = ours.difference(&theirs).collect();
        assert!(
            lacking.is_empty() && wrong.is_empty(),
            "lacking {lacking:?}, wrong {wrong:?}"
        );
    });
}

//! Objects of custom resources, and thousands of others that differ from them in a few places: the
//! generated code says of each what a server says.
//!
//! The definitions are those of the generator's golden; `E2E_DEFINITIONS` names folders with
//! others, as PATH does. Each has definitions and objects of them in its manifests, and may have a
//! `cases.json` as the golden has. `E2E_MUTANTS` is the number of mutants, `E2E_SEED` their seed.

mod asked;
mod compared;
mod corpus;
mod mutation;
mod program;
mod replaced;

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use e2e::ControlPlane;
use fastrand::Rng;

use corpus::Corpus;
use program::Program;

use crate::cluster::discovery::Server;
use crate::cluster::server::golden::SINCE;

/// The mutants of a run without `E2E_MUTANTS`.
const MUTANTS: usize = 3000;

fn number(variable: &str, otherwise: usize) -> usize {
    env::var(variable).map_or(otherwise, |text| text.parse().expect(variable))
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.unwrap().to_owned()
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn mutants_are_judged_as_by_a_server() {
    let given = env::var_os("E2E_DEFINITIONS");
    let folders = match &given {
        Some(folders) => env::split_paths(folders).collect(),
        None => vec![root().join("codegen/tests/golden/custom")],
    };
    let corpus = Corpus::read(&folders);
    let seed = number("E2E_SEED", 1);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed as u64);
    let cases = corpus.cases(number("E2E_MUTANTS", MUTANTS), &mut rng);
    let requests = cases.iter().map(|case| case.mutants + 1).sum::<usize>();
    let limit = Duration::from_secs(60) + Duration::from_millis(100) * requests as u32;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let control_plane = ControlPlane::builder().start().await.unwrap();
        let server = Server::of(&control_plane).await;
        let knows_all = SINCE.iter().all(|(_, since)| server.release >= *since);
        if given.is_none() && !knows_all {
            println!(
                "nothing to test: {} lacks functions of rules",
                server.release
            );
            return;
        }
        let asking = async {
            let client = &server.client;
            let asked = asked::ask(client, &corpus, cases.clone(), &mut rng).await;
            (asked, replaced::store_all(client, &corpus, &cases).await)
        };
        let (asked, stored) = tokio::time::timeout(limit, asking).await.expect("in time");
        let program = Program::build(&root(), &corpus);
        let all = asked.iter().map(|asked| &asked.case).chain(&stored);
        let verdicts = program.judge(&all.collect::<Vec<_>>(), server.release);
        let (verdicts, written) = verdicts.split_at(asked.len());
        compared::compare(&asked, verdicts);
        replaced::replace_all(&server.client, &corpus, &stored, written).await;
    });
}

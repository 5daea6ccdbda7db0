//! Objects of custom resources, and thousands of others that differ from them in a few places: the
//! generated code says of each what a server says.
//!
//! The definitions are those of the generator's golden; `CRDS` names folders with others, separated
//! by colons. Each has definitions and objects of them in its manifests, and may have a
//! `cases.json` as the golden has. `MUTANTS` is the number of mutants, `E2E_SEED` their seed.

mod asked;
mod compared;
mod corpus;
mod mutation;
mod program;

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use e2e::ControlPlane;
use fastrand::Rng;

use corpus::Corpus;
use program::Program;

/// The mutants of a run without `MUTANTS`.
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
    let folders = match env::var_os("CRDS") {
        Some(folders) => env::split_paths(&folders).collect(),
        None => vec![root().join("codegen/tests/golden/custom")],
    };
    let corpus = Corpus::read(&folders);
    let program = Program::build(&root(), &corpus);
    let seed = number("E2E_SEED", 1);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed as u64);
    let cases = corpus.cases(number("MUTANTS", MUTANTS), &mut rng);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let asked = runtime.block_on(async {
        let server = ControlPlane::builder().start().await.unwrap();
        let asking = asked::ask(&server, &corpus, cases, &mut rng);
        let limit = Duration::from_secs(60) + Duration::from_millis(20) * MUTANTS as u32;
        let limit = limit.max(Duration::from_secs(number("SECONDS", 0) as u64));
        tokio::time::timeout(limit, asking).await.expect("in time")
    });
    let verdicts = program.judge(&asked);
    compared::compare(&asked, &verdicts);
}

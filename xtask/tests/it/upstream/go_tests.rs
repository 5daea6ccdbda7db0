//! The lists of Go's test functions are complete.

use std::process::Command;

use crate::common::{Outcome, XTASK, real_root};

#[test]
#[ignore = "needs Go, or UPSTREAM_DIR with modules"]
fn each_test_function_of_go_has_an_entry() {
    let Some(root) = real_root() else { return };
    let mut command = Command::new(XTASK);
    command.arg("go-tests").current_dir(root);
    println!("{}", Outcome::of(&mut command).succeeds().out);
}

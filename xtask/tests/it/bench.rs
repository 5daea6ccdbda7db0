//! `cargo xtask bench`, with a script in place of cargo.

use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK};

/// Notes its arguments, and writes the figures that a benchmark would have.
const CARGO: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/cargo.log"
[ ! -e "$here/cargo.fails" ] || exit 1
[ ! -e "$here/figures.json" ] || cat "$here/figures.json" >"$BENCH_FIGURES"
"#;

const FIGURES: &str = r#"{"charts": [{
    "name": "speed", "title": "Speed & size", "peer": "peer", "series": ["read", "write"],
    "rows": [{"name": "Thing", "ratios": [2.0, 0.5]}, {"name": "Part", "ratios": [1.0, null]}]}]}"#;

fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.script("bin/cargo", CARGO);
    sandbox.write("bin/figures.json", FIGURES);
    sandbox
}

fn bench(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(XTASK);
    command.arg("bench").args(arguments);
    command.current_dir(sandbox.path("root"));
    Outcome::of(command.env("CARGO", sandbox.path("bin/cargo")))
}

/// The widths of the bars in one of the colours.
fn bars(picture: &str, colour: &str) -> Vec<f64> {
    let rectangles = picture.split("<rect ").skip(1);
    let bars = rectangles.filter(|part| part.starts_with(&format!("fill=\"{colour}\"")));
    let width = |part: &str| {
        part.split(" width=\"")
            .nth(1)?
            .split('"')
            .next()?
            .parse()
            .ok()
    };
    // The first one is in the legend.
    bars.filter_map(width).skip(1).collect()
}

#[test]
fn bars_are_as_long_as_their_ratios() {
    let sandbox = machine();
    let outcome = bench(&sandbox, &["--plot"]).succeeds();
    assert!(outcome.out.contains("speed-light.svg"), "{}", outcome.out);
    let log = sandbox.read("bin/cargo.log");
    assert_eq!(log, "bench --package conformance --bench wire\n");
    let light = sandbox.read("root/target/bench/speed-light.svg");
    let reading = bars(&light, "#0969da");
    assert_eq!(reading.len(), 2, "{light}");
    assert!((reading[0] / reading[1] - 2.0).abs() < 0.01, "{reading:?}");
    // What wasn't measured has no bar.
    let writing = bars(&light, "#bc4c00");
    assert_eq!(writing.len(), 1, "{light}");
    assert!((writing[0] / reading[1] - 0.5).abs() < 0.01, "{writing:?}");
    assert!(light.contains("Speed &amp; size"), "{light}");
    assert_ne!(light, sandbox.read("root/target/bench/speed-dark.svg"));
    // In a comment, XML allows no two dashes.
    let comment = light
        .strip_prefix("<!--")
        .unwrap()
        .split("-->")
        .next()
        .unwrap();
    assert!(!comment.contains("--"), "{comment}");
}

#[test]
fn pictures_are_drawn_anew_and_elsewhere() {
    let sandbox = machine();
    let arguments = ["--plot", "--quick", "--out", "figures"];
    bench(&sandbox, &arguments).succeeds();
    assert!(
        sandbox
            .read("bin/cargo.log")
            .ends_with("--bench wire -- --quick\n")
    );
    let old = sandbox.read("root/figures/speed-light.svg");
    sandbox.edit("bin/figures.json", "2.0", "3.0");
    bench(&sandbox, &arguments).succeeds();
    let new = sandbox.read("root/figures/speed-light.svg");
    assert_ne!(old, new);
    // The figures of the run stay, and can be drawn again without one.
    std::fs::remove_file(sandbox.path("bin/cargo.log")).unwrap();
    let from = ["--plot", "--from", "figures/figures.json", "--out", "again"];
    bench(&sandbox, &from).succeeds();
    assert_eq!(sandbox.read("root/again/speed-light.svg"), new);
    assert!(!sandbox.path("bin/cargo.log").exists());
}

#[test]
fn a_run_alone_draws_nothing() {
    let sandbox = machine();
    bench(&sandbox, &[]).succeeds();
    assert!(!sandbox.path("root/target/bench/speed-light.svg").exists());
}

/// Those of an earlier run aren't drawn instead.
#[test]
fn runs_without_figures() {
    let sandbox = machine();
    bench(&sandbox, &["--plot"]).succeeds();
    sandbox.write("bin/cargo.fails", "");
    bench(&sandbox, &["--plot"]).fails_with(&["error: the benchmark failed"]);
    std::fs::remove_file(sandbox.path("bin/cargo.fails")).unwrap();
    std::fs::remove_file(sandbox.path("bin/figures.json")).unwrap();
    bench(&sandbox, &["--plot"]).fails_with(&["target/bench/figures.json"]);
}

#[test]
fn figures_that_are_none() {
    let sandbox = machine();
    for (from, to, message) in [
        ("\"charts\"", "\"graphs\"", "not the figures of a benchmark"),
        ("0.5]", "0.5, 1.0]", "`Thing` has 3 ratios, not 2"),
        ("0.5]", "-0.5]", "`Thing` has the ratio -0.5"),
        (
            "\"speed\"",
            "\"../speed\"",
            "`../speed` can't be the name of a picture",
        ),
    ] {
        sandbox.write("bin/bad.json", &FIGURES.replace(from, to));
        let bad = sandbox.path("bin/bad.json").display().to_string();
        let expected = [message, "bad.json", "help: run `cargo xtask bench --plot`"];
        bench(&sandbox, &["--plot", "--from", &bad]).fails_with(&expected);
    }
}

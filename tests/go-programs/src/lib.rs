//! Builds and runs programs in Go that tests and benchmarks compare with, and measures processes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by a panic"
)]

mod process;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub use process::{memory, processor_time};

/// Builds a package of Go with the settings of the control plane, so that Go compiles only what it
/// has not compiled for that, and returns the program.
///
/// `folder` has the module, below the root of the workspace; `target` is where the program is put,
/// such as the `CARGO_TARGET_TMPDIR` of a test.
///
/// # Panics
///
/// When Go isn't installed, or can't build it.
pub fn build(folder: &str, package: &str, target: &Path) -> PathBuf {
    let program = target.join(name_of(folder, package));
    build_at(&program, folder, package, &[]);
    program
}

/// A text in a file of a module, and what takes its place.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The module, which the folder's module needs.
    pub module: &'a str,
    /// The path of the file in the module.
    pub file: &'a str,
    /// The text, which the file has once.
    pub from: &'a str,
    /// The other text.
    pub to: &'a str,
}

/// Builds a package as [`build`] does, with a change in a module that it needs.
///
/// # Panics
///
/// As [`build`], and when there is nothing to change.
pub fn build_changed(folder: &str, package: &str, change: Change<'_>, target: &Path) -> PathBuf {
    let name = format!("{}-changed", name_of(folder, package));
    let (program, made) = (target.join(&name), target.join(format!("{name}-sources")));
    let (module, sources) = (made.join("module"), in_workspace(folder));
    let _ = fs::remove_dir_all(&made);
    fs::create_dir_all(&made).unwrap();
    let listed = go(&sources)
        .args(["list", "-m", "-f", "{{.Dir}}", change.module])
        .output()
        .expect(GO);
    let original = String::from_utf8(listed.stdout).unwrap();
    let copied = Command::new("cp")
        .args(["--recursive", "--no-preserve=mode", original.trim()])
        .arg(&module)
        .status();
    assert!(copied.unwrap().success(), "no copy of {}", change.module);
    let file = module.join(change.file);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches(change.from).count(), 1, "{}", file.display());
    fs::write(&file, text.replace(change.from, change.to)).unwrap();
    let manifest = fs::read_to_string(sources.join("go.mod")).unwrap();
    let replaced = format!("\nreplace {} => {}\n", change.module, module.display());
    fs::write(made.join("go.mod"), manifest + &replaced).unwrap();
    fs::copy(sources.join("go.sum"), made.join("go.sum")).unwrap();
    let manifest = format!("-modfile={}", made.join("go.mod").display());
    build_at(&program, folder, package, &[&manifest]);
    program
}

const GO: &str = "Go builds programs that tests compare with: https://go.dev/dl";

fn name_of(folder: &str, package: &str) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let name = match package {
        "." => last(folder),
        _ => last(package),
    };
    format!("go-{name}")
}

fn in_workspace(folder: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(folder)
}

fn go(folder: &Path) -> Command {
    let mut go = Command::new("go");
    go.current_dir(folder);
    go.envs([("CGO_ENABLED", "0"), ("GOWORK", "off"), ("GOFLAGS", "")]);
    go
}

fn build_at(program: &Path, folder: &str, package: &str, options: &[&str]) {
    let mut build = go(&in_workspace(folder));
    build
        .args(["build", "-trimpath", "-mod=readonly", "-buildvcs=false"])
        .args(["-gcflags=all=-dwarf=false", "-o"])
        .arg(program)
        .args(options)
        .arg(package);
    let built = build.status().expect(GO);
    assert!(built.success(), "go build {package} in {folder}: {built}");
}

/// A running program, which answers what it is sent until its input ends.
#[derive(Debug)]
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts a program.
    ///
    /// # Panics
    ///
    /// When it can't be started.
    pub fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Sends parts, each after its length in four bytes, the highest first.
    ///
    /// # Panics
    ///
    /// When the program has ended.
    pub fn send(&mut self, parts: &[&[u8]]) {
        let framed = parts.iter().flat_map(|part| {
            let length = u32::try_from(part.len()).unwrap();
            [&length.to_be_bytes(), *part].concat()
        });
        let framed: Vec<u8> = framed.collect();
        self.input.as_mut().unwrap().write_all(&framed).unwrap();
    }

    /// Reads an answer: a byte, 0 for bytes or 1 for an error, and the bytes or the text of the
    /// error, after their length likewise.
    ///
    /// # Errors
    ///
    /// The error.
    ///
    /// # Panics
    ///
    /// When the program has ended.
    pub fn answer(&mut self) -> Result<Vec<u8>, String> {
        let (mut sort, mut length) = ([0], [0; 4]);
        self.output.read_exact(&mut sort).unwrap();
        self.output.read_exact(&mut length).unwrap();
        let mut answer = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        self.output.read_exact(&mut answer).unwrap();
        match sort {
            [0] => Ok(answer),
            _ => Err(String::from_utf8(answer).unwrap()),
        }
    }

    /// Reads an answer that is a line.
    ///
    /// # Panics
    ///
    /// When the output isn't text.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

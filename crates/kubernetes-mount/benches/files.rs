//! Ownership and metrics of large volumes, compared with a walk by paths in one thread, as in
//! the kubelet, and with `chown -R` and `chmod -R`, or `du -s`.
//!
//! ```text
//! cargo bench -p kubernetes-mount --bench files                # 100,000 files
//! FILES=400000 cargo bench -p kubernetes-mount --bench files   # more of them
//! ```
//!
//! This needs root. It writes to the target folder, which has to be on a disk if cold files are
//! to be measured.
//!
//! `all change` gives every file another group and mode, `all right` finds nothing to change. A
//! ratio is the other's time by ours, so above 1 ours is faster; both are medians of rounds in
//! which all take turns. Cold means that the kernel has forgotten all files. The last table has
//! the most memory that was resident in a process that does only that.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use kubernetes_mount::metrics::{MetricsDu, MetricsProvider};
    use kubernetes_mount::ownership::Ownership;

    const ROUNDS: usize = 5;
    const GROUP: u32 = 3000;

    /// The number of files of a directory, in the tree with several.
    const IN_DIRECTORY: usize = 100;

    pub(crate) fn main() {
        let args: Vec<String> = std::env::args().collect();
        if let [_, what, dir, ..] = &args[..]
            && what.starts_with("only-")
        {
            only(what, Path::new(dir));
            return;
        }
        let is_bench = args.iter().any(|arg| arg == "--bench");
        if !nix::unistd::geteuid().is_root() {
            println!("left out, needs root");
            return;
        }
        let files = match std::env::var("FILES") {
            Ok(text) => text.parse().expect("FILES isn't a number"),
            Err(_) if is_bench => 100_000,
            Err(_) => 1_000,
        };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
        let _ = fs::remove_dir_all(&folder);
        let many = tree(&folder.join("many"), files, IN_DIRECTORY);
        let one = tree(&folder.join("one"), files, usize::MAX);
        let rounds = if is_bench { ROUNDS } else { 1 };
        println!("{files} files, medians of {rounds} rounds");
        println!("\n| | files | ours | by path | commands |\n|---|---|---|---|---|");
        for (name, dir) in [("100 in a directory", &many), ("all in one", &one)] {
            measure(name, dir, false, rounds);
            // Other programs need what would be forgotten, so not in a mere test.
            if is_bench {
                measure(name, dir, true, rounds);
            }
        }
        println!("\n| | most memory, MB |\n|---|---|");
        for what in ["only-ownership", "only-du"] {
            println!(
                "| {what}, all in one directory | {:.1} |",
                memory(what, &one)
            );
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    fn tree(root: &Path, files: usize, each: usize) -> PathBuf {
        fs::create_dir_all(root).unwrap();
        let mut dir = root.to_owned();
        for at in 0..files {
            if each < files && at % each == 0 {
                // Three levels, as of a program's data.
                let (a, b) = (at / each / 100, at / each % 100);
                dir = root.join(format!("a{a}/b{b}"));
                fs::create_dir_all(&dir).unwrap();
            }
            File::create(dir.join(format!("file-{at}"))).unwrap();
        }
        root.to_owned()
    }

    /// One of those that are compared: ours, by path, commands.
    type Run = fn(&Path);

    /// The measurement, true if the files have other groups and modes at first, and the walker.
    const WORK: [(&str, bool, [Run; 3]); 3] = [
        ("all change", true, [ours, by_path, commands]),
        ("all right", false, [ours, by_path, commands]),
        ("du", false, [our_du, du_by_path, du]),
    ];

    fn measure(name: &str, dir: &Path, cold: bool, rounds: usize) {
        let state = if cold { "cold" } else { "warm" };
        for (what, changes, runs) in WORK {
            let mut times = [const { Vec::new() }; 3];
            // Also so that a warm tree is warm.
            ours(dir);
            for round in 0..rounds {
                // Each one comes first, second and last.
                for at in 0..3 {
                    let at = (at + round) % 3;
                    if changes {
                        reset(dir);
                    }
                    if cold {
                        forget();
                    }
                    let start = Instant::now();
                    runs[at](dir);
                    times[at].push(start.elapsed());
                }
            }
            let [ours, path, commands] = times.map(median);
            println!(
                "| {what}, {state} | {name} | {ours:.3} s | {:.2} | {:.2} |",
                path / ours,
                commands / ours
            );
        }
    }

    fn median(mut times: Vec<Duration>) -> f64 {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    }

    /// Gives the files the group and the modes that they had when they were made.
    fn reset(dir: &Path) {
        for entry in fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let is_dir = entry.file_type().unwrap().is_dir();
            if is_dir {
                reset(&entry.path());
            }
            lchown(entry.path(), None, Some(0)).unwrap();
            let mode = if is_dir { 0o755 } else { 0o644 };
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    fn ours(dir: &Path) {
        assert_eq!(Ownership::new(GROUP).apply(dir).unwrap().failed, 0);
    }

    /// Changes every file as the kubelet does: one after the other, by its path, right or not.
    fn by_path(dir: &Path) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                by_path(&path);
            }
            change(&path, &metadata);
        }
    }

    fn change(path: &Path, metadata: &fs::Metadata) {
        lchown(path, Some(metadata.uid()), Some(GROUP)).unwrap();
        let mut mode = metadata.mode() & 0o7777 | 0o660;
        if metadata.is_dir() {
            mode |= 0o2110;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn our_du(dir: &Path) {
        assert!(MetricsDu::new(dir).metrics().is_ok());
    }

    fn du_by_path(dir: &Path) {
        std::hint::black_box(blocks_by_path(dir));
    }

    fn blocks_by_path(dir: &Path) -> u64 {
        let mut blocks = 0;
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            blocks += metadata.blocks();
            if metadata.is_dir() {
                blocks += blocks_by_path(&path);
            }
        }
        blocks
    }

    fn commands(dir: &Path) {
        run(Command::new("chown")
            .arg("-R")
            .arg(format!(":{GROUP}"))
            .arg(dir));
        run(Command::new("chmod").args(["-R", "ug+rwX"]).arg(dir));
    }

    fn du(dir: &Path) {
        run(Command::new("du").arg("-s").arg(dir));
    }

    fn run(command: &mut Command) {
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
    }

    /// Writes what is changed, and makes the kernel forget what it knows of files.
    fn forget() {
        rustix::fs::sync();
        fs::write("/proc/sys/vm/drop_caches", "3").unwrap();
    }

    fn memory(what: &str, dir: &Path) -> f64 {
        let program = std::env::current_exe().unwrap();
        reset(dir);
        let output = Command::new(program).arg(what).arg(dir).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse::<f64>()
            .unwrap()
            / 1024.0
    }

    /// Runs in a process of its own. Prints its peak memory in KiB.
    fn only(what: &str, dir: &Path) {
        if what == "only-du" {
            our_du(dir);
        } else {
            ours(dir);
        }
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        println!("{}", line.trim().trim_end_matches(" kB"));
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}

//! Ownership and metrics of large volumes, against a walk by paths in one thread, as the kubelet does it,
//! and against `chown -R`, `chmod -R` and `du -s`.
//!
//! ```text
//! cargo bench -p volume --bench files                # 100,000 files
//! FILES=400000 cargo bench -p volume --bench files   # more of them
//! ```
//!
//! It needs root, and writes to the target folder, which has to be on a disk if cold files are to be
//! measured. A ratio is how many times as fast ours is, of the medians of some rounds in which all take turns.
//! Cold means that the kernel has been told to forget all files. The last table has the most memory that
//! a process of its own had resident.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::hint::black_box;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use volume::metrics::{MetricsDu, MetricsProvider};
    use volume::ownership::Ownership;

    const ROUNDS: usize = 5;
    const GROUPS: [u32; 2] = [3000, 3001];

    /// How many files a directory has, in the tree that has more than one.
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
            Ok(text) => text.parse().expect("FILES is no number"),
            Err(_) if is_bench => 100_000,
            Err(_) => 1_000,
        };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
        let _ = fs::remove_dir_all(&folder);
        let many = tree(&folder.join("many"), files, IN_DIRECTORY);
        let one = tree(&folder.join("one"), files, usize::MAX);
        println!("{files} files, medians of {ROUNDS} rounds");
        println!("\n| | files | ours | by path | commands |\n|---|---|---|---|---|");
        for (name, dir) in [("100 in a directory", &many), ("all in one", &one)] {
            for cold in [false, true] {
                measure(name, dir, cold);
            }
        }
        println!("\n| | most memory, MB |\n|---|---|");
        for what in ["only-ownership", "only-du"] {
            println!("| {what}, all in one directory | {:.1} |", memory(what, &one));
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

    fn measure(name: &str, dir: &Path, cold: bool) {
        let state = if cold { "cold" } else { "warm" };
        // The peers of each take the place of the files in the same order.
        let mut times = vec![vec![Vec::new(); 3]; 3];
        for round in 0..ROUNDS {
            for at in 0..3 {
                let program = (at + round) % 3;
                let group = GROUPS[(round * 3 + at) % 2];
                let run: [&dyn Fn(); 3] = match program {
                    0 => [&|| ours(dir, group), &|| ours(dir, group), &|| {
                        assert!(MetricsDu::new(dir).metrics().is_ok())
                    }],
                    1 => [&|| by_path(dir, group), &|| by_path(dir, group), &|| {
                        assert!(black_box(du_by_path(dir)) < u64::MAX)
                    }],
                    _ => {
                        [&|| commands(dir, group), &|| commands(dir, group), &|| du(dir)]
                    }
                };
                for (what, run) in run.into_iter().enumerate() {
                    if cold {
                        forget();
                    }
                    let start = Instant::now();
                    run();
                    times[what][program].push(start.elapsed());
                }
            }
        }
        let names = ["all change", "all right", "du"];
        for (name_of, mut times) in names.into_iter().zip(times) {
            let median = |times: &mut Vec<Duration>| {
                times.sort();
                times[times.len() / 2].as_secs_f64()
            };
            let [ours, path, commands] = [0, 1, 2].map(|at| median(&mut times[at]));
            println!(
                "| {name_of}, {state} | {name} | {ours:.3} s | {:.2} | {:.2} |",
                path / ours,
                commands / ours
            );
        }
    }

    fn ours(dir: &Path, group: u32) {
        Ownership::new(group).apply(dir).unwrap();
    }

    /// As the kubelet: every file, one after the other, by its path, whether it is right or not.
    fn by_path(dir: &Path, group: u32) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                by_path(&path, group);
            }
            change(&path, &metadata, group);
        }
    }

    fn change(path: &Path, metadata: &fs::Metadata, group: u32) {
        lchown(path, Some(metadata.uid()), Some(group)).unwrap();
        let mut mode = metadata.mode() & 0o7777 | 0o660;
        if metadata.is_dir() {
            mode |= 0o2110;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn du_by_path(dir: &Path) -> u64 {
        let mut blocks = 0;
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            blocks += metadata.blocks();
            if metadata.is_dir() {
                blocks += du_by_path(&path);
            }
        }
        blocks
    }

    fn commands(dir: &Path, group: u32) {
        run(Command::new("chown").arg("-R").arg(format!(":{group}")).arg(dir));
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
        let output = Command::new(program).arg(what).arg(dir).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().parse::<f64>().unwrap() / 1024.0
    }

    /// What a process of its own does. Prints the most memory that it had, in KiB.
    fn only(what: &str, dir: &Path) {
        if what == "only-du" {
            MetricsDu::new(dir).metrics().unwrap();
        } else {
            for group in GROUPS {
                ours(dir, group);
            }
        }
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        println!("{}", line.trim().trim_end_matches(" kB"));
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}

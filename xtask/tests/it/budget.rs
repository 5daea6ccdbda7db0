//! `cargo xtask budget`, with a script in place of cargo.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Outcome, Sandbox, XTASK, real_root};

/// Keeps what it is called with and which program it is to build, writes rlibs of the sizes that
/// `sizes` has, and takes some CPU time.
const CARGO: &str = r#"#!/bin/sh
here=$(dirname "$0")
case $1 in
-Vv) printf 'cargo 1.2.3 (abc)\nhost: example\n' ;;
metadata) cat "$here/metadata" ;;
tree)
    while [ "$1" != --manifest-path ]; do shift; done
    features=latest
    ! grep -q 'apply\|schemars' "$2" || [ ! -e "$here/told-features" ] || features=latest,schemars
    printf 'program v0.0.0 (/program) \nk8s-openapi v1.0.0 %s\n' "$features"
    if [ -e "$here/told-needs" ]; then
        features=std
        ! grep -q 'apply\|raised' "$2" || features=std,alloc
        printf 'serde v2.0.0 %s\n' "$features"
    fi
    ;;
build)
    while [ $# -gt 0 ]; do
        case $1 in
        --manifest-path) manifest=$2 ;;
        --target-dir) target=$2 ;;
        --package) packages=${2%@2.0.0} ;;
        esac
        shift
    done
    echo "$CARGO_INCREMENTAL,$RUSTFLAGS,$CARGO_PROFILE_DEV_DEBUG" >>"$here/environment"
    cat "$manifest" "$(dirname "$manifest")/Cargo.lock" >>"$here/programs"
    [ ! -e "$here/fails" ] || exit 101
    mkdir -p "$target/debug/deps"
    needed=k8s-openapi
    ! grep -q ^storage "$manifest" || needed="k8s-openapi storage-v1"
    ! grep -q apply "$manifest" || needed="k8s-openapi storage-v1 apply"
    loops=20000
    # The time of k8s-openapi as measured may be another one each time.
    ! grep -q raised "$manifest" || loops=600000
    for name in ${packages:-$needed}; do
        [ "$name" = k8s-openapi ] || loops=20000
        rlib=$target/debug/deps/lib$name.rlib
        fresh=true
        if [ ! -e "$rlib" ]; then
            fresh=false
            i=0
            while [ $i -lt $loops ]; do i=$((i + 1)); done
            head -c "$(cat "$here/$name.size")" /dev/zero >"$rlib"
        fi
        [ "$name" != apply ] || [ ! -e "$here/other-features" ] || again=true
        echo "$name $fresh" >>"$here/built"
        printf '{"reason": "compiler-artifact", "fresh": %s, ' "$fresh"
        printf '"package_id": "registry+x#%s@1.0.0", "filenames": ["%s"]}\n' "$name" "$rlib"
    done
    if [ "$again" ]; then
        printf '{"reason": "compiler-artifact", "fresh": false, '
        printf '"package_id": "registry+x#k8s-openapi@1.0.0", "filenames": []}\n'
    fi
    echo '{"reason": "build-finished", "success": true}'
    ;;
esac
"#;

const BUDGET: &str = "cpu-tolerance = 0.5\n\
    [[budget]]\ncrate = \"storage-v1\"\nfeatures = \"default\"\npercent = 2000.0\n\
    megabytes = 1.0\n\
    [[budget]]\ncrate = \"storage-v1\"\nfeatures = [\"apply\", \"manifests\"]\npercent = 2000.0\n\
    megabytes = 2.0\n";

struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    /// A workspace in which storage-v1 has the features.
    fn new(features: &str) -> Self {
        Self::of(&[("storage-v1", features)])
    }

    /// A workspace with packages that have these features.
    fn of(members: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("root/Cargo.lock", "# locked\n");
        sandbox.write("root/xtask/budget.toml", BUDGET);
        let package = |name: &str, features: &str| {
            let manifest = sandbox.path(&format!("root/{name}/Cargo.toml"));
            format!(
                "{{\"name\": \"{name}\", \"version\": \"1.0.0\", \"features\": {features}, \
                 \"manifest_path\": {manifest:?}}}"
            )
        };
        let mut packages = vec![package("k8s-openapi", "{}")];
        packages.extend(
            members
                .iter()
                .map(|&(name, features)| package(name, features)),
        );
        let metadata = format!(
            "{{\"packages\": [{}], \"target_directory\": {:?}}}",
            packages.join(", "),
            sandbox.path("target"),
        );
        sandbox.write("bin/metadata", &metadata);
        for (name, size) in [
            ("k8s-openapi", "5000000"),
            ("storage-v1", "900000"),
            ("apply", "800000"),
            ("serde", "1000"),
        ] {
            sandbox.write(&format!("bin/{name}.size"), size);
        }
        let machine = Self { sandbox };
        machine.sandbox.script("bin/cargo", CARGO);
        machine
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        let mut command = Command::new(XTASK);
        command
            .arg("budget")
            .args(arguments)
            .current_dir(self.sandbox.path("root"));
        command.env("CARGO", self.sandbox.path("bin/cargo"));
        command
            .env("RUSTFLAGS", "-g")
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        let outcome = Outcome::of(&mut command);
        // Whatever was built is gone.
        let left = fs::read_dir(self.sandbox.path("target"))
            .into_iter()
            .flatten();
        assert_eq!(left.count(), 0);
        outcome
    }

    /// The packages that cargo has made, in order; those that it found made are left out.
    fn compiled(&self) -> Vec<String> {
        let built = self.sandbox.read("bin/built");
        let made = built.lines().filter_map(|line| line.strip_suffix(" false"));
        made.map(str::to_owned).collect()
    }
}

const FEATURES: &str = r#"{"default": [], "apply": [], "manifests": []}"#;

#[test]
fn what_is_measured() {
    let machine = Machine::new(FEATURES);
    let outcome = machine.run(&["--runs", "2"]).succeeds();
    let printed: Vec<_> = outcome.out.lines().collect();
    assert_eq!(
        printed[0],
        "cargo 1.2.3 (abc), debug profile, medians of 2 runs"
    );
    for (line, label, sizes) in [
        (3, "k8s-openapi 1.0.0 alone", "5.0"),
        (4, "storage-v1", "5.9     +0.9      1.0"),
        (5, "storage-v1, apply + manifests", "6.7     +1.7      2.0"),
    ] {
        assert!(printed[line].starts_with(label), "{}", printed[line]);
        assert!(printed[line].ends_with(sizes), "{}", printed[line]);
    }
    assert!(
        outcome
            .out
            .ends_with("apply + manifests, MB: storage-v1 +0.9, apply +0.8\n")
    );
    let run = ["k8s-openapi", "storage-v1", "storage-v1", "apply"];
    assert_eq!(machine.compiled(), [run, run].concat());

    let environment = machine.sandbox.read("bin/environment");
    assert!(
        environment.lines().all(|line| line == "0,,"),
        "{environment}"
    );
    let programs = machine.sandbox.read("bin/programs");
    let path = machine.sandbox.path("root/storage-v1");
    for part in [
        "k8s-openapi = { version = \"=1.0.0\", features = [\"latest\"] }\n# locked",
        &format!("storage-v1 = {{ path = {path:?}, features = [] }}\n# locked"),
        "features = [\"apply\", \"manifests\"] }\n# locked",
    ] {
        assert!(programs.contains(part), "no {part} in:\n{programs}");
    }
}

/// A budget names what its crate is compared with.
#[test]
fn another_base() {
    let machine = Machine::of(&[("storage-v1", FEATURES), ("serde", "{}")]);
    let of_serde = BUDGET.replace(
        "features = \"default\"\n",
        "features = \"default\"\nbase = \"serde\"\n",
    );
    let budget = format!("{of_serde}[base.serde]\nserde = [\"alloc\"]\nk8s-openapi = []\n");
    machine.sandbox.write("root/xtask/budget.toml", &budget);
    let outcome = machine.run(&["--runs", "1"]).succeeds();
    let tables: Vec<_> = outcome.out.split("\n\ncargo ").collect();
    let [serde, k8s_openapi] = &tables[..] else {
        panic!("two tables: {}", outcome.out)
    };
    assert!(serde.contains("\nserde 1.0.0 alone "), "{serde}");
    assert!(
        serde.ends_with("storage-v1, MB: storage-v1 +0.9"),
        "{serde}"
    );
    assert!(k8s_openapi.contains("\nstorage-v1, apply + manifests "));
    let programs = machine.sandbox.read("bin/programs");
    let alone = "k8s-openapi = { version = \"=1.0.0\", features = [] }\n\
                 serde = { version = \"=1.0.0\", features = [\"alloc\"] }\n# locked";
    assert!(programs.contains(alone), "{programs}");

    let outcome = machine.run(&["--runs", "1", "--base", "serde"]).succeeds();
    assert_eq!(outcome.out.matches(" alone ").count(), 1, "{}", outcome.out);
    machine.run(&["--base", "tonic"]).fails_with(&[
        "no budget has the base `tonic`",
        "help: xtask/budget.toml has serde, k8s-openapi",
    ]);
    machine.sandbox.edit(
        "root/xtask/budget.toml",
        "[base.serde]\nserde =",
        "[base.serde]\nother =",
    );
    machine.run(&[]).fails_with(&[
        "storage-v1: no base `serde`; there are: k8s-openapi, serde",
        "help: each `[base.NAME]` has dependencies, one of which is NAME",
    ]);
}

#[test]
fn each_from_nothing() {
    let machine = Machine::new(FEATURES);
    machine.run(&["--runs", "1", "--whole"]).succeeds();
    let compiled = machine.compiled().join(" ");
    assert_eq!(
        compiled,
        "k8s-openapi k8s-openapi storage-v1 k8s-openapi storage-v1 apply"
    );
}

/// Compiles k8s-openapi again for a feature, as the script does with the file `switch`, checks what
/// is printed about it, and returns the packages that cargo has made.
fn compiled_with_other_features(machine: &Machine, switch: &str, told: &str) -> String {
    machine.sandbox.write(switch, "");
    let outcome = machine.run(&["--runs", "1"]).succeeds();
    assert_eq!(
        outcome.stderr.matches(told).count(),
        1,
        "{}",
        outcome.stderr
    );
    machine.compiled().join(" ")
}

/// Packages that are then compiled again must not count as added.
#[test]
fn other_features_of_what_k8s_openapi_needs() {
    let machine = Machine::new(FEATURES);
    let told = "apply + manifests compiles again k8s-openapi; building it from nothing";
    assert_eq!(
        compiled_with_other_features(&machine, "bin/other-features", told),
        "k8s-openapi storage-v1 storage-v1 apply k8s-openapi storage-v1 apply"
    );
}

/// If cargo says so beforehand, k8s-openapi is built with these features once for all that need
/// them, and that is a part of what each adds.
#[test]
fn other_features_that_cargo_tells() {
    let machine = Machine::new(FEATURES);
    let more = format!("{BUDGET}{}", &BUDGET[BUDGET.rfind("[[budget]]").unwrap()..]);
    machine.sandbox.write("root/xtask/budget.toml", &more);
    let told = "needs other features of k8s-openapi; building k8s-openapi with them\n";
    assert_eq!(
        compiled_with_other_features(&machine, "bin/told-features", told),
        "k8s-openapi storage-v1 k8s-openapi storage-v1 apply storage-v1 apply"
    );
    let programs = machine.sandbox.read("bin/programs");
    let raised = "k8s-openapi = { package = \"k8s-openapi\", version = \"=1.0.0\", \
                  default-features = false, features = [\"latest\", \"schemars\"] }";
    assert!(programs.contains(raised), "{programs}");
}

/// Of a program that needs other features of what k8s-openapi needs, not of k8s-openapi itself, the
/// time of k8s-openapi is no part: it differs by more than that of a generated crate.
#[test]
fn other_features_before_k8s_openapi() {
    let machine = Machine::new(FEATURES);
    let budget = BUDGET.replace("2000.0", "300.0");
    machine.sandbox.write("root/xtask/budget.toml", &budget);
    let told = "needs other features of serde; building k8s-openapi with them\n";
    assert_eq!(
        compiled_with_other_features(&machine, "bin/told-needs", told),
        "serde k8s-openapi storage-v1 serde k8s-openapi storage-v1 apply"
    );
    let programs = machine.sandbox.read("bin/programs");
    let raised = "{ package = \"serde\", version = \"=2.0.0\", default-features = false, \
                  features = [\"std\", \"alloc\"] }";
    assert!(programs.contains(raised), "{programs}");
}

#[test]
fn a_feature_that_is_not_there() {
    let machine = Machine::new(r#"{"default": [], "manifests": []}"#);
    machine
        .run(&["--runs", "1"])
        .fails_with(&["xtask/budget.toml", "`storage-v1` has no feature `apply`"]);
}

#[test]
fn budgets_that_are_exceeded() {
    let machine = Machine::new(FEATURES);
    machine.sandbox.write("bin/apply.size", "1200000");
    let outcome = machine.run(&["--runs", "1"]);
    assert!(outcome.out.contains("7.1     +2.1"), "{}", outcome.out);
    let outcome = outcome.fails_with(&[
        "storage-v1, apply + manifests adds 2.1 MB of debug rlibs; its budget is 2.0 MB",
        "help: the budgets are in xtask/budget.toml",
    ]);
    assert!(
        outcome.out.contains("debug profile, one run\n"),
        "{}",
        outcome.out
    );

    // An excess of CPU time is measured more than once; for instructions, once is enough. Times on
    // a busy machine may differ by too much to compare: the unit tests have that with fixed ones.
    machine
        .sandbox
        .edit("root/xtask/budget.toml", "= 2000.0", "= 0.01");
    let outcome = machine.run(&["--runs", "1"]);
    let is_unclear = outcome.stderr.contains("can't be measured");
    let (basis, runs) = match outcome.stderr.contains("% of the instructions") {
        true => ("instructions", "one run\n"),
        false => (
            "CPU time",
            "one run; up to 5 runs of what exceeded a limit\n",
        ),
    };
    assert!(outcome.out.contains(runs), "{}", outcome.out);
    let text = match is_unclear {
        true => format!(" of k8s-openapi's {basis}, so whether it exceeds its budget of 0.0 %"),
        false => format!(" % of the {basis} of k8s-openapi's build; its budget is 0.0 %"),
    };
    outcome.fails_with(&["storage-v1 adds ", &text]);
}

#[test]
fn what_can_not_be_measured() {
    let machine = Machine::new(FEATURES);
    assert_eq!(machine.run(&["--runs", "0"]).code, Some(2));
    machine.sandbox.write("bin/fails", "");
    machine
        .run(&[])
        .fails_with(&["cargo failed", "cargo fetch"]);
    machine
        .sandbox
        .edit("root/xtask/budget.toml", "storage-v1", "storage-v9");
    machine.run(&[]).fails_with(&["no package `storage-v9`"]);
    machine
        .sandbox
        .edit("root/xtask/budget.toml", "\"default\"", "\"some\"");
    machine
        .run(&[])
        .fails_with(&["xtask/budget.toml", "is \"default\" or a list of features"]);
}

/// The real file is read before anything is built, and names crates and features that are there.
#[test]
fn the_real_budgets_are_understood() {
    let Some(root) = real_root() else { return };
    let budgets = fs::read_to_string(root.join("xtask/budget.toml")).unwrap();
    let table: toml::Table = budgets.parse().unwrap();
    let rows = table["budget"].as_array().unwrap();
    let names: BTreeSet<_> = rows
        .iter()
        .map(|row| row["crate"].as_str().unwrap())
        .collect();
    let features = |name: &str| {
        // Generated packages are at the root.
        let folders = [root.join("crates").join(name), root.join(name)];
        let folder = folders.iter().find(|folder| folder.is_dir()).unwrap();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let features = manifest.get("features");
        features.map_or_else(
            || "{}".to_owned(),
            |features| serde_json::to_string(features).unwrap(),
        )
    };
    let bases = table["base"].as_table().unwrap().values();
    let others = bases.flat_map(|base| base.as_table().unwrap().keys());
    let members: Vec<_> = names
        .into_iter()
        .map(|name| (name, features(name)))
        .chain(others.map(|name| (name.as_str(), "{}".to_owned())))
        .collect();
    let members: Vec<_> = members
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let machine = Machine::of(&members);
    machine.sandbox.write("root/xtask/budget.toml", &budgets);
    machine.sandbox.write("bin/fails", "");
    machine.run(&[]).fails_with(&["cargo failed"]);
}

/// The packages that a package of the workspace is built from.
fn built_from(root: &Path, package: &str) -> BTreeSet<String> {
    let fixed = "tree --quiet --locked --offline --edges normal,build --prefix none --format {p}";
    let output = Command::new(env!("CARGO"))
        .args(fixed.split(' '))
        .args(["--package", package])
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo tree of {package}");
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// What a driver of CSI compiles beside tonic. Measuring what that costs takes too long for each
/// commit.
#[test]
fn csi_brings_little_beside_tonic() {
    let Some(root) = real_root() else { return };
    let manifest = fs::read_to_string(root.join("crates/kubernetes-csi/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let messages = manifest["dependencies"].as_table().unwrap();
    let messages: Vec<_> = messages.keys().collect();
    assert_eq!(messages, ["prost", "prost-types", "tonic", "tonic-prost"]);
    let tonic = built_from(&root, "tonic");
    let kit = built_from(&root, "kubernetes-csi-driver");
    let brought: Vec<_> = kit.difference(&tonic).map(String::as_str).collect();
    let wanted = "anyhow bitflags either futures futures-executor itertools kubernetes-csi \
                  kubernetes-csi-driver kubernetes-mount linux-raw-sys prost prost-derive \
                  prost-types rustix thiserror thiserror-impl tonic-prost";
    assert_eq!(brought, Vec::from_iter(wanted.split(' ')));
}

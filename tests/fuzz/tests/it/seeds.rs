//! Each target with its seeds, as they are and damaged at random: a short run without libFuzzer.
//! `FUZZ_CASES` is the number of damaged inputs of each seed, `FUZZ_SEED` that of the random
//! numbers.

use std::fs;
use std::path::{Path, PathBuf};

use k8s_openapi::Resource;
use k8s_openapi::serde::de::DeserializeOwned;
use kubernetes_kinds::protobuf::{Field, Message, to_vec};
use kubernetes_storage_fuzz::{cel, crd, decode, json, load, overlay, protobuf, quantity, strict};
use storage_all::{core_v1, storage_v1, storage_v1beta1};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect(variable))
}

/// Changes, repeats, removes and inserts bytes.
fn damage(data: &mut Vec<u8>, rng: &mut fastrand::Rng) {
    const BYTES: &[u8] = b"{}[]\",:-&*!|>'#\\ \n\t\0a0.\xff";
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(..=data.len());
        let end = (at + rng.usize(..12)).min(data.len());
        match rng.u8(0..5) {
            0 => drop(data.drain(at..end)),
            1 => {
                let part = data[at..end].to_vec();
                let to = rng.usize(..=data.len());
                data.splice(to..to, part);
            }
            2 if at < data.len() => data[at] = BYTES[rng.usize(..BYTES.len())],
            3 if at < data.len() => data[at] ^= 1 << rng.u8(0..8),
            _ => data.insert(at, BYTES[rng.usize(..BYTES.len())]),
        }
    }
}

/// Runs a target whose seeds are right.
fn run_right(name: &str, target: fn(&[u8]) -> Result<(), String>) {
    for (path, seed) in seeds(name) {
        assert_eq!(target(&seed), Ok(()), "{}", path.display());
    }
    run(name, |data| drop(target(data)));
}

fn seeds(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(name);
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

fn run(name: &str, target: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let mut rng = fastrand::Rng::with_seed(number("FUZZ_SEED", 1));
    for (_, seed) in seeds(name) {
        target(&seed);
        for _ in 0..number("FUZZ_CASES", 300) {
            let mut data = seed.clone();
            damage(&mut data, &mut rng);
            let shown = data.clone();
            if std::panic::catch_unwind(|| target(&data)).is_err() {
                panic!("{name}: {:?}", String::from_utf8_lossy(&shown));
            }
        }
    }
}

#[test]
fn documents() {
    run_right("load", load);
}

#[test]
fn definitions() {
    run_right("crd", crd);
}

#[test]
fn rules() {
    run_right("cel", cel);
}

#[test]
fn overlays() {
    run_right("overlay", overlay);
}

#[test]
fn objects() {
    run("decode", decode);
}

#[test]
fn objects_read_strictly() {
    run("strict", strict);
}

/// A target asks for nothing of what it can't read, so that its seeds have to be right.
#[test]
fn seeds_in_protobuf_are_those_in_json() {
    fn check<K: DeserializeOwned + Field + Message + Resource>(name: &str) {
        let seed = |folder: &str, ending: &str| {
            let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
            fs::read(seeds.join(folder).join(format!("{name}.{ending}"))).unwrap()
        };
        let object: K = serde_json::from_slice(&seed("json", "json")).unwrap();
        assert_eq!(to_vec(&object), seed("protobuf", "pb"), "{name}");
    }
    check::<storage_v1::StorageClass>("class");
    check::<core_v1::PersistentVolume>("volume");
    check::<core_v1::PersistentVolumeClaimList>("claims");
    check::<storage_v1beta1::VolumeAttachment>("attachment");
    assert_eq!(seeds("protobuf").len(), 4);
}

#[test]
fn objects_in_json() {
    run("json", json);
}

#[test]
fn objects_in_protobuf() {
    run("protobuf", protobuf);
}

#[test]
fn quantities() {
    run("quantity", quantity);
}

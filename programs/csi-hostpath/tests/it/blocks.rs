//! Blocks of snapshots, compared with the files that they are of.

use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use futures::StreamExt;
use kubernetes_csi::v1::snapshot_metadata_server::SnapshotMetadata;
use kubernetes_csi::v1::volume_capability::{AccessType, BlockVolume};
use kubernetes_csi::v1::{BlockMetadata, GetMetadataAllocatedRequest, GetMetadataDeltaRequest};
use rustix::fs::{FallocateFlags, fallocate};
use tonic::{Code, Request};

use super::driver::{Driver, mount, volume};

const UNIT: u64 = 4096;

impl Driver {
    /// Returns the ranges of a snapshot that have data, and the numbers of them in the messages.
    async fn allocated(&self, id: &str, from: u64, most: i32) -> Result<Ranges, Code> {
        let request = GetMetadataAllocatedRequest {
            snapshot_id: id.to_owned(),
            starting_offset: i64::try_from(from).unwrap(),
            max_results: most,
            ..GetMetadataAllocatedRequest::default()
        };
        let answer = self.services.get_metadata_allocated(Request::new(request));
        let messages = answer.await.map_err(|error| error.code())?.into_inner();
        Ok(ranges(messages.map(|one| one.unwrap().block_metadata)).await)
    }

    /// Returns the ranges in which two snapshots differ.
    async fn delta(&self, base: &str, target: &str, from: u64, most: i32) -> Result<Ranges, Code> {
        let request = GetMetadataDeltaRequest {
            base_snapshot_id: base.to_owned(),
            target_snapshot_id: target.to_owned(),
            starting_offset: i64::try_from(from).unwrap(),
            max_results: most,
            ..GetMetadataDeltaRequest::default()
        };
        let answer = self.services.get_metadata_delta(Request::new(request));
        let messages = answer.await.map_err(|error| error.code())?.into_inner();
        Ok(ranges(messages.map(|one| one.unwrap().block_metadata)).await)
    }
}

type Ranges = (Vec<Range<u64>>, Vec<usize>);

async fn ranges(messages: impl futures::Stream<Item = Vec<BlockMetadata>>) -> Ranges {
    let messages: Vec<_> = messages.collect().await;
    let counts = messages.iter().map(Vec::len).collect();
    let all = messages.into_iter().flatten().map(|block| {
        let from = u64::try_from(block.byte_offset).unwrap();
        from..from + u64::try_from(block.size_bytes).unwrap()
    });
    (all.collect(), counts)
}

/// Writes, clears and punches units of a file at random.
fn change(file: &File, units: u64, random: &mut fastrand::Rng) {
    for _ in 0..random.usize(0..12) {
        let (at, count) = (random.u64(0..units), random.u64(1..6));
        let (from, length) = (at * UNIT, count.min(units - at) * UNIT);
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        match random.u8(0..3) {
            0 => {
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(file, flags, from, length).unwrap();
            }
            1 => file.write_all_at(&bytes, from).unwrap(),
            _ => {
                // Few values, so that some units stay as they were.
                bytes.fill(random.u8(0..3));
                file.write_all_at(&bytes, from).unwrap();
            }
        }
    }
}

fn sorted(ranges: &[Range<u64>]) -> bool {
    ranges.windows(2).all(|pair| pair[0].end < pair[1].start)
}

/// Returns the units of a text that are in a range, or not.
fn is_listed(ranges: &[Range<u64>], unit: u64) -> bool {
    ranges.iter().any(|range| range.contains(&(unit * UNIT)))
}

#[tokio::test]
async fn differences_are_those_of_the_files() {
    let driver = Driver::start(&[]);
    let units = 1024;
    let block = AccessType::Block(BlockVolume {});
    let volume = driver
        .create(volume("one", units * UNIT, block))
        .await
        .unwrap();
    let file = File::options()
        .write(true)
        .open(driver.data(&volume))
        .unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    let mut base = driver.snapshot("first", &volume).await;
    for round in 0..12 {
        change(&file, units, &mut random);
        let target = driver.snapshot(&format!("next-{round}"), &volume).await;
        let [old, new] = [&base, &target].map(|id| fs::read(driver.data(id)).unwrap());
        let (found, _) = driver.delta(&base, &target, 0, 0).await.unwrap();
        assert!(sorted(&found), "{found:?}");
        for unit in 0..units {
            let place = usize::try_from(unit * UNIT).unwrap();
            let place = place..place + usize::try_from(UNIT).unwrap();
            let differs = old[place.clone()] != new[place];
            assert_eq!(is_listed(&found, unit), differs, "unit {unit} of {found:?}");
        }
        let (data, _) = driver.allocated(&target, 0, 0).await.unwrap();
        assert!(sorted(&data), "{data:?}");
        for unit in (0..units).filter(|unit| !is_listed(&data, *unit)) {
            let place = usize::try_from(unit * UNIT).unwrap();
            assert!(
                new[place..][..usize::try_from(UNIT).unwrap()]
                    .iter()
                    .all(|byte| *byte == 0)
            );
        }
        // From the middle on, and in small messages.
        let from = random.u64(0..units) * UNIT;
        let (rest, counts) = driver.delta(&base, &target, from, 2).await.unwrap();
        let cut = |range: &Range<u64>| range.start.max(from)..range.end;
        let wanted = found.iter().filter(|range| range.end > from);
        assert_eq!(rest, wanted.map(cut).collect::<Vec<_>>());
        assert!(counts.iter().all(|count| *count <= 2), "{counts:?}");
        base = target;
    }
}

#[tokio::test]
async fn what_has_no_blocks_is_refused() {
    let driver = Driver::start(&[]);
    let block = || AccessType::Block(BlockVolume {});
    let end = 256 * UNIT;
    let folder = driver.create(volume("folder", end, mount())).await.unwrap();
    let folder = driver.snapshot("of-folder", &folder).await;
    let one = driver.create(volume("a", end, block())).await.unwrap();
    let other = driver.create(volume("b", end, block())).await.unwrap();
    let [one, other] = [
        driver.snapshot("a", &one).await,
        driver.snapshot("b", &other).await,
    ];
    let allocated = [
        (&*folder, 0, Code::FailedPrecondition),
        ("none", 0, Code::NotFound),
        (&*one, end + 1, Code::OutOfRange),
    ];
    for (id, from, code) in allocated {
        assert_eq!(driver.allocated(id, from, 0).await, Err(code), "{id}");
    }
    let deltas = [
        (&*one, &*other, 0, Code::InvalidArgument),
        (&*one, "none", 0, Code::NotFound),
        ("none", &*one, 0, Code::NotFound),
        (&*one, &*one, end + 1, Code::OutOfRange),
        (&*folder, &*folder, 0, Code::FailedPrecondition),
    ];
    for (base, target, from, code) in deltas {
        let answer = driver.delta(base, target, from, 0).await;
        assert_eq!(answer, Err(code), "{base} {target}");
    }
    // A caller goes on after the last block, which can end there.
    let none = Ok((vec![], vec![]));
    assert_eq!(driver.delta(&one, &one, end, 0).await, none);
    assert_eq!(driver.allocated(&one, end, 0).await, none);
}

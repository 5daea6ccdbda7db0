//! Blocks of snapshots: those of an image that have data, and those in which two images differ.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use kubernetes_csi_driver::csi::v1::BlockMetadataType;
use kubernetes_csi_driver::metadata::{
    AllocatedBlocks, Block, Blocks, ChangedBlocks, SnapshotMetadata,
};
use kubernetes_csi_driver::{Error, Result, async_trait};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

use crate::HostPath;
use crate::records::{Backing, SnapshotRecord};

/// The unit in which differences are looked for: file systems write as much at least.
const UNIT: usize = 4096;

/// The bytes that are read at a time.
const PART: usize = 256 * UNIT;

/// The blocks that are found before the caller takes them.
const AHEAD: usize = 256;

#[async_trait]
impl SnapshotMetadata for HostPath {
    async fn allocated(&self, request: AllocatedBlocks) -> Result<Blocks> {
        let snapshot = self.state.lock().snapshot(&request.snapshot_id)?.clone();
        check(&snapshot)?;
        let file = File::open(self.state.data(&snapshot.id))?;
        blocks(&snapshot, request.starting_offset, move |mut at, found| {
            while let Some((from, to)) = next_data(&file, at)? {
                if !found.add(from, to) {
                    break;
                }
                at = to;
            }
            Ok(())
        })
    }

    async fn delta(&self, request: ChangedBlocks) -> Result<Blocks> {
        let (base, target) = {
            let records = self.state.lock();
            let base = records.snapshot(&request.base_snapshot_id)?;
            let target = records.snapshot(&request.target_snapshot_id)?;
            (base.clone(), target.clone())
        };
        check(&base)?;
        check(&target)?;
        if base.source_volume_id != target.source_volume_id {
            return Err(Error::invalid(
                "target_snapshot_id: the snapshots are of different volumes",
            ));
        }
        let files = [&base, &target].map(|snapshot| File::open(self.state.data(&snapshot.id)));
        let [old, new] = files;
        let (old, new) = (old?, new?);
        blocks(&target, request.starting_offset, move |at, found| {
            differences(&old, &new, at, found)
        })
    }
}

/// A folder has no blocks.
fn check(snapshot: &SnapshotRecord) -> Result<()> {
    match snapshot.backing {
        Backing::Image => Ok(()),
        Backing::Folder => Err(Error::failed_precondition(format!(
            "snapshot {:?} is of a folder, which has no blocks",
            snapshot.id
        ))),
    }
}

/// Looks for blocks from a place on while the caller takes them, until it goes away.
fn blocks(
    snapshot: &SnapshotRecord,
    start: u64,
    find: impl FnOnce(u64, &mut Found) -> io::Result<()> + Send + 'static,
) -> Result<Blocks> {
    // At the end, nothing is left for a caller who goes on after the last block.
    if start > snapshot.size {
        let size = snapshot.size;
        let message = format!("starting_offset: the volume has {size} bytes, not {start}");
        return Err(Error::out_of_range(message));
    }
    let (sender, receiver) = channel(AHEAD);
    tokio::task::spawn_blocking(move || {
        let mut found = Found { sender, last: None };
        let done = find(unit_of(start), &mut found);
        found.end(done);
    });
    Ok(Blocks {
        block_metadata_type: BlockMetadataType::VariableLength,
        volume_size: snapshot.size,
        blocks: Box::pin(ReceiverStream::new(receiver)),
    })
}

/// The blocks that were found, of which the last may grow.
struct Found {
    sender: Sender<Result<Block>>,
    last: Option<Block>,
}

impl Found {
    /// Adds the bytes between two places. Returns false if nobody wants to know.
    fn add(&mut self, from: u64, to: u64) -> bool {
        match &mut self.last {
            Some(last) if last.offset + last.size == from => {
                last.size = to - last.offset;
                true
            }
            last => {
                let next = Block {
                    offset: from,
                    size: to - from,
                };
                match last.replace(next) {
                    Some(whole) => self.sender.blocking_send(Ok(whole)).is_ok(),
                    None => true,
                }
            }
        }
    }

    fn end(self, done: io::Result<()>) {
        // The caller may have gone.
        if let Some(last) = self.last {
            let _ = self.sender.blocking_send(Ok(last));
        }
        if let Err(error) = done {
            let _ = self.sender.blocking_send(Err(error.into()));
        }
    }
}

/// Returns the next bytes of a file that have data, from a place on.
fn next_data(file: &File, at: u64) -> io::Result<Option<(u64, u64)>> {
    let from = match seek(file, SeekFrom::Data(at)) {
        Ok(from) => from,
        // Nothing but a hole up to the end.
        Err(Errno::NXIO) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let to = seek(file, SeekFrom::Hole(from))?;
    Ok(Some((from, to)))
}

/// Compares two files where one of them has data.
fn differences(old: &File, new: &File, mut at: u64, found: &mut Found) -> io::Result<()> {
    let (mut before, mut after) = (vec![0; PART], vec![0; PART]);
    loop {
        let next = [next_data(old, at)?, next_data(new, at)?];
        let Some(from) = next.iter().flatten().map(|(from, _)| *from).min() else {
            return Ok(());
        };
        at = unit_of(from);
        let length = read_up_to(old, &mut before, at)?.max(read_up_to(new, &mut after, at)?);
        let units = before[..length]
            .chunks(UNIT)
            .zip(after[..length].chunks(UNIT));
        for (old, new) in units {
            let end = at + new.len() as u64;
            if old != new && !found.add(at, end) {
                return Ok(());
            }
            at = end;
        }
        if length == 0 {
            return Ok(());
        }
    }
}

/// Returns the start of the unit that a byte is in.
fn unit_of(at: u64) -> u64 {
    at / UNIT as u64 * UNIT as u64
}

/// Reads what a file has at a place, and zeros after its end.
fn read_up_to(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], at + length as u64) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes[length..].fill(0);
    Ok(length)
}

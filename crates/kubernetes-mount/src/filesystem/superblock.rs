//! The sizes that file systems write into their superblocks.

use std::path::Path;

use super::device::read_at;
use crate::{Error, Result};

/// The size of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FsSize {
    /// The size in bytes.
    pub(super) bytes: u64,
    /// The size of a block in bytes.
    pub(super) block: u64,
}

impl FsSize {
    fn of_blocks(blocks: u64, block: u64) -> Option<Self> {
        let bytes = blocks.checked_mul(block).filter(|_| block > 0)?;
        Some(Self { bytes, block })
    }
}

/// Returns the size of ext2, ext3 or ext4.
pub(super) fn ext(device: &Path) -> Result<FsSize> {
    read(device, 1024, 1024, "ext", |block| {
        let magic = block.get(0x38..0x3a)? == [0x53, 0xef];
        let log = le32(block, 0x18).filter(|log| magic && *log <= 6)?;
        let is_64_bit = le32(block, 0x60)? & 0x80 != 0;
        let high = if is_64_bit { le32(block, 0x150)? } else { 0 };
        let blocks = u64::from(high) << 32 | u64::from(le32(block, 0x04)?);
        FsSize::of_blocks(blocks, 1024 << log)
    })
}

/// Returns the size of XFS that isn't mounted: a mounted one writes its superblock late.
pub(super) fn xfs(device: &Path) -> Result<FsSize> {
    read(device, 0, 512, "XFS", |block| {
        let magic = block.get(..4)? == b"XFSB";
        let size = u32::from_be_bytes(*block.get(4..)?.first_chunk()?);
        let blocks = u64::from_be_bytes(*block.get(8..)?.first_chunk()?);
        FsSize::of_blocks(blocks, u64::from(size)).filter(|_| magic)
    })
}

/// Returns the size of the part of btrfs that is on this device.
pub(super) fn btrfs(device: &Path) -> Result<FsSize> {
    read(device, 64 << 10, 4096, "btrfs", |block| {
        let magic = block.get(0x40..0x48)? == b"_BHRfS_M";
        let sector = u64::from(le32(block, 0x90)?);
        // The second field of the device's item.
        let bytes = u64::from_le_bytes(*block.get(0xd1..)?.first_chunk()?);
        (magic && sector > 0).then_some(FsSize {
            bytes,
            block: sector,
        })
    })
}

fn le32(block: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*block.get(at..)?.first_chunk()?))
}

fn read(
    device: &Path,
    offset: u64,
    length: usize,
    name: &str,
    parse: impl FnOnce(&[u8]) -> Option<FsSize>,
) -> Result<FsSize> {
    let block = read_at(device, offset, length)?;
    block
        .as_deref()
        .and_then(parse)
        .ok_or_else(|| Error::invalid(format!("{} has no superblock of {name}", device.display())))
}

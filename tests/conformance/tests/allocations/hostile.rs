//! Reading protobuf allocates for what the input has, not for what it claims to have.

use std::hint::black_box;

use conformance::varint;
use conformance::workload::{self, Workload};
use core_v1::{PersistentVolumeClaimList, PersistentVolumeList};
use k8s_openapi::Resource;
use kubernetes_kinds::protobuf::{self, Field, Message};
use serde::de::DeserializeOwned;
use stats_alloc::Region;
use storage_v1::{CSINodeList, StorageClassList, VolumeAttachmentList};

use crate::{Counter, HEAP};

/// The most bytes that may be allocated for each byte of the input, in all, however soon they are
/// free again. Objects of these lists take three to six.
const EACH: usize = 16;

/// What reading may take besides, such as for the texts of errors, and what the runner of the tests
/// allocates meanwhile.
const BESIDES: usize = 16 << 10;

/// Lengths that an input may claim: of 32 bits with and without a sign, and of 64.
const CLAIMS: [u64; 4] = [1 << 20, i32::MAX as u64, u32::MAX as u64, i64::MAX as u64];

/// Reads an input, and asserts that it allocates little.
fn read<L: Field + Message + Resource>(input: &[u8], what: impl Fn() -> String) {
    let region = Region::new(HEAP);
    let result = black_box(protobuf::from_slice::<L>(black_box(input)));
    let allocated = region.change().bytes_allocated;
    let most = EACH * input.len() + BESIDES;
    assert!(allocated <= most, "{}: {allocated} of {most}", what());
    drop(result);
}

/// Reads a list of a kind with each byte replaced by each claim, and cut at each byte.
fn damage<K: Workload, L: Field + Message + Resource + DeserializeOwned>() {
    let list = workload::list::<K>(3).unwrap();
    let input = protobuf::to_vec(&serde_json::from_str::<L>(&list).unwrap());
    read::<L>(&input, || format!("{} unchanged", K::KIND));
    for at in 0..input.len() {
        read::<L>(&input[..at], || format!("{} cut at {at}", K::KIND));
        for claim in CLAIMS {
            let damaged = [&input[..at], &varint(claim), &input[at + 1..]].concat();
            let what = || format!("{} with {claim} at {at}", K::KIND);
            read::<L>(&damaged, what);
        }
    }
}

#[test]
fn lengths_are_not_believed() {
    let _counter = Counter::lock();
    damage::<core_v1::PersistentVolume, PersistentVolumeList>();
    damage::<core_v1::PersistentVolumeClaim, PersistentVolumeClaimList>();
    damage::<storage_v1::VolumeAttachment, VolumeAttachmentList>();
    damage::<storage_v1::CSINode, CSINodeList>();
    damage::<storage_v1::StorageClass, StorageClassList>();
}

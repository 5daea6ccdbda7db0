//! Common quantities are read, compared and written back without allocations.

use std::hint::black_box;

use kubernetes_kinds::quantity::{Amount, canonical};

use crate::Counter;

fn read_compare_and_write() {
    let texts = [
        "100Gi",
        "8Gi",
        "1.5Ti",
        "500m",
        "0.5",
        "1e12",
        "9223372036854775807",
        "1E",
    ];
    for one in texts {
        let amount = Amount::parse(one).unwrap();
        for two in texts {
            black_box(Amount::parse(two).unwrap() < amount);
        }
    }
    for text in ["100Gi", "8Gi", "1Mi", "500m", "1e3", "1k", "0"] {
        assert_eq!(black_box(canonical(text).unwrap()), text);
    }
}

#[test]
fn common_quantities_need_no_memory() {
    assert_eq!(Counter::lock().allocations(read_compare_and_write), 0);
}

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kubernetes_storage_fuzz::json(data));

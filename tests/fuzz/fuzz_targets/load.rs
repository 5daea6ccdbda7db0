#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = kubernetes_storage_fuzz::load(data);
});

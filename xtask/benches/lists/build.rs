//! Generates prost's types of Kubernetes' messages, by a compiler of `.proto` files in Rust.

fn main() {
    println!("cargo::rerun-if-env-changed=PROTOS");
    let folder = std::env::var("PROTOS").unwrap();
    let files =
        ["apps", "core", "storage"].map(|group| format!("k8s.io/api/{group}/v1/generated.proto"));
    let descriptors = protox::compile(files, [&folder]).unwrap();
    prost_build::Config::new()
        // Examples in them are no Rust.
        .disable_comments(["."])
        .include_file("messages.rs")
        .compile_fds(descriptors)
        .unwrap();
}

//! A host for tests of plugins, which needs neither root nor devices; the mounter and the runner of
//! commands are those of [`kubernetes_mount::testing`].

mod host;

pub use host::{FakeEvents, FakeHost};
pub use kubernetes_mount::testing::{FakeAction, FakeAnswer, FakeCall, FakeExec, FakeMounter};

//! A host and a CSI driver for tests of plugins, which need neither root nor devices; the mounter
//! and the runner of commands are those of [`kubernetes_mount::testing`].

mod csi;
mod host;

pub use csi::{FakeAttachments, FakeCsiCall, FakeCsiDriver};
pub use host::{FakeEvents, FakeHost};
pub use kubernetes_mount::testing::{FakeAction, FakeAnswer, FakeCall, FakeExec, FakeMounter};

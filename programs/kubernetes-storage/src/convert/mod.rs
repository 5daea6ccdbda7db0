//! `kubernetes-storage convert`: converts manifests to the newest version that a release serves,
//! and leaves the rest of their text unchanged.

mod destination;
mod edit;
mod lossy;
mod plan;
mod run;
mod version;
mod write;

pub(crate) use run::{Args, run};

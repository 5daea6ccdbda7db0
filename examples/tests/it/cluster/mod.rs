//! The example programs with a real API server.

mod operator;
mod storage_profile;
mod webhook;

//! Mounting, cleaning up, formatting, checking and growing; loop devices; the fakes; running
//! commands.

mod cleanup;
mod commands;
mod devices;
mod fakes;
mod format;
mod helper;
mod host;
mod linux;
mod loops;
mod options;
mod oracle;
mod propagation;
mod resize;
mod table;
mod tmpfs;
mod tools;
mod types;

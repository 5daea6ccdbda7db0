//! Files that change all at once, and parts of volumes.

mod cleaned;
mod made;
mod mounted;
mod opened;
mod races;
mod written;

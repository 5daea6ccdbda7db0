//! The end of an election.

/// The outcome of an election.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome<T> {
    /// The election was stopped before it was won.
    NotElected,
    /// The work ended, by itself or because it was stopped, and the Lease was released.
    Completed(T),
    /// The work was stopped and did not end within the
    /// [stop timeout](super::Config::with_stop_timeout). Its future was dropped, and the Lease was
    /// released.
    Dropped,
    /// The Lease was lost while the work ran.
    Lost {
        /// The reason.
        loss: Loss,
        /// The work's result if the work ended in the time that was left.
        result: Option<T>,
    },
}

/// The reason why a leadership was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// No renewal succeeded before the renew deadline.
    #[error("the Lease was not renewed before the renew deadline; the log says why")]
    NotRenewed,
    /// Somebody else changed the Lease. Has the holder, if there is one: this candidate's identity
    /// means that another process has the same identity.
    #[error(
        "the Lease was changed by somebody else, and is now held by {}",
        .0.as_deref().unwrap_or("nobody")
    )]
    Taken(Option<String>),
}

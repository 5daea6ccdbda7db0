//! The work of a leader, within the bounds of its leadership.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::select;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use super::lock::Kept;
use super::outcome::Loss;

/// A leadership, as the work sees it.
#[derive(Clone, Debug)]
pub struct Leadership {
    token: CancellationToken,
    valid_until: watch::Receiver<Instant>,
    grace: Duration,
}

impl Leadership {
    pub(super) fn new(
        token: CancellationToken,
        valid_until: watch::Receiver<Instant>,
        grace: Duration,
    ) -> Self {
        Self {
            token,
            valid_until,
            grace,
        }
    }

    /// Returns the token that is cancelled when the work must end: it is stopped, or the leadership
    /// is lost.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Waits until the work must end.
    pub async fn ended(&self) {
        self.token.cancelled().await;
    }

    /// Returns true if nobody else can lead now. It is the last check before an action that only a
    /// leader may do, in a thread or a task that is not cancelled with the work.
    ///
    /// It stays true while stopped work ends, and turns false at the renew deadline, or when the
    /// Lease is released or found to be changed.
    #[must_use]
    pub fn is_current(&self) -> bool {
        Instant::now() < self.valid_until()
    }

    /// Runs a part of the work that is a task of its own, and returns `None` when it must not run
    /// any longer.
    ///
    /// Dropping the work's future aborts such a task only when the runtime gets to it. When a
    /// suspended process goes on after its Lease has expired, the task may be run first, because
    /// an answer that it waited for is there; so each poll looks at the clock before. It does
    /// nothing when the future only waits: the task has to be aborted by the work, as a
    /// [`JoinSet`] does.
    pub async fn bound<Fut: Future>(&self, future: Fut) -> Option<Fut::Output> {
        poll_before(|| self.ends_at(), pin!(future)).await
    }

    /// Returns until when the work may end after the renew deadline.
    fn ends_at(&self) -> Instant {
        self.valid_until() + self.grace
    }

    /// Returns the renew deadline.
    fn valid_until(&self) -> Instant {
        *self.valid_until.borrow()
    }

    /// Waits for the renew deadline, which renewals postpone.
    async fn expired(&self) {
        loop {
            let until = self.valid_until();
            if Instant::now() >= until {
                return;
            }
            sleep_until(until).await;
        }
    }
}

/// The outcome of the work.
pub(super) enum Ended<T> {
    Completed(T),
    /// It was stopped and didn't end in time.
    Dropped,
    Lost(Loss, Option<T>),
}

/// Runs the work until it ends, or must not be run any longer. Its future is dropped on return.
pub(super) async fn supervise<F, Fut>(
    lead: F,
    leadership: &Leadership,
    stop: &CancellationToken,
    keeper: &mut JoinSet<Kept>,
    stop_timeout: Duration,
) -> Ended<Fut::Output>
where
    F: FnOnce(Leadership) -> Fut,
    Fut: Future,
{
    let mut work = pin!(async { lead(leadership.clone()).await });
    let overtime = async {
        stop.cancelled().await;
        sleep(stop_timeout).await;
    };
    let loss = select! {
        biased;
        loss = lost(keeper) => loss,
        () = leadership.expired() => Loss::NotRenewed,
        result = poll_before(|| leadership.valid_until(), work.as_mut()) => match result {
            Some(result) => return Ended::Completed(result),
            None => Loss::NotRenewed,
        },
        () = overtime => return Ended::Dropped,
    };
    leadership.token.cancel();
    if loss != Loss::NotRenewed {
        return Ended::Lost(loss, None);
    }
    let end = leadership.ends_at();
    let result = timeout_at(end, poll_before(|| end, work)).await;
    Ended::Lost(loss, result.ok().flatten())
}

/// Waits until the task that renews the Lease ends, which it only does here when the Lease is lost.
async fn lost(keeper: &mut JoinSet<Kept>) -> Loss {
    match keeper.join_next().await {
        Some(Ok(Kept::Lost(loss))) => loss,
        _ => Loss::NotRenewed,
    }
}

/// Polls a future as long as `end` has not come, and returns `None` if it has.
///
/// Timers can be late: when a suspended process goes on, the work may be woken before they are. So
/// each poll looks at the clock first.
async fn poll_before<Fut: Future>(
    end: impl Fn() -> Instant,
    mut future: Pin<&mut Fut>,
) -> Option<Fut::Output> {
    poll_fn(|context| {
        if Instant::now() >= end() {
            return Poll::Ready(None);
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}

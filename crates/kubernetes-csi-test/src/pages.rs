//! Lists that come page by page.

use kubernetes_csi::v1::*;
use tonic::Code;

use crate::call::Call;
use crate::check::{Checked, Stop, expect};
use crate::context::Context;

/// The most pages that are read: a driver that ignores tokens has no last page.
const PAGES: usize = 10_000;

/// A call that returns a list.
pub(crate) trait List: Call + Default {
    /// Sets what the page is.
    fn page(self, max_entries: i32, starting_token: String) -> Self;

    /// Returns the ids of an answer, and the token of the next page.
    fn ids(answer: &Self::Answer) -> (Vec<String>, String);
}

macro_rules! lists {
    ($($request:ident |$entry:ident| $id:expr;)*) => {$(
        impl List for $request {
            fn page(mut self, max_entries: i32, starting_token: String) -> Self {
                self.max_entries = max_entries;
                self.starting_token = starting_token;
                self
            }

            fn ids(answer: &Self::Answer) -> (Vec<String>, String) {
                let ids = answer.entries.iter().map(|$entry| $id);
                (ids.collect(), answer.next_token.clone())
            }
        }
    )*};
}

lists! {
    ListVolumesRequest |entry| {
        entry.volume.as_ref().map(|volume| volume.volume_id.clone()).unwrap_or_default()
    };
    ListSnapshotsRequest |entry| {
        entry.snapshot.as_ref().map(|snapshot| snapshot.snapshot_id.clone()).unwrap_or_default()
    };
    ControllerListVolumeHealthRequest |entry| entry.volume_id.clone();
}

/// Returns the ids of all pages.
pub(crate) async fn all<R: List>(
    t: &Context,
    request: &R,
    max_entries: i32,
) -> Checked<Vec<String>> {
    let mut all = Vec::new();
    let mut token = String::new();
    for _ in 0..PAGES {
        let answer = t
            .ok(request.clone().page(max_entries, token.clone()))
            .await?;
        let (ids, next) = R::ids(&answer);
        let most = usize::try_from(max_entries).unwrap_or_default();
        expect(most == 0 || ids.len() <= most, || {
            format!(
                "a page of {} has {} entries; asked for were {most}",
                R::NAME,
                ids.len()
            )
        })?;
        expect(next.is_empty() || next != token, || {
            format!(
                "the page at the token {token:?} of {} has the same as that of the next",
                R::NAME
            )
        })?;
        all.extend(ids);
        if next.is_empty() {
            return Ok(all);
        }
        token = next;
    }
    Err(Stop::Failed(format!(
        "{} has no last page after {PAGES}",
        R::NAME
    )))
}

/// Checks that pages have each of some ids once.
pub(crate) async fn have_each_once<R: List>(t: &Context, request: &R, ids: &[String]) -> Checked {
    for size in [1, 2] {
        let listed = all(t, request, size).await?;
        for id in ids {
            let count = listed.iter().filter(|one| *one == id).count();
            expect(count == 1, || {
                format!(
                    "{id:?} is {count} times on the pages of {} with {size} entries",
                    R::NAME
                )
            })?;
        }
    }
    Ok(())
}

/// Checks that a token that the driver never gave is refused.
pub(crate) async fn unknown_token<R: List>(t: &Context) -> Checked {
    let request = R::default().page(0, "?no such token?".to_owned());
    t.refused(request, &[Code::Aborted]).await
}

/// Checks that a negative number of entries is refused.
pub(crate) async fn negative_max_entries<R: List>(t: &Context) -> Checked {
    let request = R::default().page(-1, String::new());
    t.refused(request, &[Code::InvalidArgument]).await
}

//! Lists in pages.

use crate::{Error, Result};

/// The part of a list that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The most entries; `None` if there is no limit.
    pub max_entries: Option<usize>,
    /// The `next_token` of the page before; `None` for the first page.
    pub starting_token: Option<String>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries, at most as many as asked for.
    pub entries: Vec<T>,
    /// The token for the next page; `None` if this is the last one.
    pub next_token: Option<String>,
}

impl PageRequest {
    pub(crate) fn of(max_entries: i32, starting_token: String) -> Self {
        let most = usize::try_from(max_entries).unwrap_or_default();
        Self {
            max_entries: (most > 0).then_some(most),
            starting_token: (!starting_token.is_empty()).then_some(starting_token),
        }
    }

    /// Returns the page of a list whose entries are sorted by their ids. The token is the id of the
    /// last entry, so that no entry is missed or listed twice when others come and go.
    ///
    /// # Errors
    ///
    /// `ABORTED` if `is_token` refuses the token: the caller starts over.
    pub fn of_sorted<T>(
        &self,
        sorted: impl IntoIterator<Item = T>,
        id: impl Fn(&T) -> &str,
        is_token: impl Fn(&str) -> bool,
    ) -> Result<Page<T>> {
        let after = self.starting_token.as_deref();
        if after.is_some_and(|token| !is_token(token)) {
            return Err(Error::busy(
                "starting_token: it isn't the next_token of a page; list from the start",
            ));
        }
        let mut rest = sorted.into_iter();
        let mut rest = rest
            .by_ref()
            .filter(|entry| after.is_none_or(|after| id(entry) > after))
            .peekable();
        let mut entries = Vec::new();
        while self.max_entries.is_none_or(|most| entries.len() < most) {
            let Some(entry) = rest.next() else {
                break;
            };
            entries.push(entry);
        }
        let next_token = rest
            .peek()
            .and(entries.last())
            .map(|last| id(last).to_owned());
        Ok(Page {
            entries,
            next_token,
        })
    }
}

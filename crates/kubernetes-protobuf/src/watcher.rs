//! Listing and watching, again and again, and kube's parameters, events and errors for it.

use std::time::Duration;
use std::vec;

use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use kube::api::{ListParams, ResourceExt, VersionMatch, WatchEvent, WatchParams};
use kube::core::Status;
use tracing::debug;

use crate::{Api, Object};

// As in kube, one import of `watcher` is that of the function and of its module.
pub use kube::runtime::watcher::{
    Config, DefaultBackoff, Error, Event, InitialListStrategy, ListSemantic, Result,
};

/// The annotation of the bookmark that ends the initial events of a watch.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// The seconds after which a server ends a watch, as kube asks for if a [`Config`] has none.
const TIMEOUT: u32 = 290;

/// The time that a server has for that. A connection without events for longer is dead.
const MARGIN: Duration = Duration::from_secs(5);

/// The code of an error by which a server says that a resource version is too old.
const GONE: u16 = 410;

/// Lists objects and watches them, like kube's [`watcher`](kube::runtime::watcher()), in protobuf.
///
/// The stream never ends and has kube's events and errors: reflectors, stores, `WatchStreamExt` and
/// `Controller::for_stream` take it. All of [`Config`] is obeyed. A watch that ends is
/// continued where it ended; one whose resource version is too old is begun anew, with
/// [`Event::Init`].
///
/// ```no_run
/// use futures::{StreamExt, TryStreamExt};
/// use kube::runtime::{WatchStreamExt, reflector};
/// use kubernetes_protobuf::{Api, watcher};
/// use storage_v1::StorageClass;
///
/// # async fn example(client: kube::Client) -> Result<(), watcher::Error> {
/// let classes: Api<StorageClass> = Api::all(client);
/// let (store, writer) = reflector::store();
/// let stream = watcher(classes, watcher::Config::default())
///     .default_backoff()
///     .reflect(writer)
///     .applied_objects();
/// let mut stream = stream.boxed();
/// while let Some(class) = stream.try_next().await? {
///     println!("{:?}, one of {}", class.metadata.name, store.state().len());
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The stream goes on after an error, and at once: add a backoff, such as
/// `WatchStreamExt::default_backoff`. An event that can't be read is an error and missing in the
/// stream.
pub fn watcher<K: Object>(
    api: Api<K>,
    config: Config,
) -> impl Stream<Item = Result<Event<K>>> + Send + use<K> {
    let source = Source { api, config };
    stream::unfold((source, State::Start), |(source, state)| async {
        let (state, event) = source.next(state).await;
        Some((event, (source, state)))
    })
}

/// The objects to list and to watch.
struct Source<K> {
    api: Api<K>,
    config: Config,
}

type Events<K> = BoxStream<'static, kube::Result<WatchEvent<K>>>;

enum State<K> {
    /// Nothing is known.
    Start,
    /// Pages are being listed.
    Listing(Page<K>),
    /// A watch sends all objects first.
    Initial(Events<K>),
    /// Everything up to a resource version is known.
    Listed(String),
    /// A watch sends what happened after a resource version.
    Watching(String, Events<K>),
}

/// The rest of a page, and the request after it.
struct Page<K> {
    items: vec::IntoIter<K>,
    next: Next,
}

enum Next {
    /// The page with this token, or the first one.
    Page(Option<String>),
    /// A watch from this resource version.
    Watch(String),
}

/// A step: the state after it, and what the stream returns, if anything.
type Step<K> = (State<K>, Option<Result<Event<K>>>);

impl<K: Object> Source<K> {
    async fn next(&self, mut state: State<K>) -> (State<K>, Result<Event<K>>) {
        loop {
            match self.step(state).await {
                (state, Some(event)) => return (state, event),
                (next, None) => state = next,
            }
        }
    }

    async fn step(&self, state: State<K>) -> Step<K> {
        match state {
            State::Start => self.start().await,
            State::Listing(page) => self.list(page).await,
            State::Initial(mut events) => match self.receive(&mut events).await {
                Some(event) => on_initial_event(event, events),
                None => (State::Start, None),
            },
            State::Listed(version) => self.resume(version).await,
            State::Watching(version, mut events) => match self.receive(&mut events).await {
                Some(event) => on_event(event, version, events),
                None => (State::Listed(version), None),
            },
        }
    }

    async fn start(&self) -> Step<K> {
        match self.config.initial_list_strategy {
            InitialListStrategy::ListWatch => {
                let page = Page {
                    items: Vec::new().into_iter(),
                    next: Next::Page(None),
                };
                (State::Listing(page), Some(Ok(Event::Init)))
            }
            InitialListStrategy::StreamingList => {
                match self.api.watch(&self.watch_params(true), "0").await {
                    Ok(events) => (State::Initial(events.boxed()), Some(Ok(Event::Init))),
                    Err(error) => (State::Start, Some(Err(Error::WatchStartFailed(error)))),
                }
            }
        }
    }

    async fn list(&self, mut page: Page<K>) -> Step<K> {
        if let Some(object) = page.items.next() {
            return (State::Listing(page), Some(Ok(Event::InitApply(object))));
        }
        let token = match page.next {
            Next::Page(token) => token,
            Next::Watch(version) => return (State::Listed(version), Some(Ok(Event::InitDone))),
        };
        let list = match self.api.list(&self.list_params(token)).await {
            Ok(list) => list,
            Err(error) => return (State::Start, Some(Err(Error::InitialListFailed(error)))),
        };
        let is_set = |text: &String| !text.is_empty();
        let token = list.metadata.continue_.filter(is_set);
        let version = list.metadata.resource_version.filter(is_set);
        let next = match (token, version) {
            (Some(token), _) => Next::Page(Some(token)),
            (None, Some(version)) => Next::Watch(version),
            (None, None) => return (State::Start, Some(Err(Error::NoResourceVersion))),
        };
        let items = list.items.into_iter();
        (State::Listing(Page { items, next }), None)
    }

    async fn resume(&self, version: String) -> Step<K> {
        match self.api.watch(&self.watch_params(false), &version).await {
            Ok(events) => (State::Watching(version, events.boxed()), None),
            Err(error) => {
                // Most servers send this error as an event.
                let state = match &error {
                    kube::Error::Api(status) if status.code == GONE => State::Start,
                    _ => State::Listed(version),
                };
                (state, Some(Err(Error::WatchStartFailed(error))))
            }
        }
    }

    /// Waits for an event; `None` when the watch has ended, or seems dead.
    async fn receive(&self, events: &mut Events<K>) -> Option<kube::Result<WatchEvent<K>>> {
        let seconds = self.config.timeout.unwrap_or(TIMEOUT);
        if seconds == 0 {
            return events.next().await;
        }
        let limit = Duration::from_secs(seconds.into()) + MARGIN;
        match tokio::time::timeout(limit, events.next()).await {
            Ok(event) => event,
            Err(_) => {
                debug!("no event for {limit:?}: the watch is started again");
                None
            }
        }
    }

    fn list_params(&self, continue_token: Option<String>) -> ListParams {
        let is_any = self.config.list_semantic == ListSemantic::Any;
        ListParams {
            label_selector: self.config.label_selector.clone(),
            field_selector: self.config.field_selector.clone(),
            limit: self.config.page_size,
            continue_token,
            resource_version: is_any.then(|| "0".to_owned()),
            version_match: is_any.then_some(VersionMatch::NotOlderThan),
            ..ListParams::default()
        }
    }

    fn watch_params(&self, send_initial_events: bool) -> WatchParams {
        WatchParams {
            label_selector: self.config.label_selector.clone(),
            field_selector: self.config.field_selector.clone(),
            timeout: self.config.timeout,
            bookmarks: self.config.bookmarks,
            send_initial_events,
        }
    }
}

fn on_initial_event<K: Object>(event: kube::Result<WatchEvent<K>>, events: Events<K>) -> Step<K> {
    match event {
        Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => {
            (State::Initial(events), Some(Ok(Event::InitApply(object))))
        }
        Ok(WatchEvent::Bookmark(mark)) => {
            if mark.metadata.annotations.contains_key(INITIAL_EVENTS_END) {
                let state = State::Watching(mark.metadata.resource_version, events);
                (state, Some(Ok(Event::InitDone)))
            } else {
                (State::Initial(events), None)
            }
        }
        // Servers don't send this before the bookmark.
        Ok(WatchEvent::Deleted(object)) => {
            debug!("{} was deleted among initial events", object.name_any());
            (State::Initial(events), None)
        }
        Ok(WatchEvent::Error(status)) => on_error(status, State::Initial(events)),
        Err(error) => (State::Initial(events), Some(Err(Error::WatchFailed(error)))),
    }
}

fn on_event<K: Object>(
    event: kube::Result<WatchEvent<K>>,
    version: String,
    events: Events<K>,
) -> Step<K> {
    let (object, event): (K, fn(K) -> Event<K>) = match event {
        Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => (object, Event::Apply),
        Ok(WatchEvent::Deleted(object)) => (object, Event::Delete),
        Ok(WatchEvent::Bookmark(mark)) => {
            return (
                State::Watching(mark.metadata.resource_version, events),
                None,
            );
        }
        Ok(WatchEvent::Error(status)) => return on_error(status, State::Watching(version, events)),
        Err(error) => {
            let state = State::Watching(version, events);
            return (state, Some(Err(Error::WatchFailed(error))));
        }
    };
    match object.resource_version().filter(|text| !text.is_empty()) {
        Some(version) => (State::Watching(version, events), Some(Ok(event(object)))),
        None => (State::Start, Some(Err(Error::NoResourceVersion))),
    }
}

/// Begins anew when the resource version is too old; goes on otherwise.
fn on_error<K>(status: Box<Status>, state: State<K>) -> Step<K> {
    let state = if status.code == GONE {
        State::Start
    } else {
        state
    };
    (state, Some(Err(Error::WatchError(status))))
}

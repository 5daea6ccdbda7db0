//! The Lease as a lock: acquired, renewed and released by requests to the API server.

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::api::{Api, ApiResource, DynamicObject, PostParams};
use kube::{Client, Error};
use serde_json::Value;
use tokio::select;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::config::Config;
use super::failure::{Failure, Log};
use super::outcome::Loss;
use super::record::{self, Written};

/// The most renew times that are remembered of writes without an answer.
const MOST_SENT: usize = 64;

/// The most attempts to release the Lease while others write it.
const RELEASE_TRIES: u32 = 5;

/// The contents of the Lease, and when this candidate first saw them.
struct Seen {
    spec: LeaseSpec,
    /// The stored contents, to notice changes of values that `spec` can't represent.
    raw: Value,
    at: Instant,
}

/// The result of one try to acquire the Lease.
enum Acquired {
    /// Acquired by a request that started then.
    Since(Instant),
    /// Another candidate holds it; wait for it until then.
    Busy(Instant),
    /// Another candidate wrote at the same time.
    Contended,
}

/// The result of one try to renew the Lease.
enum Renewed {
    /// Renewed by a request that started then.
    Since(Instant),
    /// Somebody wrote at the same time.
    Contended,
    Lost(Loss),
}

/// The outcome of keeping the Lease.
pub(super) enum Kept {
    Lost(Loss),
    /// It was given up.
    Released,
}

pub(super) struct Lock {
    api: Api<Lease>,
    /// The API for reading: a Lease of `api` can't have some times that a server accepts.
    raw: Api<DynamicObject>,
    config: Config,
    leader: watch::Sender<Option<String>>,
    log: Log,
    /// The stored Lease, if the last request returned it.
    current: Option<Lease>,
    seen: Option<Seen>,
    /// The renew times of the last write with an answer, and of later writes without one: a Lease
    /// with any of them was written by this candidate.
    sent: Vec<MicroTime>,
    /// All times that this candidate wrote lately, in this election and those before it.
    written: Written,
    /// Set if a write of this candidate took effect or may still do so.
    may_hold: bool,
}

impl Lock {
    pub(super) fn new(
        client: Client,
        config: Config,
        leader: watch::Sender<Option<String>>,
        written: Written,
    ) -> Self {
        let kind = ApiResource::erase::<Lease>(&());
        Self {
            api: Api::namespaced(client.clone(), &config.namespace),
            raw: Api::namespaced_with(client, &config.namespace, &kind),
            config,
            leader,
            log: Log::default(),
            current: None,
            seen: None,
            sent: Vec::new(),
            written,
            may_hold: false,
        }
    }

    /// Acquires the Lease, and returns when the request that did started. It tries for ever.
    pub(super) async fn acquire(&mut self) -> Instant {
        loop {
            let mut next = Instant::now() + self.config.wait();
            let result = self.try_acquire().await;
            match self.logged(result) {
                // The process may have been suspended since the request.
                Some(Acquired::Since(since))
                    if Instant::now() < since + self.config.renew_deadline =>
                {
                    return since;
                }
                Some(Acquired::Busy(until)) => next = next.min(until),
                Some(Acquired::Since(_) | Acquired::Contended) | None => {}
            }
            sleep_until(next).await;
        }
    }

    /// Renews the Lease until it is lost, or until `resign` is cancelled and it is released.
    /// `valid_until` is the renew deadline.
    pub(super) async fn keep(
        mut self,
        valid_until: watch::Sender<Instant>,
        resign: CancellationToken,
    ) -> Kept {
        let ended = select! {
            biased;
            () = resign.cancelled() => None,
            loss = self.renew_until_lost(&valid_until) => Some(loss),
        };
        match ended {
            Some(Loss::NotRenewed) => Kept::Lost(Loss::NotRenewed),
            Some(loss) => {
                valid_until.send_replace(Instant::now());
                Kept::Lost(loss)
            }
            None => {
                valid_until.send_replace(Instant::now());
                self.release().await;
                Kept::Released
            }
        }
    }

    async fn renew_until_lost(&mut self, valid_until: &watch::Sender<Instant>) -> Loss {
        let mut next = Instant::now() + self.config.wait();
        loop {
            let deadline = *valid_until.borrow();
            if timeout_at(deadline, sleep_until(next)).await.is_err() {
                return Loss::NotRenewed;
            }
            next = Instant::now() + self.config.wait();
            let Ok(result) = timeout_at(deadline, self.try_renew()).await else {
                return Loss::NotRenewed;
            };
            match self.logged(result) {
                Some(Renewed::Since(since)) => {
                    valid_until.send_replace(since + self.config.renew_deadline);
                }
                Some(Renewed::Lost(loss)) => return loss,
                Some(Renewed::Contended) => {
                    debug!("the Lease changed while it was renewed")
                }
                None => {}
            }
        }
    }

    /// Gives the Lease up if this candidate holds it, for the next one to take it at once. It takes
    /// at most the time of one request.
    pub(super) async fn release(&mut self) {
        if !self.may_hold {
            return;
        }
        let limit = self.config.request_timeout();
        let failure = match timeout(limit, self.try_release()).await {
            Ok(Ok(())) => return,
            Ok(Err(failure)) => failure,
            Err(_) => Failure::timed_out("update", &self.config),
        };
        warn!("{failure}; the Lease was not released and expires");
    }

    async fn try_acquire(&mut self) -> Result<Acquired, Failure> {
        let lease = self.read().await?;
        if let Some(until) = self.busy_until() {
            return Ok(Acquired::Busy(until));
        }
        let since = match lease {
            Some(lease) => {
                // Written by this identity before the process was restarted.
                if let Some(spec) = lease.spec.as_ref().filter(|spec| self.holds(spec)) {
                    self.note_sent(spec.renew_time.as_ref());
                }
                self.hold(lease).await?
            }
            None => self.create().await?,
        };
        Ok(since.map_or(Acquired::Contended, Acquired::Since))
    }

    async fn try_renew(&mut self) -> Result<Renewed, Failure> {
        if let Some(lease) = self.current.take()
            && let Some(since) = self.hold(lease).await?
        {
            return Ok(Renewed::Since(since));
        }
        let since = match self.read().await? {
            Some(lease) if self.is_own(&lease) => self.hold(lease).await?,
            Some(lease) => {
                let holder = lease.spec.as_ref().and_then(record::holder);
                return Ok(Renewed::Lost(Loss::Taken(holder.map(str::to_owned))));
            }
            None => {
                warn!(
                    lease = self.config.lease(),
                    "the Lease was deleted; creating it again"
                );
                self.create().await?
            }
        };
        Ok(since.map_or(Renewed::Contended, Renewed::Since))
    }

    async fn try_release(&mut self) -> Result<(), Failure> {
        for _ in 0..RELEASE_TRIES {
            let lease = match self.current.take() {
                Some(lease) => lease,
                None => match self.read().await? {
                    Some(lease) if self.is_own(&lease) => lease,
                    _ => return Ok(()),
                },
            };
            let spec = lease.spec.unwrap_or_default();
            let spec = record::released(spec, self.next_time());
            if self.write(lease.metadata, spec).await?.is_some() {
                self.may_hold = false;
                info!(lease = self.config.lease(), "the Lease is released");
                return Ok(());
            }
        }
        Err(Failure::Contended(self.config.lease()))
    }

    /// Reads the Lease; `None` if it doesn't exist.
    async fn read(&mut self) -> Result<Option<Lease>, Failure> {
        self.current = None;
        let request = self.raw.get_opt(&self.config.name);
        let mut found = match timeout(self.config.request_timeout(), request).await {
            Ok(Ok(Some(found))) => found,
            Ok(Ok(None)) => {
                // The holder of a deleted Lease may lead on, so it is not forgotten.
                self.publish(None);
                return Ok(None);
            }
            Ok(Err(error)) => return Err(Failure::new("get", error, &self.config)),
            Err(_) => return Err(Failure::timed_out("get", &self.config)),
        };
        let raw = found
            .data
            .get_mut("spec")
            .map(Value::take)
            .unwrap_or_default();
        let spec = record::parse(raw.clone())
            .map_err(|error| Failure::new("get", Error::SerdeError(error), &self.config))?;
        self.see(&spec, raw);
        Ok(Some(Lease {
            metadata: found.metadata,
            spec: Some(spec),
        }))
    }

    /// Takes or renews a stored Lease.
    async fn hold(&mut self, lease: Lease) -> Result<Option<Instant>, Failure> {
        let spec = record::held(lease.spec.as_ref(), &self.config, self.next_time());
        self.write(lease.metadata, spec).await
    }

    /// Creates the Lease; one that was deleted is continued.
    async fn create(&mut self) -> Result<Option<Instant>, Failure> {
        let last = self.seen.as_ref().map(|seen| &seen.spec);
        let spec = record::held(last, &self.config, self.next_time());
        let metadata = ObjectMeta {
            name: Some(self.config.name.clone()),
            namespace: Some(self.config.namespace.clone()),
            ..ObjectMeta::default()
        };
        self.send("create", metadata, spec).await
    }

    async fn write(
        &mut self,
        metadata: ObjectMeta,
        spec: LeaseSpec,
    ) -> Result<Option<Instant>, Failure> {
        // An update without it would overwrite whatever is stored.
        if metadata
            .resource_version
            .as_deref()
            .unwrap_or_default()
            .is_empty()
        {
            return Err(Failure::NoVersion(self.config.lease()));
        }
        self.send("update", metadata, spec).await
    }

    /// Sends the Lease, and returns when the request started, or `None` if another write was first.
    async fn send(
        &mut self,
        verb: &'static str,
        metadata: ObjectMeta,
        spec: LeaseSpec,
    ) -> Result<Option<Instant>, Failure> {
        let is_new = verb == "create";
        self.current = None;
        self.note_sent(spec.renew_time.as_ref());
        // The request is sent even if this future is dropped from here on.
        let may_have_held = std::mem::replace(&mut self.may_hold, true);
        let lease = Lease {
            metadata,
            spec: Some(spec),
        };
        let parameters = PostParams::default();
        let started = Instant::now();
        let answer = timeout(self.config.request_timeout(), async {
            match is_new {
                true => self.api.create(&parameters, &lease).await,
                false => {
                    self.api
                        .replace(&self.config.name, &parameters, &lease)
                        .await
                }
            }
        });
        match answer.await {
            Ok(Ok(stored)) => {
                self.sent.clear();
                self.sent
                    .extend(lease.spec.and_then(|spec| spec.renew_time));
                // It need not equal what a later read returns: nobody waits for oneself.
                self.see(&stored.spec.clone().unwrap_or_default(), Value::Null);
                self.current = Some(stored);
                Ok(Some(started))
            }
            Ok(Err(Error::Api(status)))
                if status.code == 409 || (status.code == 404 && !is_new) =>
            {
                self.may_hold = may_have_held;
                Ok(None)
            }
            Ok(Err(error)) => {
                // Errors of the server, unlike those of the client, can come after the write.
                if matches!(&error, Error::Api(status) if (400..500).contains(&status.code)) {
                    self.may_hold = may_have_held;
                }
                Err(Failure::new(verb, error, &self.config))
            }
            Err(_) => Err(Failure::timed_out(verb, &self.config)),
        }
    }

    fn note_sent(&mut self, time: Option<&MicroTime>) {
        let Some(time) = time else {
            return;
        };
        self.written.note(time);
        if self.sent.contains(time) {
            return;
        }
        if self.sent.len() >= MOST_SENT {
            self.sent.remove(0);
        }
        self.sent.push(time.clone());
    }

    /// Notes the contents of the Lease, and the time if they are new.
    fn see(&mut self, spec: &LeaseSpec, raw: Value) {
        self.publish(record::holder(spec));
        if self
            .seen
            .as_ref()
            .is_none_or(|seen| seen.raw != raw || seen.spec != *spec)
        {
            self.seen = Some(Seen {
                spec: spec.clone(),
                raw,
                at: Instant::now(),
            });
        }
    }

    fn publish(&self, holder: Option<&str>) {
        self.leader.send_if_modified(|leader| {
            let is_new = leader.as_deref() != holder;
            if is_new {
                info!(
                    lease = self.config.lease(),
                    holder, "the holder of the Lease changed"
                );
                *leader = holder.map(str::to_owned);
            }
            is_new
        });
    }

    /// Returns the time until which to wait for another holder; `None` if there is no need to.
    fn busy_until(&self) -> Option<Instant> {
        let seen = self.seen.as_ref()?;
        let holder = record::holder(&seen.spec)?;
        if holder == self.config.identity {
            return None;
        }
        let until = seen.at + record::duration(&seen.spec, &self.config);
        (Instant::now() < until).then_some(until)
    }

    fn holds(&self, spec: &LeaseSpec) -> bool {
        record::holder(spec) == Some(self.config.identity.as_str())
    }

    /// Returns true if this candidate wrote the stored Lease, and not another process
    /// of the same identity.
    fn is_own(&self, lease: &Lease) -> bool {
        lease.spec.as_ref().is_some_and(|spec| {
            self.holds(spec)
                && spec
                    .renew_time
                    .as_ref()
                    .is_some_and(|time| self.sent.contains(time))
        })
    }

    /// Returns the wall clock's time for the next write.
    fn next_time(&self) -> MicroTime {
        self.written.next(self.config.now(), &self.config)
    }

    /// Returns the result of a try; a failure is logged.
    fn logged<T>(&mut self, result: Result<T, Failure>) -> Option<T> {
        match result {
            Ok(result) => {
                self.log.worked(&self.config);
                Some(result)
            }
            Err(failure) => {
                self.log.failed(&failure);
                None
            }
        }
    }
}

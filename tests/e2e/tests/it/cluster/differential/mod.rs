//! Compares our defaults and rules with those of a running API server: random objects, damaged at
//! random, are sent to it as dry runs, and its results must be ours.
//!
//! Each damage is done by itself to `E2E_SWEPT` objects, 2 by default, and to twice as many
//! VolumeAttachments; they are the same with every seed. Then follow `E2E_CASES` random requests,
//! 1,000 by default, and as many for [strict reading](strict); of [volumes] and of snapshots, 250
//! of each kind and operation. `E2E_SEED` chooses others. `cargo xtask proof differential` has 8
//! objects and 30,000 requests. The release of the server decides what is sent and expected.

mod damage;
mod deviations;
mod facts;
mod group_snapshots;
mod health;
mod lists;
mod metadata;
mod ours;
mod ratcheting;
mod reading;
mod snapshots;
mod sources;
mod strict;
mod verdict;
mod volumes;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use conformance::doc::Doc;
use conformance::valid::Kind;
use e2e::{Answer, ControlPlane, Error, send, send_as};
use fastrand::Rng;
use http::Method;
use kube::Client;
use kubernetes_kinds::Release;
use kubernetes_validation::Target;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::cases::{Differences, number};
use crate::cluster::discovery::Server;
use damage::Damage;
use deviations::Deviations;
use lists::check_coverage;
use ours::{Operation, Ours};
use verdict::Verdict;

/// The objects of a kind that updates are made of.
const STORED: usize = 16;

/// The seed of the objects that are swept, so that the same rules fire with every seed.
const SWEEP: u64 = 1;

/// The objects to which each damage is done, and how often one is drawn that has its place.
const SWEPT: u64 = 2;
const TRIES: usize = 100;

/// The release of rules.txt and rules-volumes.txt, which the sweep fires, and of deviations.toml.
const LISTED: Release = Release::new(1, 37);

/// Returns the control plane that tests of this module share. Tests of `server` have another one,
/// because they add definitions of custom resources.
async fn shared() -> &'static ControlPlane {
    static SHARED: OnceCell<Result<ControlPlane, Error>> = OnceCell::const_new();
    let server = SHARED.get_or_init(ControlPlane::start).await;
    server.as_ref().unwrap()
}

/// One request.
struct Case {
    kind: Kind,
    operation: Operation,
    object: Value,
    stored: Value,
}

/// The text of a request.
struct Body {
    text: String,
    is_yaml: bool,
}

impl Body {
    /// Every third is YAML, written in many ways.
    fn of(object: &Value, number: usize) -> Self {
        let is_yaml = number.is_multiple_of(3);
        let text = if is_yaml {
            let mut rng = Rng::with_seed(number as u64);
            write::yaml(&mut rng, &Doc::of(object.clone())).text
        } else {
            object.to_string()
        };
        Self { text, is_yaml }
    }
}

#[derive(Default)]
struct Tally {
    /// The objects made so far, for their names.
    count: usize,
    accepted: usize,
    refused: usize,
    rules: BTreeMap<String, usize>,
    differences: Differences,
}

/// A server, and the target that we validate for.
struct Asked {
    server: Server,
    target: Target,
    stored: BTreeMap<Kind, Vec<Value>>,
    deviations: Deviations,
    tally: Tally,
}

impl Asked {
    /// A server, and what it has stored of the kinds of these that it serves.
    async fn new(
        server: &ControlPlane,
        gates: &[&'static str],
        kinds: impl IntoIterator<Item = Kind>,
    ) -> Self {
        let server = Server::of(server).await;
        let target = gates
            .iter()
            .fold(Target::new(server.release), |target, gate| {
                target.with_gate(*gate, true)
            });
        let mut rng = Rng::with_seed(SWEEP);
        let mut stored = BTreeMap::new();
        for kind in kinds.into_iter().filter(|kind| server.kinds.contains(kind)) {
            stored.insert(kind, store(&server, kind, &mut rng).await);
        }
        Self {
            server,
            target,
            stored,
            deviations: Deviations::read(),
            tally: Tally::default(),
        }
    }

    /// Notes how our result differs from the server's, and returns that.
    async fn compare(&mut self, mut case: Case) -> Answer {
        self.server.cut_down(case.kind, &mut case.object);
        metadata::remove_untracked(&mut case);
        let body = Body::of(&case.object, self.tally.accepted + self.tally.refused);
        let answer = ask(&self.server.client, &case, &body).await;
        let ours = ours::judge(&case, &body, &self.target);
        judge(&case, &answer, ours, &mut self.deviations, &mut self.tally);
        answer
    }

    /// Does every damage by itself, to several objects, and returns the rules that fired.
    async fn sweep(&mut self) -> BTreeSet<String> {
        let swept = number("E2E_SWEPT", SWEPT);
        for kind in self.stored.keys().copied().collect::<Vec<_>>() {
            // Few of them have an inline volume of the type that a damage is about.
            let swept = match kind.name() {
                "VolumeAttachment" => 2 * swept,
                _ => swept,
            };
            for &operation in Operation::of(kind, self.server.release) {
                for damage in damages(kind, operation).iter() {
                    let rng = &mut rng_of(damage);
                    for _ in 0..swept {
                        let mut case = self.whole(rng, kind, operation);
                        for _ in 0..TRIES {
                            if damage::apply(&mut case.object, damage) {
                                break;
                            }
                            case = self.whole(rng, kind, operation);
                        }
                        self.compare(case).await;
                    }
                }
            }
        }
        self.tally.rules.keys().cloned().collect()
    }

    /// Compares random requests.
    async fn compare_random(&mut self, cases: u64) {
        let seed = number("E2E_SEED", 1);
        println!("{cases} random cases of seed {seed}");
        let rng = &mut Rng::with_seed(seed);
        for _ in 0..cases {
            let case = self.random(rng);
            self.compare(case).await;
        }
    }

    /// Compares so many random requests of each kind and operation.
    async fn compare_each(&mut self, kinds: &[Kind], cases: u64) {
        let seed = number("E2E_SEED", 1);
        println!("{cases} random cases of each kind and operation, of seed {seed}");
        let rng = &mut Rng::with_seed(seed);
        for kind in kinds {
            for &operation in Operation::of(*kind, self.server.release) {
                for _ in 0..cases {
                    let case = self.random_of(rng, *kind, operation);
                    self.compare(case).await;
                }
            }
        }
    }

    /// A valid request.
    fn whole(&mut self, rng: &mut Rng, kind: Kind, operation: Operation) -> Case {
        let of_kind = &self.stored[&kind];
        let stored = of_kind[rng.usize(..of_kind.len())].clone();
        let object = match operation {
            Operation::Create => kind.object(rng, &format!("new-{}", self.tally.count)),
            _ => stored.clone(),
        };
        self.tally.count += 1;
        Case {
            kind,
            operation,
            object,
            stored,
        }
    }

    /// A request with up to three damages.
    fn random(&mut self, rng: &mut Rng) -> Case {
        let kinds: Vec<_> = self.stored.keys().copied().collect();
        let kind = kinds[rng.usize(..kinds.len())];
        let operation = match rng.u8(..10) {
            ..5 => Operation::Create,
            9 if kind.has_status(self.server.release) => Operation::UpdateStatus,
            _ => Operation::Update,
        };
        self.random_of(rng, kind, operation)
    }

    /// The same of a kind and an operation.
    fn random_of(&mut self, rng: &mut Rng, kind: Kind, operation: Operation) -> Case {
        let mut case = self.whole(rng, kind, operation);
        let damages = damages(kind, operation);
        for _ in 0..[0, 1, 1, 2, 2, 2, 3, 3][rng.usize(..8)] {
            damage::apply(&mut case.object, damage::any(rng, &damages));
        }
        case
    }

    /// Prints what there was, and fails if anything differed.
    fn finish(&self) {
        let Tally {
            accepted,
            refused,
            rules,
            differences,
            ..
        } = &self.tally;
        let count = accepted + refused;
        println!("{count} requests: {accepted} accepted, {refused} refused on both sides");
        println!("{} rules fired on both sides", rules.len());
        for (rule, count) in rules {
            println!("{count:6} {rule}");
        }
        differences.assert_none();
    }
}

/// Returns the source of the objects that get a damage, which no other damage changes.
fn rng_of(Damage { place, value }: &Damage) -> Rng {
    let text = format!("{place} {value}");
    let mixed = |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte));
    Rng::with_seed(text.bytes().fold(SWEEP, mixed))
}

/// The damages of each operation.
type Damages = BTreeMap<(Kind, Operation), Arc<[Damage]>>;

/// Returns the damages of an operation. They are kept, because making them all takes longer than
/// a request.
fn damages(kind: Kind, operation: Operation) -> Arc<[Damage]> {
    static MADE: Mutex<Damages> = Mutex::new(Damages::new());
    let mut made = MADE.lock().unwrap();
    let damages = made.entry((kind, operation)).or_insert_with(|| {
        let damages = match operation {
            Operation::UpdateStatus => damage::status(kind),
            _ => damage::all(kind, operation == Operation::Create),
        };
        damages.into()
    });
    Arc::clone(damages)
}

const CASES: u64 = 1000;
/// Compares with every alpha and beta feature on.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_says_what_we_say() {
    let mut asked = Asked::new(shared().await, &["AllAlpha", "AllBeta"], Kind::storage()).await;
    let release = asked.server.release;
    let served = Kind::built_in().filter(|kind| kind.lifecycle().unwrap().is_served(release));
    assert_eq!(asked.server.kinds, served.collect::<Vec<_>>());
    let swept = asked.sweep().await;
    asked.compare_random(number("E2E_CASES", CASES)).await;
    asked.finish();
    if asked.server.release == LISTED {
        asked.deviations.check_all_occurred(Kind::storage());
        check_coverage(&swept, "rules.txt");
    }
}

/// The random requests of each kind and operation of volumes, claims and snapshots.
const EACH: u64 = 250;

/// PersistentVolumes and claims, with every alpha and beta feature on, and with those that the
/// release has on by itself.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_says_what_we_say_of_volumes() {
    // A resize depends on the claim's StorageClass, which validation doesn't see.
    let flag = "--disable-admission-plugins=ServiceAccount,PersistentVolumeClaimResize";
    let all = ControlPlane::builder().apiserver_flag(flag);
    let mut swept = BTreeSet::new();
    let mut release = None;
    for (builder, gates, share) in [
        (all.clone(), &["AllAlpha", "AllBeta"][..], 1),
        (all.defaults_only(), &[], 5),
    ] {
        let server = builder.start().await.unwrap();
        let mut asked = Asked::new(&server, gates, Kind::CORE).await;
        swept.extend(asked.sweep().await);
        asked
            .compare_each(&Kind::CORE, number("E2E_CASES", EACH) / share)
            .await;
        asked.finish();
        release = Some(asked.server.release);
        if release == Some(LISTED) {
            asked.deviations.check_all_occurred(Kind::CORE);
        }
    }
    if release == Some(LISTED) {
        check_coverage(&swept, "rules-volumes.txt");
    }
}

/// Compares with the release's default features, and the versions that it serves then.
#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn the_server_says_what_we_say_with_its_own_features() {
    let server = ControlPlane::builder()
        .defaults_only()
        .start()
        .await
        .unwrap();
    let mut asked = Asked::new(&server, &[], Kind::storage()).await;
    let release = asked.server.release;
    let by_default = Kind::built_in().filter(|kind| {
        let version = kind.api_version().rsplit('/').next().unwrap();
        kind.lifecycle()
            .unwrap()
            .is_served_by_default(version, release)
    });
    assert_eq!(asked.server.kinds, by_default.collect::<Vec<_>>());
    asked.compare_random(number("E2E_CASES", CASES) / 5).await;
    asked.finish();
}

/// Creates valid objects, and returns them as the server has stored them.
async fn store(server: &Server, kind: Kind, rng: &mut Rng) -> Vec<Value> {
    let mut stored = Vec::new();
    for number in 0..STORED {
        let version = kind.api_version().rsplit('/').next().unwrap_or_default();
        let mut object = kind.object(rng, &format!("stored-{version}-{number}"));
        server.cut_down(kind, &mut object);
        let mut created = create(&server.client, kind, &object).await;
        if let Some(status) = kind.status(rng) {
            created["status"] = status;
            server.cut_down(kind, &mut created);
            created = write_status(&server.client, kind, &created).await;
        }
        stored.push(created);
    }
    stored
}

/// Creates an object, and returns it as the server has stored it.
async fn create(client: &Client, kind: Kind, object: &Value) -> Value {
    let body = Some(object.to_string().into_bytes());
    let answer = send(client, Method::POST, &kind.path(), body)
        .await
        .unwrap();
    assert!(answer.is_success(), "{object:#}\n{:#}", answer.body);
    answer.body
}

/// Writes the status of an object, and returns that as the server has stored it.
async fn write_status(client: &Client, kind: Kind, object: &Value) -> Value {
    let name = object["metadata"]["name"].as_str().unwrap();
    let path = format!("{}/{name}/status", kind.path());
    let body = Some(object.to_string().into_bytes());
    let answer = send(client, Method::PUT, &path, body).await.unwrap();
    assert!(answer.is_success(), "{object:#}\n{:#}", answer.body);
    answer.body
}

async fn ask(client: &Client, case: &Case, body: &Body) -> Answer {
    let collection = case.kind.path();
    let name = case.stored["metadata"]["name"].as_str().unwrap();
    let (method, path) = match case.operation {
        Operation::Create => (Method::POST, collection),
        Operation::Update => (Method::PUT, format!("{collection}/{name}")),
        Operation::UpdateStatus => (Method::PUT, format!("{collection}/{name}/status")),
    };
    let path = format!("{path}?dryRun=All");
    let language = if body.is_yaml { "yaml" } else { "json" };
    let sent = Some(body.text.clone().into_bytes());
    let content = format!("application/{language}");
    send_as(client, method, &path, &content, sent)
        .await
        .unwrap()
}

fn judge(case: &Case, answer: &Answer, ours: Ours, deviations: &mut Deviations, tally: &mut Tally) {
    let theirs = Verdict::of(answer);
    let difference = match (&theirs, &ours.verdict) {
        (
            Verdict::Accepted { object, warnings },
            Verdict::Accepted {
                object: our_object,
                warnings: our_warnings,
            },
        ) => {
            tally.accepted += 1;
            let normal = |object| verdict::normal(case.kind, object);
            let stored = verdict::stored(case.kind, our_object.clone());
            let (mut object, mut our_object) = (normal(object), normal(&stored));
            verdict::forget_times(case.kind, &mut object, &mut our_object);
            if object != our_object {
                Some(format!("server {object:#}\nours {our_object:#}"))
            } else if warnings != our_warnings {
                Some(format!(
                    "server warns of {warnings:?}, we of {our_warnings:?}"
                ))
            } else {
                None
            }
        }
        (Verdict::Refused(causes), Verdict::Refused(our_causes)) => {
            tally.refused += 1;
            for rule in ours.rules {
                *tally.rules.entry(rule).or_default() += 1;
            }
            deviations.unexplained(case.kind, case.operation, causes, our_causes)
        }
        (Verdict::Accepted { .. }, Verdict::Refused(causes)) => {
            deviations.unexplained(case.kind, case.operation, &BTreeSet::new(), causes)
        }
        (Verdict::Refused(causes), Verdict::Accepted { .. }) => {
            deviations.unexplained(case.kind, case.operation, causes, &BTreeSet::new())
        }
    };
    if let Some(difference) = difference {
        tally.differences.add(format!(
            "{:?} of {}: {difference}\nrequest {}\nstored {}\nanswer {}",
            case.operation,
            case.kind.name(),
            short(&case.object),
            short(&case.stored),
            answer.body["message"],
        ));
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(1500) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

//! Random calls of eight clients at once, compared with a model of the specification: there is an
//! order of the calls in which it answers as the driver did.

mod history;
mod slot;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::volume_content_source::{SnapshotSource, Type};
use kubernetes_csi::v1::*;
use root_tests::setting;
use tokio::time::timeout;
use tonic::{Code, Request, Response, Status};

use super::driver::{Driver, capability, mount, volume};
use history::{Made, refused_alone, unexplained};
use slot::{Answer, Call, Said, Slot};

const CLIENTS: u64 = 8;
const SLOTS: usize = 24;
const MIB: u64 = 1 << 20;

/// The driver, and the calls of all clients.
struct World {
    driver: Driver,
    /// Counts the moments.
    clock: AtomicU64,
    slots: [Mutex<Known>; SLOTS],
}

/// Facts about a volume and a snapshot.
#[derive(Default)]
struct Known {
    calls: Vec<Made>,
    /// The ids that were told, also of what is gone.
    volumes: Vec<String>,
    snapshots: Vec<String>,
}

fn any(ids: &[String], place: usize, random: &mut fastrand::Rng) -> String {
    // The last one is more often there.
    match ids.len() {
        0 => format!("none-{place}"),
        count if random.u8(0..4) > 0 => ids[count - 1].clone(),
        _ => ids[random.usize(0..ids.len())].clone(),
    }
}

impl Known {
    fn any_call(&self, place: usize, random: &mut fastrand::Rng) -> Call {
        let size = random.u64(1..4) * MIB;
        let id = any(&self.volumes, place, random);
        match random.u8(0..20) {
            0..5 => Call::Create {
                size,
                snapshot: None,
            },
            5..7 => Call::Create {
                size,
                snapshot: Some(any(&self.snapshots, place, random)),
            },
            7..10 => Call::Delete(id),
            10..12 => Call::Expand(id, size),
            12..14 => Call::Attach(id, random.bool()),
            14..16 => Call::Detach(id),
            16 => Call::Get(id),
            17 => Call::Snapshot(id),
            18 => Call::DeleteSnapshot(any(&self.snapshots, place, random)),
            _ => Call::GetSnapshot(any(&self.snapshots, place, random)),
        }
    }

    fn learn(&mut self, made: Made) {
        if let Some(Ok(Said::Made(id, _))) = &made.answer {
            let ids = match &made.call {
                Call::Create { .. } => &mut self.volumes,
                _ => &mut self.snapshots,
            };
            if !ids.contains(id) {
                ids.push(id.clone());
            }
        }
        self.calls.push(made);
    }
}

impl World {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    async fn client(self: Arc<Self>, seed: u64, calls: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..calls {
            let place = random.usize(0..SLOTS);
            let call = self.slots[place]
                .lock()
                .unwrap()
                .any_call(place, &mut random);
            let from = self.now();
            let answer = self.call(place, call.clone());
            // Some clients don't wait for the answer.
            let answer = match random.u8(0..25) {
                0 => timeout(Duration::from_micros(random.u64(0..3000)), answer)
                    .await
                    .ok(),
                _ => Some(answer.await),
            };
            let to = answer.is_some().then(|| self.now());
            let made = Made {
                call,
                from,
                to,
                answer,
            };
            self.slots[place].lock().unwrap().learn(made);
        }
    }

    async fn call(&self, place: usize, call: Call) -> Answer {
        let services = &self.driver.services;
        let name = format!("slot-{place}");
        match call {
            Call::Create { size, snapshot } => {
                let source = snapshot.map(|snapshot_id| VolumeContentSource {
                    r#type: Some(Type::Snapshot(SnapshotSource { snapshot_id })),
                });
                let request = CreateVolumeRequest {
                    volume_content_source: source,
                    ..volume(&name, size, mount())
                };
                let made = said(services.create_volume(Request::new(request)).await)?;
                let made = made.volume.unwrap();
                Ok(Said::Made(
                    made.volume_id,
                    made.capacity_bytes.unsigned_abs(),
                ))
            }
            Call::Delete(volume_id) => {
                let request = DeleteVolumeRequest {
                    volume_id,
                    ..DeleteVolumeRequest::default()
                };
                said(services.delete_volume(Request::new(request)).await)?;
                Ok(Said::Nothing)
            }
            Call::Expand(volume_id, size) => {
                let request = ControllerExpandVolumeRequest {
                    volume_id,
                    capacity_range: volume(&name, size, mount()).capacity_range,
                    ..ControllerExpandVolumeRequest::default()
                };
                let grown = services.controller_expand_volume(Request::new(request));
                Ok(Said::Size(said(grown.await)?.capacity_bytes.unsigned_abs()))
            }
            Call::Attach(volume_id, readonly) => {
                let request = ControllerPublishVolumeRequest {
                    volume_id,
                    node_id: "n".to_owned(),
                    volume_capability: Some(capability(mount())),
                    readonly,
                    ..ControllerPublishVolumeRequest::default()
                };
                said(
                    services
                        .controller_publish_volume(Request::new(request))
                        .await,
                )?;
                Ok(Said::Nothing)
            }
            Call::Detach(volume_id) => {
                let request = ControllerUnpublishVolumeRequest {
                    volume_id,
                    node_id: "n".to_owned(),
                    ..ControllerUnpublishVolumeRequest::default()
                };
                said(
                    services
                        .controller_unpublish_volume(Request::new(request))
                        .await,
                )?;
                Ok(Said::Nothing)
            }
            Call::Get(volume_id) => {
                let request = ControllerGetVolumeRequest { volume_id };
                let found = services.controller_get_volume(Request::new(request)).await;
                let found = said(found)?;
                let nodes = found.status.unwrap_or_default().published_node_ids;
                let size = found.volume.unwrap().capacity_bytes.unsigned_abs();
                Ok(Said::Volume(size, !nodes.is_empty()))
            }
            Call::Snapshot(source_volume_id) => {
                let request = CreateSnapshotRequest {
                    name,
                    source_volume_id,
                    ..CreateSnapshotRequest::default()
                };
                let made = said(services.create_snapshot(Request::new(request)).await)?;
                let made = made.snapshot.unwrap();
                Ok(Said::Made(made.snapshot_id, made.size_bytes.unsigned_abs()))
            }
            Call::DeleteSnapshot(snapshot_id) => {
                let request = DeleteSnapshotRequest {
                    snapshot_id,
                    ..DeleteSnapshotRequest::default()
                };
                said(services.delete_snapshot(Request::new(request)).await)?;
                Ok(Said::Nothing)
            }
            Call::GetSnapshot(snapshot_id) => {
                let request = GetSnapshotRequest {
                    snapshot_id,
                    ..GetSnapshotRequest::default()
                };
                let found = said(services.get_snapshot(Request::new(request)).await)?;
                Ok(Said::Size(
                    found.snapshot.unwrap().size_bytes.unsigned_abs(),
                ))
            }
        }
    }
}

fn said<T>(answer: Result<Response<T>, Status>) -> Result<T, Code> {
    answer
        .map(Response::into_inner)
        .map_err(|status| status.code())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn random_calls_are_answered_as_by_the_model() {
    let calls = setting("CSI_MODEL_CALLS", 1000);
    let world = Arc::new(World {
        driver: Driver::start(&["--enable-attach"]),
        clock: AtomicU64::new(0),
        slots: std::array::from_fn(|_| Mutex::default()),
    });
    let seed = setting("CSI_MODEL_SEED", 1);
    let clients = (0..CLIENTS).map(|client| {
        tokio::spawn(
            world
                .clone()
                .client(seed * CLIENTS + client, calls / CLIENTS),
        )
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    let mut counts = std::collections::BTreeMap::<_, u64>::new();
    for slot in &world.slots {
        let mut known = slot.lock().unwrap();
        known.calls.sort_by_key(|made| made.from);
        let wrong = unexplained(&known.calls).or_else(|| refused_alone(&known.calls));
        let calls = known.calls.iter().map(|made| format!("{made:?}\n"));
        let calls = calls.collect::<String>();
        assert!(wrong.is_none(), "{wrong:?} of\n{calls}");
        for made in &known.calls {
            let answer = made.answer.as_ref().map(|answer| answer.as_ref().err());
            *counts.entry(format!("{answer:?}")).or_default() += 1;
        }
    }
    println!("{counts:#?}");
    assert!(counts.len() >= 6, "{counts:#?}");
}

/// The model and the search tell right from wrong.
#[test]
fn a_wrong_answer_has_no_explanation() {
    let create = Call::Create {
        size: 1,
        snapshot: None,
    };
    let made = |call: &Call, from, to, answer| Made {
        call: call.clone(),
        from,
        to,
        answer,
    };
    let id = |id: &str| Some(Ok(Said::Made(id.to_owned(), 1)));
    let gone = Some(Ok(Said::Nothing));
    let delete = Call::Delete("a".to_owned());
    // Two volumes of one name, one after the other or at once.
    for from in [2, 0] {
        let calls = [
            made(&create, 0, Some(1), id("a")),
            made(&create, from, Some(3), id("b")),
        ];
        assert!(unexplained(&calls).is_some(), "{from}");
    }
    // In between, it may have been deleted.
    let mut calls = vec![
        made(&create, 0, Some(1), id("a")),
        made(&delete, 2, None, None),
        made(&create, 3, Some(5), id("b")),
    ];
    assert!(unexplained(&calls).is_none());
    calls[1] = made(&delete, 6, Some(7), gone);
    assert!(unexplained(&calls).is_some());
    let refused = [made(&delete, 0, Some(1), Some(Err(Code::Aborted)))];
    assert!(unexplained(&refused).is_none() && refused_alone(&refused).is_some());
    assert_eq!(
        Slot::default().after(&delete, Some(&Err(Code::NotFound))),
        None
    );
}

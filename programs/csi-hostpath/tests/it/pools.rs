//! Space for volumes, by kinds.

use std::collections::BTreeMap;

use csi_hostpath::Pool;
use futures::future::join_all;
use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::{
    CapacityRange, ControllerExpandVolumeRequest, CreateVolumeRequest, GetCapacityRequest, Topology,
};
use tonic::{Code, Request};

use super::driver::{Driver, mount, volume};

const MIB: u64 = 1 << 20;

fn of_kind(kind: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("kind".to_owned(), kind.to_owned())])
}

fn fast(name: &str, size: u64) -> CreateVolumeRequest {
    CreateVolumeRequest {
        parameters: of_kind("fast"),
        ..volume(name, size, mount())
    }
}

impl Driver {
    /// Returns what is left for a class with parameters, on a node.
    async fn left(&self, parameters: BTreeMap<String, String>, node: &str) -> i64 {
        let key = "topology.hostpath.csi/node".to_owned();
        let request = GetCapacityRequest {
            parameters,
            accessible_topology: Some(Topology {
                segments: BTreeMap::from([(key, node.to_owned())]),
            }),
            ..GetCapacityRequest::default()
        };
        let answer = self.services.get_capacity(Request::new(request)).await;
        let answer = answer.unwrap().into_inner();
        // The scheduler looks at this alone.
        let largest = answer.maximum_volume_size.unwrap();
        assert_eq!(largest, answer.available_capacity.min(1 << 40));
        answer.available_capacity
    }

    async fn expand(&self, volume_id: &str, size: u64) -> Result<(), Code> {
        let request = ControllerExpandVolumeRequest {
            volume_id: volume_id.to_owned(),
            capacity_range: Some(CapacityRange {
                required_bytes: i64::try_from(size).unwrap(),
                limit_bytes: 0,
            }),
            ..ControllerExpandVolumeRequest::default()
        };
        let answer = self
            .services
            .controller_expand_volume(Request::new(request));
        answer.await.map(|_| ()).map_err(|error| error.code())
    }
}

#[tokio::test]
async fn each_kind_has_its_space() {
    let driver = Driver::start(&["--capacity", "1Gi", "--capacity", "fast=10Mi"]);
    let (gib, mib) = (1_i64 << 30, 1_i64 << 20);
    assert_eq!(driver.left(BTreeMap::new(), "n").await, gib);
    assert_eq!(driver.left(of_kind("fast"), "n").await, 10 * mib);
    assert_eq!(driver.left(of_kind("slow"), "n").await, 0);
    assert_eq!(driver.left(of_kind("fast"), "elsewhere").await, 0);

    // At once: as many as there is space for.
    let names: Vec<_> = (0..8).map(|number| format!("v{number}")).collect();
    let made = names.iter().map(|name| driver.create(fast(name, 2 * MIB)));
    let made = join_all(made).await;
    let full = made
        .iter()
        .filter(|one| **one == Err(Code::ResourceExhausted));
    assert_eq!(full.count(), 3);
    let ids: Vec<String> = made.into_iter().flatten().collect();
    assert_eq!(ids.len(), 5);
    assert_eq!(driver.left(of_kind("fast"), "n").await, 0);
    assert_eq!(driver.left(BTreeMap::new(), "n").await, gib);
    assert_eq!(
        driver.expand(&ids[0], 3 * MIB).await,
        Err(Code::ResourceExhausted)
    );

    driver.delete(&ids[1]).await.unwrap();
    assert_eq!(driver.expand(&ids[0], 3 * MIB).await, Ok(()));
    assert_eq!(driver.left(of_kind("fast"), "n").await, mib);

    let none = CreateVolumeRequest {
        parameters: of_kind("slow"),
        ..volume("slow", 1, mount())
    };
    assert_eq!(driver.create(none).await, Err(Code::ResourceExhausted));
    // One name, another kind.
    driver.create(volume("same", 1, mount())).await.unwrap();
    assert_eq!(
        driver.create(fast("same", 1)).await,
        Err(Code::AlreadyExists)
    );
}

#[tokio::test]
async fn without_a_limit_each_kind_has_space() {
    let driver = Driver::start(&[]);
    assert!(driver.left(of_kind("any"), "n").await > 1 << 60);
    driver.create(fast("one", 1 << 39)).await.unwrap();
}

#[test]
fn space_is_a_quantity() {
    for text in ["100Gi", "fast=1.5G", "=1", "a=b=1k"] {
        let read = text.parse::<Pool>();
        assert_eq!(read.is_ok(), text != "a=b=1k", "{text}: {read:?}");
    }
    for text in ["", "fast=", "fast", "1GiB", "-1", "fast=1e40"] {
        assert!(text.parse::<Pool>().is_err(), "{text}");
    }
}

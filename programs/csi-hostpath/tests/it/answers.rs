//! Answers of the controller part in cases that csi-sanity doesn't have.

use kubernetes_csi::v1::controller_server::Controller;
use kubernetes_csi::v1::volume_content_source::{Type, VolumeSource};
use kubernetes_csi::v1::{CapacityRange, CreateVolumeRequest, VolumeContentSource};
use tonic::{Code, Request};

use super::driver::{Driver, mount, volume};

#[tokio::test]
async fn a_copy_has_the_size_of_its_source_if_none_is_asked_for() {
    let driver = Driver::start(&[]);
    let size = 3 << 30;
    let source = driver
        .create(volume("source", size, mount()))
        .await
        .unwrap();
    let copy = |limit: u64| CreateVolumeRequest {
        capacity_range: (limit > 0).then(|| CapacityRange {
            required_bytes: 0,
            limit_bytes: i64::try_from(limit).unwrap(),
        }),
        volume_content_source: Some(VolumeContentSource {
            r#type: Some(Type::Volume(VolumeSource {
                volume_id: source.clone(),
            })),
        }),
        ..volume(&format!("copy-{limit}"), 0, mount())
    };
    for limit in [0, size, 2 * size] {
        let made = driver.services.create_volume(Request::new(copy(limit)));
        let made = made.await.unwrap().into_inner().volume.unwrap();
        assert_eq!(u64::try_from(made.capacity_bytes).unwrap(), size, "{limit}");
    }
    assert_eq!(driver.create(copy(size - 1)).await, Err(Code::OutOfRange));
}

#[tokio::test]
async fn a_volume_has_no_more_than_the_largest_if_no_size_is_asked_for() {
    let driver = Driver::start(&["--max-volume-size", "1000000"]);
    let request = CreateVolumeRequest {
        capacity_range: None,
        ..volume("one", 0, mount())
    };
    assert!(driver.create(request).await.is_ok());
}

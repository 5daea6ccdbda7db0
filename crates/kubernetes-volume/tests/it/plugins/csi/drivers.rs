//! The registered drivers.

use kubernetes_volume::plugins::csi::CsiVersion;

use super::*;

#[test]
fn versions_of_csi_are_checked() {
    let store = DriversStore::new();
    for (versions, expected) in [
        (&["v1.0.0"][..], Some("1.0.0")),
        (&["1.3"], Some("1.3.0")),
        (&[" v1.2.3-rc1 "], Some("1.2.3")),
        (&["0.2.0", "v1.2.3"], Some("1.2.3")),
        (&["v1.2.3", "boo", "v0.3.0", "1.10.0"], Some("1.10.0")),
        (&["v1.2.3", "4.9.12", "2.0.1"], Some("1.2.3")),
        (&["0.3.0"], None),
        (&["0.2.0", "v0.3.0"], None),
        (&["4.9.12", "2.0.1"], None),
        (&["1"], None),
        (&["01.2"], None),
        (&["var", "boo", ""], None),
        (&[], None),
    ] {
        let found = store.validate(DRIVER, versions);
        let found = found.map(|version| version.to_string());
        match expected {
            Some(expected) => assert_eq!(found.unwrap(), expected),
            None => assert!(failed(found).contains("none is of 1.x"), "{versions:?}"),
        }
    }
    for name in ["", "..", "a/b"] {
        assert!(store.validate(name, &["1.0.0"]).is_err());
    }
}

#[test]
fn a_driver_is_registered_once() {
    let store = DriversStore::new();
    let register = |versions: &[&str]| {
        let driver = Arc::new(FakeCsiDriver::new([]));
        store.register(DRIVER, "/csi.sock", versions, driver)
    };
    assert_eq!(register(&["1.1.0"]).unwrap().node_id, "fake-node");
    for lower in ["1.0.0", "1.1.0"] {
        let error = failed(register(&[lower]));
        assert!(
            error.contains("registered already, with the version 1.1.0"),
            "{error}"
        );
    }
    register(&["1.2.0"]).unwrap();
    let driver = store.get(DRIVER).unwrap();
    let version = CsiVersion {
        major: 1,
        minor: 2,
        patch: 0,
    };
    assert_eq!(
        (driver.version, driver.endpoint.as_path()),
        (version, Path::new("/csi.sock"))
    );
    assert_eq!(driver.info.node_id, "fake-node");
    assert_eq!(store.names(), [DRIVER]);
    assert!(store.unregister(DRIVER) && !store.unregister(DRIVER));
    assert!(store.get(DRIVER).is_none() && store.names().is_empty());
    register(&["1.0.0"]).unwrap();
}

#[test]
fn a_driver_that_does_not_answer_is_not_registered() {
    let store = DriversStore::new();
    let driver = Arc::new(FakeCsiDriver::new([]));
    store
        .register(DRIVER, "/csi.sock", &["1.0.0"], driver.clone())
        .unwrap();
    driver.fail("NodeGetInfo", CsiError::new(Code::Unavailable, "starting"));
    let error = failed(store.register(DRIVER, "/csi.sock", &["1.1.0"], driver));
    assert!(
        error.contains("failed NodeGetInfo: Unavailable: starting"),
        "{error}"
    );
    assert!(store.get(DRIVER).is_none());
}

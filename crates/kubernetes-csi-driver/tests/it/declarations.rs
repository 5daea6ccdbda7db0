//! Declarations that contradict themselves.

use kubernetes_csi_driver::model::AccessMode;
use kubernetes_csi_driver::{Driver, Growth};

use crate::support::{Fake, driver};

/// Returns the message by which a declaration is refused.
fn refusal(driver: Driver) -> String {
    match driver.build() {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn bare() -> Driver {
    Driver::new("fake.csi.example.com", "1")
}

#[test]
fn names() {
    let (longest, longer) = ("a".repeat(63), "a".repeat(64));
    for name in ["disk.csi.example.com", "a", "A-1.b", "1a", "a--b", &longest] {
        assert_eq!(refusal(Driver::new(name, "1")), "accepted", "{name}");
    }
    for name in [
        "", ".", "-", "a.", ".a", "a-", "-a", "a..b", "a.-b", "a-.b", "a_b", "a/b", "a b", "ä",
        "a\n", &longer,
    ] {
        let expected = format!(
            "the name {name:?} isn't a domain name of at most 63 characters, such as \
             `disk.csi.example.com`"
        );
        assert_eq!(refusal(Driver::new(name, "1")), expected);
    }
}

#[test]
fn limits() {
    use std::time::Duration;
    for (driver, expected) in [
        (bare().most_calls(0), "`most_calls` has to be positive"),
        (bare().most_calls(usize::MAX), "accepted"),
        (
            bare().call_timeout(Duration::ZERO),
            "`call_timeout` has to be positive",
        ),
        (bare().call_timeout(Duration::MAX), "accepted"),
    ] {
        assert_eq!(refusal(driver), expected);
    }
}

#[test]
fn versions() {
    let (longest, longer) = ("1".repeat(128), "1".repeat(129));
    for (version, expected) in [
        ("1", "accepted"),
        (&*longest, "accepted"),
        ("", "the version has to have 1 to 128 bytes"),
        (&*longer, "the version has to have 1 to 128 bytes"),
    ] {
        assert_eq!(refusal(Driver::new("a", version)), expected);
    }
}

#[test]
fn parts_that_lack_the_one_they_need() {
    let fake = Fake::new();
    let grows = || bare().growth(Growth::Online);
    let table = [
        (bare().volumes(fake.clone()), "volumes", "controller"),
        (
            bare().list_volumes(fake.clone()),
            "list_volumes",
            "controller",
        ),
        (bare().get_volume(fake.clone()), "get_volume", "controller"),
        (
            bare().attachments(fake.clone()),
            "attachments",
            "controller",
        ),
        (bare().capacity(fake.clone()), "capacity", "controller"),
        (grows().expansion(fake.clone()), "expansion", "controller"),
        (
            bare().modification(fake.clone()),
            "modification",
            "controller",
        ),
        (bare().snapshots(fake.clone()), "snapshots", "controller"),
        (
            bare().list_snapshots(fake.clone()),
            "list_snapshots",
            "controller",
        ),
        (
            bare().get_snapshot(fake.clone()),
            "get_snapshot",
            "controller",
        ),
        (bare().staging(fake.clone()), "staging", "node"),
        (bare().stats(fake.clone()), "stats", "node"),
        (
            grows().node_expansion(fake.clone()),
            "node_expansion",
            "node",
        ),
        (bare().volume_mount_group(), "volume_mount_group", "node"),
    ];
    for (driver, part, needed) in table {
        assert_eq!(refusal(driver), format!("`{part}` needs `{needed}`"));
    }
}

#[test]
fn parts_that_contradict_each_other() {
    let (fake, more) = (Fake::new(), Fake::with_more());
    let controller = || bare().controller(fake.clone());
    let table = [
        (driver(&more), "accepted"),
        (
            controller().snapshots(fake.clone()),
            "`snapshots` needs `volumes`, which restores them",
        ),
        (
            controller().list_volumes(more.clone()),
            "`lists_nodes` of `list_volumes` needs `attachments`",
        ),
        (
            controller().expansion(fake.clone()),
            "a driver that enlarges volumes needs `growth`",
        ),
        (
            bare().node(fake.clone()).node_expansion(fake.clone()),
            "a driver that enlarges volumes needs `growth`",
        ),
        (
            controller().growth(Growth::Offline),
            "`growth` needs `expansion` or `node_expansion`",
        ),
        (bare().access_modes([]), "`access_modes` has none"),
        (
            bare().access_modes([AccessMode::SingleNodeSingleWriter]),
            "`access_modes` has modes that replace `SingleNodeWriter`, and needs that for older \
             callers",
        ),
    ];
    for (driver, expected) in table {
        assert_eq!(refusal(driver), expected);
    }
}

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use super::*;

const NAME: &str = "example.com/disks";

fn error(options: Options) -> String {
    options.check(NAME).map(drop).unwrap_err().to_string()
}

const SECOND: Option<Duration> = Some(Duration::from_secs(1));

#[test]
fn the_defaults_are_those_of_the_go_library_but_for_the_finalizer() {
    let settings = Options::default().check(NAME).unwrap();
    assert_eq!(settings.threads, 4);
    assert_eq!(settings.provision_threshold, 15);
    assert_eq!(settings.delete_threshold, 15);
    assert_eq!(settings.resync, Duration::from_secs(900));
    assert_eq!(settings.infeasible_delay, Duration::from_secs(300));
    assert_eq!(settings.provision_timeout, None);
    assert_eq!(settings.volume_name_prefix, "pvc");
    // There it is off: without it, a volume that somebody deletes loses its storage's name.
    assert!(settings.finalizer);
    assert_eq!(settings.metrics_port, 0);
    assert_eq!(settings.metrics_address.to_string(), "0.0.0.0");
    assert_eq!(settings.metrics_path, "/metrics");
    let election = settings.election.unwrap();
    assert_eq!(election.lease_duration, Duration::from_secs(15));
    assert_eq!(election.renew_deadline, Duration::from_secs(10));
    assert_eq!(election.retry_period, Duration::from_secs(2));
    let StoreMode::Backoff(backoff) = settings.store else {
        panic!("volumes are not queued by default")
    };
    assert_eq!(backoff, Backoff::new(Duration::from_secs(10), 5));
}

#[test]
fn options_that_contradict_one_another_are_both_named() {
    let limiter = || -> Option<Limiter> { Some(Arc::new(Constant::default())) };
    let none = Options::default;
    let queue = || Options {
        store_limiter: limiter(),
        ..none()
    };
    let backoff = Some(Backoff::default());
    let cases = [
        (
            Options {
                store_backoff: backoff,
                ..queue()
            },
            ["create_volume_limiter", "create_volume_backoff"],
        ),
        (
            Options {
                store_interval: SECOND,
                ..queue()
            },
            ["create_volume_limiter", "create_volume_interval"],
        ),
        (
            Options {
                store_retries: Some(3),
                ..queue()
            },
            ["create_volume_limiter", "create_volume_retry_count"],
        ),
        (
            Options {
                store_backoff: backoff,
                store_interval: SECOND,
                ..none()
            },
            ["create_volume_backoff", "create_volume_interval"],
        ),
        (
            Options {
                store_backoff: backoff,
                store_retries: Some(3),
                ..none()
            },
            ["create_volume_backoff", "create_volume_retry_count"],
        ),
        (
            Options {
                limiter: limiter(),
                exponential: Some(true),
                ..none()
            },
            ["rate_limiter", "exponential_backoff_on_error"],
        ),
        (
            Options {
                lease_duration: Some(Duration::from_secs(10)),
                ..none()
            },
            ["lease_duration", "renew_deadline"],
        ),
        (
            Options {
                renew_deadline: Some(Duration::from_millis(2400)),
                ..none()
            },
            ["renew_deadline", "retry_period"],
        ),
    ];
    for (options, [first, second]) in cases {
        let error = error(options);
        let start = format!("the options {first} and {second} contradict one another: ");
        assert!(error.starts_with(&start), "{error}");
    }
}

#[test]
fn options_that_go_together_are_accepted() {
    let both = Options {
        store_interval: SECOND,
        store_retries: Some(3),
        ..Options::default()
    };
    let StoreMode::Backoff(backoff) = both.check(NAME).unwrap().store else {
        panic!("a back-off")
    };
    assert_eq!(backoff, Backoff::new(Duration::from_secs(1), 3));
    // The times of the election don't matter without one.
    let none = Options {
        election: Some(false),
        lease_duration: SECOND,
        ..Options::default()
    };
    assert!(none.check(NAME).unwrap().election.is_none());
}

#[test]
fn values_out_of_range_are_refused() {
    let none = Options::default;
    let cases = [
        (
            "threadiness",
            Options {
                threads: Some(0),
                ..none()
            },
        ),
        (
            "metrics_path",
            Options {
                metrics_path: Some("metrics".into()),
                ..none()
            },
        ),
        (
            "metrics_path",
            Options {
                metrics_path: Some("/{a}".into()),
                ..none()
            },
        ),
        (
            "metrics_path",
            Options {
                metrics_path: Some("/readyz".into()),
                ..none()
            },
        ),
        (
            "resync_period",
            Options {
                resync: Some(Duration::ZERO),
                ..none()
            },
        ),
        (
            "retry_period",
            Options {
                retry_period: Some(Duration::ZERO),
                ..none()
            },
        ),
        (
            "create_volume_retry_count",
            Options {
                store_retries: Some(0),
                ..none()
            },
        ),
        (
            "volume_name_prefix",
            Options {
                volume_name_prefix: Some("A".into()),
                ..none()
            },
        ),
        (
            "volume_name_prefix",
            Options {
                volume_name_prefix: Some("".into()),
                ..none()
            },
        ),
        (
            "additional_provisioner_names",
            Options {
                additional_names: vec![NAME.to_owned()],
                ..none()
            },
        ),
        (
            "additional_provisioner_names",
            Options {
                additional_names: vec![" ".to_owned()],
                ..none()
            },
        ),
        (
            "create_volume_backoff",
            Options {
                store_backoff: Some(Backoff::default().with_factor(0.5)),
                ..none()
            },
        ),
    ];
    for (option, options) in cases {
        let error = error(options);
        let start = format!("the option {option} is invalid: ");
        assert!(error.starts_with(&start), "{option}: {error}");
    }
    let unnamed = Options::default().check("").map(drop).unwrap_err();
    assert!(
        unnamed
            .to_string()
            .starts_with("the option name is invalid: ")
    );
}

#[test]
fn a_backoff_grows_up_to_its_longest_interval() {
    let backoff = Backoff::new(Duration::from_secs(1), 5)
        .with_factor(3.0)
        .with_longest_interval(Duration::from_secs(10));
    let intervals = [1, 2, 3, 4, 1000].map(|after| backoff.interval(after).as_secs());
    assert_eq!(intervals, [1, 3, 9, 10, 10]);
    assert_eq!(Backoff::default().interval(4), Duration::from_secs(10));
}

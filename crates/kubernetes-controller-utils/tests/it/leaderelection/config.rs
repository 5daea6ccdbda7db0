use std::process::Command;
use std::time::Duration;

use kubernetes_controller_utils::leaderelection::{self, Config, ConfigError, Elector};

use super::api::ApiServer;
use super::candidate::{config, seconds};

fn refusal(config: &Config) -> String {
    config.validate().unwrap_err().to_string()
}

#[test]
fn the_default_times_are_valid() {
    config("a").validate().unwrap();
}

#[test]
fn contradicting_times_are_refused_with_both() {
    let refused = refusal(&config("a").with_lease_duration(seconds(10)));
    assert!(refused.contains("lease duration 10s"), "{refused}");
    assert!(refused.contains("renew deadline 10s"), "{refused}");

    let refused = refusal(&config("a").with_renew_deadline(Duration::from_millis(2400)));
    assert!(refused.contains("renew deadline 2.4s"), "{refused}");
    assert!(refused.contains("retry period 2s"), "{refused}");

    let just_right = Duration::from_millis(2401);
    config("a")
        .with_renew_deadline(just_right)
        .validate()
        .unwrap();
}

#[test]
fn times_are_positive_and_fit_into_a_lease() {
    for (what, config) in [
        (
            "lease duration",
            config("a").with_lease_duration(Duration::ZERO),
        ),
        (
            "renew deadline",
            config("a").with_renew_deadline(Duration::ZERO),
        ),
        (
            "retry period",
            config("a").with_retry_period(Duration::ZERO),
        ),
    ] {
        assert_eq!(config.validate(), Err(ConfigError::Zero { what }));
    }
    let longest = seconds(i32::MAX.unsigned_abs().into());
    config("a").with_lease_duration(longest).validate().unwrap();
    let refused = refusal(&config("a").with_lease_duration(longest + seconds(1)));
    assert!(
        refused.contains("2147483648s") && refused.contains("2147483647s"),
        "{refused}"
    );
    // None of the times may overflow a sum.
    let max = Duration::MAX;
    let config = config("a")
        .with_lease_duration(max)
        .with_renew_deadline(max);
    config.with_retry_period(max).validate().unwrap_err();
}

#[test]
fn names_are_those_of_objects() {
    assert_eq!(config("").validate(), Err(ConfigError::NoIdentity));
    for (what, config) in [
        ("name", Config::new("storage", "example.com/nfs", "a")),
        ("name", Config::new("storage", "", "a")),
        ("namespace", Config::new("Storage", "lock", "a")),
        ("namespace", Config::new("a.b", "lock", "a")),
    ] {
        let refused = refusal(&config);
        assert!(
            refused.contains(&format!("the {what} of the Lease")),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn an_elector_refuses_what_is_invalid() {
    let client = ApiServer::default().client("a");
    let refused = Elector::new(client, config("")).unwrap_err();
    assert_eq!(refused, ConfigError::NoIdentity);
}

#[test]
fn a_lock_is_named_after_the_provisioner() {
    let name = leaderelection::lock_name("example.com/nfs");
    assert_eq!(name, "example.com-nfs");
    Config::new("storage", name, "a").validate().unwrap();
}

#[test]
fn an_identity_is_unique_and_starts_with_the_host() {
    let (first, second) = (leaderelection::identity(), leaderelection::identity());
    assert_ne!(first, second);
    let (host, uuid) = first.rsplit_once('_').unwrap();
    assert_eq!(uuid.len(), 36, "{first}");
    assert!(!host.is_empty() && second.starts_with(host), "{first}");
}

/// Runs in a process of its own, which has the variable.
#[test]
fn the_namespace_is_that_of_the_pod() {
    if std::env::var_os("PRINT_NAMESPACE").is_some() {
        println!("namespace={}", leaderelection::namespace());
        return;
    }
    let run = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "leaderelection::config::the_namespace_is_that_of_the_pod",
            "--nocapture",
        ])
        .env("PRINT_NAMESPACE", "1")
        .env("POD_NAMESPACE", "volumes")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(output.contains("namespace=volumes\n"), "{output}");
}

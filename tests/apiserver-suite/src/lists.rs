//! Lists: selectors, pages and versions.

use kube::Client;
use kube::api::{DeleteParams, ListParams, PostParams, VersionMatch};

use crate::{assert_refused, create_all, labelled, leases, names, version};

/// Checks the objects that selectors select.
pub async fn selectors(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    for (name, labels) in [
        ("blue", [("color", "blue"), ("size", "large")].as_slice()),
        ("none", &[]),
        ("red", &[("color", "red")]),
        ("tagged", &[("example.com/tag", ""), ("size", "small")]),
    ] {
        let object = labelled(name, labels);
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    let all = ["blue", "none", "red", "tagged"].as_slice();
    for (selector, expected) in [
        ("color=red", ["red"].as_slice()),
        ("color==blue,size=large", &["blue"]),
        ("color=blue,size=small", &[]),
        ("color!=red", &["blue", "none", "tagged"]),
        ("color", &["blue", "red"]),
        ("!color", &["none", "tagged"]),
        ("color in (red, blue),size", &["blue"]),
        ("color notin (red,blue)", &["none", "tagged"]),
        ("example.com/tag=", &["tagged"]),
        ("size in (small)", &["tagged"]),
        ("", all),
    ] {
        let found = api
            .list(&ListParams::default().labels(selector))
            .await
            .unwrap();
        assert_eq!(names(&found.items), expected, "{selector}");
    }
    let here = format!("metadata.namespace={namespace}");
    let elsewhere = format!("metadata.namespace!={namespace}");
    for (selector, expected) in [
        ("metadata.name=red", ["red"].as_slice()),
        ("metadata.name!=red", &["blue", "none", "tagged"]),
        (&here, all),
        (&elsewhere, &[]),
        (&format!("{here},metadata.name=blue"), &["blue"]),
    ] {
        let found = api
            .list(&ListParams::default().fields(selector))
            .await
            .unwrap();
        assert_eq!(names(&found.items), expected, "{selector}");
    }
    for params in [
        ListParams::default().fields("spec.holderIdentity=me"),
        ListParams::default().labels("not a label"),
        ListParams::default().labels("color in red"),
        ListParams::default().labels("-=red"),
    ] {
        assert_refused(api.list(&params).await, 400, "BadRequest");
    }
}

/// All pages show the version of the first one.
pub async fn pages(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    create_all(&api, &["a", "b", "c", "d", "e"]).await;
    let params = ListParams::default().limit(2);
    let first = api.list(&params).await.unwrap();
    assert_eq!(names(&first.items), ["a", "b"]);
    assert_eq!(first.metadata.remaining_item_count, Some(3));

    api.delete("d", &DeleteParams::default()).await.unwrap();
    create_all(&api, &["bb", "dd"]).await;
    let mut seen = Vec::new();
    let mut token = first.metadata.continue_.clone();
    while let Some(next) = token.filter(|token| !token.is_empty()) {
        let page = api
            .list(&params.clone().continue_token(&next))
            .await
            .unwrap();
        assert_eq!(
            page.metadata.resource_version,
            first.metadata.resource_version
        );
        seen.extend(names(&page.items).into_iter().map(str::to_owned));
        token = page.metadata.continue_;
    }
    assert_eq!(seen, ["c", "d", "e"]);
    let now = api.list(&ListParams::default().limit(500)).await.unwrap();
    assert_eq!(names(&now.items), ["a", "b", "bb", "c", "dd", "e"]);
    assert_eq!(now.metadata.continue_.unwrap_or_default(), "");

    let labels = ListParams::default().limit(1).labels("!color");
    let page = api.list(&labels).await.unwrap();
    assert!(
        page.metadata
            .continue_
            .is_some_and(|token| !token.is_empty())
    );
    assert_eq!(page.metadata.remaining_item_count, None);
    let nonsense = params.continue_token("nonsense");
    assert_refused(api.list(&nonsense).await, 400, "BadRequest");
}

/// Lists at a version, at least as new as a version, and at any version.
pub async fn versions(client: Client, namespace: &str) {
    let api = leases(&client, namespace);
    let created = create_all(&api, &["a", "b"]).await;
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let at = version(&created[0]);
    let exact = ListParams::default().at(at).matching(VersionMatch::Exact);
    let then = api.list(&exact).await.unwrap();
    assert_eq!(names(&then.items), ["a"]);
    assert_eq!(then.metadata.resource_version.as_deref(), Some(at));
    // Deleted is deleted, at whatever version since.
    let since = ListParams::default().at(version(&created[1]));
    let since = since.matching(VersionMatch::NotOlderThan);
    let listed = api
        .list(&since)
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    assert!(listed.parse::<u64>().unwrap() >= version(&created[1]).parse().unwrap());
    let latest = api.list(&ListParams::default()).await.unwrap();
    assert_eq!(names(&latest.items), ["b"]);
    let number = |text: &str| text.parse::<u64>().unwrap();
    let latest = latest.metadata.resource_version.unwrap();
    assert!(number(&latest) > number(version(&created[1])));
    api.list(&ListParams::default().match_any()).await.unwrap();
}

//! Changes of defaults, lists, rules, kinds and lifecycles.

use super::*;

/// A server publishes enumerations that checked-in documents leave out.
#[test]
fn what_only_servers_publish_is_no_change() {
    let mut server = document();
    server["info"]["version"] = json!("v1.37.1");
    let checked_in = with(&format!("{SPEC}/properties/mode/enum"), Value::Null);
    assert_eq!(compared(&checked_in, &server).changes, []);
    assert_eq!(compared(&server, &checked_in).changes, []);
    assert_eq!(
        snapshot("1.37", &[(FILE, &server)]).server_release(),
        "1.37".parse().ok()
    );
}

#[test]
fn defaults_come_and_go() {
    check(
        &format!("{SPEC}/properties/text/default"),
        json!("x"),
        (
            ChangeKind::DefaultAdded,
            Info,
            Warning,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::DefaultRemoved,
            Warning,
            Warning,
            Patch,
            "Thing spec.text",
        ),
    );
    check(
        &format!("{SPEC}/properties/need/default"),
        json!("x"),
        (
            ChangeKind::DefaultChanged,
            Warning,
            Warning,
            Patch,
            "Thing spec.need",
        ),
        (
            ChangeKind::DefaultChanged,
            Warning,
            Warning,
            Patch,
            "Thing spec.need",
        ),
    );
    check(
        &format!("{SPEC}/properties/size/default"),
        json!(0),
        (ChangeKind::DefaultAdded, No, No, Patch, "Thing spec.size"),
        (ChangeKind::DefaultRemoved, No, No, Patch, "Thing spec.size"),
    );
}

#[test]
fn lists_are_merged_in_another_way() {
    let list = format!("{SPEC}/properties/list");
    check(
        &format!("{list}/x-kubernetes-list-type"),
        json!("set"),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            Warning,
            Patch,
            "Thing spec.list",
        ),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            Warning,
            Patch,
            "Thing spec.list",
        ),
    );
    // No type means that.
    check(
        &format!("{list}/x-kubernetes-list-type"),
        json!("atomic"),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            No,
            Patch,
            "Thing spec.list",
        ),
        (
            ChangeKind::ListSemanticsChanged,
            No,
            No,
            Patch,
            "Thing spec.list",
        ),
    );
    // Type and keys are one change.
    let mut keyed = with(&format!("{list}/x-kubernetes-list-type"), json!("map"));
    set(
        &mut keyed,
        &format!("{list}/x-kubernetes-list-map-keys"),
        json!(["text"]),
    );
    let report = compared(&document(), &keyed);
    assert_eq!(report.changes.len(), 1);
    assert_eq!(
        report.changes[0].to.as_deref(),
        Some("list-map-keys: text, list-type: map")
    );
}

#[test]
fn rules_come_and_go() {
    let size = format!("{SPEC}/properties/size");
    check(
        &format!("{size}/maximum"),
        json!(9),
        (
            ChangeKind::RuleAdded,
            No,
            Breaking,
            Patch,
            "Thing spec.size",
        ),
        (
            ChangeKind::RuleRemoved,
            Info,
            Info,
            Patch,
            "Thing spec.size",
        ),
    );
    check(
        &format!("{size}/minimum"),
        json!(2),
        (
            ChangeKind::RuleTightened,
            No,
            Breaking,
            Patch,
            "Thing spec.size",
        ),
        (
            ChangeKind::RuleLoosened,
            Info,
            Info,
            Patch,
            "Thing spec.size",
        ),
    );
    check(
        &format!("{SPEC}/properties/text/x-kubernetes-validations"),
        json!([{"rule": "self == oldSelf", "message": "m"}]),
        (
            ChangeKind::RuleAdded,
            No,
            Breaking,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::RuleRemoved,
            Info,
            Info,
            Patch,
            "Thing spec.text",
        ),
    );
    let other = with(&format!("{SPEC}/properties/text/pattern"), json!("^a"));
    let another = with(&format!("{SPEC}/properties/text/pattern"), json!("^b"));
    let report = compared(&other, &another);
    assert_eq!(report.changes[0].what, ChangeKind::RuleChanged);
    assert_eq!(report.changes[0].writers, Warning);
}

#[test]
fn kinds_change_their_paths() {
    let one = "/paths/~1apis~1example.com~1v1~1things~1{name}";
    check(
        &format!("{one}/delete"),
        json!({}),
        (ChangeKind::VerbsAdded, Info, Info, Patch, "Thing"),
        (ChangeKind::VerbsRemoved, No, Breaking, Patch, "Thing"),
    );
    check(
        &format!("{one}/get"),
        Value::Null,
        (ChangeKind::VerbsRemoved, Breaking, No, Patch, "Thing"),
        (ChangeKind::VerbsAdded, Info, Info, Patch, "Thing"),
    );
    check(
        &format!("{one}~1scale"),
        json!({"get": {}}),
        (ChangeKind::SubresourceAdded, Info, Info, Patch, "Thing"),
        (ChangeKind::SubresourceRemoved, Breaking, No, Patch, "Thing"),
    );
    let renamed = |from: &str, to: &str| {
        let text = document().to_string().replace(from, to);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let namespaced = renamed("v1/things", "v1/namespaces/{namespace}/things");
    let report = compared(&document(), &namespaced);
    let scope = (
        ChangeKind::ScopeChanged,
        Breaking,
        Breaking,
        Major,
        "Thing".to_owned(),
    );
    assert_eq!(
        report.changes.iter().map(summary).collect::<Vec<_>>(),
        [scope]
    );
    let report = compared(&document(), &renamed("v1/things", "v1/thingies"));
    let plural = (
        ChangeKind::ResourceRenamed,
        Breaking,
        Breaking,
        Patch,
        "Thing".to_owned(),
    );
    assert_eq!(
        report.changes.iter().map(summary).collect::<Vec<_>>(),
        [plural]
    );
}

/// A status that becomes a subresource is no longer written with the object.
#[test]
fn a_status_becomes_a_subresource() {
    let one = "/paths/~1apis~1example.com~1v1~1things~1{name}~1status";
    let before = with(
        &format!("{THING}/properties/status"),
        json!({"type": "object"}),
    );
    let mut after = before.clone();
    set(&mut after, one, json!({"get": {}, "put": {}}));
    let of = |report: Report| report.changes.iter().map(summary).collect::<Vec<_>>();
    let added = (
        ChangeKind::SubresourceAdded,
        Info,
        Warning,
        Minor,
        "Thing".to_owned(),
    );
    assert_eq!(of(compared(&before, &after)), [added]);
    let removed = (
        ChangeKind::SubresourceRemoved,
        Breaking,
        Breaking,
        Major,
        "Thing".to_owned(),
    );
    assert_eq!(of(compared(&after, &before)), [removed]);
}

#[test]
fn what_is_deprecated_is_said() {
    check(
        &format!("{SPEC}/properties/text/deprecated"),
        json!(true),
        (
            ChangeKind::LifecycleChanged,
            Warning,
            Warning,
            Patch,
            "Thing spec.text",
        ),
        (
            ChangeKind::LifecycleChanged,
            Info,
            Info,
            Patch,
            "Thing spec.text",
        ),
    );
    // The stages of a lifecycle that both have are changes of the releases that are compared.
    let lifecycle =
        json!({"introduced": "1.30", "alpha": "1.30", "beta": "1.37", "stable": "1.38"});
    let with_stages = with(&format!("{SPEC}/properties/text/x-lifecycle"), lifecycle);
    let report = compared(&with_stages, &with_stages);
    assert_eq!(report.changes.len(), 1);
    assert_eq!(report.changes[0].to.as_deref(), Some("beta"));
}

#[test]
fn equal_documents_have_no_changes() {
    for document in [
        document(),
        with(&format!("{SPEC}/properties/text/maxLength"), json!(3)),
    ] {
        let report = compared(&document, &document);
        assert_eq!(
            (report.changes, report.documentation),
            (Vec::new(), Vec::new())
        );
        assert_eq!(report.compared, ["example.com/v1"]);
    }
}

/// Texts are counted apart; another form of writing isn't a change at all.
#[test]
fn texts_and_forms_are_no_changes() {
    let texts = with(
        &format!("{SPEC}/properties/need/description"),
        json!("Others."),
    );
    let report = compared(&document(), &texts);
    assert_eq!(report.changes, []);
    assert_eq!(report.documentation.len(), 1);
    assert_eq!(report.documentation[0].place.text(), "Thing spec.need");
    assert_eq!(report.documentation[0].keyword, "description");

    // Documents of 1.23 have a bare reference; the order of names and values is free.
    let mut other = with(&format!("{THING}/properties/spec"), {
        let mut bare = reference("com.example.v1.ThingSpec");
        bare["default"] = json!({});
        bare
    });
    set(
        &mut other,
        &format!("{SPEC}/properties/mode/enum"),
        json!(["Off", "On"]),
    );
    let report = compared(&document(), &other);
    assert_eq!(
        (report.changes, report.documentation),
        (Vec::new(), Vec::new())
    );
}

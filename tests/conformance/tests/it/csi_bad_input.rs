//! Objects of csi.storage.k8s.io that contradict themselves, and annotations that can't be
//! read: an error names the place, and nothing panics.

use conformance::kind::Kind;
use conformance::samples::csi::{csi_node_info_1_12, csi_node_info_1_13};
use kubernetes_kinds::FieldPath;
use kubernetes_kinds::WithMetadata;
use kubernetes_kinds::convert::{
    CONVERSION_DATA_ANNOTATION, ConversionError, Convert, Converted, MAX_ANNOTATIONS,
};
use serde_json::json;
use storage_v1::{CSINode, CSINodeDriver, CSINodeList, CSINodeSpec};
use storage_v1alpha1::csi::{
    CSIDriverInfo, CSIDriverInfoSpec, CSIDriverInfoStatus, CSINodeInfo, CSINodeInfoList,
    CSINodeInfoSpec, CSINodeInfoStatus,
};

const PLACE: &str = "metadata.annotations[kubernetes-storage.rs/conversion-data]";

/// The error of both ways to convert, which must be the same.
fn error<A, B>(source: &A) -> ConversionError
where
    A: Clone + Convert<B>,
    B: std::fmt::Debug,
{
    let error = source
        .clone()
        .convert()
        .map(|converted| converted.object)
        .unwrap_err();
    let keeping = source
        .clone()
        .convert_preserving()
        .map(|converted| converted.object);
    assert_eq!(keeping.unwrap_err(), error);
    error
}

#[track_caller]
fn assert_invalid(error: &ConversionError, path: &str, part: &str) {
    assert!(
        matches!(error, ConversionError::Invalid { .. }),
        "{error:?}"
    );
    assert_eq!(error.path().to_string(), path);
    assert!(error.to_string().starts_with(path), "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn both_forms_in_one_object() {
    let both = CSINodeInfo::sample();
    assert_invalid(&error::<_, CSINode>(&both), "csiDrivers", "1.12");
    let with_spec = CSINodeInfo {
        status: None,
        ..both.clone()
    };
    assert_invalid(&error::<_, CSINode>(&with_spec), "csiDrivers", "1.13");
    let with_status = CSINodeInfo { spec: None, ..both };
    assert_invalid(&error::<_, CSINode>(&with_status), "csiDrivers", "1.13");

    let list = CSINodeInfoList::new([csi_node_info_1_12(), with_status]);
    assert_invalid(
        &error::<_, CSINodeList>(&list),
        "items[1].csiDrivers",
        "1.13",
    );
}

#[test]
fn duplicate_names() {
    let driver = |name| CSIDriverInfoSpec::new(name, "1", [""; 0]);
    let state = |name| CSIDriverInfoStatus::new(true, name, "csi");

    let info = CSINodeInfo::new("n").with_spec(CSINodeInfoSpec::new([
        driver("a"),
        driver("b"),
        driver("a"),
    ]));
    assert_invalid(&error::<_, CSINode>(&info), "spec.drivers[2].name", "`a`");

    let info = CSINodeInfo::new("n")
        .with_spec(CSINodeInfoSpec::new([driver("a")]))
        .with_status(CSINodeInfoStatus::new([state("x\n"), state("x\n")]));
    assert_invalid(
        &error::<_, CSINode>(&info),
        "status.drivers[1].name",
        r"`x\n`",
    );

    let old = || CSIDriverInfo::new("", "1", [""; 0]);
    let info = CSINodeInfo::new("n").with_csi_drivers([old(), old()]);
    assert_invalid(&error::<_, CSINode>(&info), "csiDrivers[1].driver", "``");

    let driver = || CSINodeDriver::new("a", "1");
    let node = CSINode::new("n", CSINodeSpec::new([driver(), driver()]));
    assert_invalid(
        &error::<_, CSINodeInfo>(&node),
        "spec.drivers[1].name",
        "`a`",
    );
    let list = CSINodeList::new([CSINode::default(), node]);
    let error = error::<_, CSINodeInfoList>(&list);
    assert_invalid(&error, "items[1].spec.drivers[1].name", "`a`");
}

fn with_annotation<K: Kind>(mut object: K, text: impl Into<String>) -> K {
    let annotations = object.metadata_mut().annotations.get_or_insert_default();
    annotations.insert(CONVERSION_DATA_ANNOTATION.to_owned(), text.into());
    object
}

const THIRD: &str = "already preserves an object of a third version";

/// The error that an annotation on a CSINode gives. Without keeping, too, unless it holds an object
/// of a third version, which stays.
#[track_caller]
fn refused(text: impl Into<String>, part: &str) {
    let node = with_annotation(CSINode::sample(), text);
    let plain: Result<Converted<CSINodeInfo>, _> = node.clone().convert();
    let result: Result<Converted<CSINodeInfo>, _> = node.clone().convert_preserving();
    let error = result.unwrap_err();
    match plain {
        Ok(plain) => {
            assert!(error.to_string().contains(THIRD), "{error}");
            assert_eq!(plain.object.metadata, node.metadata);
        }
        Err(plain) => assert_eq!(plain.to_string(), error.to_string()),
    }
    assert!(
        matches!(error, ConversionError::Annotation { .. }),
        "{error:?}"
    );
    assert_eq!(error.path().to_string(), PLACE);
    let message = error.to_string();
    assert!(message.contains(part), "{part:?} in {message}");
    assert!(message.contains("remove"), "no help: {message}");
    assert!(message.len() < 1000, "{} bytes of message", message.len());

    let list = CSINodeList::new([CSINode::default(), node]);
    let result: Result<Converted<CSINodeInfoList>, _> = list.convert_preserving();
    assert_eq!(
        result.unwrap_err().path().to_string(),
        format!("items[1].{PLACE}")
    );
}

#[test]
fn malformed_json() {
    for text in [
        "",
        " ",
        "{",
        "nonsense",
        "{\"apiVersion\":",
        "\u{0}",
        "{} {}",
    ] {
        refused(text, "not JSON");
    }
}

#[test]
fn json_that_is_no_object() {
    for text in ["null", "1", "[]", "\"CSINodeInfo\"", "[{}]", "{}"] {
        refused(text, "holds no object with apiVersion and kind");
    }
}

#[test]
fn wrong_api_version_or_kind() {
    const NONE: &str = "holds no object with apiVersion and kind";
    for (api_version, kind, part) in [
        (
            "csi.storage.k8s.io/v1alpha1",
            "CSIDriver",
            "holds a CSIDriver, not a CSINodeInfo",
        ),
        (
            "csi.storage.k8s.io/v1alpha1",
            "csinodeinfo",
            "holds a csinodeinfo, not a",
        ),
        ("csi.storage.k8s.io/v1alpha1", "", NONE),
        ("", "CSINodeInfo", NONE),
        ("csi.storage.k8s.io/v1", "CSINodeInfo", THIRD),
        ("csi.storage.k8s.io/v1alpha1\n", "CSINodeInfo", THIRD),
    ] {
        refused(
            json!({"apiVersion": api_version, "kind": kind}).to_string(),
            part,
        );
    }
    let text = json!({"apiVersion": ["csi.storage.k8s.io/v1alpha1"], "kind": "CSINodeInfo"});
    refused(text.to_string(), NONE);
}

/// Data that an object preserves of its own version is out of date: the object itself is complete.
#[test]
fn its_own_version() {
    let mut node = storage_v1::CSINode::sample();
    let kept = serde_json::to_string(&node).unwrap();
    let source = node.clone();
    node.metadata
        .annotations
        .get_or_insert_default()
        .insert(CONVERSION_DATA_ANNOTATION.to_owned(), kept);
    let info: Converted<CSINodeInfo> = node.convert_preserving().unwrap();
    let back: Converted<storage_v1::CSINode> = info.object.convert_preserving().unwrap();
    assert_eq!(back.object, source);
}

/// Data of a third version stays as long as nothing else has to be preserved.
#[test]
fn a_third_version() {
    let kept = json!({"apiVersion": "example.com/v1", "kind": "Node"}).to_string();
    let spec = CSINodeSpec::new([CSINodeDriver::new("a", "1").with_topology_keys(["zone"])]);
    let node =
        storage_v1::CSINode::new("n", spec).with_annotation(CONVERSION_DATA_ANNOTATION, kept);
    let info: Converted<CSINodeInfo> = node.clone().convert_preserving().unwrap();
    let back: Converted<storage_v1::CSINode> = info.object.convert_preserving().unwrap();
    assert_eq!(back.object, node);
}

#[test]
fn another_kind_altogether() {
    let driver = storage_v1alpha1::csi::CSIDriver::sample();
    refused(serde_json::to_string(&driver).unwrap(), "holds a CSIDriver");
}

/// The right kind with fields of the wrong type.
#[test]
fn wrong_fields() {
    for fields in [
        json!({"spec": []}),
        json!({"spec": {"drivers": {}}}),
        json!({"spec": {"drivers": [1]}}),
        json!({"status": {"drivers": [{"available": "yes"}]}}),
        json!({"csiDrivers": "a"}),
    ] {
        let mut kept = fields;
        kept["apiVersion"] = "csi.storage.k8s.io/v1alpha1".into();
        kept["kind"] = "CSINodeInfo".into();
        refused(kept.to_string(), "not a CSINodeInfo");
    }
}

#[test]
fn kept_object_contradicts_itself() {
    refused(
        serde_json::to_string(&CSINodeInfo::sample()).unwrap(),
        "csiDrivers",
    );
    let mut twice = csi_node_info_1_13();
    let spec = twice.spec.as_mut().unwrap();
    spec.drivers.push(spec.drivers[0].clone());
    refused(
        serde_json::to_string(&twice).unwrap(),
        "spec.drivers[2].name",
    );
}

#[test]
fn deep_nesting() {
    for open in ["[", "{\"a\":"] {
        refused(open.repeat(40_000), "not JSON");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let start = r#"{"apiVersion":"csi.storage.k8s.io/v1alpha1","kind":"CSINodeInfo","x":"#;
    refused(format!("{start}{deep}}}"), "not JSON");
}

/// No server would have taken it, so it isn't even read.
#[test]
fn annotation_of_300_kib() {
    let mut kept = serde_json::to_string(&csi_node_info_1_13()).unwrap();
    kept += &" ".repeat(300 << 10);
    refused(kept, "bytes, more than");
}

/// Preserved data must fit beside the other annotations: to the byte.
#[test]
fn too_large_to_keep() {
    let mut source = csi_node_info_1_13();
    let small: Converted<CSINode> = source.clone().convert_preserving().unwrap();
    let kept = &small.object.metadata.annotations.as_ref().unwrap()[CONVERSION_DATA_ANNOTATION];
    let room = MAX_ANNOTATIONS - CONVERSION_DATA_ANNOTATION.len() - kept.len() - "big".len();

    let filled = |bytes: usize| Some([("big".to_owned(), "x".repeat(bytes))].into());
    source.metadata.annotations = filled(room);
    let fits: Converted<CSINode> = source.clone().convert_preserving().unwrap();
    let back: Converted<CSINodeInfo> = fits.object.convert_preserving().unwrap();
    assert_eq!(back.object, source);

    source.metadata.annotations = filled(room + 1);
    let result: Result<Converted<CSINode>, _> = source.clone().convert_preserving();
    let error = result.unwrap_err();
    let expected = ConversionError::TooLarge {
        path: FieldPath::new("metadata")
            .child("annotations")
            .key(CONVERSION_DATA_ANNOTATION),
        bytes: MAX_ANNOTATIONS + 1,
    };
    assert_eq!(error, expected);
    assert!(error.to_string().contains("262144"), "{error}");

    // Without keeping, size doesn't matter, and the annotations are those of the source.
    let plain: Converted<CSINode> = source.clone().convert().unwrap();
    assert_eq!(plain.object.metadata, source.metadata);
    // Nor does it where nothing is lost.
    let mut nothing_lost = CSINode::new("n", CSINodeSpec::default());
    nothing_lost.metadata.annotations = filled(MAX_ANNOTATIONS);
    let converted: Converted<CSINodeInfo> = nothing_lost.convert_preserving().unwrap();
    assert_eq!(converted.unrepresentable, []);
}

/// A source that is too large by itself.
#[test]
fn too_large_by_itself() {
    let mut source = csi_node_info_1_12();
    let drivers = source.csi_drivers.as_mut().unwrap();
    drivers[0].topology_keys = vec!["k".repeat(MAX_ANNOTATIONS)];
    let result: Result<Converted<CSINode>, _> = source.clone().convert_preserving();
    assert!(matches!(result, Err(ConversionError::TooLarge { .. })));
    let list = CSINodeInfoList::new([source]);
    let result: Result<Converted<CSINodeList>, _> = list.convert_preserving();
    assert_eq!(
        result.unwrap_err().path().to_string(),
        format!("items[0].{PLACE}")
    );
}

/// Metadata in the annotation is nobody's: the object has its own.
#[test]
fn kept_metadata_is_not_used() {
    let mut kept = serde_json::to_value(csi_node_info_1_13()).unwrap();
    kept["metadata"] = json!({"name": "evil", "labels": {"a": "b"}, "uid": 1});
    let node: CSINode = csi_node_info_1_13().convert_preserving().unwrap().object;
    let node = with_annotation(node, kept.to_string());
    let back: CSINodeInfo = node.convert_preserving().unwrap().object;
    assert_eq!(back.metadata.name.as_deref(), Some("node-1"));
    assert_eq!(back.metadata.labels, csi_node_info_1_13().metadata.labels);
    assert_eq!(back.spec, csi_node_info_1_13().spec);
}

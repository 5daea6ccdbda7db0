//! Counterparts in lists, maps and boxes, and with preserved unknown fields.

use std::collections::BTreeMap;

use k8s_openapi::serde_json::json;
use kubernetes_kinds::convert::Converted;
use kubernetes_kinds::counterpart::{self, Counterpart, LossyError};
use kubernetes_kinds::wire;

mod theirs {
    use std::collections::BTreeMap;

    #[derive(Clone, Debug, Default, PartialEq)]
    pub(super) struct Tree {
        pub(super) name: String,
        pub(super) branches: Option<BTreeMap<String, Vec<Leaf>>>,
        pub(super) inner: Option<Box<Tree>>,
        pub(super) size: Option<i32>,
    }

    #[derive(Clone, Debug, Default, PartialEq)]
    pub(super) struct Leaf {
        pub(super) green: bool,
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Tree {
    name: String,
    branches: Option<BTreeMap<String, Vec<Leaf>>>,
    inner: Option<Box<Tree>>,
    /// A field that isn't boxed in the other type.
    size: Option<Box<i32>>,
    age: i64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    green: bool,
    unknown: wire::UnknownFields,
}

counterpart::object! {
    Tree => theirs::Tree {
        partial,
        "name" => name,
        "branches" => branches as part,
        "inner" => inner as part,
        "size" => size as boxed,
        [] "age" => age,
    }
}

counterpart::object! {
    Leaf => theirs::Leaf {
        partial,
        "green" => green,
        _ => unknown,
    }
}

fn leaf(unknown: &[&str]) -> Leaf {
    let unknown = unknown.iter().map(|name| ((*name).to_owned(), json!(1)));
    Leaf {
        green: true,
        unknown: unknown.collect(),
    }
}

fn tree(age: i64, leaves: Vec<Leaf>) -> Tree {
    Tree {
        name: "oak".to_owned(),
        branches: Some([("a.b".to_owned(), leaves)].into()),
        size: Some(Box::new(7)),
        age,
        ..Tree::default()
    }
}

#[test]
fn nothing_that_is_set_is_lost() {
    let ours = Tree {
        inner: Some(Box::new(tree(0, vec![leaf(&[])]))),
        ..tree(0, vec![leaf(&[]), leaf(&[])])
    };
    let theirs = theirs::Tree::try_from(ours.clone()).unwrap();
    assert_eq!(theirs.size, Some(7));
    assert_eq!(theirs.branches.as_ref().unwrap()["a.b"].len(), 2);
    assert_eq!(theirs.inner.as_ref().unwrap().name, "oak");
    assert_eq!(Tree::from(theirs), ours);
}

/// Wherever it is, each with its path and value, in the order of the fields.
#[test]
fn all_that_is_lost_is_told() {
    let ours = Tree {
        inner: Some(Box::new(tree(3, vec![leaf(&["x", "y"])]))),
        ..tree(40, vec![leaf(&[]), leaf(&["z"])])
    };
    let Converted {
        object,
        unrepresentable,
    } = ours.clone().into_k8s_openapi();
    let fields = unrepresentable.iter().map(ToString::to_string);
    let expected = [
        "age: 40",
        "branches[a.b][1].z: 1",
        "inner.age: 3",
        "inner.branches[a.b][0].x: 1",
        "inner.branches[a.b][0].y: 1",
    ];
    assert_eq!(Vec::from_iter(fields), expected);
    assert_eq!(
        theirs::Tree::try_from(ours),
        Err(LossyError { unrepresentable })
    );
    // The other fields are there.
    let kept = tree(0, vec![leaf(&[]), leaf(&[])]);
    let inner = tree(0, vec![leaf(&[])]);
    let kept = Tree {
        inner: Some(Box::new(inner)),
        ..kept
    };
    assert_eq!(Tree::from(object), kept);
}

#[test]
fn the_error_says_what_to_do() {
    let error = theirs::Tree::try_from(tree(40, vec![leaf(&["z"])])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the Kubernetes release of k8s-openapi's types lacks age: 40, branches[a.b][0].z: 1: \
         unset what it lacks, or select a later release of k8s-openapi"
    );
}

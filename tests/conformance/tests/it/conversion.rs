//! Random objects of every older kind into storage.k8s.io/v1 and back, and the other way
//! round.

use conformance::arbitrary::{check_all, check_many, list, list_meta};
use conformance::kind::{Kind, Wire};
use conformance::older::{relabel, relabel_json};
use conformance::{each_lossless_pair, each_lossy_pair};
use k8s_openapi::{Metadata, Resource};
use kubernetes_kinds::convert::{CONVERSION_DATA_ANNOTATION, Convert, Converted};
use proptest::prelude::*;
use serde_json::Value;

fn value<T: Wire>(object: &T) -> Value {
    serde_json::to_value(object).unwrap()
}

/// Random lists, with metadata of their own.
fn lists<K: Kind>(items: BoxedStrategy<K>) -> BoxedStrategy<K::List> {
    let with = |(metadata, items): (_, Vec<K>)| {
        let mut list: K::List = items.into_iter().collect();
        *list.metadata_mut() = metadata;
        list
    };
    (list_meta(), list(items)).prop_map(with).boxed()
}

/// One way and back is where one began, and nothing but the `apiVersion` differs on the way.
fn there_and_back<A, B>(source: A) -> Result<(), TestCaseError>
where
    A: Wire + From<B>,
    B: Wire + From<A> + Resource,
{
    let target = B::from(source.clone());
    let mut expected = value(&source);
    relabel_json(&mut expected, B::API_VERSION);
    prop_assert_eq!(value(&target), expected);
    prop_assert_eq!(A::from(target), source);
    Ok(())
}

fn lossless<Old, New>()
where
    Old: Kind + From<New>,
    New: Kind + From<Old>,
{
    // One random object for both directions: making it is what takes the time.
    check_many(&New::arbitrary(), |new| {
        there_and_back::<Old, New>(relabel(&new))?;
        there_and_back::<New, Old>(new)
    });
    there_and_back::<Old, New>(Old::sample()).unwrap();
    there_and_back::<Old, New>(Old::default()).unwrap();
}

fn lossless_lists<Old, New>()
where
    Old: Kind,
    New: Kind,
    Old::List: From<New::List> + Resource,
    New::List: From<Old::List> + Resource,
{
    check_all(&lists(New::arbitrary()), |new| {
        let mut old = value(&new);
        relabel_json(&mut old, Old::API_VERSION);
        let old = serde_json::from_value(old).unwrap();
        there_and_back::<Old::List, New::List>(old)?;
        there_and_back::<New::List, Old::List>(new)
    });
}

mod without_loss {
    use super::*;
    each_lossless_pair!(super::lossless);
}

mod lists_without_loss {
    use super::*;
    each_lossless_pair!(super::lossless_lists);
}

/// Random objects in which no two drivers have the same name: others are refused.
fn consistent<K: Kind>() -> BoxedStrategy<K> {
    let unique = |object: &K| {
        let object = value(object);
        let drivers = object.pointer("/spec/drivers").and_then(Value::as_array);
        let mut names: Vec<String> = drivers
            .into_iter()
            .flatten()
            .map(|driver| driver["name"].to_string())
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        names.len() == all
    };
    K::arbitrary()
        .prop_filter("two drivers of one name", unique)
        .boxed()
}

fn keep<A: Convert<B>, B>(source: A) -> Result<Converted<B>, TestCaseError> {
    source
        .convert_preserving()
        .map_err(|error| TestCaseError::fail(error.to_string()))
}

fn annotation<K: Kind>(object: &K) -> Option<&String> {
    object
        .metadata()
        .annotations
        .as_ref()?
        .get(CONVERSION_DATA_ANNOTATION)
}

/// Preserved fields come back, and there is an annotation only if a field would be lost.
fn kept<A, B>(source: A) -> Result<(), TestCaseError>
where
    A: Kind + Convert<B>,
    B: Kind + Convert<A>,
{
    let target = keep::<A, B>(source.clone())?;
    prop_assert_eq!(
        annotation(&target.object).is_some(),
        !target.unrepresentable.is_empty()
    );
    let plain = source.clone().convert().unwrap();
    prop_assert_eq!(&plain.unrepresentable, &target.unrepresentable);

    // Apart from the annotation, keeping makes no difference.
    let mut expected = value(&plain.object);
    let mut found = value(&target.object);
    for object in [&mut expected, &mut found] {
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.remove("annotations");
    }
    prop_assert_eq!(found, expected);

    let mut others = target
        .object
        .metadata()
        .annotations
        .clone()
        .unwrap_or_default();
    others.remove(CONVERSION_DATA_ANNOTATION);
    prop_assert_eq!(
        others,
        source.metadata().annotations.clone().unwrap_or_default()
    );

    let back = keep::<B, A>(target.object)?;
    prop_assert_eq!(back.object, source);
    Ok(())
}

fn keeping<Old, New>()
where
    Old: Kind + Convert<New>,
    New: Kind + Convert<Old>,
{
    check_many(&Old::arbitrary(), kept::<Old, New>);
    check_many(&consistent::<New>(), kept::<New, Old>);
    kept::<Old, New>(Old::default()).unwrap();
    kept::<New, Old>(New::default()).unwrap();
    kept::<New, Old>(New::sample()).unwrap();
}

fn kept_list<A, B>(source: A) -> Result<(), TestCaseError>
where
    A: Wire + Convert<B>,
    B: Wire + Convert<A>,
{
    let back = keep::<B, A>(keep::<A, B>(source.clone())?.object)?;
    prop_assert_eq!(back.object, source);
    Ok(())
}

/// The losses of a list are those of its items, each with its place.
fn losses_of_list<A, B>(source: A::List) -> Result<(), TestCaseError>
where
    A: Kind + Convert<B>,
    B: Kind,
    A::List: Convert<B::List>,
{
    let converted = source.clone().convert().unwrap();
    prop_assert_eq!(converted.object.metadata(), source.metadata());
    let mut expected = Vec::new();
    let mut objects = Vec::new();
    for (index, item) in source.into_iter().enumerate() {
        let item = item.convert().unwrap();
        let place = |loss: &kubernetes_kinds::convert::UnrepresentableField| {
            (format!("items[{index}].{}", loss.path), loss.value.clone())
        };
        expected.extend(item.unrepresentable.iter().map(place));
        objects.push(item.object);
    }
    let found: Vec<_> = converted
        .unrepresentable
        .into_iter()
        .map(|loss| (loss.path.to_string(), loss.value))
        .collect();
    prop_assert_eq!(found, expected);
    prop_assert_eq!(converted.object.into_iter().collect::<Vec<B>>(), objects);
    Ok(())
}

fn keeping_lists<Old, New>()
where
    Old: Kind + Convert<New>,
    New: Kind + Convert<Old>,
    Old::List: Convert<New::List>,
    New::List: Convert<Old::List>,
{
    let (old, new) = (lists(Old::arbitrary()), lists(consistent::<New>()));
    check_all(&old, kept_list::<Old::List, New::List>);
    check_all(&new, kept_list::<New::List, Old::List>);
    check_all(&old, losses_of_list::<Old, New>);
    check_all(&new, losses_of_list::<New, Old>);
}

mod with_annotation {
    use super::*;
    each_lossy_pair!(super::keeping);
}

mod lists_with_annotation {
    use super::*;
    each_lossy_pair!(super::keeping_lists);
}

/// csi.storage.k8s.io to v1, on to v1beta1, and all the way back.
fn two_hops<Csi, New, Beta>()
where
    Csi: Kind + Convert<New>,
    New: Kind + Convert<Csi> + From<Beta>,
    Beta: Kind + From<New>,
{
    check_many(&Csi::arbitrary(), |source| {
        let new = keep::<Csi, New>(source.clone())?.object;
        let beta = Beta::from(new.clone());
        let again = New::from(beta);
        prop_assert_eq!(&again, &new);
        prop_assert_eq!(keep::<New, Csi>(again)?.object, source);
        Ok(())
    });
    let beta = Beta::arbitrary().prop_filter("two drivers of one name", |beta| {
        Convert::<Csi>::convert(New::from(beta.clone())).is_ok()
    });
    check_many(&beta, |source| {
        let csi = keep::<New, Csi>(source.clone().into())?.object;
        prop_assert_eq!(Beta::from(keep::<Csi, New>(csi)?.object), source);
        Ok(())
    });
}

mod through_v1beta1 {
    conformance::each! { super::two_hops =>
        csi_driver: storage_v1alpha1::csi::CSIDriver, storage_v1::CSIDriver,
            storage_v1beta1::CSIDriver;
        csi_node_info: storage_v1alpha1::csi::CSINodeInfo, storage_v1::CSINode,
            storage_v1beta1::CSINode;
    }
}

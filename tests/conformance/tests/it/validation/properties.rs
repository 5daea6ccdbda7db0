//! Properties that hold for objects of every kind and version, whatever is in them.

use conformance::arbitrary::check_all;
use conformance::rules::{Ruled, in_short, is_there};
use kubernetes_kinds::Release;
use kubernetes_validation::{ErrorType, Report, Segment, Target, Validate as _};
use proptest::prelude::*;
use proptest::sample::select;

/// Servers that differ: old and new, with gates on and off.
fn target() -> impl Strategy<Value = Target> {
    (23_u16..=38, select(vec![None, Some(true), Some(false)])).prop_map(|(minor, gates)| {
        let target = Target::new(Release::new(1, minor));
        match gates {
            Some(on) => target.with_gate("AllAlpha", on).with_gate("AllBeta", on),
            None => target,
        }
    })
}

mod defaulting_twice_is_defaulting_once {
    use super::*;

    fn check<K: Ruled>() {
        check_all(&(K::arbitrary(), target()), |(object, target)| {
            let mut once = object.clone();
            once.set_defaults(&target);
            let mut twice = once.clone();
            twice.set_defaults(&target);
            prop_assert_eq!(&twice, &once);
            once.prepare_for_create(&target);
            let mut again = once.clone();
            again.prepare_for_create(&target);
            prop_assert_eq!(again, once);
            Ok(())
        });
    }

    conformance::each_kind!(check);
}

mod validation_never_panics_and_paths_are_there {
    use super::*;

    /// Of what a server can't read, the paths are in the object as it is `given`: a status is
    /// dropped afterwards. Of the status that an update keeps, they are in the `stored` object.
    fn paths_are_there<K: Ruled>(
        given: &K,
        stored: &K,
        object: &K,
        report: &Report,
    ) -> Result<(), TestCaseError> {
        if report.errors.is_empty() && report.warnings.is_empty() {
            return Ok(());
        }
        let json = serde_json::to_value(object).unwrap();
        let [given, stored] = [given, stored].map(|object| serde_json::to_value(object).unwrap());
        let status = Segment::Field("status".into());
        for error in &report.errors {
            let is_unread = error.rule == "quantity" && is_there(error, &given);
            let is_of_status = error.path.segments().first() == Some(&status);
            let is_kept = is_of_status && is_there(error, &stored);
            let is_elsewhere = is_unread || is_kept;
            prop_assert!(
                is_elsewhere || is_there(error, &json),
                "{} in {}",
                error,
                json
            );
            prop_assert!(!error.detail.is_empty(), "{:?}", error);
        }
        for warning in &report.warnings {
            let segments = warning.path.segments().split_last();
            let parent = segments.map(|(_, parent)| parent.iter().cloned().collect());
            let parent: kubernetes_validation::FieldPath = parent.unwrap_or_default();
            prop_assert!(parent.resolve(&json).is_some(), "{} in {}", warning, json);
        }
        Ok(())
    }

    fn check<K: Ruled>() {
        let objects = (K::arbitrary(), K::arbitrary(), target());
        check_all(&objects, |(object, stored, target)| {
            // Without defaults, as nobody should ask.
            let mut report = object.validate_update(&stored, &target);
            report.errors.extend(object.validate(&target).errors);
            report.errors.extend(object.validate_status(&target).errors);
            paths_are_there(&object, &stored, &object, &report)?;
            let mut updated = object.clone();
            let report = updated.default_and_validate_update(&stored, &target);
            paths_are_there(&object, &stored, &updated, &report)?;
            let mut created = object.clone();
            let report = created.default_and_validate(&target);
            paths_are_there(&object, &object, &created, &report)
        });
    }

    conformance::each_kind!(check);
}

/// An object that takes the place of itself changes nothing.
mod an_update_without_change_has_no_error_of_change {
    use super::*;

    fn check<K: Ruled>() {
        check_all(&(K::arbitrary(), target()), |(mut object, target)| {
            object.metadata_mut().deletion_timestamp = None;
            object.set_defaults(&target);
            let report = object.validate_update(&object.clone(), &target);
            // Of elements with the same key, each is compared with the first.
            prop_assume!(
                report
                    .errors
                    .iter()
                    .all(|f| f.error_type != ErrorType::Duplicate)
            );
            let changes = report
                .errors
                .iter()
                .filter(|error| error.rule == "immutable");
            prop_assert_eq!(
                changes.map(in_short).collect::<Vec<_>>(),
                Vec::<String>::new()
            );
            Ok(())
        });
    }

    conformance::each_kind!(check);
}

/// An object and what it becomes in v1 have the same errors and warnings, messages included, but
/// for the status: only v1 writes that separately.
mod versions_agree {
    use super::*;

    fn without_status(mut report: Report) -> Report {
        let is_status = |text: &str| text.starts_with("status");
        report.errors.retain(|error| !is_status(&error.field));
        report
            .warnings
            .retain(|warning| !is_status(&warning.path.to_string()));
        report
    }

    fn check<Old: Ruled + From<New>, New: Ruled + From<Old>>() {
        let objects = (Old::arbitrary(), Old::arbitrary(), target());
        check_all(&objects, |(mut object, mut stored, target)| {
            let (mut new, mut new_stored) = (New::from(object.clone()), New::from(stored.clone()));
            object.set_defaults(&target);
            new.set_defaults(&target);
            prop_assert_eq!(&New::from(object.clone()), &new);
            let created = without_status(object.validate(&target));
            prop_assert_eq!(created, without_status(new.validate(&target)));
            stored.set_defaults(&target);
            new_stored.set_defaults(&target);
            let updated = without_status(object.validate_update(&stored, &target));
            let new_updated = new.validate_update(&new_stored, &target);
            prop_assert_eq!(updated, without_status(new_updated));
            Ok(())
        });
    }

    conformance::each_lossless_pair!(check);
}

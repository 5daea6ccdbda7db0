//! How a server checks custom resources, beyond the keywords of their schemas.

use k8s_openapi::serde_json::Value;
use kubernetes_kinds::Release;

use crate::{
    Checker, Error, ErrorType, Feature, FieldPath, Path, Problem, Report, Segment,
    Strategy,
};

/// What errors of rules in CEL say that they break.
pub(crate) const RULE: &str = "x-kubernetes-validations";

/// Where a server reports errors of an object as a whole, or of none of its fields.
pub(crate) const NOWHERE: &str = "<nil>";

/// On an update, what hasn't changed isn't checked again.
const RATCHETING: Feature = Feature {
    gate: "CRDValidationRatcheting",
    introduced: Release::new(1, 28),
    beta: Some(Release::new(1, 30)),
    on: None,
    stable: Some(Release::new(1, 33)),
};

/// Returns the report. A server leaves the rules in CEL of a custom resource unevaluated where they
/// may not make sense, and says so.
pub(crate) fn finish<K: Strategy>(mut checker: Checker<'_>) -> Report {
    if K::HAS_CEL_RULES && checker.report.errors.iter().any(is_in_the_way) {
        checker.report.errors.retain(|error| error.rule != RULE);
        let problem = Problem::new(ErrorType::Invalid, RULE);
        let detail =
            "the rules in CEL have not been evaluated, because of the other errors";
        checker.error(Path::ROOT.reported_at(NOWHERE), problem, None, detail);
    }
    checker.finish()
}

fn is_in_the_way(error: &Error) -> bool {
    use ErrorType::{NotSupported, Required, TooLong, TooMany};
    matches!(error.error_type, NotSupported | Required | TooLong | TooMany)
}

/// Drops the errors since a mark that are about values as they are stored.
///
/// An element of a list counts as changed if its list has.
pub(crate) fn ratchet<K: Strategy>(
    object: &K,
    stored: &K,
    from: usize,
    to: &mut Checker<'_>,
) {
    if to.mark() == from || !to.target().has(&RATCHETING) {
        return;
    }
    if let (Some(new), Some(old)) = (object.ratcheted(), stored.ratcheted()) {
        let since = to.report.errors.split_off(from);
        let changed = since.into_iter().filter(|e| !is_stored(&e.path, &new, &old));
        to.report.errors.extend(changed);
    }
}

/// Whether the value at a path, or one that it is in, is the same in both.
fn is_stored(path: &FieldPath, new: &Value, old: &Value) -> bool {
    let (mut new, mut old) = (new, old);
    for segment in path.segments() {
        let inside = match segment {
            Segment::Field(name) => new.get(&**name).zip(old.get(&**name)),
            Segment::Key(key) => new.get(&**key).zip(old.get(&**key)),
            // Without keys, elements have no counterparts.
            _ => None,
        };
        match inside {
            Some((inner, stored)) if inner == stored => return true,
            Some(inside) => (new, old) = inside,
            None => return false,
        }
    }
    new == old
}

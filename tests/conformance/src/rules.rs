//! Validates variations of an object, each in a line.

use std::marker::PhantomData;

use kubernetes_kinds::Release;
use kubernetes_validation::{Error, ErrorType, FieldPath, Report, Strategy, Target, Validate};
use serde_json::{Map, Value, json};

use crate::kind::Kind;

/// A kind that has rules.
pub trait Ruled: Kind + Strategy {}

impl<K: Kind + Strategy> Ruled for K {}

/// Makes a module of test functions for each version of a kind, calling generic functions.
#[macro_export]
macro_rules! each_version {
    ($tests:tt $($version:ident: $kind:ty;)*) => {
        $($crate::each_version!(@ $version $kind, $tests);)*
    };
    (@ $version:ident $kind:ty, [$($test:ident),* $(,)?]) => {
        mod $version {
            $(
                #[test]
                fn $test() {
                    super::$test::<$kind>();
                }
            )*
        }
    };
}

/// Validates variations of one valid object.
#[derive(Clone, Debug)]
pub struct Probe<K> {
    good: Value,
    target: Target,
    kind: PhantomData<K>,
}

impl<K: Ruled> Probe<K> {
    /// Validates variations of this object, for the newest release.
    #[must_use]
    pub fn of(good: Value) -> Self {
        Self {
            good,
            target: Target::new(storage_v1::KUBERNETES),
            kind: PhantomData,
        }
    }

    /// The same for another target.
    #[must_use]
    pub fn by(&self, target: Target) -> Self {
        Self {
            target,
            ..self.clone()
        }
    }

    /// The same for the release 1.`minor`.
    #[must_use]
    pub fn in_1(&self, minor: u16) -> Self {
        self.by(Target::new(Release::new(1, minor)))
    }

    /// The object after a merge patch.
    ///
    /// # Panics
    ///
    /// When that isn't an object of the kind.
    #[must_use]
    #[allow(clippy::panic)] // It is how a test fails.
    pub fn object(&self, patch: Value) -> K {
        let mut json = self.good.clone();
        merge(&mut json, patch);
        let read = serde_json::from_value(json);
        read.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The result of creating the object after a merge patch.
    #[must_use]
    pub fn create(&self, patch: Value) -> Answer {
        let mut object = self.object(patch);
        let report = object.default_and_validate(&self.target);
        Answer::new(&object, report)
    }

    /// The result of updating the object after one patch to the object after another.
    #[must_use]
    pub fn update(&self, stored: Value, patch: Value) -> Answer {
        let version = json!({"metadata": {"resourceVersion": "1", "uid": "u"}});
        let mut with_version = self.clone();
        merge(&mut with_version.good, version);
        let mut stored = with_version.object(stored);
        stored.set_defaults(&self.target);
        let mut object = with_version.object(patch);
        let report = object.default_and_validate_update(&stored, &self.target);
        Answer::new(&object, report)
    }

    /// The result of writing the status after a merge patch.
    #[must_use]
    pub fn status(&self, patch: Value) -> Answer {
        let object = self.object(patch);
        let report = object.validate_status(&self.target);
        Answer::new(&object, report)
    }

    /// The result of validation without setting defaults first.
    #[must_use]
    pub fn without_defaults(&self, patch: Value) -> Answer {
        let object = self.object(patch);
        let report = object.validate(&self.target);
        Answer::new(&object, report)
    }

    /// The JSON of the stored object that is created after a merge patch.
    ///
    /// # Panics
    ///
    /// Never: objects can be written.
    #[must_use]
    pub fn stored(&self, patch: Value) -> Value {
        let mut object = self.object(patch);
        object.prepare_for_create(&self.target);
        serde_json::to_value(&object).unwrap_or_default()
    }
}

/// A result of validation.
#[derive(Clone, Debug)]
pub struct Answer {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Answer {
    /// Shortens a report, and checks that its exact paths exist in the object.
    fn new<K: Ruled>(object: &K, report: Report) -> Self {
        let json = serde_json::to_value(object).unwrap_or_default();
        for error in &report.errors {
            assert!(is_there(error, &json), "{error} in {json}");
            assert!(
                !error.detail.is_empty() && !error.rule.is_empty(),
                "{error:?}"
            );
        }
        let mut errors: Vec<_> = report.errors.iter().map(in_short).collect();
        errors.sort();
        let warnings = report
            .warnings
            .iter()
            .map(|warning| warning.path.to_string());
        Self {
            errors,
            warnings: warnings.collect(),
        }
    }

    /// The object is accepted without a warning.
    #[track_caller]
    pub fn ok(&self) {
        self.refused(&[]);
        self.warned(&[]);
    }

    /// The object has these errors and no others: `Required spec.x` has the kind and the path
    /// as the server writes it, and after that in brackets the exact path, if it differs.
    #[track_caller]
    pub fn refused(&self, expected: &[&str]) {
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(self.errors, expected);
    }

    /// The object has warnings at these paths.
    #[track_caller]
    pub fn warned(&self, expected: &[&str]) {
        assert_eq!(self.warnings, expected);
    }

    /// The errors in short, in order.
    #[must_use]
    pub fn errors(&self) -> &[String] {
        &self.errors
    }
}

/// An error as [`Answer::refused`] expects it.
#[must_use]
pub fn in_short(error: &Error) -> String {
    let path = error.path.to_string();
    if path == error.field {
        format!("{:?} {path}", error.error_type)
    } else {
        format!("{:?} {} ({path})", error.error_type, error.field)
    }
}

/// Returns true if the path of an error exists. Of a required field, and of a removed one without a
/// value, the parent must exist.
#[must_use]
pub fn is_there(error: &Error, object: &Value) -> bool {
    let is_absent = error.error_type == ErrorType::Required || error.value == Some(Value::Null);
    let segments = match error.path.segments() {
        [parent @ .., _] if is_absent => parent,
        all => all,
    };
    let path: FieldPath = segments.iter().cloned().collect();
    path.resolve(object).is_some()
}

/// A JSON merge patch: `null` removes a member.
fn merge(value: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *value = patch;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Value::Object(object) = value {
        for (key, patch) in patch {
            if patch.is_null() {
                object.remove(&key);
            } else {
                merge(object.entry(key).or_insert(Value::Null), patch);
            }
        }
    }
}

/// A text of so many bytes, which is a name in every respect but its length.
#[must_use]
pub fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// A DNS subdomain of so many bytes, of labels that are not too long.
#[must_use]
pub fn domain(bytes: usize) -> String {
    let dots = |at: usize| if at % 60 == 59 { '.' } else { 'd' };
    let mut domain: String = (0..bytes).map(dots).collect();
    if domain.ends_with('.') {
        domain.pop();
        domain.push('d');
    }
    domain
}

/// A map of so many entries.
#[must_use]
pub fn entries(count: usize) -> Value {
    (0..count)
        .map(|at| (format!("key-{at}"), json!("v")))
        .collect::<Map<_, _>>()
        .into()
}

/// A map with one entry of so many bytes in all.
#[must_use]
pub fn entry_of(bytes: usize) -> Value {
    json!({"k": text(bytes - 1)})
}

//! Combinations of schemas in custom resources: `allOf`, `anyOf`, `oneOf` and `not`.

use k8s_openapi::serde::Serialize;
use k8s_openapi::serde_json::{Number, Value};

#[cfg(feature = "pattern")]
use crate::Pattern;
use crate::checker::{Placed, to_value};
use crate::custom::NOWHERE;
use crate::known::is_code_of;
use crate::schema::{has_type, is_short};
use crate::{Checker, Error, ErrorType, Known, Path, Problem, TextFormat};

/// What a schema in a combination asks of a value. Values of other types pass.
#[derive(Debug)]
#[non_exhaustive]
pub enum Constraint {
    /// All of these hold, of an element of a list or value of a map that can be `null`.
    Schema(&'static [Constraint]),
    /// It is of one of these types: `type`, where `int32` is a whole number of 32 bits.
    Type(&'static [&'static str]),
    /// All schemas hold: `allOf`.
    AllOf(&'static [&'static [Constraint]]),
    /// At least one holds: `anyOf`.
    AnyOf(&'static [&'static [Constraint]]),
    /// Exactly one holds: `oneOf`.
    OneOf(&'static [&'static [Constraint]]),
    /// The schema doesn't hold: `not`.
    Not(&'static [Constraint]),
    /// These properties are there: `required`.
    Required(&'static [&'static str]),
    /// A property, where it is there, satisfies a schema: `properties`.
    Property(&'static str, &'static [Constraint]),
    /// All elements do: `items`.
    Items(&'static [Constraint]),
    /// It is one of these texts: `enum`.
    Texts(&'static [&'static str]),
    /// It is one of these numbers: `enum`.
    Numbers(&'static [f64]),
    /// It is one of these values: `enum`.
    Known(&'static [Known]),
    /// It has a match: `pattern`.
    #[cfg(feature = "pattern")]
    Pattern(&'static Pattern),
    /// It is a text of a format: `format`.
    Format(TextFormat),
    /// It has no fewer characters: `minLength`.
    MinLength(usize),
    /// It has no more characters: `maxLength`.
    MaxLength(usize),
    /// It isn't less: `minimum`.
    Minimum(f64),
    /// It is greater: `minimum` with `exclusiveMinimum`.
    Above(f64),
    /// It isn't greater: `maximum`.
    Maximum(f64),
    /// It is less: `maximum` with `exclusiveMaximum`.
    Below(f64),
    /// It is a multiple: `multipleOf`.
    MultipleOf(i64),
    /// It has no fewer elements: `minItems`.
    MinItems(usize),
    /// It has no more elements: `maxItems`.
    MaxItems(usize),
    /// It has no fewer properties: `minProperties`.
    MinProperties(usize),
    /// It has no more properties: `maxProperties`.
    MaxProperties(usize),
}

use Constraint::{Format, MaxLength, MinLength};

impl Checker<'_> {
    /// Checks a value for a combination of schemas.
    #[inline]
    pub fn combined<V: Serialize + ?Sized>(
        &mut self,
        at: Path<'_>,
        value: &V,
        combination: &'static Constraint,
    ) {
        let has_null = matches!(combination, Constraint::Schema(_));
        if let Some(new) = to_value(value).filter(|value| has_null || !value.is_null()) {
            let from = self.mark();
            Evaluation { to: self }.constraint(at, &new, combination, &[]);
            let errors = self.report.errors.split_off(from);
            if !errors.is_empty() {
                self.placed.push(Placed::at(at, errors));
            }
        }
    }
}

impl Error {
    /// Returns true if a server takes both for the same error.
    #[inline]
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.error_type == other.error_type
            && self.rule == other.rule
            && self.path == other.path
            && self.detail == other.detail
    }
}

/// An evaluation of schemas. It counts, as a server does, what of a schema fits: of schemas that
/// don't hold, a server reports the errors of the one that fits best.
struct Evaluation<'c, 't> {
    to: &'c mut Checker<'t>,
}

impl Evaluation<'_, '_> {
    /// Adds the errors of a value by a schema, and returns how much fits.
    #[inline]
    fn schema(&mut self, at: Path<'_>, value: &Value, schema: &'static [Constraint]) -> usize {
        if value.is_null() {
            let has_values = |part: &Constraint| {
                matches!(
                    part,
                    Constraint::Texts(_) | Constraint::Numbers(_) | Constraint::Known(_)
                )
            };
            if schema.iter().any(has_values) {
                self.to.null(at);
            }
            return 1;
        }
        let of_kind = match value {
            Value::String(_) | Value::Object(_) => 1,
            Value::Number(_) | Value::Array(_) => 2,
            Value::Bool(_) | Value::Null => 0,
        };
        let parts = schema.iter();
        let of_parts = parts.map(|part| self.constraint(at, value, part, schema));
        4 + of_kind + of_parts.sum::<usize>()
    }

    /// `schema` is the one that the part is in.
    #[inline]
    fn constraint(
        &mut self,
        at: Path<'_>,
        value: &Value,
        part: &'static Constraint,
        schema: &'static [Constraint],
    ) -> usize {
        match part {
            Constraint::Known(known) => {
                self.to.known_json(at, value, known);
                0
            }
            Constraint::Schema(parts) => self.schema(at, value, parts),
            Constraint::Type(types) => self.types(at, value, types),
            Constraint::AllOf(all) => self.all_of(at, value, all),
            Constraint::AnyOf(all) => self.any_of(at, value, all),
            Constraint::OneOf(all) => self.one_of(at, value, all),
            Constraint::Not(not) => {
                let (_, errors) = self.branch(at, value, not);
                if errors.is_empty() {
                    self.combination(at, "not", "the schema must not hold".to_owned());
                }
                0
            }
            Constraint::Required(names) => {
                if let Value::Object(object) = value {
                    for name in *names {
                        if !object.contains_key(*name) {
                            let detail = "the schema asks for it";
                            self.to.required(at.field(name), "required", detail);
                        }
                    }
                }
                0
            }
            Constraint::Property(name, schema) => match value.get(*name) {
                Some(value) => self.schema(at.field(name), value, schema),
                None => 0,
            },
            Constraint::Items(items) => self.items(at, value, items),
            Format(format) => self.format(at, value, *format),
            part => {
                match value {
                    Value::String(text) => self.text(at, text, part, schema),
                    Value::Number(number) => self.number(at, number, part),
                    other => self.collection(at, other, part),
                }
                0
            }
        }
    }

    /// Evaluates a schema, and returns its errors beside how much fits.
    #[inline]
    fn branch(
        &mut self,
        at: Path<'_>,
        value: &Value,
        schema: &'static [Constraint],
    ) -> (usize, Vec<Error>) {
        let from = self.to.mark();
        let fits = self.schema(at, value, schema);
        (fits, self.to.report.errors.split_off(from))
    }

    #[inline]
    fn combination(&mut self, at: Path<'_>, rule: &'static str, detail: String) {
        let problem = Problem::new(ErrorType::Invalid, rule);
        self.to
            .error(at.reported_at(NOWHERE), problem, None, detail);
    }

    #[inline]
    fn all_of(
        &mut self,
        at: Path<'_>,
        value: &Value,
        all: &'static [&'static [Constraint]],
    ) -> usize {
        let (mut fits, mut hold) = (0, 0);
        for schema in all {
            let (of_schema, mut errors) = self.branch(at, value, schema);
            fits += of_schema;
            hold += usize::from(errors.is_empty());
            self.to.report.errors.append(&mut errors);
        }
        if hold < all.len() {
            let none = if hold == 0 { "; none does" } else { "" };
            let detail = format!("all of the schemas must hold{none}");
            self.combination(at, "allOf", detail);
        }
        fits
    }

    #[inline]
    fn any_of(
        &mut self,
        at: Path<'_>,
        value: &Value,
        all: &'static [&'static [Constraint]],
    ) -> usize {
        let mut best = Best::default();
        for schema in all {
            let (fits, errors) = self.branch(at, value, schema);
            if errors.is_empty() {
                return fits;
            }
            best.add(fits, errors);
        }
        let detail = "at least one of the schemas must hold".to_owned();
        self.combination(at, "anyOf", detail);
        self.to.report.errors.append(&mut best.errors);
        best.fits
    }

    #[inline]
    fn one_of(
        &mut self,
        at: Path<'_>,
        value: &Value,
        all: &'static [&'static [Constraint]],
    ) -> usize {
        let (mut best, mut first, mut hold) = (Best::default(), 0, 0);
        for schema in all {
            let (fits, errors) = self.branch(at, value, schema);
            if errors.is_empty() {
                if hold == 0 {
                    first = fits;
                }
                hold += 1;
            } else {
                best.add(fits, errors);
            }
        }
        if hold == 1 {
            return first;
        }
        let detail = format!("exactly one of the schemas must hold; {hold} do");
        self.combination(at, "oneOf", detail);
        if hold > 1 {
            return 0;
        }
        self.to.report.errors.append(&mut best.errors);
        best.fits
    }

    #[inline]
    fn items(&mut self, at: Path<'_>, value: &Value, items: &'static [Constraint]) -> usize {
        let elements = value.as_array().into_iter().flatten().enumerate();
        let fits = elements.map(|(index, value)| self.schema(at.index(index), value, items));
        fits.sum()
    }

    #[inline]
    fn types(&mut self, at: Path<'_>, value: &Value, types: &'static [&'static str]) -> usize {
        let is = |ty: &&str| has_type(value, ty);
        let is_whole = matches!(types, ["integer" | "int32"]);
        if !types.iter().any(is) {
            let problem = Problem::new(ErrorType::TypeInvalid, "type");
            let detail = format!("it must be of the type {}", types.join(" or "));
            self.to.error(at, problem, Some(value.clone()), detail);
            // A server reports numbers that aren't whole once more, and not where they are.
            if is_whole && value.is_number() {
                self.combination(at, "type", "it must be a whole number".to_owned());
            }
        } else if types == ["int32"] && !value.as_f64().is_some_and(is_short) {
            self.combination(at, "format", "it must be of 32 bits".to_owned());
        }
        0
    }

    #[inline]
    fn format(&mut self, at: Path<'_>, value: &Value, format: TextFormat) -> usize {
        match value {
            _ if !self.to.knows(format) => 0,
            Value::String(text) => {
                self.to.text_format(at, text, format);
                3
            }
            Value::Array(_) => 2,
            other => {
                let problem = Problem::new(ErrorType::TypeInvalid, "format");
                let detail = format!("it must be a text of the format `{}`", format.name());
                self.to.error(at, problem, Some(other.clone()), detail);
                1
            }
        }
    }

    #[inline]
    fn text(
        &mut self,
        at: Path<'_>,
        text: &str,
        part: &'static Constraint,
        schema: &'static [Constraint],
    ) {
        let to = &mut *self.to;
        match part {
            Constraint::Texts(known) => to.known(at, text, known),
            // A server reports one error of length and pattern.
            MinLength(min) if !is_too_long(text, schema) => to.min_characters(at, text, *min),
            MaxLength(max) => to.max_characters(at, text, *max),
            #[cfg(feature = "pattern")]
            Constraint::Pattern(pattern) if has_length(text, schema) && !pattern.matches(text) => {
                let message = format!("it must match `{}`", pattern.as_str());
                to.invalid(at, "pattern", text, message);
            }
            Constraint::Numbers(known) => none_of(to, at, text.into(), known),
            _ => {}
        }
    }

    #[inline]
    fn number(&mut self, at: Path<'_>, number: &Number, part: &'static Constraint) {
        let to = &mut *self.to;
        let (whole, value) = (number.as_i64(), number.as_f64().unwrap_or_default());
        // A server drops the fraction of what it compares a whole number with.
        match (part, whole) {
            (Constraint::Minimum(limit), Some(whole)) => to.minimum(at, whole, *limit as i64),
            (Constraint::Minimum(limit), None) => to.minimum_fraction(at, value, *limit),
            (Constraint::Above(limit), Some(whole)) => to.above(at, whole, *limit as i64),
            (Constraint::Above(limit), None) => to.above(at, value, *limit),
            (Constraint::Maximum(limit), Some(whole)) => to.maximum(at, whole, *limit as i64),
            (Constraint::Maximum(limit), None) => to.maximum_fraction(at, value, *limit),
            (Constraint::Below(limit), Some(whole)) => to.below(at, whole, *limit as i64),
            (Constraint::Below(limit), None) => to.below(at, value, *limit),
            (Constraint::MultipleOf(of), Some(whole)) => to.multiple_of(at, whole, *of),
            (Constraint::MultipleOf(of), None) => to.multiple_of_fraction(at, value, *of as f64),
            (Constraint::Numbers(known), _) => {
                // It takes a fraction for the whole number before it, if it looks for that.
                let is = |known: &f64| match known.fract() == 0.0 {
                    true => whole.map_or(value.trunc(), |whole| whole as f64) == *known,
                    false => value == *known,
                };
                if !known.iter().any(is) {
                    none_of(to, at, number.clone().into(), known);
                }
            }
            (Constraint::Texts(known), _)
                if !known.iter().any(|known| is_code_of(number, known)) =>
            {
                none_of(to, at, number.clone().into(), known);
            }
            _ => {}
        }
    }

    #[inline]
    fn collection(&mut self, at: Path<'_>, value: &Value, part: &'static Constraint) {
        let to = &mut *self.to;
        match (part, value) {
            (Constraint::MinItems(min), Value::Array(list)) => {
                to.min_entries(at, list.len(), *min, "minItems");
            }
            (Constraint::MaxItems(max), Value::Array(list)) => {
                let problem = Problem::new(ErrorType::TooMany, "maxItems");
                to.max_entries(at, list.len(), *max, problem);
            }
            (Constraint::MinProperties(min), Value::Object(object)) => {
                to.min_entries(at, object.len(), *min, "minProperties");
            }
            (Constraint::MaxProperties(max), Value::Object(object)) => {
                let problem = Problem::new(ErrorType::TooMany, "maxProperties");
                to.max_entries(at, object.len(), *max, problem);
            }
            (Constraint::Texts(known), _) => none_of(to, at, value.clone(), known),
            (Constraint::Numbers(known), _) => none_of(to, at, value.clone(), known),
            _ => {}
        }
    }
}

/// The schema that fits best of those that don't hold.
#[derive(Default)]
struct Best {
    fits: usize,
    errors: Vec<Error>,
}

impl Best {
    #[inline]
    fn add(&mut self, fits: usize, errors: Vec<Error>) {
        if self.errors.is_empty() || fits > self.fits {
            *self = Self { fits, errors };
        }
    }
}

#[inline]
fn none_of<K: Serialize>(to: &mut Checker<'_>, at: Path<'_>, value: Value, known: &[K]) {
    let problem = Problem::new(ErrorType::NotSupported, "enum");
    let known = to_value(known).unwrap_or_default();
    to.error(at, problem, Some(value), format!("must be one of {known}"));
}

#[inline]
fn is_too_long(text: &str, schema: &[Constraint]) -> bool {
    let length = text.chars().count();
    let mut parts = schema.iter();
    parts.any(|part| matches!(part, MaxLength(max) if length > *max))
}

/// Returns true if a text has a length that its schema allows; a server doesn't match others.
#[cfg(feature = "pattern")]
#[inline]
fn has_length(text: &str, schema: &[Constraint]) -> bool {
    let length = text.chars().count();
    let is_short = |part: &Constraint| matches!(part, MinLength(min) if length < *min);
    !is_too_long(text, schema) && !schema.iter().any(is_short)
}

#[cfg(test)]
mod tests {
    use kubernetes_kinds::Release;

    use crate::{Checker, Constraint, Path, Target, TextFormat};

    static ADDRESS: Constraint = Constraint::OneOf(&[
        &[
            Constraint::Property("type", &[Constraint::Texts(&["IP"])]),
            Constraint::Property("value", &[Constraint::Format(TextFormat::Ipv4)]),
        ],
        &[Constraint::Property(
            "type",
            &[Constraint::Not(&[Constraint::Texts(&["IP"])])],
        )],
    ]);

    fn errors(value: &str) -> Vec<String> {
        let value: k8s_openapi::serde_json::Value =
            k8s_openapi::serde_json::from_str(value).unwrap_or_default();
        let target = Target::new(Release::new(1, 37));
        let mut checker = Checker::new(&target);
        checker.combined(Path::ROOT, &value, &ADDRESS);
        let report = checker.finish();
        let errors = report.errors.iter();
        let shown = errors.map(|error| format!("{} {}", error.error_type.reason(), error.field));
        shown.collect()
    }

    #[test]
    fn the_errors_of_the_schema_that_fits_best_are_reported() {
        assert!(errors(r#"{"type": "IP", "value": "10.0.0.1"}"#).is_empty());
        assert!(errors(r#"{"type": "Host", "value": "a"}"#).is_empty());
        assert_eq!(
            errors(r#"{"type": "IP", "value": "a"}"#),
            ["FieldValueInvalid <nil>", "FieldValueTypeInvalid value"]
        );
    }
}

//! The JSON Schemas of the generated types, with the feature `schemars`.
//!
//! A schema accepts what a server accepts, but for a few reasons that are listed in `random.rs`,
//! and refuses what breaks a rule that JSON Schema can say.

mod custom_resource;
mod golden;
mod keywords;
mod names;
mod objects;
mod random;
mod upstream;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use k8s_openapi::schemars::JsonSchema;
use k8s_openapi::schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema as kube makes it for a CustomResourceDefinition, without references.
fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::openapi3();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

fn validator<T: JsonSchema>() -> Validator {
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema::<T>()).unwrap()
}

/// Returns the errors of a value by a schema, in order: `/spec/nodeName pattern`, and of a property
/// that is missing `/spec required nodeName`.
fn errors(validator: &Validator, value: &Value) -> Vec<String> {
    let errors = validator.iter_errors(value).map(|error| {
        let (path, keyword) = (error.instance_path(), error.kind().keyword());
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                format!("{path} {keyword} {}", property.as_str().unwrap())
            }
            _ => format!("{path} {keyword}"),
        }
    });
    let mut errors: Vec<_> = errors.collect();
    errors.sort();
    errors
}

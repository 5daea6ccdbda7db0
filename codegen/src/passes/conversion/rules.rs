//! The rules of the configuration, and which of them were used.

use std::collections::BTreeSet;

use super::{ApiVersion, Crate};
use crate::config::{Conversion, ConversionRule};
use crate::diag::Diagnostics;
use crate::model::{ConversionMethod, Functions, SchemaName};
use crate::name::Function;

/// The rules for the types of two crates.
pub(super) struct Rules<'a> {
    config: &'a Conversion,
    /// The newest release of the other crate's documents.
    release: Option<crate::release::Release>,
    /// The rules that have been of use: the index of each, and the field.
    used: BTreeSet<(usize, Option<String>)>,
    /// True if the documents are the project's own, so that every rule is about something.
    is_complete: bool,
    owner: &'a str,
}

/// The rule for a field.
pub(super) enum FieldRule {
    To {
        name: String,
        functions: Option<Box<Functions>>,
    },
    Drop(String),
}

impl<'a> Rules<'a> {
    pub(super) fn new(config: &'a Conversion, ours: &'a Crate<'a>, theirs: &'a Crate<'a>) -> Self {
        Self {
            config,
            release: theirs.versions.iter().map(|version| version.release).max(),
            used: BTreeSet::new(),
            is_complete: is_complete(ours) && is_complete(theirs),
            owner: &ours.config.name,
        }
    }

    fn of_type(&mut self, schema: &SchemaName) -> Option<&'a ConversionRule> {
        let release = self.release;
        let holds = |rule: &ConversionRule| match (rule.before, release) {
            (Some(before), Some(release)) => release < before,
            _ => true,
        };
        let mut rules = self.config.rules.iter().enumerate();
        let (index, rule) = rules
            .find(|(_, rule)| rule.schema == *schema && rule.fields.is_empty() && holds(rule))?;
        self.used.insert((index, None));
        Some(rule)
    }

    /// Returns true if a type is meant to have no counterpart.
    pub(super) fn is_dropped(&mut self, schema: &SchemaName) -> bool {
        self.of_type(schema).is_some_and(|rule| rule.drop.is_some())
    }

    /// The schema that a type becomes, if a rule says so.
    pub(super) fn target(&mut self, schema: &SchemaName) -> Option<&'a str> {
        self.of_type(schema)?.to.as_deref()
    }

    /// The functions that convert a type.
    pub(super) fn functions(&mut self, schema: &SchemaName) -> Option<ConversionMethod> {
        functions(self.of_type(schema)?).map(ConversionMethod::ByHand)
    }

    /// The rule for a field of a type of either side.
    pub(super) fn field(&mut self, schema: &SchemaName, json: &str) -> Option<FieldRule> {
        let mut rules = self.config.rules.iter().enumerate();
        let (index, rule) = rules.find(|(_, rule)| {
            rule.schema == *schema && rule.fields.iter().any(|field| field == json)
        })?;
        self.used.insert((index, Some(json.to_owned())));
        if let Some(reason) = &rule.drop {
            return Some(FieldRule::Drop(reason.clone()));
        }
        Some(FieldRule::To {
            name: rule.to.clone()?,
            functions: functions(rule).map(Box::new),
        })
    }

    /// Reports rules that are about nothing: they would hide the next mistake.
    pub(super) fn report_unused(&self, diagnostics: &mut Diagnostics) {
        if !self.is_complete {
            return;
        }
        for (index, rule) in self.config.rules.iter().enumerate() {
            let fields = rule.fields.iter().map(|field| Some(field.clone()));
            let mut parts: Vec<_> = fields.collect();
            if parts.is_empty() && rule.before.is_none() {
                parts.push(None);
            }
            for part in parts
                .into_iter()
                .filter(|p| !self.used.contains(&(index, p.clone())))
            {
                let what = match part {
                    Some(field) => format!("`{field}` of `{}`", rule.schema),
                    None => format!("`{}`", rule.schema),
                };
                diagnostics.in_file(
                    "codegen.toml",
                    None,
                    format!(
                        "the conversion rule of `{}` for {what} is about nothing",
                        self.owner
                    ),
                    "correct the name, or take the rule out: what has a counterpart needs none",
                );
            }
        }
    }
}

/// The functions that a rule names.
fn functions(rule: &ConversionRule) -> Option<Functions> {
    Some(Functions {
        forth: Function::parse(rule.forth.as_ref()?)?,
        back: Function::parse(rule.back.as_ref()?)?,
        back_like: rule.back_like.as_deref().and_then(Function::parse),
    })
}

/// Returns true if all documents of a crate are of the releases that the configuration names.
fn is_complete(krate: &Crate<'_>) -> bool {
    let of = |version: &ApiVersion| version.release;
    let documents = krate
        .config
        .documents
        .iter()
        .map(|document| document.described());
    documents.eq(krate.versions.iter().map(of))
}

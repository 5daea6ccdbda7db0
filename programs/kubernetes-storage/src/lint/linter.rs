//! Checks the documents of a text.

use std::sync::Arc;

use kubernetes_kinds::{FieldPath, GroupVersion};
use kubernetes_manifests::scheme::{AnyObject, Part, Reason, Scheme, SchemeError, Syntax};
use kubernetes_validation::{ErrorType, Target};
use serde_json::Value;

use super::claim_places::ClaimPlace;
use super::claims::{self, Claims};
use super::collector::{Collector, Places};
use super::comments::Comments;
use super::duplicates::{Definitions, NamedObject};
use super::finding::{Finding, Subject};
use super::messages;
use super::note::Note;
use super::report::FileReport;
use crate::aside::{Aside, Left};
use crate::kinds::{self, UnknownKind};
use crate::older::OlderVersion;
use crate::server::{self, Document, Readable};
use crate::template;
use crate::text::truncate;

/// Checks manifests, each text by itself, on any number of threads.
pub struct Linter {
    scheme: Scheme,
    target: Target,
    options: LintOptions,
}

/// The options of a [`Linter`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintOptions {
    /// The kinds to check; all if empty.
    pub kinds: Vec<String>,
    /// Set if a field that only other releases have is an error instead of a warning.
    pub strict_unknown: bool,
    /// The claims in custom resources.
    pub claim_places: Vec<ClaimPlace>,
}

impl Linter {
    /// Returns a linter with the rules of an API server.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self::with_options(target, LintOptions::default())
    }

    /// Returns a linter with the rules of an API server, and with options.
    #[must_use]
    pub fn with_options(target: Target, options: LintOptions) -> Self {
        Self {
            scheme: kinds::scheme(),
            target,
            options,
        }
    }

    /// Checks a text; `file` is its name in findings.
    #[must_use]
    pub fn check(&self, file: &str, text: &str, syntax: Syntax) -> FileReport {
        self.check_text(file, text, syntax, false)
    }

    /// Checks a text of a test, whose objects are not checked if they lack required fields: they
    /// are parts of others.
    #[must_use]
    pub fn check_partial(&self, file: &str, text: &str, syntax: Syntax) -> FileReport {
        self.check_text(file, text, syntax, true)
    }

    fn check_text(&self, file: &str, text: &str, syntax: Syntax, is_partial: bool) -> FileReport {
        let name: Arc<str> = file.into();
        let new_report = || FileReport {
            file: file.to_owned(),
            comments: Comments::of(text),
            ..FileReport::default()
        };
        let (mut report, mut definitions) = (new_report(), Definitions::default());
        let aside = Aside::of(text);
        for part in self.scheme.decode_each(text, syntax) {
            let subject = subject(&part);
            let claims = self.claims(&part);
            let older = OlderVersion::of(&part).filter(|_| self.is_kind(&part));
            if !self.is_selected(&part) && claims.is_empty() && older.is_none() {
                // A list is left alone with its items, which are parts of their own.
                if !matches!(part.object, Ok(None)) {
                    let line = part.location.line.unwrap_or(1);
                    report.left_alone.push(format!("{file}:{line}: {subject}"));
                }
                continue;
            }
            let mut collector = Collector {
                file: Arc::clone(&name),
                subject: Arc::new(subject),
                line: part.location.line.unwrap_or(1),
                report: &mut report,
                is_partial,
                placeholders: Vec::new(),
                claim: None,
            };
            if !claims.is_empty() {
                self.check_claims(claims, &part, &mut collector);
                continue;
            }
            match aside.left(&part) {
                Some(Left::Template(line)) => {
                    let finding = collector.finding(None, messages::note(Note::Template, ""));
                    return FileReport {
                        findings: vec![Finding { line, ..finding }],
                        note: Some(Note::Template),
                        ..new_report()
                    };
                }
                Some(left @ Left::Part) => collector.add_note(None, left.note()),
                None => match older {
                    Some(older) => self.older(older, part, &mut collector, &mut definitions),
                    None => self.part(part, &mut collector, &mut definitions),
                },
            }
        }
        report.findings.sort_by_key(|finding| finding.line);
        report
    }

    /// Returns true if a part is to be checked.
    fn is_selected(&self, part: &Part<'_>) -> bool {
        kinds::is_storage(&self.scheme, part) && self.is_kind(part)
    }

    /// Returns true if a part is of a kind that is to be checked.
    fn is_kind(&self, part: &Part<'_>) -> bool {
        let kinds = &self.options.kinds;
        let is_kind = |kind: &String| kinds.is_empty() || kinds.contains(kind);
        part.kind.as_ref().is_none_or(is_kind)
    }

    /// Returns the claims in an object of another kind.
    fn claims(&self, part: &Part<'_>) -> Claims {
        let kinds = &self.options.kinds;
        match kinds.is_empty() || kinds.iter().any(|kind| kind == claims::KIND) {
            true => claims::of(part, &self.options.claim_places),
            false => Claims::default(),
        }
    }

    /// Checks the claims in an object.
    fn check_claims(&self, claims: Claims, part: &Part<'_>, collector: &mut Collector<'_>) {
        let places = &mut Places::new(part.positions());
        for error in &claims.duplicates {
            collector.add(places.of(&error.location), messages::field_error(error));
        }
        for (path, message) in claims.damaged {
            collector.add(places.find(&path), message);
        }
        for (claim, document) in claims.all {
            places.turn_to(&claim);
            let unexpected = claim.unexpected(&document);
            let text = claim.whole(document).to_string();
            collector.claim = Some(claim);
            collector.placeholders = Vec::new();
            for (path, message) in unexpected {
                collector.add(places.find(&path), message);
            }
            for mut inner in self.scheme.decode_each(&text, Syntax::Json) {
                collector.report.objects += 1;
                let object = std::mem::replace(&mut inner.object, Ok(None));
                self.decoded(&inner, object, collector, places);
            }
        }
    }

    /// Checks an object of an older version, as one of the newest.
    fn older(
        &self,
        older: &'static OlderVersion,
        part: Part<'_>,
        collector: &mut Collector<'_>,
        definitions: &mut Definitions,
    ) {
        if part.object.is_err() {
            return self.part(part, collector, definitions);
        }
        let places = &mut Places::new(part.positions());
        collector.report.objects += 1;
        add_duplicate(&self.scheme, &part, collector, places, definitions);
        if let Some(advice) = older.advice() {
            let place = places.find(&messages::path("apiVersion"));
            collector.add(place, messages::older_version(advice));
        }
        if let Some((path, renamed)) = older.unknown(&part) {
            collector.add(places.find(&path), messages::later_name(&path, renamed.old));
        }
        // What is made of the text has each field once.
        for error in part.read::<Value>().iter().flat_map(|read| &read.errors) {
            let position = places.of(&error.location);
            collector.add_unless_placeholder(position, messages::field_error(error));
        }
        let Some(object) = older.to_check(&part) else {
            return;
        };
        let text = object.to_string();
        // The places are those of the whole text.
        places.read_anew();
        for mut inner in self.scheme.decode_each(&text, Syntax::Json) {
            let object = std::mem::replace(&mut inner.object, Ok(None));
            self.decoded(&inner, object, collector, places);
        }
    }

    fn part(
        &self,
        mut part: Part<'_>,
        collector: &mut Collector<'_>,
        definitions: &mut Definitions,
    ) {
        let object = std::mem::replace(&mut part.object, Ok(None));
        let places = &mut Places::new(part.positions());
        if !matches!(object, Ok(None)) {
            collector.report.objects += 1;
            add_duplicate(&self.scheme, &part, collector, places, definitions);
        }
        self.decoded(&part, object, collector, places);
    }

    /// Checks what has been decoded of a part, which is at these places.
    fn decoded(
        &self,
        part: &Part<'_>,
        object: Result<Option<AnyObject>, SchemeError>,
        collector: &mut Collector<'_>,
        positions: &mut Places<'_>,
    ) {
        for error in &part.field_errors {
            let position = positions.of(&error.location);
            collector.add_unless_placeholder(position, messages::field_error(error));
        }
        match object {
            // The items of a list are parts of their own.
            Ok(None) => (),
            Err(error) => {
                let readable = server::readable(&self.scheme, part, &error, &self.target);
                if let Some(readable) = readable {
                    let known = part.field_errors.iter().map(|error| error.path.clone());
                    let known: Vec<_> = known.collect();
                    self.readable(readable, &known, collector, positions);
                    return;
                }
                let position = positions.of(error.location());
                let message = messages::decode_error(&error, &part.location.path);
                collector.add_unless_placeholder(position, message);
            }
            Ok(Some(object)) if self.scheme.recognizes(&object.kind()) => {
                self.object(object, &|| part.document(), collector, positions);
            }
            Ok(Some(object)) => {
                let unknown = UnknownKind::new(&self.scheme, &object.kind());
                let position = positions.find(&messages::path(unknown.field));
                collector.add_unless_placeholder(position, messages::unknown_kind(&unknown));
            }
        }
    }

    /// Checks an object that a server reads.
    fn readable(
        &self,
        readable: Readable,
        known: &[String],
        collector: &mut Collector<'_>,
        positions: &mut Places<'_>,
    ) {
        let Readable {
            object,
            document,
            unknown,
            placeholders,
            field_errors,
        } = readable;
        for error in field_errors
            .iter()
            .filter(|error| !known.contains(&error.path))
        {
            let position = positions.find(&error.location.path);
            collector.add_unless_placeholder(position, messages::field_error(error));
        }
        for path in &placeholders {
            collector.add_placeholder(positions.find(path), &path.to_string());
        }
        collector.placeholders = placeholders;
        for path in &unknown {
            let strict = self.options.strict_unknown;
            let message = messages::other_release_field(path, self.target.release(), strict);
            collector.add(positions.find(path), message);
        }
        self.object(object, &|| Some(document.clone()), collector, positions);
    }

    /// Checks an object of a registered kind.
    fn object(
        &self,
        mut object: AnyObject,
        document: &Document<'_>,
        collector: &mut Collector<'_>,
        positions: &mut Places<'_>,
    ) {
        let scheme = &self.scheme;
        let kind = object.kind();
        let release = self.target.release();
        let lifecycle = scheme.kind(&kind).and_then(|known| known.lifecycle);
        if let Some(message) =
            lifecycle.and_then(|lifecycle| messages::lifecycle(scheme, &kind, &lifecycle, release))
        {
            collector.add(positions.find(&messages::path("apiVersion")), message);
        }
        let unserved = lifecycle.filter(|lifecycle| !lifecycle.is_served(release));
        if let Some(replacement) = unserved.and_then(|lifecycle| lifecycle.replacement) {
            let served = GroupVersion::from_api_version(replacement.api_version);
            match object.convert_to(scheme, &served) {
                Ok(converted) => object = converted,
                Err(error) => {
                    let path = conversion_path(&error);
                    let message = messages::not_convertible(&error);
                    collector.add(positions.find(&path), message);
                    return;
                }
            }
        }
        // The manifest didn't set a field whose lost value is null.
        let losses = object
            .unrepresentable()
            .iter()
            .filter(|field| !field.value.is_null());
        for field in losses {
            let message = messages::unrepresentable(field, &object.kind());
            collector.add(positions.find(&field.path), message);
        }
        self.create(&object, document, collector, positions);
    }

    /// Adds the findings of a server that creates an object.
    fn create(
        &self,
        object: &AnyObject,
        document: &Document<'_>,
        collector: &mut Collector<'_>,
        positions: &mut Places<'_>,
    ) {
        let Some(created) = server::create(object, &self.target, document) else {
            return;
        };
        let release = self.target.release();
        let mut errors = created.report.errors.iter();
        let lacks = errors.find(|error| error.error_type == ErrorType::Required);
        if let Some(error) = lacks.filter(|_| collector.is_partial) {
            collector.add_note(positions.find(&error.path), Note::Assertion);
            return;
        }
        for error in &created.report.errors {
            // Nothing about the object: the errors to correct are there.
            if template::is_inside(error, &collector.placeholders) || error.is_about_skipped_rules()
            {
                continue;
            }
            let position = positions.find(&error.path);
            let message = messages::validation_error(error);
            match template::is_about(error) {
                true => collector.add_placeholder(position, &message.path),
                false => collector.add(position, message),
            }
        }
        for warning in &created.report.warnings {
            collector.add(positions.find(&warning.path), messages::warning(warning));
        }
        for path in &created.dropped {
            let message = messages::gate_disabled(path, release);
            collector.add(positions.find(path), message);
        }
        // Nothing drops it from a claim in another object.
        let is_claim = collector.claim.is_some();
        for path in created.ignored.iter().filter(|_| !is_claim) {
            collector.add(positions.find(path), messages::ignored(path));
        }
        for path in &created.unknown {
            let strict = self.options.strict_unknown;
            let message = messages::other_release_field(path, release, strict);
            collector.add(positions.find(path), message);
        }
    }
}

/// Adds a finding if the text has defined the object before.
fn add_duplicate(
    scheme: &Scheme,
    part: &Part<'_>,
    collector: &mut Collector<'_>,
    positions: &mut Places<'_>,
    definitions: &mut Definitions,
) {
    let version = part.api_version.as_deref().unwrap_or_default();
    let (Some(kind), Some(name)) = (&part.kind, &part.name) else {
        return;
    };
    let group = GroupVersion::from_api_version(version).group.into_owned();
    // A server ignores that of an object that is in none.
    let namespace = part
        .namespace
        .clone()
        .filter(|_| !kinds::is_cluster_wide(scheme, &group, kind));
    let position = positions.find(&messages::path("metadata.name"));
    let object = NamedObject {
        id: (group, kind.clone(), namespace, name.clone()),
        location: format!("{}:{}", collector.file, collector.line),
        finding: collector.finding(position, messages::duplicate_object("")),
    };
    match definitions.add(&object) {
        Some(finding) => collector.report.findings.push(finding),
        None => collector.report.named.push(object),
    }
}

fn conversion_path(error: &SchemeError) -> FieldPath {
    match error.reason() {
        Reason::Conversion(error) => error.path().clone(),
        _ => FieldPath::default(),
    }
}

fn subject(part: &Part<'_>) -> Subject {
    let short = |text: &Option<String>| text.as_deref().map(|text| truncate(text, 253));
    Subject {
        document: part.location.document.unwrap_or(1),
        api_version: short(&part.api_version),
        kind: short(&part.kind),
        name: short(&part.name),
        namespace: short(&part.namespace),
    }
}

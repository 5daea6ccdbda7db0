//! SARIF 2.1.0, which code scanning reads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_sarif::sarif::{
    ArtifactLocation, Location, LogicalLocation, Message, MultiformatMessageString,
    PhysicalLocation, Region, ReportingDescriptor, Result as Found, ResultLevel, Run, Sarif, Tool,
    ToolComponent,
};
use sha2::{Digest, Sha256};

use crate::lint::finding::{Finding, Severity};
use crate::lint::report::FileReport;
use crate::lint::summary::findings;
use crate::rules;

/// The schema of the format.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The name under which GitHub looks for the identity of a finding.
const FINGERPRINT: &str = "primaryLocationLineHash";

pub(super) fn print(out: &mut impl Write, files: &[FileReport]) -> io::Result<()> {
    let ids: BTreeSet<_> = findings(files).map(|found| found.message.rule).collect();
    let driver = ToolComponent::builder()
        .name(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .rules(ids.into_iter().map(descriptor).collect::<Vec<_>>())
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .column_kind(serde_json::json!("unicodeCodePoints"))
        .results(files.iter().flat_map(results).collect::<Vec<_>>())
        .build();
    let log = Sarif::builder()
        .schema(SCHEMA)
        .version(serde_json::json!("2.1.0"))
        .runs(vec![run])
        .build();
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

/// Describes a rule.
fn descriptor(id: &str) -> ReportingDescriptor {
    let described = ReportingDescriptor::builder().id(id);
    let Ok(rule) = rules::named(id) else {
        return described.build();
    };
    let text = |text: &str| MultiformatMessageString::builder().text(text).build();
    let mut help = rule.about.clone();
    if let Some(example) = &rule.example {
        help.push_str(&format!("\n\n```yaml\n{example}```\n"));
    }
    let help = MultiformatMessageString::builder()
        .text(rule.about.as_str())
        .markdown(help)
        .build();
    described
        .short_description(text(&rule.title))
        .full_description(text(&rule.about))
        .help(help)
        .build()
}

fn results(file: &FileReport) -> Vec<Found> {
    // The name of a file needn't be UTF-8.
    let path = file
        .path
        .as_deref()
        .map(|path| path.as_os_str().as_encoded_bytes());
    let uri = uri(path.unwrap_or(file.file.as_bytes()));
    let mut seen = BTreeMap::new();
    let findings = file.findings.iter();
    let results = findings.map(|finding| {
        let hash = identity(finding);
        let count: &mut usize = seen.entry(hash.clone()).or_default();
        *count += 1;
        result(finding, &uri, format!("{hash}:{count}"))
    });
    results.collect()
}

/// Returns the hash of what a finding is about. It stays when lines move.
fn identity(finding: &Finding) -> String {
    let message = &finding.message;
    let mut subject = (*finding.subject).clone();
    if subject.name.is_some() {
        subject.document = 0;
    }
    let about = format!("{}\n{subject}\n{}", message.rule, message.path);
    let hash = Sha256::digest(about);
    let bytes = hash.iter().take(8);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

fn result(finding: &Finding, file: &str, fingerprint: String) -> Found {
    let message = &finding.message;
    let level = match message.severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Note => ResultLevel::Note,
    };
    let subject = finding.subject.to_string();
    let name = match message.path.as_str() {
        "" => subject,
        path => format!("{subject}: {path}"),
    };
    let text = format!("{name}: {}", message.text);
    let logical = LogicalLocation::builder().fully_qualified_name(name);
    let location = Location::builder()
        .physical_location(physical(finding, file))
        .logical_locations(vec![logical.build()])
        .build();
    Found::builder()
        .rule_id(message.rule)
        .level(level)
        .message(Message::builder().text(text).build())
        .locations(vec![location])
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint)]))
        .build()
}

/// Returns the place of a finding. That in the file from which a text was made isn't known.
fn physical(finding: &Finding, file: &str) -> PhysicalLocation {
    let at = |uri: &str| ArtifactLocation::builder().uri(uri).build();
    if let Some(source) = &finding.source {
        return PhysicalLocation::builder()
            .artifact_location(at(&uri(source.as_bytes())))
            .build();
    }
    let number = |number| i64::try_from(number).unwrap_or(i64::MAX);
    let mut region = Region::builder().start_line(number(finding.line)).build();
    region.start_column = finding.column.map(number);
    PhysicalLocation::builder()
        .artifact_location(at(file))
        .region(region)
        .build()
}

/// Returns a path as a relative URI: with slashes, and with reserved bytes escaped.
fn uri(path: &[u8]) -> String {
    let mut uri = String::new();
    for byte in path {
        let is_plain = byte.is_ascii_alphanumeric() || b"/-._~".contains(byte);
        if char::from(*byte) == std::path::MAIN_SEPARATOR {
            uri.push('/');
        } else if is_plain {
            uri.push(char::from(*byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

//! SARIF 2.1.0, which code scanning reads.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::lint::finding::{Finding, Severity};
use crate::lint::report::FileReport;
use crate::lint::summary::findings;

/// The schema of the format.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn print(out: &mut impl Write, files: &[FileReport]) -> io::Result<()> {
    let rules: BTreeSet<_> = findings(files).map(rule).collect();
    let rules = rules.into_iter().map(|id| json!({"id": id}));
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": files.iter().flat_map(results).collect::<Vec<_>>(),
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

/// Returns the ID of a finding: its reason, and its rule if it has one.
fn rule(finding: &Finding) -> String {
    let message = &finding.message;
    match message.rule {
        Some(rule) => format!("{}/{rule}", message.reason),
        None => message.reason.to_owned(),
    }
}

fn results(file: &FileReport) -> impl Iterator<Item = Value> {
    let uri = uri(file.raw_name.as_deref().unwrap_or(file.file.as_bytes()));
    let findings = file.findings.iter();
    findings.map(move |finding| result(finding, &uri))
}

fn result(finding: &Finding, uri: &str) -> Value {
    let message = &finding.message;
    let level = match message.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut region = json!({"startLine": finding.line});
    if let Some(column) = finding.column {
        region["startColumn"] = column.into();
    }
    let subject = finding.subject.to_string();
    let name = match message.path.as_str() {
        "" => subject,
        path => format!("{subject}: {path}"),
    };
    json!({
        "ruleId": rule(finding),
        "level": level,
        "message": {"text": format!("{name}: {}", message.text)},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri},
                "region": region,
            },
            "logicalLocations": [{"fullyQualifiedName": name}],
        }],
    })
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

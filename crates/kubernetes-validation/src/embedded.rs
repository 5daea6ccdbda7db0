//! Objects inside custom resources: `x-kubernetes-embedded-resource`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::{Checker, NameFormat, Path, metadata};

const RULE: &str = "x-kubernetes-embedded-resource";

impl Checker<'_> {
    /// Checks the type and metadata of an object inside another.
    ///
    /// It may lack a name. Unlike other errors, a server reports these also on an update that
    /// doesn't change the object.
    #[inline]
    pub fn embedded(
        &mut self,
        at: Path<'_>,
        api_version: &str,
        kind: &str,
        metadata: Option<&ObjectMeta>,
    ) {
        let from = self.mark();
        if api_version.is_empty() || api_version.matches('/').count() > 1 {
            let detail = "it must name a version, `v1` or `group/v1`";
            self.invalid(at.field("apiVersion"), RULE, api_version, detail);
        }
        if !is_kind(kind) {
            let detail = "it must begin with a letter, end with a letter or digit, have only \
                          these and `-`, and be no longer than 63 bytes";
            self.invalid(at.field("kind"), RULE, kind, detail);
        }
        if let Some(metadata) = metadata {
            metadata::check_embedded(metadata, &at.field("metadata"), self);
        }
        let errors = self.report.errors.split_off(from);
        self.lasting.extend(errors);
    }
}

/// Returns true if a kind in lower case is a DNS label that begins with a letter.
#[inline]
fn is_kind(kind: &str) -> bool {
    let kind = kind.to_lowercase();
    kind.starts_with(|first: char| first.is_ascii_lowercase())
        && NameFormat::DnsLabel.matches(&kind)
}

//! The documents of two releases as they are compared: with our overlays, and those of a scope.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::api::Api;
use super::knowledge::Knowledge;
use super::numbers;
use super::selection::{LeftOut, Scope};
use super::snapshot::Snapshot;
use super::types::Types;

/// The documents of two releases.
pub(super) struct Documents {
    pub(super) from: Vec<Api>,
    pub(super) to: Vec<Api>,
    pub(super) left_out: LeftOut,
    /// Reasons why something can't be compared.
    pub(super) notes: Vec<String>,
}

impl Documents {
    pub(super) fn of(
        (from, to): (&Snapshot, &Snapshot),
        knowledge: Option<&Knowledge<'_>>,
        scope: &Scope,
    ) -> Self {
        let mut documents = Self {
            from: Vec::new(),
            to: Vec::new(),
            left_out: LeftOut::default(),
            notes: Vec::new(),
        };
        let [earlier, later] = annotated(from, to, knowledge, &mut documents.notes);
        let described = [&from.described, &to.described];
        for (snapshot, all, apis) in [
            (from, earlier, &mut documents.from),
            (to, later, &mut documents.to),
        ] {
            for (file, mut document) in all {
                if let Some(protos) = &snapshot.protos {
                    numbers::annotate(&mut document, protos);
                }
                let Some(mut api) = Api::of(file, &document, snapshot.release) else {
                    continue;
                };
                let known =
                    knowledge.and_then(|known| known.document(file, &document, snapshot.release));
                api.has_crate = known.is_some();
                if api.is_custom {
                    api.types = Types::of(&document, api.prefixes(), known);
                }
                if scope.has_group(api.group()) {
                    scope.restrict(&mut api, described, &mut documents.left_out);
                    apis.push(api);
                }
            }
        }
        documents.drop_empty();
        documents
    }

    /// Takes out group-versions of which neither release has a kind that is compared.
    fn drop_empty(&mut self) {
        let all = self.from.iter().chain(&self.to);
        let kept: BTreeSet<_> = all
            .filter(|api| !api.is_empty)
            .map(|api| api.group_version.clone())
            .collect();
        for apis in [&mut self.from, &mut self.to] {
            apis.retain(|api| kept.contains(&api.group_version));
        }
    }
}

/// A document with our overlays, if it can have them.
struct Annotated<'a> {
    file: &'a str,
    document: &'a Value,
    /// The name of the document in the configuration, and its text.
    annotated: Option<(&'a str, Value)>,
}

/// The documents of both with our overlays, or both without where one can't have them.
fn annotated<'a>(
    from: &'a Snapshot,
    to: &'a Snapshot,
    knowledge: Option<&Knowledge<'a>>,
    notes: &mut Vec<String>,
) -> [Vec<(&'a str, Value)>; 2] {
    let knowledge = knowledge.filter(|known| known.applies_overlays);
    let are_known = from.release.is_some() && to.release.is_some();
    let mut fails = BTreeMap::new();
    let both = [from, to].map(|snapshot| {
        let known = knowledge.zip(snapshot.release).filter(|_| are_known);
        let documents = snapshot.documents.iter();
        let annotate = |(file, document): (&'a String, &'a Value)| {
            let annotated = known.and_then(|(knowledge, release)| {
                let (_, config) = knowledge.document(file, document, Some(release))?;
                match knowledge.annotated(document, config, release) {
                    Ok(annotated) => Some((config.file.as_str(), annotated)),
                    Err(errors) => {
                        let first = errors.iter().next().map(|error| error.message.clone());
                        fails.insert(config.file.as_str(), first.unwrap_or_default());
                        None
                    }
                }
            });
            Annotated {
                file,
                document,
                annotated,
            }
        };
        documents.map(annotate).collect::<Vec<_>>()
    });
    let reasons = fails.iter();
    notes.extend(reasons.map(|(file, reason)| {
        format!("rules and lifecycles of {file}: an overlay doesn't fit ({reason})")
    }));
    both.map(|documents| {
        let text = |document: Annotated<'a>| {
            let annotated = document.annotated;
            let annotated = annotated.filter(|(of, _)| !fails.contains_key(of));
            let text = annotated.map_or_else(|| document.document.clone(), |(_, text)| text);
            (document.file, text)
        };
        documents.into_iter().map(text).collect()
    })
}

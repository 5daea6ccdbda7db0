//! The configuration of conversions: what comparing the models of two versions doesn't show.

use serde::Deserialize;

use super::Report;
use crate::name::Function;
use crate::release::Release;

/// The crate into which the types of another are converted, and the rules for what isn't plain.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversion {
    /// The crate whose types are the other side.
    pub to: String,
    /// Rules for fields that a comparison of the models can't match.
    #[serde(rename = "rule", default)]
    pub rules: Vec<ConversionRule>,
}

/// A rule for one type or for fields of one type, on either side.
///
/// A type becomes the one of the same name, a field the one of the same name and type, without
/// a rule.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConversionRule {
    /// The schema of the type.
    pub schema: String,
    /// The fields; if none are given, the rule is for the type itself.
    #[serde(default)]
    pub fields: Vec<String>,
    /// The counterpart: the schema of a type, or the name of a field.
    pub to: Option<String>,
    /// The function that converts it, `crate::rules::to_flag`.
    pub forth: Option<String>,
    /// The function that converts it back.
    pub back: Option<String>,
    /// The function that converts back in the form of another object, where several forms mean the
    /// same: `fn(Newer, &Older) -> Older` with the types of the kind, for which it gives a
    /// `convert::Result`, or with those of the field.
    #[serde(rename = "back-like")]
    pub back_like: Option<String>,
    /// The reason why it has no counterpart.
    pub drop: Option<String>,
    /// The first release for which the rule doesn't hold any more.
    pub before: Option<Release>,
}

impl Conversion {
    pub(super) fn check(&self, own: &str, report: Report<'_>) {
        if self.to == own {
            report(
                format!("the crate `{own}` is to be converted into itself"),
                "name the crate of the newer version",
            );
        }
        for rule in &self.rules {
            rule.check(own, report);
        }
    }
}

impl ConversionRule {
    /// The functions that the rule names.
    pub fn functions(&self) -> impl Iterator<Item = &String> {
        [&self.forth, &self.back, &self.back_like]
            .into_iter()
            .flatten()
    }

    /// Returns the subject of the rule, for messages.
    pub(crate) fn subject(&self) -> String {
        match self.fields.as_slice() {
            [] => format!("`{}`", self.schema.escape_debug()),
            fields => format!(
                "`{}` of `{}`",
                fields.join("`, `").escape_debug(),
                self.schema.escape_debug()
            ),
        }
    }

    fn check(&self, own: &str, report: Report<'_>) {
        let mut wrong = |what: &str| {
            report(
                format!(
                    "the conversion rule of `{own}` for {} {what}",
                    self.subject()
                ),
                "give it `to` (with `forth` and `back` where the types differ), or `drop` with \
                 the reason",
            );
        };
        let whole = self.fields.is_empty();
        match (&self.to, &self.drop) {
            (Some(_), Some(_)) => wrong("both converts and drops"),
            (None, None) => wrong("says nothing"),
            (None, Some(reason)) if reason.trim().is_empty() => wrong("has no reason"),
            _ => {}
        }
        if self.forth.is_some() != self.back.is_some() {
            wrong("has a function for one direction only");
        }
        if self.drop.is_some() && self.forth.is_some() {
            wrong("converts what it drops");
        }
        if self.back_like.is_some() && self.back.is_none() {
            wrong("has `back-like` without `back`");
        }
        if self.to.is_some() && self.fields.len() > 1 {
            wrong("makes one field of several");
        }
        if self.before.is_some() && (!whole || self.drop.is_none()) {
            wrong("has `before`, which is for types that are dropped");
        }
        for function in self.functions() {
            if Function::parse(function).is_none() {
                wrong(
                    "names a function that is not of the form `crate::FILE::NAME` or \
                     `crate::MODULE::FILE::NAME`",
                );
            }
        }
    }
}

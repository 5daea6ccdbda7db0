//! The effects of a change on the generated Rust and on conversions, and the edits that it asks
//! for.

use super::api::Api;
use super::change::{Change, ChangeKind, Place, Rust, Semver, short};
use super::comparer::Raw;
use super::conversion;
use super::owner::{self, Field};
use super::types::rust_name;

/// Two documents of one group-version, and all documents of both releases.
pub(super) struct Context<'a> {
    pub(super) from: &'a Api,
    pub(super) to: &'a Api,
    pub(super) all_from: &'a [Api],
    pub(super) all_to: &'a [Api],
    /// The names of the releases.
    pub(super) names: (&'a str, &'a str),
}

impl Context<'_> {
    /// Makes the change of what was found at a place.
    pub(super) fn change(&self, raw: Raw, place: Place) -> Change {
        let (conversion, edit) = match &place.kind {
            Some(kind) => self.about_kind(&raw, kind),
            None if self.field(&raw).is_own => (self.loss(&raw), self.edit(&raw)),
            None => (self.loss(&raw), self.edit_of_other(&raw)),
        };
        Change {
            rust: self.rust(&raw, place.kind.as_deref()),
            what: raw.what,
            place,
            from: raw.from,
            to: raw.to,
            details: raw.details,
            release: raw.release.or_else(|| self.next_release()),
            readers: raw.readers,
            writers: raw.writers,
            conversion,
            edit,
        }
    }

    /// The later release, where no other is between the two.
    pub(super) fn next_release(&self) -> Option<crate::Release> {
        let (from, to) = (self.from.release?, self.to.release?);
        (from.major == to.major && from.minor.checked_add(1) == Some(to.minor)).then_some(to)
    }

    fn rust(&self, raw: &Raw, kind: Option<&str>) -> Rust {
        let field = self.field(raw);
        let (semver, why) = match kind {
            Some(kind) => of_kind(raw, kind, has_status(self, kind)),
            None if !field.is_own => (
                Semver::Patch,
                "a type of another crate, which has its own versions".to_owned(),
            ),
            None if is_metadata(raw) => (
                Semver::Patch,
                "metadata has the same type in every kind".to_owned(),
            ),
            None => of_field(raw, &field),
        };
        Rust { semver, why }
    }

    /// The field of Rust that a change is about: that of the later release, if it has it.
    fn field(&self, raw: &Raw) -> Field {
        let of = |api| owner::field(api, &raw.schema, &raw.path);
        of(self.to).or_else(|| of(self.from)).unwrap_or_default()
    }

    /// Returns the edit that a type of another crate asks for.
    fn edit_of_other(&self, raw: &Raw) -> Option<String> {
        if raw.what == ChangeKind::FieldAdded && !raw.is_required {
            return Some("nothing, until the crate that has the type has the field".to_owned());
        }
        self.edit(raw)
    }

    /// Returns the loss of a kind, and its replacement.
    fn about_kind(&self, raw: &Raw, kind: &str) -> (Option<String>, Option<String>) {
        let (from, to) = self.names;
        match raw.what {
            ChangeKind::KindRemoved => self.replaced(kind),
            ChangeKind::KindAdded => {
                let own = &self.to.group_version;
                let others = conversion::others(self.all_from, self.to.group(), kind, own);
                let Some(other) = others.first() else {
                    let loss = format!("{from} can't represent the kind");
                    return (
                        Some(loss),
                        Some(format!("generate the crate from {to} to use the kind")),
                    );
                };
                let lost = conversion::lost(kind, self.to, other);
                let edit = format!(
                    "use {own} where every server has {to}; convert manifests of {}",
                    other.group_version
                );
                (Some(losses(&lost, &other.group_version)), Some(edit))
            }
            ChangeKind::ScopeChanged => (
                None,
                Some(
                    "use `Api::all` instead of `Api::namespaced`, or the reverse; move objects"
                        .to_owned(),
                ),
            ),
            ChangeKind::ResourceRenamed => (
                None,
                Some("change the resource in RBAC rules and URLs".to_owned()),
            ),
            ChangeKind::VerbsRemoved => (
                None,
                Some("stop using the verbs, also in RBAC rules".to_owned()),
            ),
            ChangeKind::SubresourceRemoved => (
                None,
                Some("stop using the subresource, also in RBAC rules".to_owned()),
            ),
            ChangeKind::SubresourceAdded if raw.to.as_deref() == Some("status") => (
                None,
                Some(
                    "write the status through the subresource, and allow it in RBAC rules"
                        .to_owned(),
                ),
            ),
            _ => (None, None),
        }
    }

    /// Returns the loss of a kind that is gone, and its replacement.
    pub(super) fn replaced(&self, kind: &str) -> (Option<String>, Option<String>) {
        let (from, to) = self.names;
        let own = &self.from.group_version;
        let others = conversion::others(self.all_to, self.from.group(), kind, own);
        let Some(other) = others.first() else {
            let loss = format!("{to} can't represent the kind");
            return (
                Some(loss),
                Some(format!(
                    "stop using the kind, or keep the crate of {from} for old objects"
                )),
            );
        };
        let lost = conversion::lost(kind, self.from, other);
        let version = &other.group_version;
        let edit = if self.from.has_crate && other.has_crate {
            format!(
                "use {version} in code; `kubernetes-storage convert --in-place` changes manifests"
            )
        } else {
            format!("use {version} in code and manifests")
        };
        (Some(losses(&lost, &other.group_version)), Some(edit))
    }

    /// Returns the loss of values.
    fn loss(&self, raw: &Raw) -> Option<String> {
        let (from, to) = self.names;
        let text = match raw.what {
            ChangeKind::FieldAdded => format!(
                "{from} has no place for the value: its servers drop it, and so do programs with its types that replace objects"
            ),
            ChangeKind::FieldRemoved => format!("{to} has no place for the value"),
            ChangeKind::TypeChanged => "a value of one type isn't one of the other".to_owned(),
            ChangeKind::FormatChanged if !raw.keeps_type => {
                "a value may not fit into the other type".to_owned()
            }
            ChangeKind::EnumValuesRemoved => format!("{to} refuses objects with these values"),
            ChangeKind::EnumValuesAdded => {
                format!("{from} may refuse objects with these values")
            }
            _ => return None,
        };
        Some(text)
    }

    /// Returns the edit in programs and manifests.
    fn edit(&self, raw: &Raw) -> Option<String> {
        let field = match short(raw.path.trim_end_matches(['[', ']', '{', '}'])) {
            "" => short(&raw.schema).to_owned(),
            field => field.to_owned(),
        };
        let text = match raw.what {
            ChangeKind::FieldAdded if raw.is_required => format!("set `{field}`"),
            ChangeKind::FieldAdded => format!(
                "build values with `new` and `with_*`, or add `{}` to literals",
                rust_name(&field)
            ),
            ChangeKind::FieldRemoved => format!("stop setting and reading `{field}`"),
            ChangeKind::BecameRequired => format!("set `{field}` always"),
            ChangeKind::BecameOptional => format!("expect `{field}` to be absent"),
            ChangeKind::TypeChanged | ChangeKind::FormatChanged if !raw.keeps_type => {
                format!(
                    "change the values of `{field}`; a conversion of the field needs a rule in codegen.toml"
                )
            }
            ChangeKind::EnumIntroduced => format!("use the values of the list for `{field}`"),
            ChangeKind::EnumValuesRemoved => "use other values".to_owned(),
            ChangeKind::EnumValuesAdded => {
                "match the new values, or treat them as unknown".to_owned()
            }
            ChangeKind::DefaultRemoved if raw.writers == super::Severity::Breaking => {
                format!("set `{field}` always")
            }
            ChangeKind::RuleRemoved if raw.readers == super::Severity::Breaking => {
                "select by other fields, or in the program".to_owned()
            }
            ChangeKind::DefaultAdded | ChangeKind::DefaultChanged | ChangeKind::DefaultRemoved
                if raw.readers > super::Severity::None =>
            {
                format!("set `{field}` where the value matters")
            }
            ChangeKind::ListSemanticsChanged if raw.writers == super::Severity::Breaking => {
                "write no element twice, and look at what each field manager applies".to_owned()
            }
            ChangeKind::ListSemanticsChanged if raw.writers > super::Severity::None => {
                "look at what each field manager applies: ownership is of other parts".to_owned()
            }
            ChangeKind::RuleAdded | ChangeKind::RuleTightened | ChangeKind::RuleChanged
                if raw.writers > super::Severity::Info =>
            {
                "check the values that are written".to_owned()
            }
            ChangeKind::LifecycleChanged
                if raw.to.as_deref() == Some("deprecated") && !raw.path.is_empty() =>
            {
                format!("stop setting `{field}`, and expect it to be absent")
            }
            ChangeKind::LifecycleChanged if raw.to.as_deref() == Some("deprecated") => {
                return self
                    .kind_of(&raw.schema)
                    .and_then(|kind| self.replaced(kind).1);
            }
            _ => return None,
        };
        Some(text)
    }

    /// The kind that a schema is of, in the earlier release.
    pub(super) fn kind_of(&self, schema: &str) -> Option<&str> {
        let mut kinds = self.from.kinds.iter();
        kinds
            .find(|(_, kind)| kind.schema == schema)
            .map(|(name, _)| name.as_str())
    }
}

/// Returns true if the generated type of a kind has access to a status.
fn has_status(context: &Context<'_>, kind: &str) -> bool {
    [context.from, context.to].into_iter().any(|api| {
        let schema = api
            .kinds
            .get(kind)
            .and_then(|kind| api.schema(&kind.schema));
        schema.is_some_and(|schema| schema.pointer("/properties/status").is_some())
    })
}

fn is_metadata(raw: &Raw) -> bool {
    raw.path == "metadata"
        && [ChangeKind::BecameRequired, ChangeKind::BecameOptional].contains(&raw.what)
}

fn losses(lost: &[String], version: &str) -> String {
    const SHOWN: usize = 8;
    let more = match lost.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match lost.get(..SHOWN).unwrap_or(lost) {
        [] => format!("nothing is lost in {version}"),
        shown => format!("{version} can't represent {}{more}", shown.join(", ")),
    }
}

fn of_kind(raw: &Raw, kind: &str, has_status: bool) -> (Semver, String) {
    match raw.what {
        ChangeKind::KindRemoved => (Semver::Major, format!("`{kind}` and `{kind}List` are gone")),
        ChangeKind::KindAdded => (Semver::Minor, format!("`{kind}` and `{kind}List` are new")),
        ChangeKind::ScopeChanged => (
            Semver::Major,
            format!("`Scope` of `{kind}` is another type"),
        ),
        ChangeKind::SubresourceAdded if has_status && raw.to.as_deref() == Some("status") => (
            Semver::Minor,
            format!("`{kind}` implements the traits of a status"),
        ),
        ChangeKind::SubresourceRemoved if has_status && raw.from.as_deref() == Some("status") => (
            Semver::Major,
            format!("`{kind}` no longer implements the traits of a status"),
        ),
        _ => (Semver::Patch, "no item changes".to_owned()),
    }
}

fn of_field(raw: &Raw, Field { owner, name, .. }: &Field) -> (Semver, String) {
    let of_type = match name {
        None => format!("the type `{owner}`"),
        Some(name) => format!("`{owner}::{name}`"),
    };
    let field = name.as_deref().unwrap_or_default();
    match raw.what {
        ChangeKind::FieldAdded if raw.is_required => (
            Semver::Major,
            format!("literals of `{owner}` must have `{field}`, and `new` takes it"),
        ),
        ChangeKind::FieldAdded => (
            Semver::Major,
            format!("literals of `{owner}` must have `{field}`"),
        ),
        ChangeKind::FieldRemoved => (Semver::Major, format!("{of_type} is gone")),
        ChangeKind::BecameRequired => (
            Semver::Major,
            format!("{of_type} is no longer an `Option`, and `new` takes it"),
        ),
        ChangeKind::BecameOptional => (
            Semver::Major,
            format!("{of_type} is an `Option`, and `new` no longer takes it"),
        ),
        ChangeKind::TypeChanged | ChangeKind::TypeRenamed | ChangeKind::FormatChanged
            if !raw.keeps_type =>
        {
            (Semver::Major, format!("{of_type} changes its type"))
        }
        ChangeKind::EnumIntroduced
        | ChangeKind::EnumDropped
        | ChangeKind::EnumValuesAdded
        | ChangeKind::EnumValuesRemoved
            if raw.keeps_type =>
        {
            (Semver::Patch, "no item changes".to_owned())
        }
        ChangeKind::EnumIntroduced => (Semver::Major, format!("{of_type} becomes an enum")),
        ChangeKind::EnumDropped => (Semver::Major, format!("{of_type} becomes a `String`")),
        ChangeKind::EnumValuesRemoved => {
            (Semver::Major, "variants of the enum are gone".to_owned())
        }
        ChangeKind::EnumValuesAdded => (
            Semver::Minor,
            "the enum, which is non-exhaustive, has new variants".to_owned(),
        ),
        _ => (Semver::Patch, "no item changes".to_owned()),
    }
}

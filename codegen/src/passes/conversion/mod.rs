//! Conversion: compares the types of two crates, and derives the conversions from that and from the
//! rules of the configuration.

mod fields;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Conversion as Config;
use crate::diag::Diagnostics;
use crate::model::{
    self, Analysed, Conversion, ConversionMethod, FieldConversion, SchemaName, Shape,
    ValueConversion,
};
use crate::name::RustPath;
use rules::Rules;

type Crate<'a> = model::Crate<'a, Analysed>;
type ApiVersion = model::ApiVersion<Analysed>;
type Type = model::Type<Analysed>;
type Struct = model::Struct<Analysed>;
type Field = model::Field<Analysed>;

/// The conversions of the types of a crate.
pub(super) type Conversions = BTreeMap<SchemaName, Vec<Conversion>>;

/// The types of a schema on either side, by which a conversion is known.
type Pair = (SchemaName, SchemaName);

/// Derives the conversions of a crate that has a `conversion` in the configuration.
pub(super) fn of(
    krate: &Crate<'_>,
    crates: &[Crate<'_>],
    diagnostics: &mut Diagnostics,
) -> Conversions {
    let Some(config) = &krate.config.conversion else {
        return Conversions::new();
    };
    let target = crates.iter().find(|other| other.config.name == config.to);
    let Some(target) = target else {
        diagnostics.in_file(
            &krate.config.name,
            None,
            format!(
                "`{}`, into which it is converted, has no documents",
                config.to
            ),
            "put the documents of both into the folder given with --spec",
        );
        return Conversions::new();
    };
    Compared::run(krate, target, config, diagnostics)
}

/// Two crates whose types are being compared.
struct Compared<'a> {
    ours: &'a Crate<'a>,
    theirs: &'a Crate<'a>,
    rules: Rules<'a>,
    found: BTreeMap<Pair, Conversion>,
    /// The items of each pair of lists.
    items: BTreeMap<Pair, Pair>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Compared<'a> {
    fn run(
        ours: &'a Crate<'a>,
        theirs: &'a Crate<'a>,
        config: &'a Config,
        diagnostics: &'a mut Diagnostics,
    ) -> Conversions {
        let mut compared = Self {
            ours,
            theirs,
            rules: Rules::new(config, ours, theirs),
            found: BTreeMap::new(),
            items: BTreeMap::new(),
            diagnostics,
        };
        let kinds = ours
            .versions
            .iter()
            .flat_map(|v| v.kinds().map(move |k| (v, k)));
        for (version, (kind, resource)) in kinds {
            compared.kind(version, kind, resource.list.as_ref());
        }
        compared.rules.report_unused(compared.diagnostics);
        compared.mark();
        let mut by_schema = Conversions::new();
        for ((ours, _), conversion) in compared.found {
            by_schema.entry(ours).or_default().push(conversion);
        }
        by_schema
    }

    /// Compares a kind and its list with their counterparts.
    fn kind(&mut self, version: &'a ApiVersion, kind: &SchemaName, list: Option<&SchemaName>) {
        let Some(ty) = version.types.get(kind) else {
            return;
        };
        if self.rules.is_dropped(kind) {
            return;
        }
        let wanted = self.rules.target(kind);
        let is_wanted = |name: &SchemaName, other: &Type| match wanted {
            Some(wanted) => name == wanted,
            None => other.name == ty.name,
        };
        let mut others = self
            .theirs
            .versions
            .iter()
            .flat_map(|v| v.types.iter().map(move |t| (v, t)));
        let target = others.find(|(_, (name, other))| is_wanted(name, other));
        let Some((their_version, (target, _))) = target else {
            self.diagnostics.at(
                &version.file,
                &ty.pointer,
                format!("`{kind}` has no counterpart in {}", self.theirs.config.name),
                "give it a [[crate.conversion.rule]] in codegen.toml: `to` with the schema that \
                 it becomes, or `drop` with the reason",
            );
            return;
        };
        self.pair(kind, target);
        let their_list = their_version.kinds().find(|(name, _)| *name == target);
        let their_list = their_list.and_then(|(_, resource)| resource.list.as_ref());
        if let (Some(list), Some(their_list)) = (list, their_list)
            && let Some(to) = path(self.theirs, their_list)
        {
            let pair = (list.clone(), their_list.clone());
            let unknown = find(self.ours, list).zip(find(self.theirs, their_list));
            let unknown = unknown.and_then(|((_, ours), (_, theirs))| {
                fields::unknown(ours.object()?, theirs.object()?)
            });
            self.items
                .insert(pair.clone(), (kind.clone(), target.clone()));
            self.add(pair, to, ConversionMethod::Items(unknown));
        }
    }

    /// Notes a conversion, of which [`Self::mark`] says later what it may lose.
    fn add(&mut self, pair: Pair, to: RustPath, how: ConversionMethod) {
        let conversion = Conversion {
            to,
            how,
            total: true,
            like: false,
        };
        self.found.insert(pair, conversion);
    }

    /// Compares two types and what they hold.
    fn pair(&mut self, ours: &SchemaName, theirs: &SchemaName) {
        let mut open = vec![(ours.clone(), theirs.clone())];
        while let Some(pair) = open.pop() {
            if self.found.contains_key(&pair) {
                continue;
            }
            let (ours, theirs) = &pair;
            let Some(to) = path(self.theirs, theirs) else {
                continue;
            };
            let how = match self.rules.functions(ours) {
                Some(by_hand) => Some(by_hand),
                None => self.compare(ours, theirs),
            };
            let Some(how) = how else { continue };
            open.extend(how.fields().iter().filter_map(FieldConversion::carried));
            self.add(pair, to, how);
        }
    }

    fn compare(&mut self, ours: &SchemaName, theirs: &SchemaName) -> Option<ConversionMethod> {
        let (our_version, our_type) = find(self.ours, ours)?;
        let (their_version, their_type) = find(self.theirs, theirs)?;
        match (&our_type.shape, &their_type.shape) {
            (Shape::Enum(_), Shape::Enum(_)) => Some(ConversionMethod::Values),
            (Shape::Struct(our_object), Shape::Struct(their_object)) => {
                let both = fields::Both {
                    ours: (our_version, ours, our_object),
                    theirs: (their_version, theirs, their_object),
                };
                both.compare(&mut self.rules, self.diagnostics)
                    .map(ConversionMethod::Fields)
            }
            _ => {
                self.diagnostics.at(
                    &our_version.file,
                    &our_type.pointer,
                    format!("`{ours}` and `{theirs}` are an enumeration and an object"),
                    "give the fields of these types a rule in codegen.toml",
                );
                None
            }
        }
    }

    /// Marks what is total and what can take the form of another object, in each conversion and
    /// in the fields that need it.
    fn mark(&mut self) {
        let is_partial = |how: &ConversionMethod| {
            let is_carried = |f: &FieldConversion| matches!(f, FieldConversion::Carried { .. });
            matches!(how, ConversionMethod::ByHand(_)) || !how.fields().iter().all(is_carried)
        };
        // A conversion is total if all that it consists of are.
        let partial = self.consisting_of(is_partial, |pair, how| {
            let carried = how.fields().iter().filter_map(FieldConversion::carried);
            carried.chain(self.items.get(pair).cloned()).collect()
        });
        let has_like = |how: &ConversionMethod| {
            let functions = |field: &FieldConversion| match field {
                FieldConversion::Function { functions, .. } => functions.back_like.is_some(),
                _ => false,
            };
            match how {
                ConversionMethod::ByHand(functions) => functions.back_like.is_some(),
                how => how.fields().iter().any(functions),
            }
        };
        // A conversion can take the form of another object if its own rules say so, or those of
        // what it always holds.
        let likes = self.consisting_of(has_like, |_, how| {
            how.fields()
                .iter()
                .filter_map(FieldConversion::always_carried)
                .collect()
        });
        for (pair, conversion) in &mut self.found {
            conversion.total = !partial.contains(pair);
            conversion.like = likes.contains(pair);
            let ConversionMethod::Fields(fields) = &mut conversion.how else {
                continue;
            };
            for field in fields {
                let is_always = field.always_carried().is_some();
                if let Some(pair) = field.carried()
                    && let FieldConversion::Carried { carry, .. } = field
                    && let ValueConversion::Type { total, like, .. } = carry.innermost_mut()
                {
                    *total = !partial.contains(&pair);
                    *like = is_always && likes.contains(&pair);
                }
            }
        }
    }

    /// The conversions for which something holds, and those that have such a conversion among
    /// their parts, at any depth.
    fn consisting_of(
        &self,
        holds: impl Fn(&ConversionMethod) -> bool,
        parts: impl Fn(&Pair, &ConversionMethod) -> Vec<Pair>,
    ) -> BTreeSet<Pair> {
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for (pair, conversion) in &self.found {
                let parts = parts(pair, &conversion.how);
                if holds(&conversion.how) || parts.iter().any(|part| found.contains(part)) {
                    found.insert(pair.clone());
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }
}

impl ConversionMethod {
    fn fields(&self) -> &[FieldConversion] {
        match self {
            Self::Fields(fields) => fields,
            _ => &[],
        }
    }
}

impl FieldConversion {
    /// The types that a field carries from one side to the other, if they differ.
    fn carried(&self) -> Option<Pair> {
        match self {
            Self::Carried { carry, .. } => carry
                .pair()
                .map(|(ours, theirs, _)| (ours.clone(), theirs.clone())),
            _ => None,
        }
    }

    /// The same, if the field always has one value of them.
    fn always_carried(&self) -> Option<Pair> {
        match self {
            Self::Carried {
                ours,
                theirs,
                optional: false,
                carry: ValueConversion::Type { .. },
            } if !ours.boxed && !theirs.boxed => self.carried(),
            _ => None,
        }
    }
}

fn find<'a>(krate: &'a Crate<'a>, schema: &SchemaName) -> Option<(&'a ApiVersion, &'a Type)> {
    let mut versions = krate.versions.iter();
    versions.find_map(|version| Some((version, version.types.get(schema)?)))
}

/// The path of a type of a crate, for other crates.
fn path(krate: &Crate<'_>, schema: &SchemaName) -> Option<RustPath> {
    let (version, ty) = find(krate, schema)?;
    let mut module = krate.config.name.replace('-', "_");
    if let Some(inner) = &version.module {
        module = format!("{module}::{inner}");
    }
    RustPath::below(&module, ty.name.as_str())
}

//! Conversion: compares the types of two crates, and derives the conversions from that and from the
//! rules of the configuration.

mod fields;
mod rules;

use std::collections::{BTreeMap, BTreeSet};

use crate::config::Conversion as Config;
use crate::diag::Diagnostics;
use crate::model::{
    ApiVersion, Carry, Conversion, Crate, FieldConversion, How, Role, SchemaName, Shape,
    Struct, Type,
};
use crate::name::RustPath;
use rules::Rules;

/// The types of a schema on either side, by which a conversion is known.
type Pair = (SchemaName, SchemaName);

/// Derives the conversions of each crate that has a `conversion` in the configuration.
pub(crate) fn run(crates: &mut [Crate<'_>], diagnostics: &mut Diagnostics) {
    for index in 0..crates.len() {
        let Some(krate) = crates.get(index) else {
            continue;
        };
        let Some(config) = &krate.config.conversion else {
            continue;
        };
        let target = crates.iter().find(|other| other.config.name == config.to);
        let mut found = match target {
            Some(target) => Compared::run(krate, target, config, diagnostics),
            None => {
                diagnostics.in_file(
                    &krate.config.name,
                    None,
                    format!(
                        "`{}`, into which it is converted, has no documents",
                        config.to
                    ),
                    "put the documents of both into the folder given with --spec",
                );
                continue;
            }
        };
        if let Some(krate) = crates.get_mut(index) {
            for version in &mut krate.versions {
                let mine = version.types.keys();
                let mine =
                    mine.filter_map(|name| Some((name.clone(), found.remove(name)?)));
                version.conversions = mine.collect();
            }
        }
    }
}

/// Two crates whose types are being compared.
struct Compared<'a> {
    ours: &'a Crate<'a>,
    theirs: &'a Crate<'a>,
    rules: Rules<'a>,
    found: BTreeMap<Pair, Conversion>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Compared<'a> {
    fn run(
        ours: &'a Crate<'a>,
        theirs: &'a Crate<'a>,
        config: &'a Config,
        diagnostics: &'a mut Diagnostics,
    ) -> BTreeMap<SchemaName, Vec<Conversion>> {
        let mut compared = Self {
            ours,
            theirs,
            rules: Rules::new(config, ours, theirs),
            found: BTreeMap::new(),
            diagnostics,
        };
        let kinds = ours.versions.iter().flat_map(|v| v.kinds().map(move |k| (v, k)));
        for (version, (kind, resource)) in kinds {
            compared.kind(version, kind, resource.list.as_ref());
        }
        compared.rules.report_unused(compared.diagnostics);
        compared.find_totals();
        compared.find_likes();
        let mut by_schema: BTreeMap<SchemaName, Vec<Conversion>> = BTreeMap::new();
        for ((ours, _), conversion) in compared.found {
            by_schema.entry(ours).or_default().push(conversion);
        }
        by_schema
    }

    /// Compares a kind and its list with their counterparts.
    fn kind(
        &mut self,
        version: &'a ApiVersion,
        kind: &SchemaName,
        list: Option<&SchemaName>,
    ) {
        let Some(ty) = version.types.get(kind) else {
            return;
        };
        if self.rules.is_dropped(kind) {
            return;
        }
        let target = match self.rules.target(kind) {
            Some(schema) => theirs_named(self.theirs, |name, _| name == schema),
            None => theirs_named(self.theirs, |_, other| other.name == ty.name),
        };
        let Some((their_version, target)) = target else {
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
            let objects =
                structure(self.ours, list).zip(structure(self.theirs, their_list));
            let unknown =
                objects.and_then(|(ours, theirs)| fields::unknown(ours, theirs));
            let how = How::Items(unknown);
            self.found.insert(
                pair,
                Conversion {
                    to,
                    how,
                    total: true,
                    like: false,
                },
            );
        }
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
            let mut total = !matches!(how, How::ByHand(_));
            if let How::Fields(fields) = &how {
                for field in fields {
                    match field {
                        FieldConversion::Carried { carry, .. } => {
                            let inner = carry.pair();
                            open.extend(inner.map(|(a, b, _)| (a.clone(), b.clone())));
                        }
                        _ => total = false,
                    }
                }
            }
            self.found.insert(
                pair,
                Conversion {
                    to,
                    how,
                    total,
                    like: false,
                },
            );
        }
    }

    fn compare(&mut self, ours: &SchemaName, theirs: &SchemaName) -> Option<How> {
        let (our_version, our_type) = find(self.ours, ours)?;
        let (their_version, their_type) = find(self.theirs, theirs)?;
        match (&our_type.shape, &their_type.shape) {
            (Shape::Enum(_), Shape::Enum(_)) => Some(How::Values),
            (Shape::Struct(our_object), Shape::Struct(their_object)) => {
                let both = fields::Both {
                    ours: (our_version, ours, our_object),
                    theirs: (their_version, theirs, their_object),
                };
                both.compare(&mut self.rules, self.diagnostics).map(How::Fields)
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

    /// A conversion is total if all that it consists of are.
    fn find_totals(&mut self) {
        loop {
            let partial: BTreeSet<Pair> = self
                .found
                .iter()
                .filter(|(_, conversion)| !conversion.total)
                .map(|(pair, _)| pair.clone())
                .collect();
            let items = self.item_pairs();
            let mut changed = false;
            for (pair, conversion) in &mut self.found {
                let mut total =
                    items.get(pair).is_none_or(|item| !partial.contains(item));
                if let How::Fields(fields) = &mut conversion.how {
                    for field in fields {
                        if let FieldConversion::Carried { carry, .. } = field
                            && carry.is_partial(&partial)
                        {
                            carry.set_total(false);
                            total = false;
                        }
                    }
                }
                if conversion.total && !total {
                    conversion.total = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// A conversion can take the form of another object if its own rules say so, or those of
    /// what it always holds.
    fn find_likes(&mut self) {
        loop {
            let found: BTreeSet<Pair> = self
                .found
                .iter()
                .filter(|(_, conversion)| conversion.like)
                .map(|(pair, _)| pair.clone())
                .collect();
            let mut changed = false;
            for conversion in self.found.values_mut() {
                let like = match &mut conversion.how {
                    How::ByHand(functions) => functions.back_like.is_some(),
                    How::Fields(fields) => {
                        // Each field is looked at, because each is marked.
                        fields.iter_mut().filter_map(|f| f.like(&found)).count() > 0
                    }
                    How::Values | How::Items(_) => false,
                };
                changed |= like != conversion.like;
                conversion.like = like;
            }
            if !changed {
                return;
            }
        }
    }

    /// The items of each pair of lists.
    fn item_pairs(&self) -> BTreeMap<Pair, Pair> {
        let lists = self.found.keys().filter_map(|(ours, theirs)| {
            let item = (item(self.ours, ours)?, item(self.theirs, theirs)?);
            Some(((ours.clone(), theirs.clone()), item))
        });
        lists.collect()
    }
}

impl FieldConversion {
    /// Something if the field can take the form of another object's, which is marked then.
    fn like(&mut self, found: &BTreeSet<Pair>) -> Option<()> {
        match self {
            Self::Function { functions, .. } => functions.back_like.as_ref().map(|_| ()),
            Self::Carried {
                ours,
                theirs,
                optional: false,
                carry:
                    Carry::Type {
                        ours: our_type,
                        theirs: their_type,
                        like,
                        ..
                    },
            } if !ours.boxed && !theirs.boxed => {
                *like = found.contains(&(our_type.clone(), their_type.clone()));
                like.then_some(())
            }
            _ => None,
        }
    }
}

impl Carry {
    fn is_partial(&self, partial: &BTreeSet<Pair>) -> bool {
        let pair = self.pair();
        pair.is_some_and(|(ours, theirs, _)| {
            partial.contains(&(ours.clone(), theirs.clone()))
        })
    }
}

/// The first type of a crate for which something holds.
fn theirs_named<'a>(
    krate: &'a Crate<'a>,
    holds: impl Fn(&SchemaName, &Type) -> bool,
) -> Option<(&'a ApiVersion, &'a SchemaName)> {
    let types = krate.versions.iter().flat_map(|v| v.types.iter().map(move |t| (v, t)));
    let mut found = types.filter(|(_, (name, ty))| holds(name, ty));
    found.next().map(|(version, (name, _))| (version, name))
}

fn find<'a>(
    krate: &'a Crate<'a>,
    schema: &SchemaName,
) -> Option<(&'a ApiVersion, &'a Type)> {
    let mut versions = krate.versions.iter();
    versions.find_map(|version| Some((version, version.types.get(schema)?)))
}

fn structure<'a>(krate: &'a Crate<'a>, schema: &SchemaName) -> Option<&'a Struct> {
    match &find(krate, schema)?.1.shape {
        Shape::Struct(object) => Some(object),
        Shape::Enum(_) => None,
    }
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

/// The schema of the items, if the type is a list of a kind.
fn item(krate: &Crate<'_>, schema: &SchemaName) -> Option<SchemaName> {
    match &find(krate, schema)?.1.shape {
        Shape::Struct(object) => match &object.role {
            Role::List { item } => Some(item.clone()),
            _ => None,
        },
        Shape::Enum(_) => None,
    }
}

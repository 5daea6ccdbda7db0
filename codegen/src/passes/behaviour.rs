//! Behaviour: which types have defaults, checks or warnings, in them or below them.

use std::collections::BTreeSet;

use crate::model::{
    Analysed, ApiVersion, Behaviour, Field, Node, Role, Rules, Sameness, SchemaName, Struct,
    Together, Ty,
};

/// The behaviour of a server towards each struct.
pub(super) struct Behaviours {
    sets_defaults: BTreeSet<SchemaName>,
    drops_fields: BTreeSet<SchemaName>,
    checks: BTreeSet<SchemaName>,
    checks_updates: BTreeSet<SchemaName>,
    warns: BTreeSet<SchemaName>,
    has_cel_rules: BTreeSet<SchemaName>,
    has_combinations: BTreeSet<SchemaName>,
    compared: BTreeSet<SchemaName>,
    same: BTreeSet<SchemaName>,
}

/// Finds what a server does with the structs of a document.
pub(super) fn run(version: &ApiVersion<Analysed>) -> Behaviours {
    let holding = |holds: fn(&Struct<Analysed>) -> bool| {
        let holds = |name: &SchemaName| version.object(name).is_some_and(holds);
        version.layout.graph.holding(holds)
    };
    let sets_defaults = holding(|object| {
        let mut fields = object.fields.iter();
        fields.any(|f| f.server.default_function.is_some() || f.form.literal.is_some())
    });
    let drops_fields = holding(|object| {
        object.rules.preparation.is_some()
            || object.fields.iter().any(|f| f.server.feature.is_some())
    });
    let checks = holding(|object| {
        object.rules.exactly_one
            || object.rules.embedded
            || !object.rules.depends.is_empty()
            || !object.rules.together.is_empty()
            || object.rules.cel.iter().any(|rule| rule.is_asked(false))
            || object
                .fields
                .iter()
                .any(|field| field.server.rules.ask_of_creation())
    });
    let checks_updates = holding(|object| {
        let compares = |field: &Field<Analysed>| {
            let rules = &field.server.rules;
            rules
                .cel(true)
                .chain(rules.cel_of_values())
                .next()
                .is_some()
        };
        !object.rules.functions.is_empty()
            || object.rules.cel.iter().any(|rule| rule.is_asked(true))
            || object
                .fields
                .iter()
                .any(|field| is_immutable(field) || compares(field))
    });
    let warns = holding(|object| {
        let mut rules = object.fields.iter().map(|field| &field.server.rules);
        object.rules.warning.is_some() || rules.any(|r| r.warnings().next().is_some())
    });
    let has_cel_rules = match version.is_custom {
        true => holding(|object| {
            let mut rules = object.fields.iter().map(|field| &field.server.rules);
            !object.rules.cel.is_empty() || rules.any(Rules::have_cel)
        }),
        false => BTreeSet::new(),
    };
    let has_combinations = holding(|object| {
        let mut together = object.rules.together.iter();
        let mut rules = object.fields.iter().map(|field| &field.server.rules);
        together.any(|together| matches!(together, Together::Combined(_)))
            || rules.any(Rules::have_combinations)
    });
    Behaviours {
        sets_defaults,
        drops_fields,
        checks,
        checks_updates,
        warns,
        has_cel_rules,
        has_combinations,
        compared: compared(version),
        same: same(version),
    }
}

impl Behaviours {
    /// Returns the struct of the document that a type refers to directly, and what a server does
    /// with it.
    pub(super) fn of_held<'a>(
        &self,
        version: &'a ApiVersion<Analysed>,
        ty: &Ty,
    ) -> Option<(&'a Struct<Analysed>, Behaviour)> {
        let Ty::Ref(schema) = ty else { return None };
        let object = version.object(schema)?;
        Some((object, self.of(schema, object)))
    }

    /// Returns what a server does with a struct.
    pub(super) fn of(&self, schema: &SchemaName, object: &Struct<Analysed>) -> Behaviour {
        // Lists of kinds are never sent to a server.
        if matches!(object.role, Role::List { .. }) {
            return Behaviour::default();
        }
        let is_kind = matches!(object.role, Role::Kind(_));
        Behaviour {
            sets_defaults: self.sets_defaults.contains(schema),
            drops_fields: self.drops_fields.contains(schema),
            checks: is_kind || self.checks.contains(schema),
            checks_updates: self.checks_updates.contains(schema),
            warns: self.warns.contains(schema),
            has_cel_rules: self.has_cel_rules.contains(schema),
            has_combinations: self.has_combinations.contains(schema),
            is_compared: self.compared.contains(schema),
            has_sameness: self.same.contains(schema),
        }
    }
}

fn is_immutable(field: &Field<Analysed>) -> bool {
    field.server.rules.immutable().next().is_some()
}

/// The structs that are compared as a whole, and what is in them.
fn compared(version: &ApiVersion<Analysed>) -> BTreeSet<SchemaName> {
    fn required(object: &Struct<Analysed>) -> impl Iterator<Item = &Field<Analysed>> {
        object.fields.iter().filter(|field| !field.is_optional())
    }
    let mut found = BTreeSet::new();
    let fields = version.structs().flat_map(|(_, object)| required(object));
    let mut open: Vec<&Ty> = fields
        .filter(|field| is_immutable(field))
        .map(|field| &field.ty)
        .collect();
    while let Some(ty) = open.pop() {
        if let (Ty::Ref(name), Some((_, object))) = (ty, version.own_struct(ty))
            && found.insert(name.clone())
        {
            open.extend(required(object).map(|field| &field.ty));
        }
    }
    found
}

/// The structs that rules in CEL compare otherwise than Rust does, and those in them.
pub(super) fn same(version: &ApiVersion<Analysed>) -> BTreeSet<SchemaName> {
    let mut open: Vec<SchemaName> = Vec::new();
    for (_, object) in version.structs() {
        for rule in object.cel_rules() {
            rule.holds.any(&mut |node| {
                if let Node::Same(.., same) = node {
                    open.extend(same.of_struct().cloned());
                }
                false
            });
        }
    }
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(object) = version.object(&name)
            && found.insert(name)
        {
            let fields = object.fields.iter();
            let inside = fields.filter_map(|field| field.server.sameness.as_ref());
            open.extend(inside.filter_map(Sameness::of_struct).cloned());
        }
    }
    found
}

//! Parts of a cluster.

use std::collections::BTreeMap;

use kubernetes_csi::v1;

/// A part of the cluster: values by topology keys, such as `disk.example.com/zone`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topology(pub BTreeMap<String, String>);

impl Topology {
    /// Returns true if a node or volume of the other topology is in this part: it has all of the
    /// values. The case of keys doesn't matter.
    pub fn contains(&self, other: &Self) -> bool {
        let has = |key: &str, value: &str| {
            let mut segments = other.0.iter();
            segments.any(|(other, own)| other.eq_ignore_ascii_case(key) && own == value)
        };
        self.0.iter().all(|(key, value)| has(key, value))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.contains(other) && other.contains(self)
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Topology {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(segments: I) -> Self {
        let segments = segments.into_iter();
        Self(
            segments
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

/// Places for a new volume or snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TopologyRequirement {
    /// The places that are allowed; empty if all are.
    pub requisite: Vec<Topology>,
    /// Places in the order in which the driver should try them. All are in `requisite`, if that
    /// isn't empty.
    pub preferred: Vec<Topology>,
}

impl TopologyRequirement {
    /// Returns all places in the order in which the driver should try them: those preferred, then
    /// the others that are allowed.
    pub fn in_order(&self) -> impl Iterator<Item = &Topology> {
        let others = self
            .requisite
            .iter()
            .filter(|place| !self.preferred.iter().any(|other| other.is_same(place)));
        self.preferred.iter().chain(others)
    }

    /// Returns true if a volume in the place is allowed.
    pub fn allows(&self, place: &Topology) -> bool {
        self.requisite.is_empty() || self.requisite.iter().any(|part| part.contains(place))
    }
}

impl From<v1::Topology> for Topology {
    fn from(wire: v1::Topology) -> Self {
        Self(wire.segments)
    }
}

impl From<Topology> for v1::Topology {
    fn from(own: Topology) -> Self {
        Self { segments: own.0 }
    }
}

impl From<v1::TopologyRequirement> for TopologyRequirement {
    fn from(wire: v1::TopologyRequirement) -> Self {
        let all = |list: Vec<v1::Topology>| list.into_iter().map(Into::into).collect();
        Self {
            requisite: all(wire.requisite),
            preferred: all(wire.preferred),
        }
    }
}

pub(super) fn all_to_wire(places: Vec<Topology>) -> Vec<v1::Topology> {
    places.into_iter().map(Into::into).collect()
}

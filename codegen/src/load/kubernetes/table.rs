//! The types that are known: small ones of Kubernetes that definitions hold again and again. All
//! have had the same fields in every release since 1.31. Selectors of keys and references to
//! objects of the same namespace aren't among them: those of k8s-openapi write `name` where there
//! was none.

use serde_json::{Map, Value};

/// A type of Kubernetes.
pub(super) struct Known {
    /// The name of its schema.
    pub(super) name: &'static str,
    /// True if a server replaces an object as a whole.
    pub(super) is_atomic: bool,
    /// Its properties.
    pub(super) properties: &'static [(&'static str, Form)],
    /// True if it is known only inside another known type: what is equal to it elsewhere means
    /// something else.
    pub(super) is_part: bool,
    /// Of types that are alike, the word that tells this one, and that of another.
    pub(super) words: Option<(&'static str, &'static str)>,
}

/// The schema of a property.
pub(super) enum Form {
    /// A text.
    Text,
    Flag,
    I32,
    I64,
    /// A list of texts.
    Texts,
    /// A map of texts.
    TextMap,
    /// An object of a known type.
    One(&'static str),
    /// A list of such.
    Many(&'static str),
    /// A property that is required.
    Required(&'static Form),
}

use Form::{Flag, I32, I64, Many, One, Required, Text, TextMap, Texts};

const SELECTOR: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector";
const SELECTOR_REQUIREMENT: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement";
const NODE_AFFINITY: &str = "io.k8s.api.core.v1.NodeAffinity";
const NODE_SELECTOR: &str = "io.k8s.api.core.v1.NodeSelector";
const NODE_TERM: &str = "io.k8s.api.core.v1.NodeSelectorTerm";
const NODE_REQUIREMENT: &str = "io.k8s.api.core.v1.NodeSelectorRequirement";
const PREFERRED_TERM: &str = "io.k8s.api.core.v1.PreferredSchedulingTerm";
const POD_AFFINITY: &str = "io.k8s.api.core.v1.PodAffinity";
const POD_ANTI_AFFINITY: &str = "io.k8s.api.core.v1.PodAntiAffinity";
const POD_TERM: &str = "io.k8s.api.core.v1.PodAffinityTerm";
const WEIGHTED_TERM: &str = "io.k8s.api.core.v1.WeightedPodAffinityTerm";
const DNS_OPTION: &str = "io.k8s.api.core.v1.PodDNSConfigOption";

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const DEMANDED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

impl Known {
    const fn new(name: &'static str, properties: &'static [(&'static str, Form)]) -> Self {
        Self {
            name,
            is_atomic: false,
            is_part: false,
            properties,
            words: None,
        }
    }

    const fn atomic(name: &'static str, properties: &'static [(&'static str, Form)]) -> Self {
        Self {
            is_atomic: true,
            ..Self::new(name, properties)
        }
    }

    const fn part(name: &'static str, properties: &'static [(&'static str, Form)]) -> Self {
        Self {
            is_part: true,
            ..Self::new(name, properties)
        }
    }

    const fn told_by(self, word: &'static str, other: &'static str) -> Self {
        Self {
            words: Some((word, other)),
            ..self
        }
    }

    /// Returns true if a schema has properties of the names that this one has, and no others.
    pub(super) fn has_names_of(&self, schema: &Map<String, Value>) -> bool {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| {
            let mut names = self.properties.iter().map(|(name, _)| name);
            properties.len() == self.properties.len()
                && names.all(|name| properties.contains_key(*name))
        })
    }

    /// Returns true if its type can't be that of an applied object in parts: a property is written
    /// in any case.
    pub(super) fn is_applied_whole(&self) -> bool {
        let mut forms = self.properties.iter().map(|(_, form)| form);
        !self.is_atomic && forms.any(|form| matches!(form, Required(_)))
    }
}

const REQUIREMENT: &[(&str, Form)] = &[
    ("key", Required(&Text)),
    ("operator", Required(&Text)),
    ("values", Texts),
];

/// The known types.
pub(super) const KNOWN: &[Known] = &[
    Known::atomic(
        SELECTOR,
        &[
            ("matchExpressions", Many(SELECTOR_REQUIREMENT)),
            ("matchLabels", TextMap),
        ],
    ),
    Known::part(SELECTOR_REQUIREMENT, REQUIREMENT),
    Known::atomic(
        "io.k8s.api.core.v1.SecretReference",
        &[("name", Text), ("namespace", Text)],
    )
    .told_by("secret", "configmap"),
    Known::atomic(
        "io.k8s.api.core.v1.ObjectReference",
        &[
            ("apiVersion", Text),
            ("fieldPath", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
            ("resourceVersion", Text),
            ("uid", Text),
        ],
    ),
    Known::atomic(
        "io.k8s.api.core.v1.TypedLocalObjectReference",
        &[
            ("apiGroup", Text),
            ("kind", Required(&Text)),
            ("name", Required(&Text)),
        ],
    ),
    Known::atomic(
        "io.k8s.api.core.v1.ObjectFieldSelector",
        &[("apiVersion", Text), ("fieldPath", Required(&Text))],
    ),
    Known::new(
        "io.k8s.api.core.v1.KeyToPath",
        &[
            ("key", Required(&Text)),
            ("mode", I32),
            ("path", Required(&Text)),
        ],
    ),
    Known::new(
        "io.k8s.api.core.v1.Toleration",
        &[
            ("effect", Text),
            ("key", Text),
            ("operator", Text),
            ("tolerationSeconds", I64),
            ("value", Text),
        ],
    ),
    Known::new(
        "io.k8s.api.core.v1.SELinuxOptions",
        &[
            ("level", Text),
            ("role", Text),
            ("type", Text),
            ("user", Text),
        ],
    ),
    Known::new(
        "io.k8s.api.core.v1.WindowsSecurityContextOptions",
        &[
            ("gmsaCredentialSpec", Text),
            ("gmsaCredentialSpecName", Text),
            ("hostProcess", Flag),
            ("runAsUserName", Text),
        ],
    ),
    Known::new(
        "io.k8s.api.core.v1.Capabilities",
        &[("add", Texts), ("drop", Texts)],
    ),
    Known::new(
        "io.k8s.api.core.v1.PodDNSConfig",
        &[
            ("nameservers", Texts),
            ("options", Many(DNS_OPTION)),
            ("searches", Texts),
        ],
    ),
    Known::part(DNS_OPTION, &[("name", Text), ("value", Text)]),
    Known::new(
        "io.k8s.api.core.v1.HostAlias",
        &[("hostnames", Texts), ("ip", Required(&Text))],
    ),
    Known::new(
        "io.k8s.api.core.v1.Affinity",
        &[
            ("nodeAffinity", One(NODE_AFFINITY)),
            ("podAffinity", One(POD_AFFINITY)),
            ("podAntiAffinity", One(POD_ANTI_AFFINITY)),
        ],
    ),
    Known::new(
        NODE_AFFINITY,
        &[
            (PREFERRED, Many(PREFERRED_TERM)),
            (DEMANDED, One(NODE_SELECTOR)),
        ],
    ),
    Known::part(
        PREFERRED_TERM,
        &[
            ("preference", Required(&One(NODE_TERM))),
            ("weight", Required(&I32)),
        ],
    ),
    Known::atomic(
        NODE_SELECTOR,
        &[("nodeSelectorTerms", Required(&Many(NODE_TERM)))],
    ),
    Known::atomic(
        NODE_TERM,
        &[
            ("matchExpressions", Many(NODE_REQUIREMENT)),
            ("matchFields", Many(NODE_REQUIREMENT)),
        ],
    ),
    Known::part(NODE_REQUIREMENT, REQUIREMENT),
    Known::part(
        POD_AFFINITY,
        &[(PREFERRED, Many(WEIGHTED_TERM)), (DEMANDED, Many(POD_TERM))],
    ),
    Known::part(
        POD_ANTI_AFFINITY,
        &[(PREFERRED, Many(WEIGHTED_TERM)), (DEMANDED, Many(POD_TERM))],
    ),
    Known::part(
        WEIGHTED_TERM,
        &[
            ("podAffinityTerm", Required(&One(POD_TERM))),
            ("weight", Required(&I32)),
        ],
    ),
    Known::new(
        POD_TERM,
        &[
            ("labelSelector", One(SELECTOR)),
            ("matchLabelKeys", Texts),
            ("mismatchLabelKeys", Texts),
            ("namespaceSelector", One(SELECTOR)),
            ("namespaces", Texts),
            ("topologyKey", Required(&Text)),
        ],
    ),
];

//! Checks, and what they need.

use std::fmt::Debug;
use std::pin::Pin;

use crate::context::Context;
use crate::expect::shouted;
pub(crate) use crate::expect::{Checked, Stop, expect, set};
use crate::facts::Facts;
use kubernetes_csi::v1::controller_service_capability::rpc::Type as ControllerRpc;
use kubernetes_csi::v1::node_service_capability::rpc::Type as NodeRpc;
use kubernetes_csi::v1::plugin_capability::service::Type as Service;

/// The future of a check.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Checked> + Send + 'a>>;

/// A check.
pub(crate) struct Check {
    /// The call and what is checked.
    pub(crate) name: String,
    pub(crate) needs: Vec<Need>,
    pub(crate) run: Box<dyn for<'a> Fn(&'a Context) -> Running<'a> + Send + Sync>,
}

/// Something that a check needs of a driver or of its author.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    Service(Service),
    Controller(ControllerRpc),
    NotController(ControllerRpc),
    Node,
    NodeRpc(NodeRpc),
    GroupSnapshots,
    /// The id of a node, to which volumes are attached.
    NodeId,
    /// The topology of a node.
    Topology,
    /// A folder for paths of volumes.
    Folder,
    MutableParameters,
}

impl Need {
    /// Returns the needs of all checks of a call, and more.
    pub(crate) fn all(needs: &[Self], more: &[Self]) -> Vec<Self> {
        [needs, more].concat()
    }

    /// Returns why a check is left out, if it is.
    pub(crate) fn missing(self, facts: &Facts, context: &Context) -> Option<String> {
        let settings = &context.settings;
        let lacks = |has: bool, what: &str| (!has).then(|| format!("the driver lacks {what}"));
        let lacks_type = |has: bool, what: &dyn Debug| lacks(has, &shouted(&format!("{what:?}")));
        match self {
            Self::Service(service) => lacks_type(facts.services.contains(&service), &service),
            Self::Controller(rpc) => lacks_type(facts.controller.contains(&rpc), &rpc),
            Self::NotController(rpc) => facts
                .controller
                .contains(&rpc)
                .then(|| format!("the driver has {}", shouted(&format!("{rpc:?}")))),
            Self::Node => lacks(facts.has_node, "the node service here"),
            Self::NodeRpc(rpc) => lacks_type(facts.node.contains(&rpc), &rpc),
            Self::GroupSnapshots => {
                lacks(facts.has_groups, "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT")
            }
            Self::NodeId => facts.node_id.is_none().then(|| {
                "no node is known: the driver lacks NodeGetInfo here, and `node_id` isn't set"
                    .to_owned()
            }),
            Self::Topology => lacks(facts.topology.is_some(), "a topology of its node"),
            Self::Folder => settings
                .folder
                .is_none()
                .then(|| "`folder` isn't set, and the check mounts".to_owned()),
            Self::MutableParameters => settings
                .mutable_parameters
                .is_empty()
                .then(|| "`mutable_parameters` aren't set".to_owned()),
        }
    }
}

/// Makes checks of functions: their names follow that of the call.
macro_rules! checks {
    ($call:literal, $needs:tt: $($check:ident $(+ $more:ident)*),* $(,)?) => {
        vec![$(
            $crate::check::Check {
                name: concat!($call, "/", stringify!($check)).to_owned(),
                needs: $crate::check::Need::all(&$needs, &[$($more),*]),
                run: Box::new(|context| Box::pin($check(context))),
            }
        ),*]
    };
}
pub(crate) use checks;

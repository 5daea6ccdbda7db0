//! Requests and limits of a container as numbers.

use k8s_openapi::api::core::v1::{Container, Pod, ResourceFieldSelector};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kubernetes_kinds::quantity::Amount;

use crate::interfaces::VolumeHost;
use crate::{Error, Result};

/// Returns the request or limit in units of the divisor, rounded up.
///
/// The default limit of a container is the allocatable amount of the node. A request that it
/// hasn't got is its limit, because an API server stores it so; otherwise zero.
pub(crate) fn value(
    host: &dyn VolumeHost,
    pod: &Pod,
    field: &ResourceFieldSelector,
) -> Result<String> {
    let Some((list, resource)) = field
        .resource
        .split_once('.')
        .filter(|(list, resource)| matches!(*list, "limits" | "requests") && is_known(resource))
    else {
        return Err(Error::invalid(format!(
            "a volume can't have the resource {:?}; it can have limits or requests of cpu, \
             memory, ephemeral-storage and hugepages-SIZE, as in limits.memory",
            field.resource
        )));
    };
    let container = container(pod, field)?;
    let resources = container.resources.as_ref();
    let limit = find(resources.and_then(|own| own.limits.as_ref()), resource)?;
    let amount = if list == "limits" {
        // As a server's default for containers: a limit of zero is none.
        let limit = limit.filter(|limit| !limit.is_zero());
        match limit {
            Some(limit) => limit,
            None => allocatable(host, resource)?,
        }
    } else {
        let request = find(resources.and_then(|own| own.requests.as_ref()), resource)?;
        request.or(limit).unwrap_or(Amount::from(0_u64))
    };
    let divisor = match &field.divisor {
        None => Amount::from(1_u64),
        Some(divisor) => self::amount(divisor, "the divisor")?,
    };
    let whole = divided(&amount, &divisor, resource == "cpu").ok_or_else(|| {
        Error::invalid(format!(
            "{} of the container {:?}, or its divisor, is negative or too large",
            field.resource, container.name
        ))
    });
    Ok(whole?.to_string())
}

fn is_known(resource: &str) -> bool {
    matches!(resource, "cpu" | "memory" | "ephemeral-storage") || resource.starts_with("hugepages-")
}

fn container<'a>(pod: &'a Pod, field: &ResourceFieldSelector) -> Result<&'a Container> {
    let name = field.container_name.as_deref().unwrap_or_default();
    let spec = pod.spec.as_ref();
    let mut containers = spec.into_iter().flat_map(|spec| {
        spec.containers
            .iter()
            .chain(spec.init_containers.iter().flatten())
    });
    containers
        .find(|container| container.name == name && !name.is_empty())
        .ok_or_else(|| {
            Error::invalid(format!(
                "the resource {} needs the name of a container of the Pod, and {name:?} is none",
                field.resource
            ))
        })
}

fn find(
    list: Option<&std::collections::BTreeMap<String, Quantity>>,
    resource: &str,
) -> Result<Option<Amount>> {
    list.and_then(|list| list.get(resource))
        .map(|found| amount(found, resource))
        .transpose()
}

fn amount(quantity: &Quantity, what: &str) -> Result<Amount> {
    Amount::try_from(quantity)
        .map_err(|error| Error::invalid(format!("{what} {:?}: {error}", quantity.0)))
}

fn allocatable(host: &dyn VolumeHost, resource: &str) -> Result<Amount> {
    if resource.starts_with("hugepages-") {
        return Ok(Amount::from(0_u64));
    }
    let resources = host.node_allocatable()?;
    Ok(find(Some(&resources), resource)?.unwrap_or(Amount::from(0_u64)))
}

/// Divides and rounds up. Processors are counted in thousandths.
fn divided(amount: &Amount, divisor: &Amount, thousandths: bool) -> Option<u64> {
    let units = |amount: &Amount| {
        let amount = if thousandths {
            thousandfold(amount)?
        } else {
            amount.clone()
        };
        amount.to_u64()
    };
    let one = Amount::from(1_u64);
    let divisor = if divisor.is_zero() { &one } else { divisor };
    Some(units(amount)?.div_ceil(units(divisor)?.max(1)))
}

fn thousandfold(amount: &Amount) -> Option<Amount> {
    let tenfold = |amount: Amount| {
        let double = amount.checked_add(&amount)?;
        let fourfold = double.checked_add(&double)?;
        fourfold.checked_add(&fourfold)?.checked_add(&double)
    };
    tenfold(tenfold(tenfold(amount.clone())?)?)
}

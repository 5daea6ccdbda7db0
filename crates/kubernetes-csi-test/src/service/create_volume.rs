//! CreateVolume.

use kubernetes_csi::v1::controller_service_capability::rpc::Type as Rpc;
use kubernetes_csi::v1::*;
use tonic::Code;

use crate::check::{Check, Checked, Need, checks, expect, set};
use crate::context::{CANCELLED, Context, at_least, delete};
use crate::fields::{Fields, base, other_access};
use crate::pages;

const VOLUMES: Need = Need::Controller(Rpc::CreateDeleteVolume);
const LIST: Need = Need::Controller(Rpc::ListVolumes);

pub(super) fn checks() -> Vec<Check> {
    let mut all =
        Fields::<CreateVolumeRequest>::of("create_volume", &[VOLUMES], base!(t => t.create()))
            .name(|r| &mut r.name)
            .required("volume_capabilities", |r| r.volume_capabilities.clear())
            .capability(|r| r.volume_capabilities.first_mut())
            .size(|r| &mut r.capacity_range)
            .map("parameters", |r| &mut r.parameters)
            .map("mutable_parameters", |r| &mut r.mutable_parameters)
            .secrets()
            .checks;
    all.extend(checks!("create_volume", [VOLUMES]:
        answer, required_size, size_limit, without_size, huge_size,
        name_of_128_bytes, unicode_name, names_like_paths, names_by_case, mount_and_block,
        same_name, same_name_fitting_size, same_name_other_size, same_name_after_deletion,
        eight_at_once, cancelled, cancelled_leaves_one + LIST));
    all
}

async fn answer(t: &Context) -> Checked {
    let volume = t.volume().await?;
    expect((1..=128).contains(&volume.volume_id.len()), || {
        format!("`volume_id` has to have 1 to 128 bytes: {volume:?}")
    })?;
    let context = volume.volume_context.iter();
    let size: usize = context.map(|(key, value)| key.len() + value.len()).sum();
    expect(size <= 4096, || {
        format!("`volume_context` has more than 4 KiB: {volume:?}")
    })?;
    expect(volume.content_source.is_none(), || {
        format!("a source that nobody named: {volume:?}")
    })
}

async fn required_size(t: &Context) -> Checked {
    let volume = t.volume().await?;
    let (has, required) = (volume.capacity_bytes, t.settings.volume_size);
    // 0 stands for a size that the driver doesn't know.
    expect(has == 0 || has >= required, || {
        format!("{has} bytes; required were {required}")
    })
}

async fn size_limit(t: &Context) -> Checked {
    let size = t.settings.volume_size;
    let request = CreateVolumeRequest {
        capacity_range: Some(CapacityRange {
            required_bytes: size,
            limit_bytes: size,
        }),
        ..t.create()
    };
    // The driver may have sizes in steps.
    let Some(answer) = t.ok_or(request, &[Code::OutOfRange]).await? else {
        return Ok(());
    };
    let has = set(answer.volume, "volume")?.capacity_bytes;
    expect(has == 0 || has == size, || {
        format!("{has} bytes; limit_bytes was {size}")
    })
}

async fn without_size(t: &Context) -> Checked {
    let request = CreateVolumeRequest {
        capacity_range: None,
        ..t.create()
    };
    t.create_volume(request).await.map(drop)
}

async fn huge_size(t: &Context) -> Checked {
    let request = CreateVolumeRequest {
        capacity_range: Some(at_least(i64::MAX)),
        ..t.create()
    };
    let codes = [Code::OutOfRange, Code::ResourceExhausted];
    let Some(answer) = t.ok_or(request, &codes).await? else {
        return Ok(());
    };
    let has = set(answer.volume, "volume")?.capacity_bytes;
    expect(has == 0 || has == i64::MAX, || {
        format!("{has} bytes; required were {}", i64::MAX)
    })
}

async fn name_of_128_bytes(t: &Context) -> Checked {
    let request = CreateVolumeRequest {
        name: format!("{:x<128}", t.name()),
        ..t.create()
    };
    t.create_volume(request).await.map(drop)
}

async fn unicode_name(t: &Context) -> Checked {
    let request = CreateVolumeRequest {
        name: format!("{} größer \"{{:;}}\" 体積", t.name()),
        ..t.create()
    };
    let made = t.create_volume(request.clone()).await?;
    let again = t.create_volume(request).await?;
    same(&made, &again)
}

/// Names that differ are those of different volumes, also if the driver makes paths of them.
/// Drivers whose volumes are named after them may refuse such names.
async fn names_like_paths(t: &Context) -> Checked {
    let name = t.name();
    let names = [
        name.clone(),
        format!("{name}/a"),
        format!("{name}_a"),
        format!("{name}/../{name}/a"),
        format!("../{name}"),
    ];
    different(t, &names, &[Code::InvalidArgument]).await
}

async fn names_by_case(t: &Context) -> Checked {
    let name = t.name();
    different(t, &[format!("{name}-a"), format!("{name}-A")], &[]).await
}

async fn different(t: &Context, names: &[String], codes: &[Code]) -> Checked {
    let mut ids = Vec::new();
    for name in names {
        let request = CreateVolumeRequest {
            name: name.clone(),
            ..t.create()
        };
        if let Some(answer) = t.ok_or(request, codes).await? {
            let id = set(answer.volume, "volume")?.volume_id;
            expect(!ids.contains(&id), || {
                format!("the volume named {name:?} has the id of one with another name, {id:?}")
            })?;
            ids.push(id);
        }
    }
    Ok(())
}

/// A volume that is a file system and a device. Drivers that can make such volumes may.
async fn mount_and_block(t: &Context) -> Checked {
    let own = t.settings.capability.clone();
    let request = CreateVolumeRequest {
        volume_capabilities: vec![own.clone(), other_access(&own)],
        ..t.create()
    };
    t.ok_or(request, &[Code::InvalidArgument]).await.map(drop)
}

fn same(one: &Volume, other: &Volume) -> Checked {
    expect(one.volume_id == other.volume_id, || {
        format!("a repeated call returns another volume: {one:?}, then {other:?}")
    })?;
    expect(one.capacity_bytes == other.capacity_bytes, || {
        format!("a repeated call returns another size: {one:?}, then {other:?}")
    })
}

async fn same_name(t: &Context) -> Checked {
    let request = t.create();
    let made = t.create_volume(request.clone()).await?;
    let again = t.create_volume(request).await?;
    same(&made, &again)
}

/// Another range of sizes that has the volume's.
async fn same_name_fitting_size(t: &Context) -> Checked {
    let request = t.create();
    let made = t.create_volume(request.clone()).await?;
    let has = made.capacity_bytes.max(t.settings.volume_size);
    let fitting = CreateVolumeRequest {
        capacity_range: Some(CapacityRange {
            required_bytes: 1,
            limit_bytes: has.saturating_mul(4),
        }),
        ..request
    };
    let again = t.create_volume(fitting).await?;
    same(&made, &again)
}

async fn same_name_other_size(t: &Context) -> Checked {
    let request = t.create();
    let made = t.create_volume(request.clone()).await?;
    let has = made.capacity_bytes.max(t.settings.volume_size);
    let larger = CreateVolumeRequest {
        capacity_range: Some(at_least(has.saturating_add(t.settings.volume_size))),
        ..request
    };
    t.refused(larger, &[Code::AlreadyExists]).await
}

async fn same_name_after_deletion(t: &Context) -> Checked {
    let request = t.create();
    let made = t.create_volume(request.clone()).await?;
    t.ok(delete(&made.volume_id)).await?;
    t.create_volume(request).await.map(drop)
}

/// Calls for one name at the same time give one volume. Some of them may be ABORTED until another
/// has ended.
async fn eight_at_once(t: &Context) -> Checked {
    let mut first: Option<Volume> = None;
    for answer in t.eight_at_once(t.create()).await? {
        let volume = set(answer.volume, "volume")?;
        same(first.get_or_insert_with(|| volume.clone()), &volume)?;
    }
    Ok(())
}

/// A call whose caller went away can be repeated.
async fn cancelled(t: &Context) -> Checked {
    for after in CANCELLED {
        let request = t.create();
        t.cancelled(request.clone(), after).await;
        let made = set(t.settled(request.clone()).await?.volume, "volume")?;
        let again = set(t.settled(request).await?.volume, "volume")?;
        same(&made, &again)?;
    }
    Ok(())
}

/// A call whose caller went away, and its repetition, leave one volume.
async fn cancelled_leaves_one(t: &Context) -> Checked {
    let list = ListVolumesRequest::default();
    let before = pages::all(t, &list, 0).await?;
    for after in CANCELLED {
        let request = t.create();
        t.cancelled(request.clone(), after).await;
        t.settled(request).await?;
    }
    let mut new = pages::all(t, &list, 0).await?;
    new.retain(|id| !before.contains(id));
    expect(new.len() == CANCELLED.len(), || {
        format!(
            "{} calls that were cancelled and repeated leave {new:?}",
            CANCELLED.len()
        )
    })
}

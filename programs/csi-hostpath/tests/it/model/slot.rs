//! A model of the specification for one volume and one snapshot of it, each with a name.

use tonic::Code;

/// The volume and the snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    volume: Option<Volume>,
    snapshot: Option<Snapshot>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Volume {
    /// `None` if nobody has been told it yet.
    id: Option<String>,
    size: u64,
    source: Option<String>,
    /// Whether it is attached, and whether read-only.
    attached: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Snapshot {
    id: Option<String>,
    volume_id: String,
    size: u64,
}

/// A call, about a slot.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Create { size: u64, snapshot: Option<String> },
    Delete(String),
    Expand(String, u64),
    Attach(String, bool),
    Detach(String),
    Get(String),
    Snapshot(String),
    DeleteSnapshot(String),
    GetSnapshot(String),
}

/// The content of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Nothing,
    /// An id and a size.
    Made(String, u64),
    /// A size, and whether it is attached.
    Volume(u64, bool),
    Size(u64),
}

pub(super) type Answer = Result<Said, Code>;

impl Slot {
    /// Returns what there is after a call that was answered so; `None` if that isn't its answer. A
    /// call whose answer nobody has seen fits with any.
    pub(super) fn after(&self, call: &Call, answer: Option<&Answer>) -> Option<Self> {
        // The kit refuses what meets another call, and then nothing has happened.
        if answer == Some(&Err(Code::Aborted)) {
            return Some(self.clone());
        }
        let mut next = self.clone();
        let right = match call {
            Call::Create { size, snapshot } => next.create(*size, snapshot.as_ref(), answer),
            Call::Snapshot(volume_id) => next.take(volume_id, answer),
            call => Some(next.other(call)),
        };
        // Without an answer, what the model itself says has happened.
        let fits = match (answer, right) {
            (None, _) => true,
            (Some(answer), Some(right)) => *answer == right,
            (Some(_), None) => false,
        };
        fits.then_some(next)
    }

    fn create(
        &mut self,
        size: u64,
        source: Option<&String>,
        answer: Option<&Answer>,
    ) -> Option<Answer> {
        let said = match answer {
            Some(Ok(Said::Made(id, _))) => Some(id.clone()),
            _ => None,
        };
        if let Some(volume) = &mut self.volume {
            if size > volume.size || volume.source.as_ref() != source {
                return Some(Err(Code::AlreadyExists));
            }
            return made(&mut volume.id, said, volume.size);
        }
        if let Some(source) = source {
            match self
                .snapshot
                .as_ref()
                .filter(|one| one.id.as_ref() == Some(source))
            {
                None => return Some(Err(Code::NotFound)),
                Some(snapshot) if size < snapshot.size => return Some(Err(Code::OutOfRange)),
                Some(_) => {}
            }
        }
        let volume = self.volume.insert(Volume {
            id: None,
            size,
            source: source.cloned(),
            attached: None,
        });
        made(&mut volume.id, said, size)
    }

    fn take(&mut self, volume_id: &str, answer: Option<&Answer>) -> Option<Answer> {
        let said = match answer {
            Some(Ok(Said::Made(id, _))) => Some(id.clone()),
            _ => None,
        };
        if let Some(snapshot) = &mut self.snapshot {
            if snapshot.volume_id != volume_id {
                return Some(Err(Code::AlreadyExists));
            }
            return made(&mut snapshot.id, said, snapshot.size);
        }
        let Some(size) = self.volume(volume_id).map(|volume| volume.size) else {
            return Some(Err(Code::NotFound));
        };
        let snapshot = self.snapshot.insert(Snapshot {
            id: None,
            volume_id: volume_id.to_owned(),
            size,
        });
        made(&mut snapshot.id, said, size)
    }

    fn other(&mut self, call: &Call) -> Answer {
        match call {
            Call::Delete(id) => {
                if self
                    .volume(id)
                    .is_some_and(|volume| volume.attached.is_some())
                {
                    return Err(Code::FailedPrecondition);
                }
                self.volume.take_if(|volume| volume.id.as_ref() == Some(id));
                Ok(Said::Nothing)
            }
            Call::Expand(id, size) => {
                let volume = self.volume(id).ok_or(Code::NotFound)?;
                volume.size = volume.size.max(*size);
                Ok(Said::Size(volume.size))
            }
            Call::Attach(id, read_only) => {
                let volume = self.volume(id).ok_or(Code::NotFound)?;
                match volume.attached.replace(*read_only) {
                    Some(other) if other != *read_only => {
                        volume.attached = Some(other);
                        Err(Code::AlreadyExists)
                    }
                    _ => Ok(Said::Nothing),
                }
            }
            Call::Detach(id) => {
                if let Some(volume) = self.volume(id) {
                    volume.attached = None;
                }
                Ok(Said::Nothing)
            }
            Call::Get(id) => {
                let volume = self.volume(id).ok_or(Code::NotFound)?;
                Ok(Said::Volume(volume.size, volume.attached.is_some()))
            }
            Call::DeleteSnapshot(id) => {
                self.snapshot.take_if(|one| one.id.as_ref() == Some(id));
                Ok(Said::Nothing)
            }
            Call::GetSnapshot(id) => {
                let found = self
                    .snapshot
                    .as_ref()
                    .filter(|one| one.id.as_ref() == Some(id));
                found.map(|one| Said::Size(one.size)).ok_or(Code::NotFound)
            }
            Call::Create { .. } | Call::Snapshot(_) => unreachable!("{call:?}"),
        }
    }

    fn volume(&mut self, id: &str) -> Option<&mut Volume> {
        self.volume
            .as_mut()
            .filter(|volume| volume.id.as_deref() == Some(id))
    }
}

/// Returns the answer of something that is there, whose id may be told for the first time.
fn made(id: &mut Option<String>, said: Option<String>, size: u64) -> Option<Answer> {
    if id.is_none() {
        id.clone_from(&said);
    }
    id.clone().map(|id| Ok(Said::Made(id, size)))
}

//! Ways to values: the fields and elements from the object that a rule is about.

use std::cell::RefCell;
use std::rc::Rc;

/// One step of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The variable that a way begins with, whose name says nothing more.
    Variable,
    Field(Rc<str>),
    /// The elements of a list.
    Items,
    /// The positions in a list.
    Indices,
    /// The values of a map.
    Values,
    /// The keys of a map.
    Keys,
}

/// A way; empty for a value that is at none.
///
/// Servers keep ways in slices of Go, which share memory: a way that goes on from another one can
/// overwrite what a third has at that step, and the size that they then take for its value is that
/// of another. The cost is as wrong here as there.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    memory: Rc<RefCell<Vec<Step>>>,
    len: usize,
    capacity: usize,
}

impl Path {
    /// The way to a variable of the rule.
    pub(super) fn variable() -> Self {
        Self::default().then(Step::Variable)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The way that goes on from this one.
    pub(super) fn then(&self, step: Step) -> Self {
        let len = self.len + 1;
        if len <= self.capacity {
            let mut memory = self.memory.borrow_mut();
            match memory.get_mut(self.len) {
                Some(place) => *place = step,
                None => memory.push(step),
            }
            let capacity = self.capacity;
            return Self {
                memory: Rc::clone(&self.memory),
                len,
                capacity,
            };
        }
        // Memory of one step more than there is place for doubles.
        let mut steps = self.steps();
        steps.push(step);
        Self {
            memory: Rc::new(RefCell::new(steps)),
            len,
            capacity: (2 * self.capacity).max(1),
        }
    }

    /// The same way in memory of its own.
    pub(super) fn copy_then(&self, step: Step) -> Self {
        let mut steps = self.steps();
        steps.push(step);
        let len = steps.len();
        Self {
            memory: Rc::new(RefCell::new(steps)),
            len,
            capacity: len,
        }
    }

    pub(super) fn steps(&self) -> Vec<Step> {
        self.memory
            .borrow()
            .iter()
            .take(self.len)
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, Step};

    fn field(name: &str) -> Step {
        Step::Field(name.into())
    }

    #[test]
    fn ways_share_memory_as_slices_of_go_do() {
        let base = Path::variable().then(field("a")).then(Step::Items);
        let one = base.then(field("b"));
        let other = base.then(field("c"));
        assert_eq!(one.steps(), other.steps());
        assert_eq!(other.steps().last(), Some(&field("c")));
        let full = other.then(field("d"));
        let last = other.then(field("e"));
        assert_ne!(full.steps(), last.steps());
    }
}

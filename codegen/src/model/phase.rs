//! The phases of the model, so that nothing is read before the pass that finds it.
//!
//! Lowering makes a [`Lowered`] model. Passes then build a [`Resolved`] one from it, from that an
//! [`Analysed`] one, and at last the [`Complete`] one, which alone is emitted.
//!
//! A field of the model that lowering can't fill has a type such as `P::Analysed<Rules>`: in the
//! phases before [`Analysed`] it is `()`, from then on it is `Rules`.

use std::fmt::Debug;

use serde::Serialize;

/// A value that the model can hold.
pub(crate) trait Slot: Clone + Debug + Serialize {}

impl<T: Clone + Debug + Serialize> Slot for T {}

/// A phase of the model. Its types are `T` in the phases that have such a value, else `()`.
pub(crate) trait Phase: Clone + Debug {
    /// Keywords of the document, until the pass for rules has read them.
    type Unread<T: Slot>: Slot;
    /// Known from [`Resolved`] on.
    type Resolved<T: Slot>: Slot;
    /// Known from [`Analysed`] on.
    type Analysed<T: Slot>: Slot;
    /// Known in [`Complete`].
    type Complete<T: Slot>: Slot;
}

/// The model as in the document.
#[derive(Clone, Debug)]
pub(crate) enum Lowered {}

/// Every name is that of a type, each type has its file, and each field its form in Rust.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {}

/// The rules of the server are known.
#[derive(Clone, Debug)]
pub(crate) enum Analysed {}

/// All that is emitted is known.
#[derive(Clone, Debug)]
pub(crate) enum Complete {}

impl Phase for Lowered {
    type Unread<T: Slot> = T;
    type Resolved<T: Slot> = ();
    type Analysed<T: Slot> = ();
    type Complete<T: Slot> = ();
}

impl Phase for Resolved {
    type Unread<T: Slot> = T;
    type Resolved<T: Slot> = T;
    type Analysed<T: Slot> = ();
    type Complete<T: Slot> = ();
}

impl Phase for Analysed {
    type Unread<T: Slot> = ();
    type Resolved<T: Slot> = T;
    type Analysed<T: Slot> = T;
    type Complete<T: Slot> = ();
}

impl Phase for Complete {
    type Unread<T: Slot> = ();
    type Resolved<T: Slot> = T;
    type Analysed<T: Slot> = T;
    type Complete<T: Slot> = T;
}

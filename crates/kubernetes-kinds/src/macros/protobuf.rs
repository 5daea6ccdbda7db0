//! Macros for protobuf, which the others call.

// They are read and written as protobuf if this crate is built with the feature for it: code that
// calls the macros needs no feature of its own.
#[cfg(not(feature = "protobuf"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_numbered {
    ($($table:tt)*) => {};
}

/// Implements protobuf for an object of it without fields: its table is that of a type which has no
/// numbers.
#[cfg(not(feature = "protobuf"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_without_fields {
    ($name:ident) => {};
}

#[cfg(feature = "protobuf")]
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_without_fields {
    ($name:ident) => {
        $crate::__protobuf_message! { $name {} }
    };
}

#[cfg(feature = "protobuf")]
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_numbered {
    // Custom resources have no numbers.
    ($name:ident {}) => {};
    ($name:ident { $($rows:tt)* }) => {
        $crate::__protobuf_message! { $name { $($rows)* } }
    };
}

/// Implements reading and writing of a message of protobuf, from the table of its fields: the
/// number and the name in Rust. With `#[inline]`, only crates that use it compile it.
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_message {
    ($(#[$inline:meta])? $name:ident { $($rows:tt)* }) => {
        $crate::__protobuf_rows! {
            $(#[$inline])? $name, ::core::default::Default::default(), { $($rows)* }
        }
    };
}

/// Implements the same for a type without `Default`, whose zero value has that of each field.
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_message_of_fields {
    ($(#[$inline:meta])? $name:ident {
        $($number:literal $(/ $inner:literal)* $($mark:ident)? => $field:ident,)*
    }) => {
        $crate::__protobuf_rows! {
            $(#[$inline])? $name, Self { $($field: $crate::protobuf::Field::zero(),)* }, {
                $($number $(/ $inner)* $($mark)? => $field,)*
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_rows {
    ($(#[$inline:meta])? $name:ident, $zero:expr, {
        $($number:literal $(/ $inner:literal)* $($mark:ident)? => $field:ident,)*
    }) => {
        impl $crate::protobuf::Message for $name {
            const NAME: &'static str = ::core::stringify!($name);
            const KEYS: &'static [u32] = &$crate::protobuf::sorted([
                $($crate::protobuf::key(&[$number $(, $inner)*])),*
            ]);

            #[allow(unused_variables)]
            $(#[$inline])?
            fn read_field(
                &mut self,
                key: u32,
                wire: $crate::protobuf::Wire,
                input: &mut $crate::protobuf::Input<'_>,
            ) -> ::core::result::Result<bool, $crate::protobuf::DecodeError> {
                $(if key == const { $crate::protobuf::key(&[$number $(, $inner)*]) } {
                    $crate::__protobuf_read!(&mut self.$field, wire, input $(, $mark)?)?;
                    return ::core::result::Result::Ok(true);
                })*
                ::core::result::Result::Ok(false)
            }

            #[allow(unused_variables)]
            $(#[$inline])?
            fn write_field(&self, key: u32, output: &mut $crate::protobuf::Output) {
                $(if key == const { $crate::protobuf::key(&[$number $(, $inner)*]) } {
                    let number = const { $crate::protobuf::number(&[$number $(, $inner)*]) };
                    return $crate::__protobuf_write!(&self.$field, number, output $(, $mark)?);
                })*
            }
        }

        impl $crate::protobuf::Field for $name {
            $(#[$inline])?
            fn zero() -> Self {
                $zero
            }

            $(#[$inline])?
            fn read(
                &mut self,
                wire: $crate::protobuf::Wire,
                input: &mut $crate::protobuf::Input<'_>,
            ) -> ::core::result::Result<(), $crate::protobuf::DecodeError> {
                $crate::protobuf::read_part(self, wire, input)
            }

            $(#[$inline])?
            fn write(&self, number: u32, output: &mut $crate::protobuf::Output) {
                $crate::protobuf::write_part(self, number, output);
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_read {
    ($slot:expr, $wire:ident, $input:ident $(, kept)?) => {
        $crate::protobuf::Field::read($slot, $wire, $input)
    };
    ($slot:expr, $wire:ident, $input:ident, always) => {
        $crate::protobuf::read_always($slot, $wire, $input)
    };
    ($slot:expr, $wire:ident, $input:ident, items) => {
        $crate::protobuf::read_items($slot, $wire, $input)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_write {
    ($slot:expr, $number:ident, $output:ident) => {
        $crate::protobuf::Field::write($slot, $number, $output)
    };
    ($slot:expr, $number:ident, $output:ident, always) => {
        $crate::protobuf::write_always($slot, $number, $output)
    };
    ($slot:expr, $number:ident, $output:ident, kept) => {
        $crate::protobuf::write_always($slot, $number, $output)
    };
    ($slot:expr, $number:ident, $output:ident, items) => {
        $crate::protobuf::write_items($slot, $number, $output)
    };
}

#[cfg(not(feature = "protobuf"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_enumeration {
    ($name:ident) => {};
}

#[cfg(feature = "protobuf")]
#[doc(hidden)]
#[macro_export]
macro_rules! __protobuf_enumeration {
    ($name:ident) => {
        impl $crate::protobuf::Field for $name {
            fn zero() -> Self {
                Self::from("")
            }

            fn read(
                &mut self,
                wire: $crate::protobuf::Wire,
                input: &mut $crate::protobuf::Input<'_>,
            ) -> ::core::result::Result<(), $crate::protobuf::DecodeError> {
                $crate::protobuf::read_enum(self, wire, input)
            }

            fn write(&self, number: u32, output: &mut $crate::protobuf::Output) {
                output.bytes(number, self.as_str().as_bytes());
            }

            fn is_omitted(&self) -> bool {
                self.as_str().is_empty()
            }
        }
    };
}

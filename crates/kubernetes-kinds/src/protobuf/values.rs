//! Times, quantities, and numbers or texts.

use std::mem;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use k8s_openapi::jiff::Timestamp;

use super::{DecodeError, Field, Input, Output, Wire};
use crate::wire::{LAST_TIME, ZERO_TIME};

impl Field for Time {
    fn zero() -> Self {
        Self(ZERO_TIME)
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let (seconds, _) = read_timestamp(wire, input)?;
        self.0 = timestamp(seconds, 0);
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        write_timestamp(self.0, 0, number, output);
    }

    fn is_omitted(&self) -> bool {
        self.0 == ZERO_TIME
    }
}

/// A fraction has microseconds.
impl Field for MicroTime {
    fn zero() -> Self {
        Self(ZERO_TIME)
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let (seconds, nanos) = read_timestamp(wire, input)?;
        self.0 = timestamp(seconds, nanos - nanos % 1000);
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        let nanos = self.0.subsec_nanosecond().rem_euclid(1_000_000_000);
        write_timestamp(self.0, nanos - nanos % 1000, number, output);
    }

    fn is_omitted(&self) -> bool {
        self.0 == ZERO_TIME
    }
}

const SECONDS: u32 = 1;
const NANOS: u32 = 2;

fn read_timestamp(wire: Wire, input: &mut Input<'_>) -> Result<(i64, i32), DecodeError> {
    let mut message = input.message(wire)?;
    if message.is_empty() {
        return Ok((ZERO_TIME.as_second(), 0));
    }
    let (mut seconds, mut nanos) = (0, 0);
    while let Some((number, wire)) = message.tag()? {
        match number {
            SECONDS => seconds.read(wire, &mut message)?,
            NANOS => nanos.read(wire, &mut message)?,
            _ => message.skip(wire)?,
        }
    }
    Ok((seconds, nanos))
}

/// Returns a time; one beyond those that `jiff` has is the nearest that it has. The nanoseconds may
/// be more than those of a second, or negative.
fn timestamp(seconds: i64, nanos: i32) -> Timestamp {
    const SECOND: i32 = 1_000_000_000;
    let seconds = seconds.saturating_add(i64::from(nanos.div_euclid(SECOND)));
    let nanos = nanos.rem_euclid(SECOND);
    let nearest = match seconds {
        0.. => LAST_TIME,
        _ => Timestamp::MIN,
    };
    Timestamp::new(seconds, nanos).unwrap_or(nearest)
}

/// Writes a time. The zero time of Go is empty.
fn write_timestamp(time: Timestamp, nanos: i32, number: u32, output: &mut Output) {
    output.message(number, |output| {
        if time == ZERO_TIME {
            return;
        }
        // Go rounds down.
        let seconds = time.as_second() - i64::from(time.subsec_nanosecond() < 0);
        nanos.write(NANOS, output);
        seconds.write(SECONDS, output);
    });
}

/// The text is written as it is, without spaces around it. Go writes an empty one as `0`.
impl Field for Quantity {
    fn zero() -> Self {
        Self(ZERO_QUANTITY.to_owned())
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let mut message = input.message(wire)?;
        while let Some((number, wire)) = message.tag()? {
            match number {
                TEXT => self.0.read(wire, &mut message)?,
                _ => message.skip(wire)?,
            }
        }
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        let text = match self.0.as_str() {
            "" => ZERO_QUANTITY,
            text => text,
        };
        output.message(number, |output| output.bytes(TEXT, text.as_bytes()));
    }
}

const TEXT: u32 = 1;

const ZERO_QUANTITY: &str = "0";

impl Field for IntOrString {
    fn zero() -> Self {
        Self::Int(0)
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let mut message = input.message(wire)?;
        // As parts of an object, a second value is merged into the first.
        let (mut sort, mut number, mut text) = match self {
            Self::Int(number) => (0_i64, *number, String::new()),
            Self::String(text) => (1, 0, mem::take(text)),
        };
        while let Some((field, wire)) = message.tag()? {
            match field {
                SORT => sort.read(wire, &mut message)?,
                NUMBER => number.read(wire, &mut message)?,
                STRING => text.read(wire, &mut message)?,
                _ => message.skip(wire)?,
            }
        }
        *self = match sort {
            0 => Self::Int(number),
            _ => Self::String(text),
        };
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        let (sort, int, text) = match self {
            Self::Int(int) => (0, *int, ""),
            Self::String(text) => (1, 0, text.as_str()),
        };
        output.message(number, |output| {
            output.bytes(STRING, text.as_bytes());
            int.write(NUMBER, output);
            i64::from(sort).write(SORT, output);
        });
    }
}

const SORT: u32 = 1;
const NUMBER: u32 = 2;
const STRING: u32 = 3;

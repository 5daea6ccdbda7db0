use std::error::Error;
use std::fmt;

/// The error of a text that isn't a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuantityError {
    /// The text is empty, or is not a number with a suffix.
    Format,
    /// The number has no digits and needs some.
    Number,
    /// The suffix is unknown, or an exponent beyond 64 bits.
    Suffix,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Format => "not a number with a suffix, such as `1.5Gi`, `500m` or `1e3`",
            Self::Number => "the number has no digits",
            Self::Suffix => {
                "unknown suffix: write Ki, Mi, Gi, Ti, Pi, Ei for powers of 1024; n, u, m, k, \
                 M, G, T, P, E for powers of 1000; or an exponent such as e3"
            }
        })
    }
}

impl Error for QuantityError {}

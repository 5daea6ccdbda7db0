//! The functions of CEL and of its libraries that servers have.

mod addresses;
mod conversions;
mod durations;
mod dynamic;
mod lists;
mod maps;
mod named;
mod optionals;
mod quantities;
mod texts;
mod times;
mod urls;
mod versions;

use super::{Failure, Result, size};

pub use addresses::{Cidr, Ip, cidr, ip, is_canonical_ip};
pub use conversions::{double, flag, general, in_seconds, parsed, string, truncated};
pub use durations::{duration, written_duration};
pub use dynamic::{Value, order, type_of, value};
pub use lists::{
    chained, contains, contains_all, distinct, first, flatten, intersects, is_equivalent,
    is_sorted, last, last_position, max, min, position, reversed, same, slice, sorted, sum, total,
};
pub use maps::{entries, filter_entries, filter_map};
pub use named::{
    is_date, is_datetime, is_dns1035_label, is_dns1035_label_prefix, is_dns1123_label,
    is_dns1123_label_prefix, is_dns1123_subdomain, is_dns1123_subdomain_prefix, is_label_value,
    is_qualified_name, is_uuid,
};
pub use optionals::{and_then, element_at, map_some, non_zero, present, some};
pub use quantities::{Quantity, as_integer, is_integer, is_quantity, quantity};
pub use texts::{
    char_at, index_from, index_of, int, is_cidr, is_ip, last_index_from, last_index_of, quoted,
    replace_some, split, split_some, substring,
};
pub use times::{Time, between, earlier, later, since_1970, timestamp, written_date, written_time};
pub use urls::{Url, is_url, url};
pub use versions::{Version, is_semver, is_semver_normalized, semver, semver_normalized};

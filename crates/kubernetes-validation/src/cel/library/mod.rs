//! The functions of CEL and of its libraries that servers have.

mod addresses;
mod bytes;
mod conversions;
mod durations;
mod dynamic;
mod formatted;
mod hexadecimal;
mod lists;
mod maps;
mod named;
mod optionals;
mod quantities;
mod texts;
mod times;
mod unsigned;
mod urls;
mod versions;

use super::{Failure, Result, size};

pub use addresses::{Cidr, Ip, cidr, ip, is_canonical_ip};
pub use bytes::{hex, is_base64, text_of, written_bytes};
pub use conversions::{double, flag, general, in_seconds, parsed, string, truncated};
pub use durations::{duration, written_duration};
pub use dynamic::{Value, number, order, value, value_unsigned};
pub use formatted::{digits, fixed, in_quotes, plain, scientific};
pub use lists::{
    chained, contains, contains_all, distinct, first, flatten, intersects, is_equivalent,
    is_sorted, kept_at, last, last_position, max, min, no_values, position, range, reversed, same,
    slice, sort_by, sorted, sum, total, up_to,
};
pub use maps::{
    entries, entries_by, entries_there, entries_there_by, entry_at, filter_entries, filter_map,
    found_at, has_key_at, merge_entries, no_entries_made,
};
pub use named::{
    Format, is_date, is_datetime, is_dns1035_label, is_dns1035_label_prefix, is_dns1123_label,
    is_dns1123_label_prefix, is_dns1123_subdomain, is_dns1123_subdomain_prefix, is_label_value,
    is_qualified_name, is_uuid, named_format,
};
pub use optionals::{
    and_then, element_at, item_of, map_some, non_zero, non_zero_time, present, present_of, some,
    value_at, value_of,
};
pub use quantities::{Quantity, is_quantity, quantity};
pub use texts::{
    char_at, index_from, index_of, int, is_cidr, is_ip, last_index_from, last_index_of, quoted,
    replace_some, split, split_some, substring,
};
pub use times::{Time, between, earlier, later, since_1970, timestamp, written_date, written_time};
pub use unsigned::{
    add_unsigned, divide_unsigned, double_unsigned, modulo_unsigned, multiply_unsigned, signed,
    subtract_unsigned, sum_unsigned, truncated_unsigned, unsigned, wide, wide_unsigned,
    without_sign,
};
pub use urls::{Url, is_url, url};
pub use versions::{Version, is_semver, is_semver_normalized, semver, semver_normalized};

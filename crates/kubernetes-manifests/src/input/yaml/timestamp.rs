//! The texts that the tag `!!timestamp` takes, which stay texts.

/// Returns true for a day, and for a day and a time of it: `2001-12-14t21:59:43.10-05:00`.
pub(super) fn is_timestamp(text: &str) -> bool {
    is_timestamp_or_none(text).is_some()
}

fn is_timestamp_or_none(text: &str) -> Option<()> {
    let (year, rest) = text.split_once('-')?;
    let year = number(year, 4, 4)?;
    let (month, rest) = rest.split_once('-')?;
    let end = rest.find(['T', 't', ' ']).unwrap_or(rest.len());
    let (day, time) = rest.split_at(end);
    let days = days(year, number(month, 1, 2)?)?;
    number(day, 1, 2).filter(|day| (1..=days).contains(day))?;
    let Some(separator) = time.chars().next() else {
        return Some(());
    };
    let time = match separator {
        ' ' => time.trim_start_matches(' '),
        _ => time.get(1..)?,
    };
    let mut parts = time.splitn(3, ':');
    number(parts.next()?, 1, 2).filter(|hour| *hour < 24)?;
    number(parts.next()?, 1, 2).filter(|minute| *minute < 60)?;
    let seconds = parts.next()?;
    let (seconds, zone) = seconds.split_at(seconds.find(['Z', '+', '-']).unwrap_or(seconds.len()));
    let (seconds, fraction) = match seconds.split_once(['.', ',']) {
        Some((seconds, fraction)) => (seconds, fraction),
        None => (seconds, "0"),
    };
    number(seconds, 1, 2).filter(|second| *second < 60)?;
    number(fraction, 1, usize::MAX)?;
    match zone.strip_prefix(['+', '-']) {
        _ if separator == ' ' => zone.is_empty().then_some(()),
        None => (zone == "Z").then_some(()),
        Some(offset) => {
            let (hours, minutes) = offset.split_once(':')?;
            number(hours, 2, 2).filter(|hours| *hours <= 24)?;
            number(minutes, 2, 2).filter(|minutes| *minutes <= 60)?;
            Some(())
        }
    }
}

/// Returns the value of so many digits, or the largest one.
fn number(text: &str, least: usize, most: usize) -> Option<u32> {
    let has_form = (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    has_form.then(|| text.parse().unwrap_or(u32::MAX))
}

/// Returns the number of days of a month.
fn days(year: u32, month: u32) -> Option<u32> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => Some(28 + u32::from(is_leap)),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

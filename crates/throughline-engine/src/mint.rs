//! The one place that makes ids.

use std::sync::Mutex;
use std::sync::PoisonError;

use throughline_core::Timestamp;
use uuid::Uuid;

/// The millisecond of the last id, and how many ids it has had.
static LAST: Mutex<(u64, u16)> = Mutex::new((0, 0));

/// A new id (UUIDv7): sorts by the moment it was made, then by the order in which this process
/// made it, and is random beyond that.
pub(crate) fn id(now: Timestamp) -> Uuid {
    let millis = u64::try_from(now.as_millis()).unwrap_or(0);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    // Beyond 4,096 ids in a millisecond the order within it is no longer kept.
    let count = if last.0 == millis { last.1.wrapping_add(1) & 0x0fff } else { 0 };
    *last = (millis, count);
    let mut random: [u8; 10] = std::array::from_fn(|_| fastrand::u8(..));
    random[..2].copy_from_slice(&count.to_be_bytes());
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_in_the_order_they_were_made() {
        let ids: Vec<Uuid> = (0..4_000).map(|_| id(Timestamp::EPOCH)).collect();
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(ids, sorted);
        assert!(id(Timestamp::EPOCH.plus_days(1.0)) > ids[3_999]);
    }
}

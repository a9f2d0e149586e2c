//! The one place that makes ids.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

use throughline_core::Timestamp;
use uuid::Uuid;

/// The millisecond of the last id, how many ids it has had, and where randomness comes from.
static LAST: Mutex<(u64, u16, Option<fastrand::Rng>)> = Mutex::new((0, 0, None));

/// A new id (UUIDv7): sorts by the moment it was made, then by the order in which this process
/// made it, and is random beyond that.
pub(crate) fn id(now: Timestamp) -> Uuid {
    let millis = u64::try_from(now.as_millis()).unwrap_or(0);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    // Beyond 4,096 ids in a millisecond the order within it is no longer kept.
    let count = if last.0 == millis { last.1.wrapping_add(1) & 0x0fff } else { 0 };
    (last.0, last.1) = (millis, count);
    let random = last.2.get_or_insert_with(seeded);
    let mut bytes: [u8; 10] = std::array::from_fn(|_| random.u8(..));
    bytes[..2].copy_from_slice(&count.to_be_bytes());
    uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
}

/// A generator seeded by the operating system, through the keys of the standard library's hash
/// maps: two processes that start in the same instant must not make the same ids.
fn seeded() -> fastrand::Rng {
    fastrand::Rng::with_seed(RandomState::new().hash_one(std::process::id()))
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

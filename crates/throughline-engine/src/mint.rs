//! The one place that makes ids.

use throughline_core::Timestamp;
use uuid::Uuid;

/// A new id: sorts by the moment it was made, and is random beyond that.
pub(crate) fn id(now: Timestamp) -> Uuid {
    let millis = u64::try_from(now.as_millis()).unwrap_or(0);
    let random: [u8; 10] = std::array::from_fn(|_| fastrand::u8(..));
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
}

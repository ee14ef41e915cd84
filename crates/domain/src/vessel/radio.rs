//! Numbers of radios (MMSI), and which of them say nothing.

/// Numbers of ships begin with their country's, from 2 to 7; others are of stations, aircraft, buoys and hand-held radios.
const OF_SHIPS: std::ops::RangeInclusive<u32> = 200_000_000..=799_999_999;
/// One digit nine times: what is typed where a number has to stand.
const ONE_DIGIT: u32 = 111_111_111;

/// Whether a number can be one ship's. A radio that was never set up sends what it was built with (1193046, 0, 123456789),
/// or what somebody typed to be done with it, and so do many: what one of them says is not another's.
pub fn is_of_one_ship(mmsi: u32) -> bool {
    OF_SHIPS.contains(&mmsi) && !mmsi.is_multiple_of(ONE_DIGIT)
}

//! What a number tells, with the account's own past beside what everybody knows.

use domain::ids::AccountId;
use domain::infer::{self, Inference, NotANumber, Tracked};
use store::Tx;

use crate::Tracking;

/// Requests of the past that are looked at.
const HISTORY_MAX: u32 = 200;

/// Judges a number as somebody typed it. Reads only.
pub fn inferred(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    text: &str,
) -> Result<Result<Inference, NotANumber>, store::Error> {
    let number = match infer::compact(text) {
        Ok(number) => number,
        Err(why) => return Ok(Err(why)),
    };
    let prefix = infer::history_prefix(&number);
    let mut past: Vec<Tracked> =
        store::tracking_request::history(&mut tx.account(account), prefix, HISTORY_MAX)?;
    // A number counts once for each line, however often it was tracked.
    past.dedup();
    Ok(infer::infer(text, tracking.registry().clues(), &past))
}

//! One number, as an account has written it over time: with the spaces of a mail, in small letters, as its line does.

use domain::tracking_request::NumberKind;
use domain::tracking_request::number::asked;
use sources::registry::Registry;
use store::AccountTx;

use crate::intake;

/// Writings of one number that are looked for.
const WRITINGS_MAX: u32 = 64;

/// What the account's requests for this number were submitted as, whatever sets its groups apart, and as it is given here.
pub fn writings(
    a: &mut AccountTx,
    registry: &Registry,
    given: &str,
) -> Result<Vec<String>, store::Error> {
    let mut writings = vec![given.to_owned()];
    let Ok(plain) = asked(given) else {
        return Ok(writings);
    };
    // Requests that were made before there were dockets are found as their lines are asked.
    writings.push(plain.clone());
    let labels = NumberKind::ALL.map(|kind| intake::number(registry, kind, given));
    let dockets = store::docket::existing(a.tx(), None, &labels)?;
    let filed = store::tracking_request::writings(a, &dockets, WRITINGS_MAX)?;
    // A docket leaves out the code of a line, and may be that of two lines' numbers.
    let alike = filed
        .into_iter()
        .filter(|one| asked(one).as_ref() == Ok(&plain));
    writings.extend(alike);
    writings.sort();
    writings.dedup();
    Ok(writings)
}

//! Boxes and the papers they travel under.

use std::collections::BTreeSet;

use domain::codes::ContainerNumber;

use crate::dice::Dice;

/// A box as the carrier describes it.
#[derive(Clone, Debug)]
pub(crate) struct Cargo {
    /// Its number.
    pub(crate) number: ContainerNumber,
    /// Size and type.
    pub(crate) iso_type: &'static str,
    /// The carrier's seal.
    pub(crate) seal: String,
}

const OWNERS: [&str; 3] = ["LKSU", "LKPU", "LKTU"];
const ISO_TYPES: [&str; 5] = ["22G1", "42G1", "45G1", "45R1", "L5G1"];

/// Draws boxes that no other bill has.
pub(crate) fn boxes(
    count: usize,
    taken: &mut BTreeSet<ContainerNumber>,
    dice: &mut Dice,
) -> Vec<Cargo> {
    let iso_type = dice.pick(&ISO_TYPES).copied().unwrap_or("22G1");
    let mut drawn = Vec::new();
    while drawn.len() < count {
        let owner = dice.pick(&OWNERS).copied().unwrap_or("LKSU");
        let text = format!("{owner}{}", dice.digits(6));
        let Ok(number) = ContainerNumber::parse(&text) else {
            continue;
        };
        if taken.insert(number) {
            let seal = format!("LK{}", dice.digits(6));
            drawn.push(Cargo {
                number,
                iso_type,
                seal,
            });
        }
    }
    drawn
}

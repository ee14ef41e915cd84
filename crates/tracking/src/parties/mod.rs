//! Parties: the companies an account deals with, and whose customer's shipments these are.
//!
//! A shipment's document carries the name of its customer, so that lists stay copies of stored texts. The price
//! is paid when a party is renamed: its shipments are written again, a bounded number in each transaction. The
//! first such step belongs to the renaming itself, the others follow from what stands in the party's row, also
//! after a crash between two of them.
//!
//! Nobody may take a name that is just being changed: who makes a party the customer of a shipment holds the
//! party's row to the end. Such a shipment is then there before the renaming looks for it, or has the new name.

mod retell;
mod write;

pub(crate) use retell::retell_renamed;
pub use write::{NewParty, PartyPatch, PartyRefused, create, update};

use domain::ids::PartyId;
use store::AccountTx;

/// Whether the account has this party; held, so that it is not renamed before the transaction ends.
pub(crate) fn hold(a: &mut AccountTx<'_>, id: PartyId) -> Result<bool, store::Error> {
    Ok(store::party::lock(a, id)?.is_some())
}

/// Why a change is refused.
#[derive(Debug, thiserror::Error)]
pub enum CustomerRefused {
    /// The account has no such party.
    #[error("the account has no party {0}")]
    Unknown(PartyId),
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Accepts a record's new customer: nobody, or a party that is held from now on.
pub(crate) fn accept(
    a: &mut AccountTx<'_>,
    customer: Option<PartyId>,
) -> Result<(), CustomerRefused> {
    match customer {
        Some(id) if !hold(a, id)? => Err(CustomerRefused::Unknown(id)),
        _ => Ok(()),
    }
}

/// The customer's name, for a shipment's document.
pub(crate) fn name(
    a: &mut AccountTx<'_>,
    customer: Option<PartyId>,
) -> Result<Option<String>, store::Error> {
    let Some(id) = customer else { return Ok(None) };
    Ok(store::party::find(a, id)?.map(|party| party.company_name))
}

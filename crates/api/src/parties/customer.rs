//! `relationships.customer` in a body: whose shipment it is.

use domain::ids::PartyId;
use jsonapi::error::ErrorItem;
use jsonapi::read::Form;
use jsonapi::resource::party::TYPE;
use tracking::parties::CustomerRefused;

use crate::failure::Failure;
use crate::operation::Linked;

const NAME: &str = "customer";

/// The relationship, for bodies that may hold it.
pub(crate) const LINK: Linked =
    Linked::optional(NAME, &[TYPE.name], "The customer; null takes it away.");

/// What was sent: nothing, nobody, or a party.
#[expect(
    clippy::option_option,
    reason = "not sent and sent as null are two things"
)]
pub(crate) fn read(form: &mut Form) -> Option<Option<PartyId>> {
    let sent = form.to_one(NAME, TYPE.name)?;
    Some(sent.map(PartyId))
}

/// A party that the account does not have.
pub(crate) fn unknown(id: PartyId) -> Failure {
    let pointer = format!("/data/relationships/{NAME}");
    ErrorItem::pointer(pointer, format!("there is no party '{id}'")).into()
}

pub(crate) fn refused(why: CustomerRefused) -> Failure {
    match why {
        CustomerRefused::Unknown(id) => unknown(id),
        CustomerRefused::Store(error) => Failure::Store(error),
    }
}

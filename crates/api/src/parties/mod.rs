//! Companies that the account deals with.

pub(crate) mod create;
pub(crate) mod customer;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod update;

use jsonapi::error::ErrorItem;
use jsonapi::schema::Shape;
use tracking::parties::PartyRefused;

use crate::failure::Failure;
use crate::operation::Member;

/// Rows on a page of parties when nothing is asked.
const PAGE_SIZE: u64 = 25;

const CUSTOMER: Member = Member::optional(
    "customer",
    Shape::Text,
    "What the account calls this customer; taken once in an account.",
);

fn refused(why: PartyRefused) -> Failure {
    match why {
        PartyRefused::CustomerTaken(customer) => {
            let detail = format!("'{customer}' already exists in Account");
            ErrorItem::pointer("/data/attributes/customer", detail).into()
        }
        PartyRefused::Store(error) => Failure::Store(error),
    }
}

//! Parties made and changed by their account.

use domain::ids::{AccountId, PartyId, ShipmentId};
use jsonapi::resource::party as resource;
use store::party::Party;
use store::{AccountTx, Key};
use uuid::Uuid;

use super::retell;
use crate::{Tracking, id_source};

/// What the caller asks for.
#[derive(Clone, Debug)]
pub struct NewParty {
    /// Its name.
    pub company_name: String,
    /// What the account calls it as its customer.
    pub customer: Option<String>,
}

/// What a caller may change.
#[derive(Clone, Debug, Default)]
pub struct PartyPatch {
    /// Another name.
    pub company_name: Option<String>,
    /// Another word for it as a customer, or none.
    pub customer: Option<Option<String>>,
}

/// Why a party is refused.
#[derive(Debug, thiserror::Error)]
pub enum PartyRefused {
    /// Another party of the account is called so.
    #[error("{0:?} is taken in this account")]
    CustomerTaken(String),
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Adds a party.
pub async fn create(
    tracking: &Tracking,
    account: AccountId,
    wanted: NewParty,
) -> Result<Party, PartyRefused> {
    let now = tracking.now();
    let mut row = Party {
        id: id_source(now).draw(),
        company_name: wanted.company_name,
        customer: wanted.customer,
        created_at: now,
        updated_at: now,
        told_until: None,
        document: String::new(),
    };
    row.document = render(&row);
    let customer = row.customer.clone();
    let written = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            refuse_taken(&mut a, &row)?;
            store::party::insert(&mut a, &row)?;
            Ok::<_, PartyRefused>(row.clone())
        })
        .await;
    taken_meanwhile(written, customer.as_ref())
}

/// Changes a party. `None`: this account has no such party.
pub async fn update(
    tracking: &Tracking,
    account: AccountId,
    id: PartyId,
    patch: PartyPatch,
) -> Result<Option<Party>, PartyRefused> {
    let now = tracking.now();
    let shared = tracking.clone();
    let wished = patch.customer.clone().flatten();
    let written = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            let Some(before) = store::party::lock(&mut a, id)? else {
                return Ok(None);
            };
            let mut row = patched(&before, &patch);
            if row == before {
                return Ok(Some(row));
            }
            refuse_taken(&mut a, &row)?;
            row.updated_at = now;
            row.document = render(&row);
            if row.company_name != before.company_name {
                row.told_until = Some(ShipmentId(Uuid::nil()));
            }
            store::party::update(&mut a, &row)?;
            let told = retell::step(&mut a, &shared, row, now)?;
            Ok::<_, PartyRefused>(Some(told))
        })
        .await;
    taken_meanwhile(written, wished.as_ref())
}

fn patched(before: &Party, patch: &PartyPatch) -> Party {
    let name = patch.company_name.as_ref().unwrap_or(&before.company_name);
    let customer = patch.customer.as_ref().unwrap_or(&before.customer);
    Party {
        company_name: name.clone(),
        customer: customer.clone(),
        ..before.clone()
    }
}

fn refuse_taken(a: &mut AccountTx<'_>, row: &Party) -> Result<(), PartyRefused> {
    let Some(customer) = &row.customer else {
        return Ok(());
    };
    let named = store::party::find_by_customer(a, customer)?;
    if named.is_some_and(|other| other.id != row.id) {
        return Err(PartyRefused::CustomerTaken(customer.clone()));
    }
    Ok(())
}

/// Another party took the word between the look and the write: the index kept this one out.
fn taken_meanwhile<T>(
    written: Result<T, PartyRefused>,
    wished: Option<&String>,
) -> Result<T, PartyRefused> {
    match (written, wished) {
        (Err(PartyRefused::Store(store::Error::Conflict { .. })), Some(customer)) => {
            Err(PartyRefused::CustomerTaken(customer.clone()))
        }
        (written, _) => written,
    }
}

fn render(row: &Party) -> String {
    resource::render(&resource::View {
        id: row.id,
        company_name: &row.company_name,
        customer: row.customer.as_deref(),
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

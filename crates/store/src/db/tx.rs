//! A transaction.

use domain::ids::AccountId;

/// A running transaction on either engine.
#[derive(Debug)]
pub struct Tx {}

impl Tx {
    /// The same transaction, for the rows of one account only.
    pub fn account(&mut self, account: AccountId) -> AccountTx<'_> {
        AccountTx { tx: self, account }
    }
}

/// A transaction on the rows of one account: what takes it cannot forget the tenant.
#[derive(Debug)]
pub struct AccountTx<'a> {
    tx: &'a mut Tx,
    account: AccountId,
}

impl AccountTx<'_> {
    /// The transaction, for shared tables.
    pub fn tx(&mut self) -> &mut Tx {
        self.tx
    }

    /// Whose rows these are.
    pub fn account(&self) -> AccountId {
        self.account
    }
}

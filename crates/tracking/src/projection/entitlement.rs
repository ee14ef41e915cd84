//! What an account is not told: the railroad's last free day, where the account has that feature off.
//!
//! It is taken out of the computed state, before anything is compared, so that neither the record nor the
//! fallback of the coalesced last free day nor an event holds it. The same reports give the whole state again
//! when the feature is switched on.

use std::borrow::Cow;
use std::collections::HashMap;

use domain::account::{Feature, enabled};
use domain::ids::AccountId;
use store::Tx;

use super::evidence::Computed;

/// Whether the accounts that one transaction writes for have the railroad's dates, each read once.
#[derive(Default)]
pub(super) struct Entitlements {
    rail: HashMap<AccountId, bool>,
}

impl Entitlements {
    /// The state as this account may hold it. Only a state with such a date costs a look at the account.
    pub(super) fn cut<'c>(
        &mut self,
        tx: &mut Tx,
        account: AccountId,
        computed: &'c Computed,
    ) -> Result<Cow<'c, Computed>, store::Error> {
        if computed.state.pickup.lfd_rail.is_none() || self.rail(tx, account)? {
            return Ok(Cow::Borrowed(computed));
        }
        let mut cut = computed.clone();
        cut.state.pickup.lfd_rail = None;
        Ok(Cow::Owned(cut))
    }

    fn rail(&mut self, tx: &mut Tx, account: AccountId) -> Result<bool, store::Error> {
        if let Some(known) = self.rail.get(&account) {
            return Ok(*known);
        }
        let row = store::account::find(tx, account)?;
        let on = row.is_none_or(|row| enabled(&row.features, Feature::Rail));
        self.rail.insert(account, on);
        Ok(on)
    }
}

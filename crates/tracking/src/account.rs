//! Changing what an account may do.
//!
//! A plan and its features count from the next request on, within the second for which keys are known. The
//! railroad's dates are part of what is held true for an account, so switching them asks for all containers
//! to be looked at again.

use domain::account::{Feature, Plan, enabled};
use domain::audit::Action;
use domain::ids::{AccountId, ContainerId};
use jiff::Timestamp;
use store::account::Account;
use store::{Key, container};
use uuid::Uuid;

use crate::Tracking;
use crate::audit::{self, Detail};

/// Containers looked at in one transaction.
const PULLED_ROWS_MAX: u32 = 1_000;

/// What is to be different.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The plan. Its time begins now, also when the account has it already.
    pub plan: Option<Plan>,
    /// Features switched on or off; the others stay as they are.
    pub features: Vec<(Feature, bool)>,
}

impl Change {
    fn apply(&self, row: &mut Account, now: Timestamp) {
        if let Some(plan) = self.plan {
            row.plan = plan;
            row.plan_since = now;
        }
        for (feature, on) in &self.features {
            row.features.retain(|(name, _)| name != feature.as_str());
            row.features.push((feature.as_str().to_owned(), *on));
        }
    }
}

/// Changes an account. `None`: there is no such account.
pub async fn change(
    tracking: &Tracking,
    id: AccountId,
    change: Change,
) -> Result<Option<Account>, store::Error> {
    let now = tracking.now();
    let by = tracking.whoever(now);
    let mut features = change.features.iter();
    let is_about_rail = features.any(|(feature, _)| *feature == Feature::Rail);
    let changed = tracking
        .store()
        .write(Key::account(id), move |tx| {
            let Some(mut row) = store::account::lock(tx, id)? else {
                return Ok(None);
            };
            let before = row.clone();
            change.apply(&mut row, now);
            store::account::update(tx, &row)?;
            let detail = detail(&before, &row);
            if !detail.is_empty() {
                let a = &mut tx.account(id);
                audit::note(a, by, Action::AccountUpdated, id, detail);
            }
            Ok::<_, store::Error>(Some(row))
        })
        .await?;
    let Some(row) = changed else {
        return Ok(None);
    };
    tracking.known_keys().forget();
    // Also where it is as it was: whoever says it again finishes what was cut off.
    if is_about_rail {
        look_again_at_all(tracking, id, now).await?;
    }
    Ok(Some(row))
}

/// A plan that is set again begins again, so that is told too.
fn detail(before: &Account, after: &Account) -> Detail {
    let mut detail = Detail::default().changed("plan", before.plan.as_str(), after.plan.as_str());
    if after.plan_since != before.plan_since {
        detail = detail.with("plan_since", after.plan_since.to_string());
    }
    for feature in Feature::ALL {
        let on = |row: &Account| enabled(&row.features, feature);
        detail = detail.changed(feature.as_str(), on(before), on(after));
    }
    detail
}

async fn look_again_at_all(
    tracking: &Tracking,
    account: AccountId,
    now: Timestamp,
) -> Result<(), store::Error> {
    let mut after = Some(ContainerId(Uuid::nil()));
    while let Some(from) = after {
        let pulling = tracking.store().write(Key::account(account), move |tx| {
            container::pull_due(&mut tx.account(account), now, from, PULLED_ROWS_MAX)
        });
        after = pulling.await?;
    }
    Ok(())
}

//! Looking whether the chains hold: every hash is computed anew.
//!
//! A chain may have millions of rows and a service may add to it meanwhile, so it is walked in pieces, each a read of
//! its own. What counts as its end is what its head and its last row said in one snapshot, before the walk.

use std::collections::BTreeMap;

use domain::audit::{Broken, Head, Walk};
use domain::ids::AccountId;
use store::audit::Strays;
use store::{Store, Tx, audit};

/// Rows read at once.
const PIECE_ROWS_MAX: u32 = 1_000;

/// What came of walking along one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Whose chain.
    pub account: AccountId,
    /// The last row that holds.
    pub stands: Head,
    /// Where it does not hold.
    pub broken: Option<Broken>,
}

/// Heads of chains as somebody kept them elsewhere.
pub type Kept = BTreeMap<AccountId, Head>;

/// Walks along the chain of one account, or along all of them; `tell` hears of each. Whoever kept heads of an earlier day
/// elsewhere learns too whether the chains still lead there. After a walk along all, what is in none of them comes back.
pub async fn verify(
    store: &Store,
    account: Option<AccountId>,
    kept: &Kept,
    mut tell: impl FnMut(Verified),
) -> Result<Strays, store::Error> {
    let mut strays = Strays::default();
    if let Some(account) = account {
        tell(walk(store, account, kept).await?);
        return Ok(strays);
    }
    // One that is gone altogether is not found in the store.
    let mut gone = kept.clone();
    let mut last = None;
    loop {
        let reading = store.read(move |tx| audit::next_chain(tx, last));
        let (next, passed) = reading.await?;
        strays.rows += passed.rows;
        strays.heads += passed.heads;
        let Some(account) = next else {
            break;
        };
        tell(walk(store, account, kept).await?);
        gone.remove(&account);
        last = Some(account);
    }
    for account in gone.into_keys() {
        tell(walk(store, account, kept).await?);
    }
    Ok(strays)
}

async fn walk(store: &Store, account: AccountId, kept: &Kept) -> Result<Verified, store::Error> {
    let ends = store
        .read(move |tx: &mut Tx| {
            let mut a = tx.account(account);
            Ok::<_, store::Error>((audit::head(&mut a)?, audit::last(&mut a)?))
        })
        .await?;
    let (head, until) = ends;
    let mut walk = Walk::begin(kept.get(&account).copied());
    let mut broken = None;
    let mut after = None;
    while broken.is_none() && until.is_some_and(|until| after.is_none_or(|after| after < until)) {
        let reading = store
            .read(move |tx: &mut Tx| audit::links(&mut tx.account(account), after, PIECE_ROWS_MAX));
        let piece = reading.await?;
        let Some(last) = piece.last() else {
            break;
        };
        after = Some(position(last));
        let of_this_walk = piece
            .iter()
            .take_while(|row| until.is_some_and(|until| position(row) <= until));
        for row in of_this_walk {
            let passed = match row {
                Ok(link) => walk.pass(link),
                Err(damaged) => Err(Broken::Unreadable {
                    position: damaged.position,
                    column: damaged.column.clone(),
                }),
            };
            if let Err(found) = passed {
                broken = Some(found);
                break;
            }
        }
    }
    Ok(Verified {
        account,
        stands: walk.stands(),
        broken: broken.or_else(|| walk.end(head).err()),
    })
}

fn position(row: &Result<domain::audit::Link, audit::Damaged>) -> i64 {
    match row {
        Ok(link) => link.position,
        Err(damaged) => damaged.position,
    }
}

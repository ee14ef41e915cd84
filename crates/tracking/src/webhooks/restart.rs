//! What waits for webhooks that lead elsewhere, or are on again, is [begun again](store::delivery::hurry) in steps.

use domain::ids::{AccountId, WebhookId};
use store::{Key, delivery};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Tracking;

/// Webhooks found together.
const PAGE_MAX: u32 = 64;

/// Takes one step for each webhook that has more of them to be taken, until told to stop. How many can go on at once.
pub(crate) async fn advance(
    tracking: &Tracking,
    stop: &CancellationToken,
) -> Result<usize, store::Error> {
    let (mut going_on, mut after) = (0, WebhookId(Uuid::nil()));
    while !stop.is_cancelled() {
        let look = move |tx: &mut store::Tx| delivery::under_way(tx, after, PAGE_MAX);
        let page = tracking.store().read(look).await?;
        let Some((_, last)) = page.last() else { break };
        after = *last;
        for (account, webhook) in page {
            match step(tracking, account, webhook).await {
                Ok(more) => going_on += usize::from(more),
                Err(error) => {
                    tracing::warn!(%webhook, %error, "what waits for a webhook could not be begun again; it goes on soon");
                }
            }
        }
        tracking.nudges().deliver();
    }
    Ok(going_on)
}

async fn step(
    tracking: &Tracking,
    account: AccountId,
    webhook: WebhookId,
) -> Result<bool, store::Error> {
    let now = tracking.now();
    let go_on = move |tx: &mut store::Tx| delivery::go_on(&mut tx.account(account), webhook, now);
    let step = tracking.store().write(Key::webhook(webhook), go_on).await?;
    Ok(step.more)
}

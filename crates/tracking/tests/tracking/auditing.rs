//! Walking along chains that are longer than what is read at once.

use domain::audit::{Action, Actor, Broken, Entry, Head, INSTALLATION};
use domain::ids::AccountId;
use store::Key;
use tracking::audit::{Kept, Verified, verify};
use tracking::{Tracking, access, account};
use uuid::Uuid;

use crate::ground::{Ground, LADEN};

async fn verified(tracking: &Tracking, account: Option<AccountId>, kept: &Kept) -> Vec<Verified> {
    let mut told = Vec::new();
    let walking = verify(tracking.store(), account, kept, |chain| told.push(chain));
    walking.await.unwrap();
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_chain_is_walked_to_its_end_and_must_lead_to_where_it_led() {
    let ground = Ground::new(LADEN).await;
    let tracking = ground.tracking();
    let account = ground.account("A").await;
    let noted_before = verified(tracking, Some(account), &Kept::new()).await[0]
        .stands
        .position;
    let now = tracking.now();
    let noting = tracking.store().write(Key::account(account), move |tx| {
        for number in 0..2_500 {
            let entry = Entry {
                at: now,
                actor: Actor::Operator,
                action: Action::AccountUpdated,
                subject: number.to_string(),
                detail: "{}".into(),
            };
            store::audit::note(&mut tx.account(account), entry);
        }
        Ok::<_, store::Error>(())
    });
    noting.await.unwrap();
    let length = noted_before + 2_500;
    let whole = verified(tracking, Some(account), &Kept::new()).await;
    assert_eq!(
        (whole[0].stands.position, &whole[0].broken),
        (length, &None)
    );

    let rows = tracking
        .store()
        .read(move |tx| store::audit::links(&mut tx.account(account), Some(1_699), 1));
    let rows: Vec<_> = rows.await.unwrap();
    let kept = rows[0].clone().unwrap().head();
    assert_eq!(kept.position, 1_700);
    let stranger = AccountId(Uuid::max());
    let found = |head| async move {
        let kept = Kept::from([
            (account, head),
            (
                stranger,
                Head {
                    position: 3,
                    ..kept
                },
            ),
        ]);
        let told = verified(tracking, None, &kept).await;
        let of = |wanted| {
            let mut told = told.iter().filter(|chain| chain.account == wanted);
            let only = told.next().unwrap().broken.clone();
            assert_eq!(told.next(), None, "told once");
            only
        };
        let gone = Broken::Missing { from: 1, until: 3 };
        assert_eq!(of(stranger), Some(gone), "a chain that is gone altogether");
        assert_eq!(of(INSTALLATION), None);
        of(account)
    };
    assert_eq!(found(kept).await, None);
    let other = Head {
        hash: [1; 32],
        ..kept
    };
    assert_eq!(found(other).await, Some(Broken::Rewritten(1_700)));
    let later = Head {
        position: length + 2,
        ..kept
    };
    let missing = Broken::Missing {
        from: length + 1,
        until: length + 2,
    };
    assert_eq!(found(later).await, Some(missing));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_changed_says_how() {
    use domain::account::{Feature, Plan};
    let ground = Ground::new(LADEN).await;
    let tracking = ground.tracking().by(Actor::Operator);
    let made = access::create_account(&tracking, "Acme", Plan::Trial)
        .await
        .unwrap();
    let change = account::Change {
        plan: Some(Plan::Free),
        features: vec![(Feature::Rail, true), (Feature::Routing, false)],
    };
    account::change(&tracking, made.id, change).await.unwrap();
    let same = account::Change {
        plan: None,
        features: vec![(Feature::Rail, true)],
    };
    account::change(&tracking, made.id, same).await.unwrap();
    let id = made.id;
    let rows = tracking
        .store()
        .read(move |tx| store::audit::links(&mut tx.account(id), None, 9));
    let rows: Vec<_> = rows.await.unwrap();
    let told: Vec<_> = rows
        .into_iter()
        .flatten()
        .map(|row| (row.actor, row.action, row.detail))
        .collect();
    let by = |action: &str, detail: &str| ("operator".into(), action.into(), detail.into());
    assert_eq!(
        told,
        [
            by("account.created", r#"{"name":"Acme","plan":"trial"}"#),
            by(
                "account.updated",
                r#"{"plan":["trial","free"],"routing":[true,false]}"#
            ),
        ]
    );
}

//! What the audit's chains promise.

use std::time::Duration;

use domain::audit::{Action, Actor, Broken, Entry, INSTALLATION, Link, Walk};
use domain::ids::{AccountId, ApiKeyId, WebhookId};
use domain::webhook::Verdict;
use jiff::SignedDuration;
use store::audit::{self, Damaged, Strays};
use store::{Error, Key, Store, Tx, account, listener};

use crate::bench::{Bench, account_row, at, begin, id};
use crate::deliveries;
use crate::only_postgres::NO_DEADLOCKS;

on_both_engines!(
    audit_chain,
    what_fails_leaves_no_row,
    writers_that_meet_do_not_fork_a_chain,
    whatever_is_done_to_a_chain_is_found,
    a_chain_whose_head_was_lost_goes_on_behind_a_gap,
    a_webhook_that_is_switched_off_is_noted_with_it,
    chains_are_found_one_after_the_other,
    what_belongs_to_nobody_is_counted_and_passed_by,
);

fn entry(subject: &str) -> Entry {
    Entry {
        at: at(3) + SignedDuration::from_nanos(1_999),
        actor: Actor::Key(ApiKeyId(uuid::Uuid::from_u128(5))),
        action: Action::ApiKeyCreated,
        subject: subject.into(),
        detail: r#"{"name":"Büro"}"#.into(),
    }
}

async fn note(bench: &Bench, account: AccountId, subjects: &[&'static str]) {
    let subjects = subjects.to_vec();
    bench
        .write(move |tx| {
            for subject in &subjects {
                audit::note(&mut tx.account(account), entry(subject));
            }
            Ok(())
        })
        .await;
}

/// The rows of a chain, in pieces of two.
async fn rows(bench: &Bench, account: AccountId) -> Vec<Result<Link, Damaged>> {
    let mut all: Vec<Result<Link, Damaged>> = Vec::new();
    loop {
        let after = all.last().map(|row| match row {
            Ok(link) => link.position,
            Err(damaged) => damaged.position,
        });
        let piece = bench
            .read(move |tx| audit::links(&mut tx.account(account), after, 2))
            .await;
        if piece.is_empty() {
            return all;
        }
        all.extend(piece);
    }
}

/// What does not hold; how many rows do.
async fn walked(bench: &Bench, account: AccountId) -> (i64, Option<Broken>) {
    let head = bench.read(move |tx| audit::head(&mut tx.account(account)));
    let head = head.await;
    let mut walk = Walk::begin(None);
    let passed = rows(bench, account)
        .await
        .iter()
        .try_for_each(|row| match row {
            Ok(link) => walk.pass(link),
            Err(Damaged { position, column }) => Err(Broken::Unreadable {
                position: *position,
                column: column.clone(),
            }),
        });
    let broken = passed.and_then(|()| walk.end(head)).err();
    (walk.stands().position, broken)
}

async fn audit_chain(bench: &Bench) {
    let (one, other) = (bench.account().await, bench.account().await);
    note(bench, one, &["a", "b"]).await;
    note(bench, INSTALLATION, &["everybody's"]).await;
    note(bench, other, &["c"]).await;
    note(bench, one, &["d"]).await;
    let of_one: Vec<Link> = rows(bench, one).await.into_iter().flatten().collect();
    let told: Vec<_> = of_one
        .iter()
        .map(|row| (row.position, row.subject.as_str()))
        .collect();
    assert_eq!(told, [(1, "a"), (2, "b"), (3, "d")]);
    let first = &of_one[0];
    assert_eq!(first.at, at(3) + SignedDuration::from_micros(1));
    assert_eq!(first.actor, "00000000-0000-0000-0000-000000000005");
    assert_eq!(
        (first.action.as_str(), first.subject_type.as_str()),
        ("api_key.created", "api_key")
    );
    assert_eq!(first.detail, r#"{"name":"Büro"}"#);
    for (account, length) in [(one, 3), (other, 1), (INSTALLATION, 1)] {
        assert_eq!(walked(bench, account).await, (length, None));
    }
    let newest = bench.read(|tx| audit::newest(tx, 2)).await;
    assert_eq!(newest.len(), 2);
    let newest = bench
        .read(move |tx| audit::newest_of(&mut tx.account(one), 2))
        .await;
    let newest: Vec<i64> = newest.iter().flatten().map(|row| row.position).collect();
    assert_eq!(newest, [3, 2]);
}

async fn what_fails_leaves_no_row(bench: &Bench) {
    let account = bench.account().await;
    let key = Key::account(account);
    // Together with one that succeeds, so that they meet in a group.
    let mut waiting = Vec::new();
    for number in 0..20 {
        let store = bench.store.clone();
        let row = account_row();
        let use_case = move |tx: &mut Tx| {
            audit::note(&mut tx.account(account), entry("noted"));
            if number % 2 == 0 {
                return Ok(());
            }
            account::insert(tx, &row)?;
            audit::note(&mut tx.account(account), entry("never"));
            Err(Error::Refused("changed its mind".into()))
        };
        let key = key.clone();
        waiting.push(begin(async move { store.write(key, use_case).await }));
    }
    let mut refused = 0;
    for answer in waiting {
        refused += usize::from(answer.await.unwrap().is_err());
    }
    assert_eq!(refused, 10);
    assert_eq!(walked(bench, account).await, (10, None));
    let told = rows(bench, account).await;
    assert!(told.iter().flatten().all(|row| row.subject == "noted"));
}

async fn writers_that_meet_do_not_fork_a_chain(bench: &Bench) {
    let accounts = [bench.account().await, bench.account().await];
    let mut nodes = vec![bench.store.clone()];
    if bench.server.is_some() {
        nodes.push(Store::open(&bench.settings).unwrap());
    }
    let mut waiting = Vec::new();
    for number in 0..300usize {
        // The keys of many accounts, so that many lanes write to the same two chains, in either order.
        let (store, mut both) = (nodes[number % nodes.len()].clone(), accounts);
        both.rotate_left(number % 2);
        let use_case = move |tx: &mut Tx| {
            for account in both {
                audit::note(&mut tx.account(account), entry("x"));
            }
            Ok::<_, Error>(())
        };
        let key = Key::account(id());
        waiting.push(begin(async move { store.write(key, use_case).await }));
    }
    for answer in waiting {
        assert_eq!(answer.await.unwrap(), Ok(()));
    }
    for account in accounts {
        assert_eq!(walked(bench, account).await, (300, None));
    }
    if let Some(server) = &bench.server {
        // Statistics come a second late.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        server.administer(&[NO_DEADLOCKS]).unwrap();
    }
}

async fn whatever_is_done_to_a_chain_is_found(bench: &Bench) {
    let missing = |from, until| Broken::Missing { from, until };
    let unreadable = Broken::Unreadable {
        position: 2,
        column: "hash".into(),
    };
    let swap = "update audit set position = case position when 2 then 3 else 2 end + 10
        where position in (2, 3) and account_id = {id};
        update audit set position = position - 10 where position > 10 and account_id = {id}";
    for (sql, expected) in [
        (
            "update audit set detail = '{}' where position = 2",
            Broken::Altered(2),
        ),
        (
            "update audit set actor = 'operator' where position = 4",
            Broken::Altered(4),
        ),
        (
            "update audit set created_at = (select min(created_at) from accounts) where position = 1",
            Broken::Altered(1),
        ),
        (
            "update audit set hash = previous where position = 4",
            Broken::Altered(4),
        ),
        (
            "update audit set hash = substr(hash, 2) where position = 2",
            unreadable,
        ),
        ("delete from audit where position = 1", missing(1, 1)),
        ("delete from audit where position in (2, 3)", missing(2, 3)),
        ("delete from audit where position > 2", missing(3, 4)),
        ("delete from audit where true", missing(1, 4)),
        (swap, Broken::OutOfOrder(2)),
        (
            "update audit_heads set hash = substr(hash, 2) where true",
            Broken::Replaced(4),
        ),
        ("delete from audit_heads where true", Broken::Headless),
        (
            "update audit_heads set position = 2 where true",
            Broken::Unknown { from: 3, until: 4 },
        ),
        (
            "update audit_heads set hash = (select a.hash from audit a
                 where a.account_id = audit_heads.account_id and a.position = 1) where true",
            Broken::Replaced(4),
        ),
    ] {
        let (account, whole) = (bench.account().await, bench.account().await);
        for account in [account, whole] {
            note(bench, account, &["a", "b", "c", "d"]).await;
        }
        let own = bench.literal(account.0);
        let sql = if sql.contains("{id}") {
            sql.replace("{id}", &own)
        } else {
            format!("{sql} and account_id = {own}")
        };
        bench.tamper(&sql);
        assert_eq!(walked(bench, account).await.1, Some(expected), "{sql}");
        assert_eq!(walked(bench, whole).await, (4, None), "{sql}");
    }
}

async fn a_chain_whose_head_was_lost_goes_on_behind_a_gap(bench: &Bench) {
    for sql in [
        "delete from audit_heads where account_id = ",
        "update audit_heads set position = 1 where account_id = ",
    ] {
        let account = bench.account().await;
        note(bench, account, &["a", "b"]).await;
        bench.tamper(&format!("{sql}{}", bench.literal(account.0)));
        note(bench, account, &["c", "d"]).await;
        let positions = rows(bench, account).await;
        let positions: Vec<i64> = positions.iter().flatten().map(|row| row.position).collect();
        assert_eq!(
            positions,
            [1, 2, 4, 5],
            "nobody is kept from changing anything"
        );
        let missing = Broken::Missing { from: 3, until: 3 };
        assert_eq!(walked(bench, account).await, (2, Some(missing)), "for good");
    }
}

async fn a_webhook_that_is_switched_off_is_noted_with_it(bench: &Bench) {
    let account = bench.account().await;
    let gone = bench.webhook(account).await;
    let disabled = |webhook: WebhookId| {
        let subject = webhook.to_string();
        async move {
            let rows = rows(bench, account).await;
            let of_it = rows.into_iter().flatten();
            let of_it = of_it.filter(|row| row.subject == subject);
            of_it
                .map(|row| (row.actor, row.action, row.detail))
                .collect::<Vec<_>>()
        }
    };
    deliveries::insert(bench, account, gone, id(), 2).await;
    let claimed = deliveries::claim(bench, at(0), at(30), 10).await;
    let answered = deliveries::outcome(&claimed[0], Verdict::Gone);
    deliveries::settle(bench, vec![answered]).await;
    let told = |reason: &str| {
        let detail = format!(r#"{{"reason":"{reason}"}}"#);
        vec![("quayside".to_owned(), "webhook.disabled".to_owned(), detail)]
    };
    assert_eq!(disabled(gone).await, told("the endpoint answered 410 Gone"));

    // Twenty failures, over more than five days.
    let failing = bench.webhook(account).await;
    deliveries::insert(bench, account, failing, id(), 1).await;
    for try_number in 0..20 {
        let now = at(try_number * 25_000);
        let claimed = deliveries::claim(bench, now, now + SignedDuration::from_secs(30), 10).await;
        let mut outcome =
            deliveries::outcome(&claimed[0], Verdict::RetryAt(at((try_number + 1) * 25_000)));
        outcome.attempt.started_at = now;
        assert_eq!(
            disabled(failing).await,
            Vec::new(),
            "before try {try_number}"
        );
        deliveries::settle(bench, vec![outcome]).await;
    }
    let since = format!("no delivery has succeeded since {:.0}", at(0));
    assert_eq!(disabled(failing).await, told(&since));

    let idle = bench.webhook(account).await;
    let row = listener::Listener {
        name: domain::listener::ListenerName::parse("laptop").unwrap(),
        webhook: idle,
        asked_at: at(0),
        turn: 1,
    };
    bench
        .write(move |tx| listener::insert(&mut tx.account(account), &row))
        .await;
    for switched_off in [1, 0] {
        let retired = bench.write(|tx| listener::retire_idle(tx, at(9), "idle", at(9)));
        assert_eq!(retired.await, switched_off);
    }
    assert_eq!(disabled(idle).await, told("idle"), "once");
    assert_eq!(walked(bench, account).await, (3, None));
}

async fn chains_are_found_one_after_the_other(bench: &Bench) {
    let mut accounts = [
        bench.account().await,
        bench.account().await,
        bench.account().await,
    ];
    accounts.sort_unstable();
    for account in accounts {
        note(bench, account, &["a"]).await;
    }
    // One without rows and one without a head are chains too.
    let own = bench.literal(accounts[0].0);
    bench.tamper(&format!("delete from audit where account_id = {own}"));
    let own = bench.literal(accounts[2].0);
    bench.tamper(&format!("delete from audit_heads where account_id = {own}"));
    let all = [&[INSTALLATION], &accounts[..]].concat();
    assert_eq!(chains(bench).await, (all, Strays::default()));
}

async fn chains(bench: &Bench) -> (Vec<AccountId>, Strays) {
    let (mut found, mut strays) = (Vec::new(), Strays::default());
    loop {
        let last = found.last().copied();
        let (next, passed) = bench.read(move |tx| audit::next_chain(tx, last)).await;
        strays.rows += passed.rows;
        strays.heads += passed.heads;
        let Some(next) = next else {
            return (found, strays);
        };
        found.push(next);
    }
}

async fn what_belongs_to_nobody_is_counted_and_passed_by(bench: &Bench) {
    let mut accounts = [bench.account().await, bench.account().await];
    accounts.sort_unstable();
    for account in accounts {
        note(bench, account, &["a", "b", "c"]).await;
    }
    let all = [&[INSTALLATION], &accounts[..]].concat();
    // A server takes nothing for an id that is none.
    if bench.server.is_none() {
        let own = accounts.map(|account| bench.literal(account.0));
        for (table, of, position, nobody) in [
            ("audit", &own[0], 1, "x''".to_owned()),
            ("audit", &own[0], 2, "x'000000'".to_owned()),
            (
                "audit",
                &own[1],
                1,
                format!("x'{}00'", accounts[0].0.simple()),
            ),
            ("audit", &own[1], 2, format!("x'{}'", "ff".repeat(17))),
            ("audit_heads", &own[1], 3, format!("x'{}'", "ff".repeat(15))),
        ] {
            bench.tamper(&format!(
                "update {table} set account_id = {nobody} where account_id = {of} and position = {position}"
            ));
        }
        assert_eq!(chains(bench).await, (all, Strays { rows: 4, heads: 1 }));
        return;
    }
    assert_eq!(chains(bench).await, (all, Strays::default()));
}

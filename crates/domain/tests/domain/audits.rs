//! A chain shows what was done to it.

use domain::audit::{Action, Actor, Broken, Digest, Entry, Head, INSTALLATION, Link, Walk, hex};
use domain::ids::{AccountId, ApiKeyId};
use jiff::Timestamp;
use uuid::Uuid;

const ACCOUNT: AccountId = AccountId(Uuid::from_u128(7));

fn entry(second: i64) -> Entry {
    Entry {
        at: Timestamp::from_second(1_800_000_000 + second).unwrap(),
        actor: Actor::Key(ApiKeyId(Uuid::from_u128(9))),
        action: Action::WebhookUpdated,
        subject: format!("webhook {second}"),
        detail: format!(r#"{{"active":[true,{second}]}}"#),
    }
}

fn chain(rows: i64) -> Vec<Link> {
    let mut head = Head::START;
    let next = |second| {
        let link = head.next(ACCOUNT, &entry(second));
        head = link.head();
        link
    };
    (1..=rows).map(next).collect()
}

/// What a walk along these rows finds, with this head at the end.
fn found(rows: &[Link], head: Option<Head>) -> Option<Broken> {
    found_with(rows, head, None)
}

fn found_with(rows: &[Link], head: Option<Head>, kept: Option<Head>) -> Option<Broken> {
    let mut walk = Walk::begin(kept);
    let passed = rows.iter().try_for_each(|row| walk.pass(row));
    passed.and_then(|()| walk.end(head)).err()
}

/// The row as somebody writes it who knows how hashes are made.
fn sealed(link: Link) -> Link {
    let hash = link.digest();
    Link { hash, ..link }
}

#[test]
fn a_chain_that_nobody_touched_holds() {
    let rows = chain(9);
    let positions: Vec<i64> = rows.iter().map(|row| row.position).collect();
    assert_eq!(positions, (1..=9).collect::<Vec<_>>());
    assert_eq!(found(&rows, Some(rows[8].head())), None);
    assert_eq!(found(&[], None), None);
    assert_eq!(found(&[], Some(Head::START)), None);
}

#[test]
fn whatever_is_altered_in_a_row_shows() {
    let rows = chain(3);
    let other: [fn(&mut Link); 8] = [
        |row| row.at += jiff::SignedDuration::from_micros(1),
        |row| row.actor = "operator".into(),
        |row| row.action = "webhook.deleted".into(),
        |row| row.subject_type = "api_key".into(),
        |row| row.subject.push('x'),
        |row| row.detail = "{}".into(),
        |row| row.account = INSTALLATION,
        |row| row.hash[31] ^= 1,
    ];
    for (nth, alter) in other.into_iter().enumerate() {
        let mut altered = rows.clone();
        alter(&mut altered[1]);
        let told = found(&altered, Some(rows[2].head()));
        assert_eq!(told, Some(Broken::Altered(2)), "{nth}");
    }
    // A letter that moves from one text into the next is no other way to write the same.
    let mut moved = rows.clone();
    let letter = moved[1].actor.pop().unwrap();
    moved[1].action.insert(0, letter);
    let told = found(&moved, Some(rows[2].head()));
    assert_eq!(told, Some(Broken::Altered(2)));
}

#[test]
fn a_row_that_was_sealed_anew_does_not_lead_to_the_next() {
    let mut rows = chain(3);
    let head = rows[2].head();
    rows[1].detail = "{}".into();
    rows[1] = sealed(rows[1].clone());
    assert_eq!(found(&rows, Some(head)), Some(Broken::OutOfOrder(3)));
    // The last one leads to the head.
    let mut rows = chain(3);
    rows[2].detail = "{}".into();
    rows[2] = sealed(rows[2].clone());
    assert_eq!(found(&rows, Some(head)), Some(Broken::Replaced(3)));
}

#[test]
fn rows_that_are_missing_moved_cut_off_or_added_show() {
    let rows = chain(5);
    let head = Some(rows[4].head());
    let without = |gone: &[usize]| -> Vec<Link> {
        let kept = rows.iter().enumerate();
        let kept = kept.filter(|(place, _)| !gone.contains(place));
        kept.map(|(_, row)| row.clone()).collect()
    };
    let missing = |from, until| Some(Broken::Missing { from, until });
    assert_eq!(found(&without(&[0]), head), missing(1, 1));
    assert_eq!(found(&without(&[1, 2]), head), missing(2, 3));
    assert_eq!(found(&without(&[3, 4]), head), missing(4, 5), "cut off");
    assert_eq!(found(&[], head), missing(1, 5), "all of them");

    let mut closed_up = without(&[1]);
    for (row, position) in closed_up.iter_mut().zip(1..) {
        row.position = position;
    }
    assert_eq!(found(&closed_up, head), Some(Broken::OutOfOrder(2)));

    let mut swapped = rows.clone();
    swapped.swap(1, 2);
    (swapped[1].position, swapped[2].position) = (2, 3);
    assert_eq!(found(&swapped, head), Some(Broken::OutOfOrder(2)));

    let unknown = Some(Broken::Unknown { from: 4, until: 5 });
    assert_eq!(found(&rows, Some(rows[2].head())), unknown);
    assert_eq!(found(&rows, None), Some(Broken::Headless));
    let zeroth = sealed(Link {
        position: 0,
        ..rows[0].clone()
    });
    let before = [&[zeroth], rows.as_slice()].concat();
    assert_eq!(found(&before, head), Some(Broken::OutOfOrder(0)));
}

#[test]
fn a_chain_written_anew_shows_to_whoever_kept_a_head() {
    let (rows, kept) = (chain(4), Some(chain(4)[1].head()));
    let mut head = Head::START;
    let anew = (1..=4).map(|second| {
        let link = head.next(ACCOUNT, &entry(second + 100));
        head = link.head();
        link
    });
    let anew: Vec<Link> = anew.collect();
    let end = Some(anew[3].head());
    assert_eq!(found(&anew, end), None, "by itself it is a good chain");
    assert_eq!(found_with(&anew, end, kept), Some(Broken::Rewritten(2)));
    let shorter = Some(anew[0].head());
    let missing = Broken::Missing { from: 2, until: 2 };
    assert_eq!(found_with(&anew[..1], shorter, kept), Some(missing));
    assert_eq!(found_with(&rows, Some(rows[3].head()), kept), None);
}

/// Chains that are stored must still hold in a year: how a row is written down for its hash does not change.
#[test]
fn the_hash_of_a_row_is_what_it_always_was() {
    let rows = chain(2);
    let hashes: Vec<String> = rows.iter().map(|row| hex(&row.hash)).collect();
    assert_eq!(
        hashes,
        [
            "cc75c871fe898424d40ad74e53b57d22a8e6a6733f735867fb98977fddac8266",
            "0cf547ea5289ef85cf4270c55bdef7e6a7a38aed908d868f3a741f20c27f7a33"
        ]
    );
    let nothing: Digest = [0; 32];
    assert_eq!(rows[0].previous, nothing);
}

//! What the rows of sources promise: one budget, one breaker and one pause, whoever asks.

use std::collections::BTreeMap;

use domain::ids::RawMessageId;
use domain::source::{Breaker, Budget, Failures, Shut, Standing, Trouble};
use jiff::{SignedDuration, Timestamp};
use store::defective_place::{self, DefectivePlace, PLACES_MAX, REST, Tally};
use store::source;
use store::unmapped_code;
use store::watch::{self, Watch};
use store::{Key, Tx, raw_message};

use crate::bench::{Bench, any_key, at, id, leasing, watch_row};
use crate::dockets::pushed;

on_both_engines!(
    a_standing_comes_back_as_it_was_written,
    two_nodes_share_one_budget,
    one_of_two_nodes_tries_a_broken_source,
    an_answer_closes_the_breaker_and_is_noted_once_a_second,
    what_comes_by_itself_is_heard_without_going_back_in_time,
    what_waits_is_counted_by_source,
    what_could_not_be_used_is_counted_by_place,
    of_any_number_of_places_some_are_kept_by_name_and_the_rest_together,
    two_who_count_at_once_are_both_counted,
    watches_of_one_source_are_claimed_apart_and_given_back,
);

const ONE_A_MINUTE: Budget = Budget {
    per_minute: 1,
    per_day: None,
    apart: SignedDuration::ZERO,
};

async fn change(bench: &Bench, change: impl Fn(&mut Standing) + Send + 'static) -> Standing {
    let changing = bench.write(move |tx| {
        let mut standing = source::hold(tx, "LINE")?;
        change(&mut standing);
        source::save(tx, "LINE", &standing)?;
        Ok(standing)
    });
    changing.await
}

async fn standing(bench: &Bench) -> Standing {
    let mut all = bench.read(source::all).await;
    all.remove("LINE").unwrap_or_default()
}

async fn a_standing_comes_back_as_it_was_written(bench: &Bench) {
    assert_eq!(bench.read(source::all).await, BTreeMap::new());
    let written = change(bench, |standing| {
        standing.ask(ONE_A_MINUTE, at(1)).unwrap();
        standing.used(4, at(1));
        for kind in Trouble::ALL {
            standing.failed(kind, "\"quoted\" – and more", Failures::default(), at(2));
        }
        standing.throttled(None, "wait", at(3));
        standing.pause("new contract", at(4));
    });
    let written = written.await;
    assert!(written.breaker.is_open() && written.wait_until.is_some());
    assert_eq!(standing(bench).await, written);
    let resumed = change(bench, Standing::resume).await;
    // It has not answered since: four of the five kinds are failures.
    assert_eq!(
        (resumed.paused.clone(), resumed.breaker.failures),
        (None, 4)
    );
    assert_eq!(standing(bench).await, resumed);
}

/// Two that ask at the same moment, on lanes of their own: the second sees what the first took.
async fn two_nodes_share_one_budget(bench: &Bench) {
    let ask = |seconds: i64| {
        let store = bench.store.clone();
        async move {
            let asking = store.write(any_key(), move |tx| {
                let mut standing = source::hold(tx, "LINE")?;
                let asked = standing.ask(ONE_A_MINUTE, at(seconds));
                source::save(tx, "LINE", &standing)?;
                Ok::<_, store::Error>(asked.is_ok())
            });
            asking.await.unwrap()
        }
    };
    for minute in 0..5 {
        let (one, two) = tokio::join!(ask(minute * 60), ask(minute * 60));
        assert!(one ^ two, "minute {minute}: {one} {two}");
    }
}

async fn one_of_two_nodes_tries_a_broken_source(bench: &Bench) {
    let broken = change(bench, |standing| {
        standing.failed(Trouble::Unauthorized, "401", Failures::default(), at(0));
    });
    let until = broken.await.breaker.open_until.unwrap();
    let free = Budget::default();
    let first = change(bench, move |standing| standing.ask(free, until).unwrap()).await;
    let closed = first.may_ask(free, until).unwrap_err();
    assert_eq!(closed.by, Shut::Trying(Trouble::Unauthorized));
    let second = standing(bench).await.may_ask(free, until);
    assert_eq!(second.unwrap_err().by, Shut::Trying(Trouble::Unauthorized));
}

async fn an_answer_closes_the_breaker_and_is_noted_once_a_second(bench: &Bench) {
    change(bench, |standing| {
        standing.failed(Trouble::Unauthorized, "401", Failures::default(), at(0));
        standing.throttled(None, "429", at(1));
    })
    .await;
    assert_eq!(standing(bench).await.waits, 1);
    let answered = |now: Timestamp| bench.write(move |tx| source::answered(tx, "LINE", now));
    answered(at(90)).await;
    let now = standing(bench).await;
    assert_eq!(
        (now.answered_at, now.breaker, now.waits),
        (Some(at(90)), Breaker::default(), 0)
    );
    assert_eq!(now.troubles.len(), 2, "what happened stays");
    let soon = at(90) + jiff::SignedDuration::from_millis(900);
    answered(soon).await;
    assert_eq!(standing(bench).await.answered_at, Some(at(90)));
    answered(at(92)).await;
    assert_eq!(standing(bench).await.answered_at, Some(at(92)));
}

async fn what_comes_by_itself_is_heard_without_going_back_in_time(bench: &Bench) {
    for (seconds, expected) in [(50, 50), (40, 50), (60, 60)] {
        let heard = BTreeMap::from([("LINE".to_owned(), at(seconds))]);
        bench.write(move |tx| source::heard(tx, &heard)).await;
        assert_eq!(standing(bench).await.heard_at, Some(at(expected)));
    }
}

async fn what_waits_is_counted_by_source(bench: &Bench) {
    let rows: Vec<Watch> = [(5, "LINE"), (9, "LINE"), (99, "LINE"), (7, "OTHER")]
        .map(|(seconds, source)| Watch {
            source: source.into(),
            next_poll_at: Some(at(seconds)),
            ..watch_row()
        })
        .to_vec();
    let message = |number: u8| raw_message::RawMessage {
        id: id(),
        source: "LINE".into(),
        watch: None,
        account: None,
        question: String::new(),
        content_type: "text/plain".into(),
        received_at: at(i64::from(number)),
        body: vec![number],
        digest: [number; 32],
    };
    let messages = [message(1), message(2), message(3)];
    let [aside, read, _] = messages.clone().map(|message| message.id);
    let codes = [("X".to_owned(), 4, aside), ("Y".to_owned(), 3, aside)];
    bench
        .write(move |tx| {
            for row in &rows {
                watch::find_or_insert(tx, row)?;
            }
            for message in &messages {
                raw_message::receive(tx, message)?;
            }
            raw_message::quarantine(tx, aside, at(8), "no envelope", &[])?;
            raw_message::mark_parsed(tx, read, &[])?;
            unmapped_code::count(tx, "LINE", &codes, at(8))
        })
        .await;
    let found = bench.read(|tx| source::backlogs(tx, at(10))).await;
    let line = &found["LINE"];
    assert_eq!((line.due, line.due_since), (2, Some(at(5))));
    assert_eq!((line.unread, line.unread_since), (1, Some(at(3))));
    assert_eq!((line.quarantined, line.quarantined_at), (1, Some(at(8))));
    assert_eq!(line.unmapped, 7);
    assert_eq!(found["OTHER"].due, 1);
    let most = bench
        .read(|tx| unmapped_code::of_source(tx, "LINE", 1))
        .await;
    assert_eq!((most.len(), most[0].code.as_str()), (1, "X"));
}

fn met(place: &str, raw: RawMessageId, times: u32) -> Tally {
    Tally {
        place: place.into(),
        raw,
        times,
        reason: format!("{times} are no date"),
    }
}

async fn count(bench: &Bench, source: &str, tallies: Vec<Tally>, seconds: i64) {
    let source = source.to_owned();
    let counting = move |tx: &mut Tx| defective_place::count(tx, &source, &tallies, at(seconds));
    bench.write(counting).await;
}

async fn places(bench: &Bench, source: &str) -> Vec<DefectivePlace> {
    let source = source.to_owned();
    let listing = move |tx: &mut Tx| defective_place::of_source(tx, &source, 999);
    bench.read(listing).await
}

async fn what_could_not_be_used_is_counted_by_place(bench: &Bench) {
    let (one, two) = (pushed(bench).await.id, pushed(bench).await.id);
    count(
        bench,
        "LINE",
        vec![met("Ready", one, 2), met("LFD", one, 40)],
        1,
    )
    .await;
    let both = vec![met("LFD", one, 3), met("LFD", two, 7)];
    count(bench, "LINE", both, 5).await;
    count(bench, "OTHER", vec![met("LFD", two, 9)], 6).await;
    count(bench, "LINE", Vec::new(), 7).await;
    let listed = places(bench, "LINE").await;
    let [lfd, ready] = listed.as_slice() else {
        panic!("two places of this source: {listed:?}")
    };
    let expected = DefectivePlace {
        place: "LFD".into(),
        times: 50,
        messages: 3,
        last_times: 7,
        first_at: at(1),
        last_at: at(5),
        reason: "7 are no date".into(),
        example: two,
    };
    assert_eq!(*lfd, expected, "met last, so first");
    assert_eq!((ready.place.as_str(), ready.times), ("Ready", 2));
    let found = bench.read(|tx| source::backlogs(tx, at(10))).await;
    let told = |source: &str| (found[source].defects, found[source].defects_at);
    assert_eq!(told("LINE"), (52, Some(at(5))));
    assert_eq!(told("OTHER"), (9, Some(at(6))));
}

async fn of_any_number_of_places_some_are_kept_by_name_and_the_rest_together(bench: &Bench) {
    let (one, two) = (pushed(bench).await.id, pushed(bench).await.id);
    let many = |raw| (0..PLACES_MAX + 50).map(move |number| met(&format!("{number:03}"), raw, 2));
    count(bench, "LINE", many(one).chain(many(two)).collect(), 1).await;
    let rest = |listed: &[DefectivePlace]| {
        let found = listed.iter().find(|kept| kept.place == REST).unwrap();
        (found.times, found.messages, found.last_times)
    };
    let listed = places(bench, "LINE").await;
    assert_eq!(
        (listed.len(), rest(&listed)),
        (PLACES_MAX + 1, (200, 2, 100))
    );
    // What is known is counted by its name, however many there are.
    count(
        bench,
        "LINE",
        vec![met("new", one, 1), met("007", one, 1)],
        2,
    )
    .await;
    let listed = places(bench, "LINE").await;
    assert_eq!((listed.len(), rest(&listed)), (PLACES_MAX + 1, (201, 3, 1)));
    assert_eq!((listed[0].place.as_str(), listed[0].times), ("007", 5));
    // What was not met for three months makes room.
    let later = 91 * 24 * 60 * 60;
    count(
        bench,
        "LINE",
        vec![met("007", one, 1)],
        later - 2 * 24 * 60 * 60,
    )
    .await;
    count(bench, "LINE", vec![met("new", one, 1)], later).await;
    let named: Vec<String> = places(bench, "LINE")
        .await
        .into_iter()
        .map(|kept| kept.place)
        .collect();
    assert_eq!(named, ["new", "007", REST]);
}

/// On lanes of their own, in whatever order they met the places, also where neither was known.
async fn two_who_count_at_once_are_both_counted(bench: &Bench) {
    let raw = pushed(bench).await.id;
    for round in 0..5 {
        let one = vec![met("LFD", raw, 1), met("Ready", raw, 1)];
        let two = vec![met("Ready", raw, 1), met("LFD", raw, 1)];
        tokio::join!(
            count(bench, "LINE", one, round),
            count(bench, "LINE", two, round)
        );
    }
    let listed = places(bench, "LINE").await;
    let times: Vec<u64> = listed.iter().map(|kept| kept.times).collect();
    assert_eq!(times, [10, 10]);
}

async fn watches_of_one_source_are_claimed_apart_and_given_back(bench: &Bench) {
    for (seconds, source) in [
        (5, "LINE"),
        (3, "LINE"),
        (1, "OTHER"),
        (50, "LINE"),
        (500, "LINE"),
    ] {
        let row = Watch {
            source: source.into(),
            next_poll_at: Some(at(seconds)),
            ..watch_row()
        };
        bench.write(move |tx| watch::find_or_insert(tx, &row)).await;
    }
    let owner = id();
    let claim = |due_by: i64, most: u32| {
        bench.write(move |tx| {
            watch::claim_of_source(tx, &leasing("LINE", (10, 40), owner), at(due_by), most)
        })
    };
    let due = |watches: &[Watch]| -> Vec<Option<Timestamp>> {
        watches.iter().map(|watch| watch.next_poll_at).collect()
    };
    assert_eq!(due(&claim(10, 1).await), [Some(at(3))]);
    let ahead = claim(60, 9).await;
    assert_eq!(
        due(&ahead),
        [Some(at(5)), Some(at(50))],
        "what falls due soon comes along"
    );
    assert_eq!(claim(60, 9).await, []);
    let back = ahead[0].clone();
    bench
        .store
        .write(Key::watch(back.id), move |tx| {
            watch::give_back(tx, back.id, back.claim_token, at(5))
        })
        .await
        .unwrap();
    let again = claim(10, 9).await;
    assert_eq!((again.len(), again[0].id), (1, ahead[0].id));
    assert!(again[0].claim_token > ahead[0].claim_token);
    let next = bench.read(|tx| watch::next_due(tx, &["LINE".into()])).await;
    assert!(next.is_some_and(|at_| at_ >= at(1)), "{next:?}");
    // Nobody follows it any more: given back it rests.
    let [back] = again.try_into().unwrap();
    let id = back.id;
    let rests = bench.write(move |tx| {
        watch::rest_unless_followed(tx, back.id)?;
        watch::give_back(tx, back.id, back.claim_token, at(5))
    });
    rests.await;
    let rests = bench.read(move |tx| watch::find(tx, id)).await.unwrap();
    assert_eq!(rests.next_poll_at, None);
}

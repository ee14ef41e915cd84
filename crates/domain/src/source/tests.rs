use jiff::{SignedDuration, Timestamp};

use super::*;

const FREE: Budget = Budget {
    per_minute: 0,
    per_day: None,
    apart: SignedDuration::ZERO,
};

fn at(minutes: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
}

fn fail(standing: &mut Standing, trouble: Trouble, now: Timestamp) {
    standing.failed(trouble, "no connection", Failures::default(), now);
}

fn by(standing: &Standing, now: Timestamp) -> Option<Shut> {
    standing.may_ask(FREE, now).err().map(|closed| closed.by)
}

#[test]
fn the_breaker_opens_after_five_failures_and_doubles_to_half_an_hour() {
    let mut source = Standing::default();
    for _ in 1..FAILURES_MAX {
        fail(&mut source, Trouble::Unreachable, at(0));
    }
    assert_eq!(by(&source, at(0)), None);
    fail(&mut source, Trouble::Unreachable, at(0));
    let mut lasts = Vec::new();
    let mut now = at(0);
    for _ in 0..7 {
        let closed = source.may_ask(FREE, now).unwrap_err();
        assert_eq!(closed.by, Shut::Broken(Trouble::Unreachable));
        let until = closed.until.unwrap();
        lasts.push(until.duration_since(now).as_mins());
        now = until;
        source.ask(FREE, now).unwrap();
        fail(&mut source, Trouble::Unreachable, now);
    }
    assert_eq!(lasts, [1, 2, 4, 8, 16, 30, 30]);
}

/// That a number failed so often in a row, the last time then.
fn failed(in_a_row: u32, last_at: Timestamp) -> Failures {
    Failures {
        in_a_row,
        last_at: (in_a_row > 0).then_some(last_at),
    }
}

#[test]
fn a_number_that_goes_on_failing_when_others_were_answered_closes_its_source_for_nobody() {
    let mut source = Standing::default();
    let mut tried = 0;
    let mut again = |source: &mut Standing, minute: i64| {
        let before = failed(tried, at(minute - 1));
        source.failed(Trouble::Unreadable, "html", before, at(minute));
        tried += 1;
    };
    // It may be the source.
    for minute in 1..=5 {
        again(&mut source, minute);
    }
    assert_eq!(source.condition(FREE, at(5)), Condition::Broken);
    source.answered(at(6));
    // It is not, and of each answer it tells once that it may be.
    for minute in 7..=30 {
        again(&mut source, minute);
        assert_eq!(source.condition(FREE, at(minute)), Condition::Failing);
        assert_eq!(source.breaker.failures, 1);
    }
    let tally = source.troubles.get(&Trouble::Unreadable).unwrap();
    assert_eq!(tally.count, 29);
    // Credentials are those of every number.
    source.failed(Trouble::Unauthorized, "401", failed(9, at(30)), at(31));
    assert_eq!(source.condition(FREE, at(31)), Condition::Broken);
}

#[test]
fn a_source_that_is_down_is_closed_though_its_numbers_failed_before() {
    let mut source = Standing::default();
    // It was down, and answered once.
    source.answered(at(10));
    for tried in 1..=5 {
        assert_ne!(source.condition(FREE, at(11)), Condition::Broken);
        source.failed(Trouble::Unreachable, "down", failed(tried, at(9)), at(11));
    }
    assert_eq!(source.condition(FREE, at(11)), Condition::Broken);
    // A person opens it too early: it has not answered since.
    source.resume();
    assert_eq!(source.condition(FREE, at(11)), Condition::Failing);
    source.failed(Trouble::Unreachable, "down", failed(3, at(11)), at(12));
    assert_eq!(source.condition(FREE, at(12)), Condition::Broken);
}

#[test]
fn a_trial_with_a_number_that_fails_by_itself_makes_nobody_wait_longer() {
    let mut source = Standing::default();
    source.answered(at(0));
    for _ in 0..FAILURES_MAX {
        fail(&mut source, Trouble::Unreachable, at(1));
    }
    let mut now = at(2);
    for before in 9..14 {
        source.ask(FREE, now).unwrap();
        source.failed(Trouble::Unreadable, "html", failed(before, at(1)), now);
        let until = source.may_ask(FREE, now).unwrap_err().until.unwrap();
        assert_eq!(until.duration_since(now), BREAKER_FIRST);
        now = until;
    }
    // What opened it is still what is shown.
    assert_eq!(source.breaker.trouble, Some(Trouble::Unreachable));
    source.ask(FREE, now).unwrap();
    fail(&mut source, Trouble::Unreachable, now);
    let until = source.may_ask(FREE, now).unwrap_err().until.unwrap();
    assert_eq!(until.duration_since(now), BREAKER_FIRST * 2);
}

#[test]
fn failures_of_questions_that_were_under_way_open_it_once() {
    let mut source = Standing::default();
    for _ in 0..12 {
        fail(&mut source, Trouble::Unreachable, at(0));
    }
    assert_eq!(source.may_ask(FREE, at(0)).unwrap_err().until, Some(at(1)));
    assert_eq!(source.breaker.openings, 1);
}

#[test]
fn two_questions_are_a_pause_apart_on_whatever_node() {
    let budget = Budget {
        apart: SignedDuration::from_secs(1),
        ..FREE
    };
    let after = |millis: i64| at(0) + SignedDuration::from_millis(millis);
    let mut source = Standing::default();
    source.answered(at(0));
    assert_eq!(source.room(budget, at(0)), 1);
    source.ask(budget, at(0)).unwrap();
    for early in [-10, 0, 999] {
        let closed = source.ask(budget, after(early)).unwrap_err();
        assert_eq!(
            (closed.by, closed.until),
            (Shut::Between, Some(after(1000)))
        );
        assert_eq!(source.room(budget, after(early)), 0);
        // It is at work all the same.
        assert_eq!(source.condition(budget, after(early)), Condition::Working);
    }
    source.ask(budget, after(1000)).unwrap();
    // A clock that was set back by an hour.
    source.ask(budget, at(-60)).unwrap();
}

#[test]
fn a_trial_lets_one_question_through_and_its_answer_decides() {
    let mut source = Standing::default();
    fail(&mut source, Trouble::Unauthorized, at(0));
    assert_eq!(
        by(&source, at(0)),
        Some(Shut::Broken(Trouble::Unauthorized))
    );
    assert_eq!(source.room(FREE, at(1)), 1);
    source.ask(FREE, at(1)).unwrap();
    assert_eq!(
        by(&source, at(1)),
        Some(Shut::Trying(Trouble::Unauthorized))
    );
    assert_eq!(source.room(FREE, at(1)), 0);
    let mut good = source.clone();
    good.answered(at(2));
    assert_eq!((by(&good, at(2)), good.answered_at), (None, Some(at(2))));
    let mut lost = source.clone();
    assert!(lost.ask(FREE, at(6)).is_err(), "its question may be slow");
    assert!(lost.ask(FREE, at(7)).is_ok(), "who tried it is gone");
    fail(&mut source, Trouble::Unauthorized, at(2));
    assert_eq!(source.may_ask(FREE, at(2)).unwrap_err().until, Some(at(4)));
}

#[test]
fn refused_credentials_open_it_at_once_and_refused_numbers_do_not() {
    let mut source = Standing::default();
    fail(&mut source, Trouble::Refused, at(0));
    assert_eq!(
        by(&source, at(0)),
        None,
        "one number may be somebody else's"
    );
    source.answered(at(0));
    for _ in 0..FAILURES_MAX {
        fail(&mut source, Trouble::Refused, at(1));
    }
    assert_eq!(by(&source, at(1)), Some(Shut::Broken(Trouble::Refused)));
    let tally = source.troubles.get(&Trouble::Refused).unwrap();
    assert_eq!((tally.count, tally.last_at), (6, at(1)));
}

#[test]
fn a_wait_is_as_long_as_it_asks_and_never_longer_than_an_hour() {
    let mut source = Standing::default();
    source.throttled(Some(SignedDuration::from_mins(7)), "429", at(0));
    let closed = source.may_ask(FREE, at(0)).unwrap_err();
    assert_eq!((closed.by, closed.until), (Shut::Waiting, Some(at(7))));
    assert_eq!(by(&source, at(7)), None);
    source.throttled(Some(SignedDuration::from_hours(9)), "429", at(7));
    assert_eq!(source.wait_until, Some(at(67)));
    source.throttled(None, "429", at(8));
    assert_eq!(
        source.wait_until,
        Some(at(67)),
        "a shorter one shortens nothing"
    );
    assert_eq!(source.breaker, Breaker::default());
}

#[test]
fn after_a_wait_one_question_is_let_through_and_each_that_is_not_answered_doubles_the_wait() {
    let second = Some(SignedDuration::from_secs(1));
    let mut source = Standing::default();
    let mut now = at(0);
    // Eight that were under way together are one wait.
    for _ in 0..8 {
        source.throttled(second, "503", now);
    }
    let mut lasts = Vec::new();
    for _ in 0..14 {
        let closed = source.may_ask(FREE, now).unwrap_err();
        assert_eq!(closed.by, Shut::Waiting);
        lasts.push(closed.until.unwrap().duration_since(now).as_secs());
        now = closed.until.unwrap();
        assert_eq!(source.room(FREE, now), 1);
        source.ask(FREE, now).unwrap();
        let trying = Some(Shut::Trying(Trouble::RateLimited));
        assert_eq!((source.room(FREE, now), by(&source, now)), (0, trying));
        source.throttled(second, "503", now);
    }
    let doubled = [
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600,
    ];
    assert_eq!(lasts, doubled);
    let now = source.wait_until.unwrap();
    let lost = source.ask(FREE, now).map(|()| now + TRIAL_LASTS);
    assert_eq!(by(&source, lost.unwrap()), None, "who tried it is gone");
    source.answered(now);
    assert_eq!(source.room(FREE, now), u32::MAX);
    source.throttled(second, "429", now);
    assert_eq!(source.wait_until, Some(now + SignedDuration::from_secs(1)));
}

#[test]
fn a_trial_after_a_wait_that_fails_is_a_failure_like_any_other() {
    let mut source = Standing::default();
    source.throttled(None, "429", at(0));
    for _ in 1..FAILURES_MAX {
        source.ask(FREE, at(1)).unwrap();
        fail(&mut source, Trouble::Unreachable, at(1));
    }
    assert_eq!(source.room(FREE, at(1)), 1, "still one at a time");
    source.ask(FREE, at(1)).unwrap();
    fail(&mut source, Trouble::Unreachable, at(1));
    let broken = Some(Shut::Broken(Trouble::Unreachable));
    assert_eq!(by(&source, at(1)), broken);
    source.resume();
    assert_eq!(source.room(FREE, at(1)), u32::MAX);
}

#[test]
fn a_budget_is_for_a_minute_and_for_a_day() {
    let budget = Budget {
        per_minute: 2,
        per_day: Some(3),
        apart: SignedDuration::ZERO,
    };
    let mut source = Standing::default();
    assert!(source.ask(budget, at(0)).is_ok() && source.ask(budget, at(0)).is_ok());
    let closed = source.ask(budget, at(0)).unwrap_err();
    assert_eq!((closed.by, closed.until), (Shut::MinuteSpent, Some(at(1))));
    assert!(source.ask(budget, at(1)).is_ok());
    let closed = source.ask(budget, at(2)).unwrap_err();
    assert_eq!(
        (closed.by, closed.until),
        (Shut::DaySpent, Some(at(24 * 60)))
    );
    assert!(source.ask(budget, at(24 * 60)).is_ok());
    assert_eq!(source.spent.in_day(at(24 * 60)), 1);
}

#[test]
fn pages_count_like_questions() {
    let budget = Budget {
        per_minute: 10,
        per_day: None,
        apart: SignedDuration::ZERO,
    };
    let mut source = Standing::default();
    source.ask(budget, at(0)).unwrap();
    source.used(8, at(0));
    assert_eq!(source.room(budget, at(0)), 1);
}

#[test]
fn a_pause_ends_by_a_persons_word_alone() {
    let mut source = Standing::default();
    fail(&mut source, Trouble::Unauthorized, at(0));
    source.pause("new contract", at(0));
    source.pause("still", at(5));
    assert_eq!(source.paused.as_ref().map(|paused| paused.at), Some(at(0)));
    source.answered(at(9));
    let closed = source.may_ask(FREE, at(90_000)).unwrap_err();
    assert_eq!((closed.by, closed.until), (Shut::Paused, None));
    source.resume();
    assert_eq!(by(&source, at(9)), None);
    assert_eq!(source.troubles.len(), 1, "what happened is not forgotten");
}

#[test]
fn words_of_troubles_are_read_as_written() {
    for kind in Trouble::ALL {
        assert_eq!(Trouble::parse(kind.as_str()), Some(kind));
    }
}

#[test]
fn one_word_tells_how_a_source_is_doing() {
    let day = Budget {
        per_minute: 0,
        per_day: Some(1),
        apart: SignedDuration::ZERO,
    };
    let mut source = Standing::default();
    let word = |source: &Standing, now| source.condition(day, now).as_str();
    assert_eq!(word(&source, at(0)), "silent");
    source.ask(day, at(0)).unwrap();
    source.answered(at(0));
    assert_eq!(word(&source, at(0)), "spent");
    let tomorrow = at(24 * 60);
    assert_eq!(word(&source, tomorrow), "working");
    fail(&mut source, Trouble::Unreachable, tomorrow);
    assert_eq!(word(&source, tomorrow), "failing");
    source.throttled(None, "429", tomorrow);
    assert_eq!(word(&source, tomorrow), "waiting");
    fail(&mut source, Trouble::Unauthorized, tomorrow);
    assert_eq!(word(&source, tomorrow), "broken");
    assert_eq!(word(&source, at(25 * 60)), "trying");
    source.pause("", tomorrow);
    assert_eq!(word(&source, tomorrow), "paused");
}

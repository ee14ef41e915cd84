//! Holds, free days and availability in the order in which they were said and meant, whatever order they come in.

use domain::container::{Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner};
use domain::event::EventName;
use domain::report::{SourceKind, Value, Verb};
use jiff::Timestamp;
use jiff::civil::{Date, date};

use crate::telling::*;

/// A status of an EDI feed: what happened when, and when the envelope was written.
fn status(verb: Verb, when: Timestamp, written: Timestamp) -> Told {
    let customs = Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    };
    act(verb, "USLAX", when)
        .from("hub", SourceKind::X12_315)
        .issued(written)
        .received(written)
        .worth(Value::Hold(customs))
}

fn held(when: Timestamp, written: Timestamp) -> Told {
    status(Verb::HoldSet, when, written)
}

fn released(when: Timestamp, written: Timestamp) -> Told {
    status(Verb::HoldClear, when, written)
}

fn free_until(day: Date, written: Timestamp) -> Told {
    let lfd = LastFreeDay {
        date: day,
        zone: None,
    };
    let at = lfd.instant();
    status(Verb::LastFreeDay, at, written).worth(Value::LastFreeDay(LfdOwner::Terminal, lfd))
}

trait Placed {
    /// Where it stands in its message.
    fn at_segment(self, number: u32) -> Self;
}

impl Placed for Told {
    fn at_segment(self, number: u32) -> Self {
        self.with(|r| r.position = Some(number))
    }
}

/// What is told of the arrived box, and that neither order nor repetition of the words matters.
fn told<T: PartialEq + std::fmt::Debug>(
    words: &[Told],
    what: impl Fn(&domain::container::ContainerState) -> T,
) -> T {
    let mut story = direct()[..8].to_vec();
    story.extend_from_slice(words);
    let told = what(&state(&story));
    story.reverse();
    story.extend_from_slice(words);
    assert_eq!(what(&state(&story)), told, "in another order");
    told
}

fn is_held(words: &[Told]) -> bool {
    told(words, |state| !state.pickup.holds.is_empty())
}

fn free_day(words: &[Told]) -> Option<Date> {
    told(words, |state| {
        state.pickup.lfd_terminal.as_ref().map(|day| day.date)
    })
}

#[test]
fn statuses_of_one_group_follow_their_own_times() {
    let group = at(21, 16);
    let (nine, three) = (at(21, 9), at(21, 15));
    assert!(!is_held(&[held(nine, group), released(three, group)]));
    assert!(is_held(&[released(nine, group), held(three, group)]));
    assert!(!is_held(&[held(nine, at(21, 17)), released(three, group)]));
}

/// A group has one stamp, and its later set knows more, also where the ship is no longer late.
#[test]
fn the_later_of_two_dates_of_one_group_is_expected() {
    let said = |hour, segment| {
        est(Verb::Arrive, "USLAX", at(20, hour))
            .from("hub", SourceKind::X12_315)
            .aboard(FIRST)
            .issued(at(4, 1))
            .received(at(4, 2))
            .with(|r| r.position = segment)
    };
    for (first, second) in [(6, 4), (4, 6)] {
        let mut story = direct()[..4].to_vec();
        story.extend([said(first, None), said(second, Some(13))]);
        let held = state(&story);
        let shown = held
            .estimates
            .iter()
            .find(|e| e.event == EventName::EstimatedVesselArrived);
        assert_eq!(shown.map(|e| e.at), Some(at(20, second)));
        story.reverse();
        assert_eq!(state(&story), held, "in another order");
    }
}

#[test]
fn a_hold_that_is_sent_once_more_is_the_hold_that_was_released() {
    let told = [
        held(at(21, 9), at(21, 10)),
        released(at(21, 15), at(21, 16)),
        held(at(21, 9), at(22, 6)),
    ];
    assert!(!is_held(&told));
    let again = held(at(22, 5), at(22, 6));
    assert!(is_held(&[told[0].clone(), told[1].clone(), again]));
}

#[test]
fn a_bare_date_orders_nothing_inside_its_day() {
    let (day, early, late) = (at(21, 0), at(21, 10), at(21, 16));
    let set = held(day, early).dated();
    let cleared = released(day, late).dated();
    assert!(!is_held(&[set.clone(), cleared.clone()]));
    assert!(!is_held(&[held(at(21, 9), early), cleared.clone()]));
    assert!(!is_held(&[set.clone(), released(at(21, 8), late)]));
    assert!(is_held(&[cleared.clone(), held(at(21, 9), at(21, 17))]));
    // The same words with another stamp of the envelope are the same words.
    let again = held(day, at(22, 6)).dated();
    assert!(!is_held(&[set.clone(), cleared.clone(), again]));
    // Of one group, the later one in the message.
    let (first, second) = (
        held(day, late).dated().at_segment(4),
        released(day, late).dated().at_segment(12),
    );
    assert!(!is_held(&[first, second]));
    // A day later it can be told.
    assert!(is_held(&[cleared, held(at(22, 0), late).dated()]));
}

#[test]
fn what_one_minute_says_twice_follows_the_message_and_else_stays_held() {
    let (nine, group) = (at(21, 9), at(21, 10));
    let (set, cleared) = (held(nine, group), released(nine, group));
    assert!(is_held(&[set.clone(), cleared.clone()]), "nobody can tell");
    let (first, second) = (set.clone().at_segment(4), cleared.clone().at_segment(12));
    assert!(!is_held(&[first, second]));
    let (first, second) = (cleared.at_segment(4), set.at_segment(12));
    assert!(is_held(&[first, second]));
}

#[test]
fn the_later_free_day_of_a_message_stands_and_where_nobody_can_tell_the_earlier_one() {
    let (early, late, group) = (date(2026, 3, 25), date(2026, 3, 28), at(21, 16));
    let both = |first: Date, second: Date| {
        free_day(&[
            free_until(first, group).at_segment(4),
            free_until(second, group).at_segment(12),
        ])
    };
    assert_eq!(both(late, early), Some(early));
    assert_eq!(both(early, late), Some(late));
    let stored_before = [free_until(late, group), free_until(early, group)];
    assert_eq!(free_day(&stored_before), Some(early));
    let next = free_until(late, at(21, 17)).at_segment(4);
    let [a, b] = stored_before;
    assert_eq!(free_day(&[a, b, next]), Some(late), "a later issue counts");
}

#[test]
fn a_time_that_had_not_come_yet_orders_nothing() {
    let released = released(at(21, 20), at(21, 10));
    assert!(is_held(&[released, held(at(21, 11), at(21, 12))]));
}

#[test]
fn availability_follows_what_happened_and_not_what_was_sent_last() {
    let word = |verb, when, written| {
        status(verb, when, written).with(|r| {
            r.value = None;
            r.source_kind = SourceKind::X12_322;
        })
    };
    let words = [
        word(Verb::NotAvailable, at(21, 9), at(22, 6)),
        word(Verb::Available, at(21, 15), at(21, 16)),
    ];
    assert_eq!(told(&words, |state| state.pickup.available), Some(true));
}

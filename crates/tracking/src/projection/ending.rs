//! When tracking ends by itself.
//!
//! Each box has an end of its own: some days after its return, weeks after it was collected, weeks after it
//! arrived. A shipment ends with the last of its boxes, for that box's reason; or when the line has had nothing
//! new to say for weeks. Who resumes a shipment gets every window anew, and who begins to track an old one gets
//! them from that day: a box that is asked for by its number has perhaps a next journey, of which the line tells soon.
//!
//! While a line is asked, each answer brings its shipments up to date and is heard before they end: what it has to say when it
//! can be asked again after weeks still counts. Where nobody is asked, no message may ever come again. So the moment of
//! the end is a due time of one of its boxes, moved by each message.

use domain::container::{ContainerState, CurrentStatus};
use domain::event::EventName;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use store::shipment::Shipment;

/// After the last empty return, and after we heard of it, the line is asked for this long still: corrections come late,
/// and a return may be the first that is heard of a journey.
const AFTER_RETURN: SignedDuration = SignedDuration::from_hours(7 * 24);
/// After it was collected a box is followed for this long.
const AFTER_FULL_OUT: SignedDuration = SignedDuration::from_hours(56 * 24);
/// After it arrived where its way by the line ends, a box is followed for this long.
const AFTER_ARRIVAL: SignedDuration = SignedDuration::from_hours(56 * 24);
/// Without any news from the line for this long, tracking stops.
const QUIET_MAX: SignedDuration = SignedDuration::from_hours(56 * 24);

/// When it was heard what the line said.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// When it last said anything new.
    pub(super) at: Option<Timestamp>,
    /// When it last said that the booking is cancelled.
    pub(super) cancelled_at: Option<Timestamp>,
    /// When we first heard of the last empty return that we heard of.
    pub(super) return_at: Option<Timestamp>,
}

/// When tracking ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Now, and why: a word of `line_tracking_stopped_reason`.
    Now(&'static str),
    /// At this moment, which is to come, if nothing more is heard until then.
    At(Timestamp),
}

/// When tracking ends, seen from `now`.
pub(super) fn end(
    shipment: &Shipment,
    states: &[ContainerState],
    heard: Heard,
    now: Timestamp,
) -> End {
    if is_cancelled(shipment, heard) {
        return End::Now("booking_cancelled");
    }
    let ends = states.iter().map(|state| end_of(shipment, state, heard));
    let ends: Option<Vec<_>> = ends.collect();
    let last = ends.and_then(|ends| ends.into_iter().max());
    if let Some((_, reason)) = last.filter(|(at, _)| *at <= now) {
        return End::Now(reason);
    }
    let quiet_since = heard
        .at
        .map_or(begun(shipment), |at| at.max(begun(shipment)));
    let quiet = quiet_since + QUIET_MAX;
    if quiet <= now {
        return End::Now("no_updates_at_line");
    }
    End::At(last.map_or(quiet, |(at, _)| at.min(quiet)))
}

/// A cancellation that was known when the account resumed its shipment does not end it again.
fn is_cancelled(shipment: &Shipment, heard: Heard) -> bool {
    shipment.kind == NumberKind::Booking
        && heard
            .cancelled_at
            .is_some_and(|at| shipment.resumed_at.is_none_or(|resumed| at > resumed))
}

/// When a box needs no more following, and why; `None` while nobody can say.
fn end_of(
    shipment: &Shipment,
    state: &ContainerState,
    heard: Heard,
) -> Option<(Timestamp, &'static str)> {
    let at = |event| state.milestone(event).map(|milestone| milestone.at);
    let begun = begun(shipment);
    if state.status == CurrentStatus::EmptyReturned
        && let Some(returned) = at(EventName::EmptyIn)
    {
        let others = [Some(begun), heard.return_at];
        let from = others.into_iter().flatten().fold(returned, Timestamp::max);
        return Some((from + AFTER_RETURN, "all_containers_terminated"));
    }
    if let Some(out) = at(EventName::FullOut).or(at(EventName::Delivered)) {
        return Some((out.max(begun) + AFTER_FULL_OUT, "past_full_out_window"));
    }
    let arrived = match state.journey.destination {
        Some(_) => at(EventName::ArrivedAtInlandDestination),
        None => at(EventName::VesselArrived),
    };
    arrived.map(|arrived| (arrived.max(begun) + AFTER_ARRIVAL, "past_arrival_window"))
}

/// From when on the account wants it followed.
fn begun(shipment: &Shipment) -> Timestamp {
    shipment.resumed_at.unwrap_or(shipment.created_at)
}

#[cfg(test)]
mod tests {
    use domain::codes::{ContainerNumber, Scac, UnLocode};
    use domain::container::{Milestone, Slot};
    use domain::ids::ShipmentId;
    use domain::report::{Precision, SourceKind};
    use domain::shipment::ShipmentState;
    use uuid::Uuid;

    use super::*;

    fn day(day: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * day)
    }

    fn shipment(kind: NumberKind, resumed: Option<i64>) -> Shipment {
        Shipment {
            id: ShipmentId(Uuid::nil()),
            number: "B".into(),
            normalized_number: "B".into(),
            scac: Scac::parse("MSCU").unwrap(),
            kind,
            state: ShipmentState::default(),
            ref_numbers: Vec::new(),
            tags: Vec::new(),
            created_at: day(100),
            updated_at: day(100),
            version: 1,
            line_attempted_at: None,
            line_succeeded_at: None,
            stopped: None,
            resumed_at: resumed.map(day),
            customer: None,
            custom_fields: Vec::new(),
            document: String::new(),
        }
    }

    /// A box to which these things happened, on these days.
    fn a_box(told: &[(EventName, i64)]) -> ContainerState {
        let number = ContainerNumber::parse("CSQU3054383").unwrap();
        let milestones = told.iter().map(|(event, at)| Milestone {
            slot: Slot {
                event: *event,
                place: None,
                leg: String::new(),
                occurrence: 0,
            },
            at: day(*at),
            precision: Precision::Minute,
            zone: None,
            locode: None,
            terminal: None,
            vessel: None,
            voyage: None,
            source: SourceKind::Dcsa2,
            value: None,
        });
        let mut state = ContainerState {
            milestones: milestones.collect(),
            ..ContainerState::unknown(number)
        };
        if told.iter().any(|(event, _)| *event == EventName::EmptyIn) {
            state.status = CurrentStatus::EmptyReturned;
        }
        state
    }

    fn inland(mut state: ContainerState) -> ContainerState {
        state.journey.destination = UnLocode::parse("USCHI").ok();
        state
    }

    /// Why tracking ends now. What is not over yet ends later, and never in the past: else it would be due again and again.
    fn reason(
        shipment: &Shipment,
        states: &[ContainerState],
        heard: Heard,
        now: Timestamp,
    ) -> Option<&'static str> {
        match end(shipment, states, heard, now) {
            End::Now(reason) => Some(reason),
            End::At(moment) => {
                assert!(moment > now);
                let then = end(shipment, states, heard, moment);
                assert!(matches!(then, End::Now(_)), "{then:?}");
                None
            }
        }
    }

    /// The first day on which tracking ends, and why, when the line always has news.
    fn ends(shipment: &Shipment, states: &[ContainerState]) -> Option<(i64, &'static str)> {
        (100..400).find_map(|today| {
            let heard = Heard {
                at: Some(day(today)),
                ..Heard::default()
            };
            Some((today, reason(shipment, states, heard, day(today))?))
        })
    }

    #[test]
    fn a_shipment_ends_with_the_last_of_its_boxes() {
        use EventName as E;
        let bill = |resumed| shipment(NumberKind::BillOfLading, resumed);
        let returned = a_box(&[
            (E::VesselArrived, 110),
            (E::FullOut, 112),
            (E::EmptyIn, 120),
        ]);
        let out = a_box(&[(E::VesselArrived, 110), (E::FullOut, 112)]);
        let landed = a_box(&[(E::VesselArrived, 110)]);
        let at_sea = a_box(&[(E::VesselDeparted, 101)]);
        let ramp = inland(a_box(&[
            (E::VesselArrived, 110),
            (E::ArrivedAtInlandDestination, 115),
        ]));
        let on_its_way = inland(landed.clone());
        let terminated = "all_containers_terminated";
        for (resumed, states, expected) in [
            (None, vec![], None),
            (None, vec![&at_sea], None),
            (None, vec![&returned], Some((127, terminated))),
            (Some(130), vec![&returned], Some((137, terminated))),
            (None, vec![&out], Some((168, "past_full_out_window"))),
            (None, vec![&landed], Some((166, "past_arrival_window"))),
            (Some(150), vec![&landed], Some((206, "past_arrival_window"))),
            (None, vec![&ramp], Some((171, "past_arrival_window"))),
            (None, vec![&on_its_way], None),
            (
                None,
                vec![&returned, &out],
                Some((168, "past_full_out_window")),
            ),
            (None, vec![&returned, &at_sea], None),
        ] {
            let states: Vec<ContainerState> = states.into_iter().cloned().collect();
            assert_eq!(ends(&bill(resumed), &states), expected, "{states:?}");
        }
        let long_over = a_box(&[(E::VesselArrived, 1), (E::FullOut, 2)]);
        let begun_late = ends(&bill(None), &[long_over]);
        assert_eq!(begun_late, Some((156, "past_full_out_window")));
    }

    #[test]
    fn a_return_that_is_heard_of_late_ends_tracking_days_after_that() {
        let returned = [a_box(&[(EventName::EmptyIn, 90)])];
        let shipment = shipment(NumberKind::BillOfLading, None);
        let judged = |heard_on, today| {
            let heard = Heard {
                at: Some(day(heard_on)),
                return_at: Some(day(heard_on)),
                ..Heard::default()
            };
            reason(&shipment, &returned, heard, day(today))
        };
        assert_eq!(judged(110, 116), None);
        assert_eq!(judged(110, 117), Some("all_containers_terminated"));
        // Known before it was asked for: the line has as long to tell of the next journey.
        assert_eq!(judged(90, 106), None);
        assert_eq!(judged(90, 107), Some("all_containers_terminated"));
    }

    #[test]
    fn silence_counts_from_the_last_news_the_beginning_or_the_resumption() {
        let quiet = "no_updates_at_line";
        for (resumed, heard, last) in [
            (None, None, 155),
            (None, Some(90), 155),
            (None, Some(120), 175),
            (Some(130), Some(120), 185),
        ] {
            let shipment = shipment(NumberKind::BillOfLading, resumed);
            let heard = Heard {
                at: heard.map(day),
                ..Heard::default()
            };
            assert_eq!(reason(&shipment, &[], heard, day(last)), None);
            assert_eq!(reason(&shipment, &[], heard, day(last + 1)), Some(quiet));
        }
    }

    #[test]
    fn it_is_said_before_when_it_will_end() {
        use EventName as E;
        let heard = Heard {
            at: Some(day(120)),
            ..Heard::default()
        };
        let shipment = shipment(NumberKind::BillOfLading, None);
        let returned = a_box(&[(E::EmptyIn, 119)]);
        let out = a_box(&[(E::FullOut, 115)]);
        let at_sea = a_box(&[(E::VesselDeparted, 101)]);
        for (states, expected) in [
            (vec![], 176),
            (vec![&at_sea], 176),
            (vec![&returned, &at_sea], 176),
            (vec![&returned, &out], 171),
            (vec![&returned], 126),
        ] {
            let states: Vec<ContainerState> = states.into_iter().cloned().collect();
            let told = end(&shipment, &states, heard, day(121));
            assert_eq!(told, End::At(day(expected)), "{states:?}");
        }
    }

    #[test]
    fn a_cancelled_booking_ends_at_once_unless_it_was_resumed_knowing_that() {
        let heard = Heard {
            at: Some(day(110)),
            cancelled_at: Some(day(110)),
            ..Heard::default()
        };
        let judged = |kind, resumed| reason(&shipment(kind, resumed), &[], heard, day(111));
        let cancelled = Some("booking_cancelled");
        assert_eq!(judged(NumberKind::Booking, None), cancelled);
        assert_eq!(judged(NumberKind::Booking, Some(105)), cancelled);
        assert_eq!(judged(NumberKind::Booking, Some(111)), None);
        assert_eq!(judged(NumberKind::BillOfLading, None), None);
    }
}

//! The life of the sample box, hour by hour, and what is held true of it at any of them.
//!
//! The box is stuffed in Nanjing, a barge takes it to Shanghai, one vessel to Busan and another to Los Angeles.
//! There it is collected by truck or, on its other way, put on a train to Chicago. A sample about something
//! that happened shows the world of that hour: what lies ahead is not known yet.

use domain::codes::{ContainerNumber, EquipmentHeight, EquipmentType, ImoNumber, Scac, SizeType};
use domain::container::{
    ContainerState, CurrentStatus, Estimate, Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay,
    Milestone, Pickup, Slot, Vessel,
};
use domain::event::EventName;
use domain::journey::Journey;
use domain::report::{Precision, SourceKind};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan as _};

use super::places::{BUSAN, CHICAGO, LOS_ANGELES, NANJING, PIER, RAMP, SHANGHAI, locode, zone};

/// From the event to its being told.
const HEARD_AFTER: SignedDuration = SignedDuration::from_mins(20);
/// Hours at which something turns.
const LOADED: i64 = 120;
const LANDED: i64 = 562;
const HELD: i64 = 564;
const RELEASED: i64 = 590;
const COLLECTED: i64 = 640;
const DELIVERED: i64 = 650;
const RETURNED: i64 = 720;
const ON_RAIL: i64 = 592;
const OFF_RAIL: i64 = 696;
/// Hours at which something is told that is no milestone.
const REQUESTED: i64 = 1;
const EXPECTED: i64 = 252;
const PIER_CHANGED: i64 = 500;
const DAY_OF_TERMINAL: i64 = 566;
const DAY_OF_LINE: i64 = 570;
const DAY_OF_RAIL: i64 = 700;
const APPOINTED: i64 = 600;
const OVER: i64 = 721;

/// How the box leaves the port of discharge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Truck,
    Train,
}

/// What carries it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ride {
    None,
    Barge,
    First,
    Second,
}

/// Hour, event, place, terminal, conveyance, and on which way; `None`: on both.
type Hour = (
    i64,
    EventName,
    &'static str,
    Option<&'static str>,
    Ride,
    Option<Way>,
);

use EventName as E;

#[rustfmt::skip]
const LIFE: &[Hour] = &[
    (0,            E::EmptyOut,                   NANJING,     None,       Ride::None,   None),
    (30,           E::FullIn,                     NANJING,     None,       Ride::None,   None),
    (44,           E::FeederLoaded,               NANJING,     None,       Ride::Barge,  None),
    (50,           E::FeederDeparted,             NANJING,     None,       Ride::Barge,  None),
    (74,           E::FeederArrived,              SHANGHAI,    None,       Ride::Barge,  None),
    (80,           E::FeederDischarged,           SHANGHAI,    None,       Ride::Barge,  None),
    (LOADED,       E::VesselLoaded,               SHANGHAI,    None,       Ride::First,  None),
    (136,          E::VesselDeparted,             SHANGHAI,    None,       Ride::First,  None),
    (172,          E::TransshipmentArrived,       BUSAN,       None,       Ride::First,  None),
    (180,          E::TransshipmentDischarged,    BUSAN,       None,       Ride::First,  None),
    (236,          E::TransshipmentLoaded,        BUSAN,       None,       Ride::Second, None),
    (250,          E::TransshipmentDeparted,      BUSAN,       None,       Ride::Second, None),
    (540,          E::VesselArrived,              LOS_ANGELES, Some(PIER), Ride::Second, None),
    (543,          E::VesselBerthed,              LOS_ANGELES, Some(PIER), Ride::Second, None),
    (LANDED,       E::VesselDischarged,           LOS_ANGELES, Some(PIER), Ride::Second, None),

    (HELD,         E::NotAvailable,               LOS_ANGELES, Some(PIER), Ride::None,   Some(Way::Truck)),
    (RELEASED,     E::Available,                  LOS_ANGELES, Some(PIER), Ride::None,   Some(Way::Truck)),
    (COLLECTED,    E::FullOut,                    LOS_ANGELES, Some(PIER), Ride::None,   Some(Way::Truck)),
    (DELIVERED,    E::Delivered,                  LOS_ANGELES, None,       Ride::None,   Some(Way::Truck)),
    (RETURNED,     E::EmptyIn,                    LOS_ANGELES, Some(PIER), Ride::None,   Some(Way::Truck)),

    (ON_RAIL,      E::RailLoaded,                 LOS_ANGELES, Some(PIER), Ride::None,   Some(Way::Train)),
    (601,          E::RailDeparted,               LOS_ANGELES, Some(PIER), Ride::None,   Some(Way::Train)),
    (690,          E::RailArrived,                CHICAGO,     Some(RAMP), Ride::None,   Some(Way::Train)),
    (691,          E::ArrivedAtInlandDestination, CHICAGO,     Some(RAMP), Ride::None,   Some(Way::Train)),
    (OFF_RAIL,     E::RailUnloaded,               CHICAGO,     Some(RAMP), Ride::None,   Some(Way::Train)),
];

/// The sample box at one hour of one of its ways.
#[derive(Clone, Copy)]
pub(super) struct Voyage {
    pub(super) way: Way,
    /// Hour of its life at which it is looked at.
    pub(super) hour: i64,
    /// When that hour is told.
    pub(super) told_at: Timestamp,
}

impl Voyage {
    /// As it is when `event` is told at `told_at`.
    pub(super) fn at_news_of(event: EventName, told_at: Timestamp) -> Self {
        let life = LIFE.iter().find(|(_, name, ..)| *name == event);
        let (hour, way) = life.map_or_else(
            || (hour_of(event), way_of(event)),
            |(hour, .., way)| (*hour, way.unwrap_or(Way::Truck)),
        );
        Self { way, hour, told_at }
    }

    /// When an hour of its life was, or will be.
    pub(super) fn instant(&self, hour: i64) -> Timestamp {
        let since = SignedDuration::from_hours(self.hour - hour) + HEARD_AFTER;
        self.told_at.checked_sub(since).unwrap_or(self.told_at)
    }

    /// When the account began to track it.
    pub(super) fn first_seen(&self) -> Timestamp {
        self.instant(REQUESTED)
    }

    /// Whether the empty came back and tracking ended.
    pub(super) fn is_over(&self) -> bool {
        self.hour >= OVER
    }

    /// The day, so many days after the discharge.
    pub(super) fn day(&self, days: i64) -> Option<Date> {
        let zone = match self.way {
            Way::Truck => zone(LOS_ANGELES),
            Way::Train => zone(CHICAGO),
        };
        let landed = self.instant(LANDED).in_tz(zone).ok()?;
        landed.date().checked_add(days.days()).ok()
    }

    /// The milestone of this event, whether it stands yet or not.
    pub(super) fn milestone(&self, event: EventName) -> Option<Milestone> {
        let hour = LIFE.iter().find(|(_, name, ..)| *name == event)?;
        Some(self.milestone_of(hour))
    }

    fn milestone_of(&self, (hour, event, place, terminal, ride, _): &Hour) -> Milestone {
        let (vessel, voyage) = ridden(*ride);
        Milestone {
            slot: Slot {
                event: *event,
                place: Some(locode(place)),
                leg: String::new(),
                occurrence: 0,
            },
            at: self.instant(*hour),
            precision: Precision::Minute,
            zone: Some(zone(place).to_owned()),
            locode: Some(locode(place)),
            terminal: terminal.map(ToOwned::to_owned),
            vessel,
            voyage: voyage.map(ToOwned::to_owned),
            source: source(*event),
            value: None,
        }
    }

    /// All that is held true of the box.
    pub(super) fn state(&self) -> ContainerState {
        let stands = |(hour, .., way): &&Hour| {
            *hour <= self.hour && way.is_none_or(|taken| taken == self.way)
        };
        ContainerState {
            journey: self.journey(),
            milestones: LIFE
                .iter()
                .filter(stands)
                .map(|hour| self.milestone_of(hour))
                .collect(),
            estimates: self.estimates(),
            status: self.status(),
            size_type: SizeType {
                equipment_type: Some(EquipmentType::Dry),
                length_ft: Some(40),
                height: Some(EquipmentHeight::HighCube),
            },
            gross_kg: Some(18_240.into()),
            seals: vec!["QL448201".to_owned()],
            pickup: self.pickup(),
            ..ContainerState::unknown(number())
        }
    }

    fn journey(&self) -> Journey {
        let inland = self.way == Way::Train;
        Journey {
            port_of_lading: Some(locode(SHANGHAI)),
            port_of_lading_terminal: None,
            transshipments: vec![locode(BUSAN)],
            port_of_discharge: Some(locode(LOS_ANGELES)),
            destination: inland.then(|| locode(CHICAGO)),
            destination_terminal: inland.then(|| RAMP.to_owned()),
            pod_vessel: ridden(Ride::Second).0,
        }
    }

    fn estimates(&self) -> Vec<Estimate> {
        let inland = Some(EventName::EstimatedArrivedAtInlandDestination);
        [
            Some(EventName::EstimatedVesselDeparted),
            Some(EventName::EstimatedVesselArrived),
            inland.filter(|_| self.way == Way::Train),
        ]
        .into_iter()
        .flatten()
        .map(|event| self.estimate(event))
        .collect()
    }

    /// What the line expects, an hour or two beside what came of it.
    pub(super) fn estimate(&self, event: EventName) -> Estimate {
        let (hour, place, ride) = match event {
            EventName::EstimatedVesselDeparted => (134, SHANGHAI, Ride::First),
            EventName::EstimatedArrivedAtInlandDestination => (689, CHICAGO, Ride::None),
            _ => (538, LOS_ANGELES, Ride::Second),
        };
        let (vessel, voyage) = ridden(ride);
        Estimate {
            event,
            at: self.instant(hour),
            zone: Some(zone(place).to_owned()),
            locode: Some(locode(place)),
            vessel,
            voyage: voyage.map(ToOwned::to_owned),
            source: SourceKind::Dcsa2,
        }
    }

    fn status(&self) -> CurrentStatus {
        use CurrentStatus as S;
        let truck = [
            (RETURNED, S::EmptyReturned),
            (DELIVERED, S::Delivered),
            (COLLECTED, S::PickedUp),
            (RELEASED, S::Available),
            (HELD, S::NotAvailable),
            (LANDED, S::Grounded),
        ];
        let train = [
            (OFF_RAIL, S::Grounded),
            (ON_RAIL, S::OnRail),
            (LANDED, S::AwaitingInlandTransfer),
        ];
        let ashore: &[(i64, S)] = match self.way {
            Way::Truck => &truck,
            Way::Train => &train,
        };
        let reached = |(hour, _): &&(i64, S)| *hour <= self.hour;
        let afloat = if self.hour >= LOADED {
            S::OnShip
        } else {
            S::New
        };
        ashore
            .iter()
            .find(reached)
            .map_or(afloat, |(_, status)| *status)
    }

    fn pickup(&self) -> Pickup {
        let at_pier = self.way == Way::Truck;
        let since = |hour: i64| self.hour >= hour;
        let day = |from: i64, days: i64| {
            let date = self.day(days).filter(|_| since(from));
            let zone = Some(zone(if at_pier { LOS_ANGELES } else { CHICAGO }).to_owned());
            date.map(|date| LastFreeDay { date, zone })
        };
        Pickup {
            pod_terminal: Some(PIER.to_owned()),
            available: (at_pier && since(HELD)).then(|| since(RELEASED)),
            holds: if at_pier && since(HELD) && !since(RELEASED) {
                vec![customs_hold()]
            } else {
                Vec::new()
            },
            fees: if at_pier && since(RELEASED) {
                vec![exam_fee()]
            } else {
                Vec::new()
            },
            lfd_line: day(DAY_OF_LINE, 7).filter(|_| at_pier),
            lfd_terminal: day(DAY_OF_TERMINAL, 5).filter(|_| at_pier),
            lfd_rail: day(DAY_OF_RAIL, 8).filter(|_| !at_pier),
            appointment: (at_pier && since(APPOINTED)).then(|| self.appointment()),
            chassis: (at_pier && since(COLLECTED)).then(|| "DCLZ400123".to_owned()),
            yard_location: (at_pier && since(LANDED)).then(|| "C12 04 2".to_owned()),
            terminal_checked_at: since(LANDED).then_some(self.told_at),
        }
    }

    /// The slot at the gate that was booked.
    pub(super) fn appointment(&self) -> Timestamp {
        self.instant(COLLECTED - 1)
    }
}

/// The line of the sample.
#[expect(
    clippy::expect_used,
    reason = "reads a constant, which the tests read too"
)]
pub(super) fn scac() -> Scac {
    Scac::parse("QUAY").expect("a constant is a SCAC")
}

/// The number of the box.
#[expect(
    clippy::expect_used,
    reason = "reads a constant, which the tests read too"
)]
pub(super) fn number() -> ContainerNumber {
    ContainerNumber::parse("CSQU3054383").expect("a constant is a container number")
}

/// The vessels of the way, in order.
pub(super) fn vessels() -> Vec<Vessel> {
    let rides = [Ride::Barge, Ride::First, Ride::Second];
    rides
        .into_iter()
        .filter_map(|ride| ridden(ride).0)
        .collect()
}

fn ridden(ride: Ride) -> (Option<Vessel>, Option<&'static str>) {
    let (imo, name, voyage) = match ride {
        Ride::None => return (None, None),
        Ride::Barge => (None, "RIVER LANTERN", "061S"),
        Ride::First => (Some("9350379"), "QUAY HARMONY", "114E"),
        Ride::Second => (Some("9412373"), "QUAY MERIDIAN", "027E"),
    };
    let vessel = Vessel {
        imo: imo.and_then(ImoNumber::parse),
        name: Some(name.to_owned()),
    };
    (Some(vessel), Some(voyage))
}

/// The hold that stood before the release.
pub(super) fn customs_hold() -> Hold {
    Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: Some("Customs hold".to_owned()),
    }
}

/// The fee that came with the release.
pub(super) fn exam_fee() -> Fee {
    Fee {
        kind: FeeKind::Exam,
        amount: Some(125.into()),
        currency: "USD".to_owned(),
    }
}

/// Who is heard about it.
fn source(event: EventName) -> SourceKind {
    match event {
        E::Available | E::NotAvailable => SourceKind::TerminalApi,
        E::RailLoaded | E::RailDeparted | E::RailArrived | E::RailUnloaded => SourceKind::RailApi,
        _ => SourceKind::Dcsa2,
    }
}

/// At which hour something that is no milestone is told.
fn hour_of(event: EventName) -> i64 {
    match event {
        E::TrackingRequestTrackingStopped => OVER,
        E::ContainerCreated | E::EstimatedVesselDeparted => 32,
        E::EstimatedVesselArrived | E::ShipmentEstimatedArrival => EXPECTED,
        E::PodTerminalChanged => PIER_CHANGED,
        E::ContainerUpdated => RELEASED,
        E::PickupLfdChanged | E::PickupLfdLineChanged => DAY_OF_LINE,
        E::PickupLfdTerminalChanged => DAY_OF_TERMINAL,
        E::PickupLfdRailChanged => DAY_OF_RAIL,
        E::PickupAppointmentChanged => APPOINTED,
        E::EstimatedArrivedAtInlandDestination => 602,
        _ => REQUESTED,
    }
}

fn way_of(event: EventName) -> Way {
    match event {
        E::PickupLfdRailChanged | E::EstimatedArrivedAtInlandDestination => Way::Train,
        _ => Way::Truck,
    }
}

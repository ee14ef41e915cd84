//! Reports in few words, so that a test reads like a carrier's list of events.

use domain::codes::{ContainerNumber, ImoNumber, UnLocode};
use domain::container::{ContainerState, Fee, FeeKind};
use domain::place::{Gazetteer, Port, Terminal, TerminalKind};
use domain::report::{
    Classifier, Doubt, Equipment, FacilityType, Leg, Mode, MoveHint, Occurred, Place, Precision,
    References, Report, SourceKind, Value, Verb, ZoneSource,
};
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;

pub const BOX: &str = "CSQU3054383";
/// Ships with valid numbers.
pub const FIRST: &str = "9321483";
pub const SECOND: &str = "9074729";
pub const THIRD: &str = "9811000";

/// Midnight UTC of a day of the story; day 0 is 1 March 2026.
pub fn day(day: i64) -> Timestamp {
    let zero: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    zero + SignedDuration::from_hours(24 * day)
}

/// A moment of the story.
pub fn at(on: i64, hour: i64) -> Timestamp {
    day(on) + SignedDuration::from_hours(hour)
}

pub fn number() -> ContainerNumber {
    ContainerNumber::parse(BOX).unwrap()
}

pub fn place(code: &str) -> UnLocode {
    UnLocode::parse(code).unwrap()
}

/// Places of the stories, with a pair of twins.
pub fn gazetteer() -> Gazetteer {
    let port = |code: &str, canonical: &str, zone: &str| Port {
        locode: place(code),
        name: code.into(),
        state: None,
        coordinates: match code {
            "USLAX" => Some((33.74, -118.26)),
            "USLGB" => Some((33.75, -118.21)),
            "USOAK" => Some((37.8, -122.3)),
            _ => None,
        },
        zone: zone.into(),
        canonical: place(canonical),
        metro_area: matches!(code, "USCHI" | "USJOT").then(|| place("USCHI")),
        inland: code == "FRPAR",
        towns: Vec::new(),
    };
    let aliased = |terminal: Terminal| Terminal {
        firms_code: Some("W185".into()),
        bic_facility_code: Some("USLAXAPMA".into()),
        ..terminal
    };
    let terminal = |port: &str, smdg: &str, kind| Terminal {
        code: format!("{port}-{smdg}"),
        name: smdg.into(),
        nickname: smdg.into(),
        port: place(port),
        kind,
        firms_code: None,
        smdg_code: Some(smdg.into()),
        bic_facility_code: None,
        zone: "UTC".into(),
        city: None,
        state: None,
    };
    Gazetteer::new(
        [
            port("CNSHA", "CNSHA", "Asia/Shanghai"),
            port("CNSGH", "CNSHA", "Asia/Shanghai"),
            port("KRPUS", "KRPUS", "Asia/Seoul"),
            port("SGSIN", "SGSIN", "Asia/Singapore"),
            port("USLAX", "USLAX", "America/Los_Angeles"),
            port("USLGB", "USLGB", "America/Los_Angeles"),
            port("USOAK", "USOAK", "America/Los_Angeles"),
            port("USCHI", "USCHI", "America/Chicago"),
            port("USJOT", "USJOT", "America/Chicago"),
            port("USMEM", "USMEM", "America/Chicago"),
            port("FRPAR", "FRPAR", "Europe/Paris"),
        ],
        [
            aliased(terminal("USLAX", "APM", TerminalKind::Ocean)),
            terminal("USLAX", "TRP", TerminalKind::Ocean),
            terminal("USOAK", "OICT", TerminalKind::Ocean),
            terminal("KRPUS", "HJNC", TerminalKind::Ocean),
        ],
    )
}

/// What is owed because the box stays, in dollars.
pub fn demurrage(amount: i64) -> Value {
    Value::Fee(Fee {
        kind: FeeKind::Demurrage,
        amount: Some(Decimal::from(amount)),
        currency: "USD".into(),
    })
}

/// A report to be told in few words.
#[derive(Clone, Debug)]
pub struct Told(pub Report);

pub fn told(classifier: Classifier, verb: Verb, port: &str, when: Timestamp) -> Told {
    Told(Report {
        source: "line".into(),
        source_kind: SourceKind::Dcsa2,
        source_event_id: None,
        retracts: None,
        reported_at: Some(when),
        received_at: when + SignedDuration::from_hours(1),
        verb,
        classifier,
        occurred: Some(occurred(when, Precision::Minute)),
        equipment: Some(Equipment {
            number: number(),
            iso_type: None,
            laden: None,
            seals: Vec::new(),
            gross_kg: None,
        }),
        place: Place {
            locode: UnLocode::parse(port).ok(),
            ..Place::default()
        },
        leg: Leg::default(),
        move_hint: None,
        references: References::default(),
        original: format!("{verb:?}"),
        value: None,
        doubts: Vec::new(),
        position: None,
    })
}

/// It happened.
pub fn act(verb: Verb, port: &str, when: Timestamp) -> Told {
    told(Classifier::Actual, verb, port, when)
}

/// It is expected; said a week before.
pub fn est(verb: Verb, port: &str, when: Timestamp) -> Told {
    told(Classifier::Estimated, verb, port, when).issued(when - SignedDuration::from_hours(24 * 7))
}

/// It is in the plan; said a month before.
pub fn pln(verb: Verb, port: &str, when: Timestamp) -> Told {
    told(Classifier::Planned, verb, port, when).issued(when - SignedDuration::from_hours(24 * 30))
}

pub fn occurred(when: Timestamp, precision: Precision) -> Occurred {
    Occurred {
        at: when,
        local: DateTime::from(when.to_zoned(TimeZone::UTC)),
        zone_source: ZoneSource::Utc,
        precision,
    }
}

impl Told {
    pub fn with(mut self, change: impl FnOnce(&mut Report)) -> Self {
        change(&mut self.0);
        self
    }

    pub fn issued(self, when: Timestamp) -> Self {
        self.with(|r| {
            r.reported_at = Some(when);
            r.received_at = r.received_at.max(when);
        })
    }

    pub fn received(self, when: Timestamp) -> Self {
        self.with(|r| r.received_at = when)
    }

    pub fn by(self, mode: Mode) -> Self {
        self.with(|r| r.leg.mode = Some(mode))
    }

    /// Aboard a ship.
    pub fn aboard(self, imo: &str) -> Self {
        self.by(Mode::Vessel)
            .with(|r| r.leg.vessel_imo = ImoNumber::parse(imo))
    }

    pub fn laden(self) -> Self {
        self.with(|r| r.equipment.as_mut().unwrap().laden = Some(true))
    }

    pub fn empty(self) -> Self {
        self.with(|r| r.equipment.as_mut().unwrap().laden = Some(false))
    }

    /// About the whole bill.
    pub fn of_bill(self) -> Self {
        self.with(|r| r.equipment = None)
    }

    pub fn id(self, id: &str) -> Self {
        self.with(|r| r.source_event_id = Some(id.into()))
    }

    pub fn from(self, source: &str, kind: SourceKind) -> Self {
        self.with(|r| {
            r.source = source.into();
            r.source_kind = kind;
        })
    }

    pub fn hint(self, hint: MoveHint) -> Self {
        self.with(|r| r.move_hint = Some(hint))
    }

    pub fn facility(self, kind: FacilityType) -> Self {
        self.with(|r| r.place.facility_type = Some(kind))
    }

    pub fn terminal(self, code: &str) -> Self {
        self.with(|r| r.place.facility_code = Some(code.into()))
    }

    pub fn dated(self) -> Self {
        self.with(|r| {
            let when = r.occurred.as_ref().unwrap().at;
            let midnight = when.to_zoned(TimeZone::UTC).start_of_day().unwrap();
            r.occurred = Some(occurred(midnight.timestamp(), Precision::Day));
        })
    }

    /// Its time is when its source looked.
    pub fn seen(self) -> Self {
        self.with(|r| r.doubts.push(Doubt::AsOf))
    }

    pub fn worth(self, value: Value) -> Self {
        self.with(|r| r.value = Some(value))
    }

    pub fn bill(self, bill: &str) -> Self {
        self.with(|r| r.references.bills.push(bill.into()))
    }
}

/// Withdraws the claim of this id.
pub fn retract(id: &str, when: Timestamp) -> Told {
    act(Verb::Document, "", when).with(|r| {
        r.retracts = Some(id.into());
        r.occurred = None;
        r.equipment = None;
    })
}

pub fn reports(told: &[Told]) -> Vec<Report> {
    told.iter().map(|told| told.0.clone()).collect()
}

/// The state long after everything.
pub fn state(told: &[Told]) -> ContainerState {
    state_at(told, day(300))
}

pub fn state_at(told: &[Told], now: Timestamp) -> ContainerState {
    container_state(number(), &reports(told), &gazetteer(), Trust::USUAL, now)
}

/// The public events that stand, as `vessel_loaded CNSHA`, in the order they happened.
pub fn events(state: &ContainerState) -> Vec<String> {
    let name = |text: &str| text.trim_start_matches("container.transport.").to_owned();
    state
        .milestones
        .iter()
        .map(|m| {
            let place = m.slot.place.map(|p| p.to_string()).unwrap_or_default();
            format!("{} {place}", name(m.slot.event.as_str()))
        })
        .collect()
}

/// A direct voyage: what a carrier reports from the empty's leaving to its return.
pub fn direct() -> Vec<Told> {
    vec![
        pln(Verb::Arrive, "USLAX", day(20)).aboard(FIRST),
        act(Verb::GateOut, "CNSHA", at(1, 8))
            .by(Mode::Truck)
            .empty(),
        act(Verb::GateIn, "CNSHA", at(2, 8)).by(Mode::Truck).laden(),
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        act(Verb::Depart, "CNSHA", at(4, 20))
            .aboard(FIRST)
            .of_bill(),
        est(Verb::Arrive, "USLAX", at(19, 5))
            .aboard(FIRST)
            .of_bill(),
        act(Verb::Arrive, "USLAX", at(20, 5))
            .aboard(FIRST)
            .of_bill(),
        act(Verb::Discharge, "USLAX", at(20, 15))
            .aboard(FIRST)
            .laden(),
        act(Verb::GateOut, "USLAX", at(23, 9))
            .by(Mode::Truck)
            .laden(),
        act(Verb::GateIn, "USLAX", at(26, 9))
            .by(Mode::Truck)
            .empty()
            .facility(FacilityType::Depot),
    ]
}

/// By way of Busan, where it changes ships.
pub fn transshipped() -> Vec<Told> {
    vec![
        pln(Verb::Depart, "CNSHA", day(4)).aboard(FIRST).of_bill(),
        pln(Verb::Arrive, "KRPUS", day(7)).aboard(FIRST).of_bill(),
        pln(Verb::Depart, "KRPUS", day(10)).aboard(SECOND).of_bill(),
        pln(Verb::Arrive, "USLAX", day(22)).aboard(SECOND).of_bill(),
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        act(Verb::Depart, "CNSHA", at(4, 20))
            .aboard(FIRST)
            .of_bill(),
        act(Verb::Arrive, "KRPUS", at(7, 2)).aboard(FIRST).of_bill(),
        act(Verb::Discharge, "KRPUS", at(7, 9))
            .aboard(FIRST)
            .laden(),
        act(Verb::Load, "KRPUS", at(10, 4)).aboard(SECOND).laden(),
        act(Verb::Depart, "KRPUS", at(10, 22))
            .aboard(SECOND)
            .of_bill(),
        act(Verb::Arrive, "USLAX", at(22, 6))
            .aboard(SECOND)
            .of_bill(),
        act(Verb::Discharge, "USLAX", at(22, 18))
            .aboard(SECOND)
            .laden(),
        act(Verb::GateOut, "USLAX", at(25, 9))
            .by(Mode::Truck)
            .laden(),
    ]
}

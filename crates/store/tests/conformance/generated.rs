//! Random domain values, every variant and every field of them.

use domain::codes::{
    ContainerNumber, EquipmentHeight, EquipmentType, ImoNumber, Scac, SizeType, UnLocode,
};
use domain::container::{
    ContainerState, CurrentStatus, Estimate, Fee, FeeKind, FirstEstimates, Hold, HoldName,
    HoldStatus, InlandByLine, LastFreeDay, LfdOwner, Milestone, Pickup, QualityFlag, Rail, Slot,
    Vessel,
};
use domain::event::EventName;
use domain::journey::Journey;
use domain::report::{
    Classifier, Doubt, Equipment, FacilityType, Leg, Mode, MoveHint, Occurred, Place, Precision,
    References, Report, SourceKind, Value, Verb, Withdrawal, ZoneSource,
};
use domain::shipment::ShipmentState;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use rust_decimal::Decimal;

/// A plain report.
pub fn any_report() -> Report {
    Report {
        source: "MSCU".into(),
        source_kind: SourceKind::Dcsa2,
        source_event_id: None,
        retracts: None,
        reported_at: Some(crate::bench::at(3)),
        received_at: crate::bench::at(4),
        verb: Verb::Load,
        classifier: Classifier::Actual,
        occurred: None,
        equipment: None,
        place: Place::default(),
        leg: Leg::default(),
        move_hint: None,
        references: References::default(),
        original: String::new(),
        value: None,
        doubts: Vec::new(),
        position: None,
    }
}

/// So many different values, the same in each run.
pub fn some<S: Strategy>(count: usize, strategy: &S) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// Text as feeds send it; NUL is refused before it gets here.
fn text() -> impl Strategy<Value = String> {
    "[^\u{0}]{0,12}"
}

fn instant() -> impl Strategy<Value = Timestamp> {
    (0i64..4_000_000_000, 0i32..1_000_000_000)
        .prop_map(|(second, nanosecond)| Timestamp::new(second, nanosecond).unwrap())
}

/// As fine as a column keeps it.
pub fn microsecond() -> impl Strategy<Value = Timestamp> {
    (0i64..250_000_000_000_000_000).prop_map(|us| Timestamp::from_microsecond(us).unwrap())
}

fn date() -> impl Strategy<Value = Date> {
    (1970i16..2100, 1i8..13, 1i8..29).prop_map(|(y, m, d)| Date::new(y, m, d).unwrap())
}

fn wall_clock() -> impl Strategy<Value = DateTime> {
    (date(), 0i8..24, 0i8..60, 0i8..60).prop_map(|(d, h, m, s)| d.at(h, m, s, 0))
}

fn decimal() -> impl Strategy<Value = Decimal> {
    (any::<i64>(), 0u32..6).prop_map(|(units, scale)| Decimal::new(units, scale))
}

fn scac() -> impl Strategy<Value = Scac> {
    "[A-Z][A-Z0-9]{1,3}".prop_map(|text| Scac::parse(&text).unwrap())
}

fn locode() -> impl Strategy<Value = UnLocode> {
    "[A-Z]{2}[A-Z2-9]{3}".prop_map(|text| UnLocode::parse(&text).unwrap())
}

fn imo() -> impl Strategy<Value = ImoNumber> {
    select(vec!["9321483", "9074729", "9703318"]).prop_map(|text| ImoNumber::parse(text).unwrap())
}

pub fn container_number() -> impl Strategy<Value = ContainerNumber> {
    "[A-Z]{3}[UJZ][0-9]{7}".prop_map(|text| ContainerNumber::from_feed(&text).unwrap().0)
}

fn source_kind() -> impl Strategy<Value = SourceKind> {
    use SourceKind::*;
    select(vec![
        Dcsa2,
        Dcsa3,
        CarrierApi,
        X12_315,
        X12_322,
        X12_214,
        Iftsta,
        Codeco,
        Coarri,
        Clm,
        RailApi,
        TerminalApi,
        Ais,
        Manual,
    ])
}

fn verb() -> impl Strategy<Value = Verb> {
    use Verb::*;
    select(vec![
        GateIn,
        GateOut,
        Load,
        Discharge,
        Arrive,
        Depart,
        Berth,
        Stuff,
        Strip,
        Pickup,
        Dropoff,
        SealChange,
        Inspect,
        Available,
        NotAvailable,
        HoldSet,
        HoldClear,
        Fee,
        LastFreeDay,
        Appointment,
        Eta,
        Document,
        Position,
        Customs,
    ])
}

fn classifier() -> impl Strategy<Value = Classifier> {
    select(vec![
        Classifier::Planned,
        Classifier::Estimated,
        Classifier::Actual,
    ])
}

fn precision() -> impl Strategy<Value = Precision> {
    select(vec![Precision::Day, Precision::Hour, Precision::Minute])
}

fn occurred() -> impl Strategy<Value = Occurred> {
    use ZoneSource::*;
    let zone_source = select(vec![Offset, Utc, Tag, Location, Unknown]);
    (instant(), wall_clock(), zone_source, precision()).prop_map(
        |(at, local, zone_source, precision)| Occurred {
            at,
            local,
            zone_source,
            precision,
        },
    )
}

fn equipment() -> impl Strategy<Value = Equipment> {
    (
        container_number(),
        of(text()),
        of(any::<bool>()),
        vec(text(), 0..3),
        of(decimal()),
    )
        .prop_map(|(number, iso_type, laden, seals, gross_kg)| Equipment {
            number,
            iso_type,
            laden,
            seals,
            gross_kg,
        })
}

fn place() -> impl Strategy<Value = Place> {
    use FacilityType::*;
    let facility_type = select(vec![
        Border,
        CustomerLocation,
        FreightStation,
        OffDock,
        Depot,
        InlandTerminal,
        PortTerminal,
        Ramp,
        Waypoint,
    ]);
    (
        of(locode()),
        of(text()),
        of(text()),
        of(facility_type),
        of(text()),
    )
        .prop_map(
            |(locode, facility_code, facility_list, facility_type, name)| Place {
                locode,
                facility_code,
                facility_list,
                facility_type,
                name,
            },
        )
}

fn leg() -> impl Strategy<Value = Leg> {
    let mode = select(vec![Mode::Vessel, Mode::Barge, Mode::Rail, Mode::Truck]);
    let vessel = (of(mode), of(text()), of(imo()));
    let voyage = (of(text()), of(text()), of(text()), of(text()));
    (vessel, voyage, of(any::<u32>()), of(any::<u32>())).prop_map(
        |((mode, vessel_name, vessel_imo), voyage, sequence, sequence_total)| Leg {
            mode,
            vessel_name,
            vessel_imo,
            voyage_out: voyage.0,
            voyage_in: voyage.1,
            service: voyage.2,
            call_id: voyage.3,
            sequence,
            sequence_total,
        },
    )
}

fn references() -> impl Strategy<Value = References> {
    let texts = || vec(text(), 0..3);
    (texts(), texts(), of(scac()), texts()).prop_map(|(bills, bookings, scac, others)| References {
        bills,
        bookings,
        scac,
        others,
    })
}

fn hold_name() -> impl Strategy<Value = HoldName> {
    use HoldName::*;
    select(vec![Freight, Customs, Usda, Vacis, Tmf, Other])
}

fn hold() -> impl Strategy<Value = Hold> {
    let status = select(vec![HoldStatus::Hold, HoldStatus::Pending]);
    (hold_name(), status, of(text())).prop_map(|(name, status, description)| Hold {
        name,
        status,
        description,
    })
}

fn fee() -> impl Strategy<Value = Fee> {
    use FeeKind::*;
    let kind = select(vec![Demurrage, Exam, ExtendedDwellTime, Other, Total]);
    (kind, of(decimal()), text()).prop_map(|(kind, amount, currency)| Fee {
        kind,
        amount,
        currency,
    })
}

fn last_free_day() -> impl Strategy<Value = LastFreeDay> {
    (date(), of(text())).prop_map(|(date, zone)| LastFreeDay { date, zone })
}

fn value() -> impl Strategy<Value = Value> {
    let owner = select(vec![LfdOwner::Line, LfdOwner::Terminal, LfdOwner::Rail]);
    prop_oneof![
        hold().prop_map(Value::Hold),
        hold().prop_map(Value::HoldOfItsOwn),
        (of(hold_name()), text()).prop_map(|(name, text)| Value::Release(name, text)),
        (hold_name(), text()).prop_map(|(name, text)| Value::Lifted(name, text)),
        fee().prop_map(Value::Fee),
        vec(hold(), 0..3).prop_map(Value::Holds),
        vec(fee(), 0..3).prop_map(Value::Fees),
        (owner, last_free_day()).prop_map(|(owner, day)| Value::LastFreeDay(owner, day)),
        instant().prop_map(Value::Appointment),
        Just(Value::NoAppointment),
        Just(Value::AvailabilityUnclear),
        text().prop_map(Value::YardLocation),
        text().prop_map(Value::Chassis),
        Just(Value::BookingCancelled),
        Just(Value::BookingConfirmed),
        Just(Value::LoadCancelled),
        withdrawal().prop_map(Value::Withdraws),
    ]
}

fn withdrawal() -> impl Strategy<Value = Withdrawal> {
    (of(text()), of(date()), of(text()), any::<bool>()).prop_map(
        |(reference, date, original, replaced)| Withdrawal {
            reference,
            date,
            original,
            replaced,
        },
    )
}

fn doubt() -> impl Strategy<Value = Doubt> {
    use Doubt::*;
    select(vec![
        CheckDigit,
        ZoneUnknown,
        InFuture,
        DowngradedToEstimate,
        PlaceUnknown,
        VesselUnknown,
        Unmapped,
        Derived,
        AsOf,
    ])
}

/// Any report at all.
pub fn report() -> impl Strategy<Value = Report> {
    use MoveHint::*;
    let move_hint = of(select(vec![
        Export,
        Import,
        Delivery,
        Transshipment,
        Onward,
        PreCarriage,
        Shifting,
    ]));
    let origin = (
        text(),
        source_kind(),
        of(text()),
        of(text()),
        of(instant()),
        instant(),
    );
    let happening = (
        verb(),
        classifier(),
        of(occurred()),
        of(equipment()),
        place(),
        leg(),
    );
    let rest = (
        move_hint,
        references(),
        text(),
        of(value()),
        vec(doubt(), 0..4),
        of(0..u32::MAX),
    );
    (origin, happening, rest).prop_map(|(origin, happening, rest)| Report {
        source: origin.0,
        source_kind: origin.1,
        source_event_id: origin.2,
        retracts: origin.3,
        reported_at: origin.4,
        received_at: origin.5,
        verb: happening.0,
        classifier: happening.1,
        occurred: happening.2,
        equipment: happening.3,
        place: happening.4,
        leg: happening.5,
        move_hint: rest.0,
        references: rest.1,
        original: rest.2,
        value: rest.3,
        doubts: rest.4,
        position: rest.5,
    })
}

fn vessel() -> impl Strategy<Value = Vessel> {
    (of(imo()), of(text())).prop_map(|(imo, name)| Vessel { imo, name })
}

fn event() -> impl Strategy<Value = EventName> {
    select(EventName::ALL.to_vec())
}

fn milestone() -> impl Strategy<Value = Milestone> {
    let slot = (event(), of(locode()), text(), any::<u32>());
    let when = (instant(), precision(), of(text()));
    let rest = (
        of(locode()),
        of(text()),
        of(vessel()),
        of(text()),
        source_kind(),
        of(text()),
    );
    (slot, when, rest).prop_map(|(slot, when, rest)| Milestone {
        slot: Slot {
            event: slot.0,
            place: slot.1,
            leg: slot.2,
            occurrence: slot.3,
        },
        at: when.0,
        precision: when.1,
        zone: when.2,
        locode: rest.0,
        terminal: rest.1,
        vessel: rest.2,
        voyage: rest.3,
        source: rest.4,
        value: rest.5,
    })
}

fn estimate() -> impl Strategy<Value = Estimate> {
    (
        event(),
        instant(),
        of(text()),
        of(locode()),
        of(vessel()),
        of(text()),
        source_kind(),
    )
        .prop_map(
            |(event, at, zone, locode, vessel, voyage, source)| Estimate {
                event,
                at,
                zone,
                locode,
                vessel,
                voyage,
                source,
            },
        )
}

fn journey() -> impl Strategy<Value = Journey> {
    let ends = (
        of(locode()),
        of(text()),
        of(locode()),
        of(locode()),
        of(text()),
    );
    (ends, vec(locode(), 0..3), of(vessel())).prop_map(|(ends, transshipments, pod_vessel)| {
        Journey {
            port_of_lading: ends.0,
            port_of_lading_terminal: ends.1,
            transshipments,
            port_of_discharge: ends.2,
            destination: ends.3,
            destination_terminal: ends.4,
            pod_vessel,
        }
    })
}

fn pickup() -> impl Strategy<Value = Pickup> {
    let free = (
        of(last_free_day()),
        of(last_free_day()),
        of(last_free_day()),
    );
    let told = (
        of(text()),
        of(any::<bool>()),
        vec(hold(), 0..3),
        vec(fee(), 0..3),
    );
    let yard = (of(text()), of(text()));
    (told, free, of(instant()), yard, of(instant())).prop_map(
        |(told, free, appointment, yard, terminal_checked_at)| Pickup {
            pod_terminal: told.0,
            available: told.1,
            holds: told.2,
            fees: told.3,
            lfd_line: free.0,
            lfd_terminal: free.1,
            lfd_rail: free.2,
            appointment,
            yard_location: yard.0,
            chassis: yard.1,
            terminal_checked_at,
        },
    )
}

fn size_type() -> impl Strategy<Value = SizeType> {
    use EquipmentType::*;
    let equipment_type = select(vec![Dry, Reefer, OpenTop, FlatRack, Bulk, Tank]);
    let height = select(vec![EquipmentHeight::Standard, EquipmentHeight::HighCube]);
    (of(equipment_type), of(any::<u8>()), of(height)).prop_map(
        |(equipment_type, length_ft, height)| SizeType {
            equipment_type,
            length_ft,
            height,
        },
    )
}

fn first_estimates() -> impl Strategy<Value = FirstEstimates> {
    (of(instant()), of(instant()), of(instant())).prop_map(|times| FirstEstimates {
        pol_departure: times.0,
        pod_arrival: times.1,
        inland_arrival: times.2,
    })
}

fn rail() -> impl Strategy<Value = Rail> {
    let carriers = (of(scac()), of(scac()));
    (carriers, of(instant()), vec(hold(), 0..3), vec(fee(), 0..3)).prop_map(
        |(carriers, heard_at, holds, fees)| Rail {
            pod_carrier: carriers.0,
            inland_carrier: carriers.1,
            heard_at,
            holds,
            fees,
        },
    )
}

/// Any state of a container.
pub fn container_state() -> impl Strategy<Value = ContainerState> {
    use QualityFlag::*;
    let flag = select(vec![
        TimesDiffer,
        PlacesDiffer,
        InFuture,
        CheckDigit,
        TerminalStale,
    ]);
    let life = (
        vec(milestone(), 0..4),
        vec(estimate(), 0..3),
        select(CurrentStatus::ALL.to_vec()),
        first_estimates(),
        (of(instant()), of(instant())),
    );
    let body = (size_type(), of(decimal()), vec(text(), 0..3));
    (
        container_number(),
        journey(),
        life,
        body,
        (pickup(), rail()),
        vec(flag, 0..3),
    )
        .prop_map(
            |(number, journey, life, body, pickup, flags)| ContainerState {
                number,
                journey,
                milestones: life.0,
                estimates: life.1,
                status: life.2,
                first_estimates: life.3,
                inland_by_line: InlandByLine {
                    expected: life.4.0,
                    arrived: life.4.1,
                },
                size_type: body.0,
                gross_kg: body.1,
                seals: body.2,
                pickup: pickup.0,
                rail: pickup.1,
                flags,
            },
        )
}

/// Any state of a shipment.
pub fn shipment_state() -> impl Strategy<Value = ShipmentState> {
    let places = (
        of(locode()),
        of(text()),
        of(locode()),
        of(text()),
        of(locode()),
        of(text()),
    );
    let times = (of(instant()), of(instant()), of(instant()));
    let more = (of(instant()), of(instant()), of(instant()));
    let first = (of(instant()), of(instant()), of(instant()));
    (
        places,
        of(vessel()),
        (times, first),
        more,
        of(source_kind()),
    )
        .prop_map(
            |(places, pod_vessel, (times, first), more, eta_source)| ShipmentState {
                port_of_lading: places.0,
                port_of_lading_terminal: places.1,
                port_of_discharge: places.2,
                pod_terminal: places.3,
                destination: places.4,
                destination_terminal: places.5,
                pod_vessel,
                pol_etd: times.0,
                pol_original_etd: first.0,
                pol_atd: times.1,
                pod_eta: times.2,
                pod_original_eta: first.1,
                pod_ata: more.0,
                destination_eta: more.1,
                destination_original_eta: first.2,
                destination_ata: more.2,
                eta_source,
            },
        )
}

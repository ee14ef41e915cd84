//! Reports as stored.

use domain::codes::{ContainerNumber, ImoNumber, Scac, UnLocode};
use domain::container::{Fee, Hold, HoldName, LastFreeDay, LfdOwner};
use domain::report::{
    Classifier, Doubt, Equipment, FacilityType, Leg, Mode, MoveHint, Occurred, Place, Precision,
    References, Report, SourceKind, Value, Verb, Withdrawal, ZoneSource,
};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Mirror, names, record};

record!(Report, ReportRow {
    source: String,
    source_kind: SourceKind,
    received_at: Timestamp,
    verb: Verb,
    classifier: Classifier,
    place: Place,
    leg: Leg,
    references: References,
    original: String,
} optional {
    source_event_id: String,
    retracts: String,
    reported_at: Timestamp,
    occurred: Occurred,
    equipment: Equipment,
    move_hint: MoveHint,
    value: Value,
    position: u32,
} lists {
    doubts: Doubt,
});

names!(
    SourceKind,
    SourceKindRow {
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
    }
);

names!(
    Verb,
    VerbRow {
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
    }
);

names!(
    Classifier,
    ClassifierRow {
        Planned,
        Estimated,
        Actual
    }
);

record!(Occurred, OccurredRow {
    at: Timestamp,
    local: DateTime,
    zone_source: ZoneSource,
    precision: Precision,
} optional {} lists {});

names!(
    ZoneSource,
    ZoneSourceRow {
        Offset,
        Utc,
        Tag,
        Location,
        Unknown
    }
);

names!(Precision, PrecisionRow { Day, Hour, Minute });

record!(Equipment, EquipmentRow {
    number: ContainerNumber,
} optional {
    iso_type: String,
    laden: bool,
    gross_kg: Decimal,
} lists {
    seals: String,
});

record!(Place, PlaceRow {} optional {
    locode: UnLocode,
    facility_code: String,
    facility_list: String,
    facility_type: FacilityType,
    name: String,
} lists {});

names!(
    FacilityType,
    FacilityTypeRow {
        Border,
        CustomerLocation,
        FreightStation,
        OffDock,
        Depot,
        InlandTerminal,
        PortTerminal,
        Ramp,
        Waypoint,
    }
);

record!(Leg, LegRow {} optional {
    mode: Mode,
    vessel_name: String,
    vessel_imo: ImoNumber,
    voyage_out: String,
    voyage_in: String,
    service: String,
    call_id: String,
    sequence: u32,
    sequence_total: u32,
} lists {});

names!(
    Mode,
    ModeRow {
        Vessel,
        Barge,
        Rail,
        Truck
    }
);

names!(
    MoveHint,
    MoveHintRow {
        Export,
        Import,
        Delivery,
        Transshipment,
        Onward,
        PreCarriage,
        Shifting
    }
);

record!(References, ReferencesRow {} optional {
    scac: Scac,
} lists {
    bills: String,
    bookings: String,
    others: String,
});

names!(
    Doubt,
    DoubtRow {
        CheckDigit,
        ZoneUnknown,
        InFuture,
        DowngradedToEstimate,
        PlaceUnknown,
        VesselUnknown,
        Unmapped,
        Derived,
        AsOf,
    }
);

record!(Withdrawal, WithdrawalRow {
    replaced: bool,
} optional {
    reference: String,
    date: Date,
    original: String,
} lists {});

/// The value of a claim, under the name of its kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueRow {
    Hold(<Hold as Mirror>::Row),
    HoldOfItsOwn(<Hold as Mirror>::Row),
    Release(Option<<HoldName as Mirror>::Row>, String),
    Fee(<Fee as Mirror>::Row),
    Holds(Vec<<Hold as Mirror>::Row>),
    Fees(Vec<<Fee as Mirror>::Row>),
    LastFreeDay(<LfdOwner as Mirror>::Row, <LastFreeDay as Mirror>::Row),
    Appointment(<Timestamp as Mirror>::Row),
    NoAppointment,
    AvailabilityUnclear,
    YardLocation(String),
    Chassis(String),
    BookingCancelled,
    BookingConfirmed,
    LoadCancelled,
    Withdraws(<Withdrawal as Mirror>::Row),
    Lifted(<HoldName as Mirror>::Row, String),
}

impl Mirror for Value {
    type Row = ValueRow;

    fn to_row(&self) -> ValueRow {
        match self {
            Self::Hold(hold) => ValueRow::Hold(hold.to_row()),
            Self::HoldOfItsOwn(hold) => ValueRow::HoldOfItsOwn(hold.to_row()),
            Self::Release(name, text) => ValueRow::Release(name.to_row(), text.clone()),
            Self::Lifted(name, text) => ValueRow::Lifted(name.to_row(), text.clone()),
            Self::Fee(fee) => ValueRow::Fee(fee.to_row()),
            Self::Holds(holds) => ValueRow::Holds(holds.to_row()),
            Self::Fees(fees) => ValueRow::Fees(fees.to_row()),
            Self::LastFreeDay(owner, day) => ValueRow::LastFreeDay(owner.to_row(), day.to_row()),
            Self::Appointment(at) => ValueRow::Appointment(at.to_row()),
            Self::NoAppointment => ValueRow::NoAppointment,
            Self::AvailabilityUnclear => ValueRow::AvailabilityUnclear,
            Self::YardLocation(text) => ValueRow::YardLocation(text.clone()),
            Self::Chassis(number) => ValueRow::Chassis(number.clone()),
            Self::BookingCancelled => ValueRow::BookingCancelled,
            Self::BookingConfirmed => ValueRow::BookingConfirmed,
            Self::LoadCancelled => ValueRow::LoadCancelled,
            Self::Withdraws(withdrawal) => ValueRow::Withdraws(withdrawal.to_row()),
        }
    }

    fn from_row(row: ValueRow) -> Result<Self, String> {
        Ok(match row {
            ValueRow::Hold(hold) => Self::Hold(Mirror::from_row(hold)?),
            ValueRow::HoldOfItsOwn(hold) => Self::HoldOfItsOwn(Mirror::from_row(hold)?),
            ValueRow::Release(name, text) => Self::Release(Mirror::from_row(name)?, text),
            ValueRow::Lifted(name, text) => Self::Lifted(Mirror::from_row(name)?, text),
            ValueRow::Fee(fee) => Self::Fee(Mirror::from_row(fee)?),
            ValueRow::Holds(holds) => Self::Holds(Mirror::from_row(holds)?),
            ValueRow::Fees(fees) => Self::Fees(Mirror::from_row(fees)?),
            ValueRow::LastFreeDay(owner, day) => {
                Self::LastFreeDay(Mirror::from_row(owner)?, Mirror::from_row(day)?)
            }
            ValueRow::Appointment(at) => Self::Appointment(Mirror::from_row(at)?),
            ValueRow::NoAppointment => Self::NoAppointment,
            ValueRow::AvailabilityUnclear => Self::AvailabilityUnclear,
            ValueRow::YardLocation(text) => Self::YardLocation(text),
            ValueRow::Chassis(number) => Self::Chassis(number),
            ValueRow::BookingCancelled => Self::BookingCancelled,
            ValueRow::BookingConfirmed => Self::BookingConfirmed,
            ValueRow::LoadCancelled => Self::LoadCancelled,
            ValueRow::Withdraws(withdrawal) => Self::Withdraws(Mirror::from_row(withdrawal)?),
        })
    }
}

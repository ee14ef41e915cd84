//! States of containers and shipments as stored.

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
use domain::report::{Precision, SourceKind};
use domain::shipment::ShipmentState;
use jiff::Timestamp;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::{names, record};

record!(ContainerState, ContainerStateRow {
    number: ContainerNumber,
    journey: Journey,
    status: CurrentStatus,
    size_type: SizeType,
    pickup: Pickup,
} optional {
    gross_kg: Decimal,
} lists {
    milestones: Milestone,
    estimates: Estimate,
    seals: String,
    flags: QualityFlag,
} unset {
    first_estimates: FirstEstimates,
    inland_by_line: InlandByLine,
    rail: Rail,
});

record!(FirstEstimates, FirstEstimatesRow {} optional {
    pol_departure: Timestamp,
    pod_arrival: Timestamp,
    inland_arrival: Timestamp,
} lists {});

record!(InlandByLine, InlandByLineRow {} optional {
    expected: Timestamp,
    arrived: Timestamp,
} lists {});

record!(Rail, RailRow {} optional {
    pod_carrier: Scac,
    inland_carrier: Scac,
    heard_at: Timestamp,
} lists {
    holds: Hold,
    fees: Fee,
});

record!(Journey, JourneyRow {} optional {
    port_of_lading: UnLocode,
    port_of_lading_terminal: String,
    port_of_discharge: UnLocode,
    destination: UnLocode,
    destination_terminal: String,
    pod_vessel: Vessel,
} lists {
    transshipments: UnLocode,
});

record!(Vessel, VesselRow {} optional {
    imo: ImoNumber,
    name: String,
} lists {});

record!(Milestone, MilestoneRow {
    slot: Slot,
    at: Timestamp,
    precision: Precision,
    source: SourceKind,
} optional {
    zone: String,
    locode: UnLocode,
    terminal: String,
    vessel: Vessel,
    voyage: String,
    value: String,
} lists {});

record!(Slot, SlotRow {
    event: EventName,
    leg: String,
    occurrence: u32,
} optional {
    place: UnLocode,
} lists {});

record!(Estimate, EstimateRow {
    event: EventName,
    at: Timestamp,
    source: SourceKind,
} optional {
    zone: String,
    locode: UnLocode,
    vessel: Vessel,
    voyage: String,
} lists {});

record!(SizeType, SizeTypeRow {} optional {
    equipment_type: EquipmentType,
    length_ft: u8,
    height: EquipmentHeight,
} lists {});

names!(
    EquipmentType,
    EquipmentTypeRow {
        Dry,
        Reefer,
        OpenTop,
        FlatRack,
        Bulk,
        Tank
    }
);

names!(EquipmentHeight, EquipmentHeightRow { Standard, HighCube });

record!(Pickup, PickupRow {} optional {
    pod_terminal: String,
    available: bool,
    lfd_line: LastFreeDay,
    lfd_terminal: LastFreeDay,
    lfd_rail: LastFreeDay,
    appointment: Timestamp,
    yard_location: String,
    chassis: String,
    terminal_checked_at: Timestamp,
} lists {
    holds: Hold,
    fees: Fee,
});

record!(Hold, HoldRow {
    name: HoldName,
    status: HoldStatus,
} optional {
    description: String,
} lists {});

names!(
    HoldName,
    HoldNameRow {
        Freight,
        Customs,
        Usda,
        Vacis,
        Tmf,
        Other
    }
);

names!(HoldStatus, HoldStatusRow { Hold, Pending });

record!(Fee, FeeRow {
    kind: FeeKind,
    currency: String,
} optional {
    amount: Decimal,
} lists {});

names!(
    FeeKind,
    FeeKindRow {
        Demurrage,
        Exam,
        ExtendedDwellTime,
        Other,
        Total
    }
);

record!(LastFreeDay, LastFreeDayRow {
    date: Date,
} optional {
    zone: String,
} lists {});

names!(
    LfdOwner,
    LfdOwnerRow {
        Line,
        Terminal,
        Rail
    }
);

names!(
    QualityFlag,
    QualityFlagRow {
        TimesDiffer,
        PlacesDiffer,
        InFuture,
        CheckDigit,
        TerminalStale
    }
);

record!(ShipmentState, ShipmentStateRow {} optional {
    port_of_lading: UnLocode,
    port_of_lading_terminal: String,
    port_of_discharge: UnLocode,
    pod_terminal: String,
    destination: UnLocode,
    destination_terminal: String,
    pod_vessel: Vessel,
    pol_etd: Timestamp,
    pol_original_etd: Timestamp,
    pol_atd: Timestamp,
    pod_eta: Timestamp,
    pod_original_eta: Timestamp,
    pod_ata: Timestamp,
    destination_eta: Timestamp,
    destination_original_eta: Timestamp,
    destination_ata: Timestamp,
    eta_source: SourceKind,
} lists {});

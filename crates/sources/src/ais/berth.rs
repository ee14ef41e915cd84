//! Stops at a quay as claims.

use domain::codes::ImoNumber;
use domain::place::Gazetteer;
use domain::report::{
    Classifier, Doubt, Leg, Mode, Occurred, Place, Precision, References, Report, SourceKind, Verb,
    ZoneSource,
};
use domain::vessel::{Quay, Seen, Stop, stops};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Profile, Sighting};
use crate::Located;

/// The claims that vessels lie alongside, from where they were seen. `sightings` should reach back a day, so that
/// a stop has its beginning; the same stop is the same claim however often it is told. Vessels without an IMO
/// number are left out: nothing would tell them from others.
pub fn berths(
    profile: &Profile,
    sightings: &[Sighting],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Vec<Located> {
    let mut named: Vec<&Sighting> = sightings.iter().filter(|s| s.imo.is_some()).collect();
    named.sort_by_key(|sighting| sighting.imo);
    let mut reports = Vec::new();
    for of_one in named.chunk_by(|one, next| one.imo == next.imo) {
        let Some(imo) = of_one.first().and_then(|sighting| sighting.imo) else {
            continue;
        };
        let name = of_one.iter().find_map(|sighting| sighting.name.as_deref());
        let track: Vec<Seen> = of_one.iter().filter_map(|one| one.seen()).collect();
        for stop in stops(&track, &profile.quays) {
            let report = berth(profile, (imo, name), &stop, received_at, gazetteer);
            reports.push(Located {
                position: format!("vessel {imo}"),
                report,
            });
        }
    }
    reports
}

/// The claim that this vessel lies alongside. It is the same however often it is told and however long the stop lasts.
pub fn berth(
    profile: &Profile,
    (imo, name): (ImoNumber, Option<&str>),
    stop: &Stop<'_>,
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Report {
    let utc = stop.from.to_zoned(TimeZone::UTC);
    let place = place(stop.quay, gazetteer);
    let known = gazetteer.terminal(&stop.quay.terminal).is_some();
    Report {
        source: profile.id.clone(),
        source_kind: SourceKind::Ais,
        // The day is in it: the same vessel comes again, and that is another stop.
        source_event_id: Some(format!("{imo}/{}/{}", stop.quay.terminal, utc.date())),
        retracts: None,
        reported_at: Some(stop.settled_at),
        received_at,
        verb: Verb::Berth,
        classifier: Classifier::Actual,
        occurred: Some(Occurred {
            at: stop.from,
            local: utc.datetime(),
            zone_source: ZoneSource::Utc,
            precision: Precision::Minute,
        }),
        equipment: None,
        place,
        leg: Leg {
            mode: Some(Mode::Vessel),
            vessel_name: name.map(str::to_owned),
            vessel_imo: Some(imo),
            ..Leg::default()
        },
        move_hint: None,
        references: References::default(),
        original: "AIS/STOP".into(),
        value: None,
        doubts: (!known)
            .then_some(Doubt::PlaceUnknown)
            .into_iter()
            .collect(),
        position: None,
    }
}

fn place(quay: &Quay, gazetteer: &Gazetteer) -> Place {
    let terminal = gazetteer.terminal(&quay.terminal);
    let code = terminal.and_then(|terminal| {
        let codes = [
            &terminal.smdg_code,
            &terminal.bic_facility_code,
            &terminal.firms_code,
        ];
        codes.into_iter().find_map(Clone::clone)
    });
    Place {
        locode: Some(quay.port),
        facility_code: code,
        facility_list: None,
        facility_type: Some(domain::report::FacilityType::PortTerminal),
        name: terminal.map(|terminal| terminal.name.clone()),
    }
}

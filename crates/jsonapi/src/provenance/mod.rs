//! `meta.provenance`: for every value of a container, who said it, when, and what else was said.
//!
//! It stands in the `meta` of the answer, beside resources that are copied as they are stored, and names values
//! as they do: attributes and relationships by their names, transport events by their ids. Each value has the
//! same shape, whatever it holds. Lists of what else was said are cut, newest first, and say how many were left
//! out, so that a feed that repeats itself a thousand times costs no more than one that does it eight times.

mod said;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;

use domain::container::{ContainerState, LfdOwner};
use domain::event::EventName;
use domain::ids::{EventId, RawMessageId, ReportId};
use domain::provenance::{Backing, Basis, Provenance, Statement, Subject};
use domain::report::{Doubt, Report};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::resource::source;
use crate::schema::{Attribute, Shape};
use crate::wire::{Moment, Shown, moment, text};
use said::Said;

/// Other statements about one value at most.
pub const OTHERS_MAX: usize = 8;
/// Statements that one value was taken from at most: a list of holds, fees or seals has one for each.
pub const STANDING_MAX: usize = 24;
/// Claims that concern no value at most.
pub const SET_ASIDE_MAX: usize = 40;
/// Transport events of one answer at most; the newest are shown.
pub const EVENTS_MAX: usize = 100;

/// What the provenance of one container is rendered from.
pub struct View<'a> {
    /// Who said what.
    pub provenance: &'a Provenance<'a>,
    /// The state that it belongs to.
    pub state: &'a ContainerState,
    /// Where each claim is kept.
    pub kept: &'a HashMap<*const Report, Kept>,
    /// The transport events that stand, with the value each of them tells, oldest first.
    pub events: &'a [(EventId, Subject)],
    /// Whether the container's own values are wanted, or its events only.
    pub whole: bool,
}

/// Where a claim is kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The claim.
    pub raw_event: ReportId,
    /// The message it stands in.
    pub raw_message: Option<RawMessageId>,
}

/// The object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let named = named(view.state);
    let naming = Naming {
        view,
        named: &named,
    };
    let (relations, attributes) = if view.whole {
        (relations(view.state), named.as_slice())
    } else {
        (Vec::new(), &[][..])
    };
    let newest = view.events.len().saturating_sub(EVENTS_MAX);
    let events = view.events.iter().skip(newest);
    let set_aside: &[Statement<'_>] = if view.whole {
        &view.provenance.set_aside
    } else {
        &[]
    };
    let shown = set_aside.iter().take(SET_ASIDE_MAX);
    text(&Whole {
        attributes: Keyed(naming.values(attributes.iter().map(|(name, s)| (*name, s)))),
        relationships: Keyed(naming.values(relations.iter().map(|(name, s)| (*name, s)))),
        transport_events: Keyed(naming.values(events.map(|(id, s)| (id.0.to_string(), s)))),
        set_aside: shown
            .map(|s| naming.statement(&Subject::Status, s))
            .collect(),
        set_aside_left_out: set_aside.len().saturating_sub(SET_ASIDE_MAX),
    })
}

/// The attributes of a container with the values they show.
fn named(state: &ContainerState) -> Vec<(&'static str, Subject)> {
    use Subject as S;
    let owner = state.pickup.owner_of_last_free_day();
    let milestones = state.shown_milestones().into_iter();
    let mut named: Vec<(&'static str, Subject)> = milestones
        .filter_map(|(name, milestone)| Some((name, S::Milestone(milestone?.slot.clone()))))
        .collect();
    named.extend(owner.map(|owner| ("pickup_lfd", S::LastFreeDay(owner))));
    let returned = state.milestone(EventName::EmptyIn);
    named.extend(
        returned.map(|back| ("empty_terminated_timezone", S::Milestone(back.slot.clone()))),
    );
    if state
        .milestone(EventName::ArrivedAtInlandDestination)
        .is_none()
    {
        let inland = EventName::EstimatedArrivedAtInlandDestination;
        named.push(("ind_eta_at", S::Estimate(inland)));
    }
    named.extend(NAMED.iter().map(|(name, subject)| (*name, subject.clone())));
    named
}

const NAMED: &[(&str, Subject)] = &[
    ("current_status", Subject::Status),
    ("equipment_type", Subject::SizeType),
    ("equipment_length", Subject::SizeType),
    ("equipment_height", Subject::SizeType),
    ("weight_in_lbs", Subject::GrossMass),
    ("seal_number", Subject::Seals),
    ("availability_known", Subject::Available),
    ("available_for_pickup", Subject::Available),
    ("holds_at_pod_terminal", Subject::Holds),
    ("fees_at_pod_terminal", Subject::Fees),
    (
        "import_deadlines.pickup_lfd_line",
        Subject::LastFreeDay(LfdOwner::Line),
    ),
    (
        "import_deadlines.pickup_lfd_terminal",
        Subject::LastFreeDay(LfdOwner::Terminal),
    ),
    (
        "import_deadlines.pickup_lfd_rail",
        Subject::LastFreeDay(LfdOwner::Rail),
    ),
    ("pickup_appointment_at", Subject::Appointment),
    ("location_at_pod_terminal", Subject::YardLocation),
    ("pod_full_out_chassis_number", Subject::Chassis),
    ("terminal_checked_at", Subject::TerminalChecked),
    ("pod_last_tracking_request_at", Subject::TerminalChecked),
    ("rail_last_tracking_request_at", Subject::RailHeard),
    ("pod_timezone", Subject::PortOfDischarge),
    ("final_destination_timezone", Subject::Destination),
    ("pod_rail_carrier_scac", Subject::PodRailCarrier),
    ("ind_rail_carrier_scac", Subject::InlandRailCarrier),
    ("ind_facility_lfd_on", Subject::LastFreeDay(LfdOwner::Rail)),
    ("ind_facility_holds", Subject::RampHolds),
    ("ind_facility_fees", Subject::RampFees),
    ("ssl_lfd", Subject::LastFreeDay(LfdOwner::Line)),
];

/// The relationships of a container that follow from what is said.
fn relations(state: &ContainerState) -> Vec<(&'static str, Subject)> {
    let inland = state.journey.destination.is_some();
    let facility = if inland {
        Subject::Destination
    } else {
        Subject::PodTerminal
    };
    vec![
        ("pod_terminal", Subject::PodTerminal),
        ("pickup_facility", facility),
    ]
}

/// Zones are no one's words: they follow from the place.
fn follows_from_place(name: &str) -> bool {
    name.ends_with("_timezone")
}

struct Naming<'v> {
    view: &'v View<'v>,
    named: &'v [(&'static str, Subject)],
}

impl<'v> Naming<'v> {
    fn values<N: AsRef<str>>(
        &self,
        subjects: impl Iterator<Item = (N, &'v Subject)>,
    ) -> Vec<(N, Value<'v>)> {
        subjects
            .filter_map(|(name, subject)| {
                let backing = self.view.provenance.of(subject)?;
                let mut value = self.value(backing);
                if follows_from_place(name.as_ref()) {
                    value.basis = words::basis(Basis::Derived);
                }
                Some((name, value))
            })
            .collect()
    }

    fn value(&self, backing: &'v Backing<'v>) -> Value<'v> {
        let told = |statements: &'v [Statement<'v>], most: usize| {
            let shown = statements.iter().take(most);
            shown.map(|s| self.statement(&backing.subject, s)).collect()
        };
        Value {
            basis: words::basis(backing.basis),
            confidence: backing
                .confidence()
                .map(|hundredths| f64::from(hundredths) / 100.0),
            stale: backing.stale,
            follows: backing
                .follows
                .iter()
                .filter_map(|s| self.name(s))
                .collect(),
            standing: told(&backing.standing, STANDING_MAX),
            others: told(&backing.others, OTHERS_MAX),
            others_left_out: backing.others.len().saturating_sub(OTHERS_MAX),
        }
    }

    /// The attribute that shows this value; for a milestone that none shows, its event.
    fn name(&self, subject: &Subject) -> Option<&'static str> {
        let known = self.named.iter().find(|(_, of)| of == subject);
        let event = || match subject {
            Subject::Milestone(slot) => Some(slot.event.as_str()),
            _ => None,
        };
        self.view.provenance.of(subject)?;
        known.map(|(name, _)| *name).or_else(event)
    }

    fn statement(&self, subject: &Subject, statement: &Statement<'v>) -> Told<'v> {
        let report = statement.report;
        let kept = self.view.kept.get(&std::ptr::from_ref(report));
        Told {
            verdict: words::verdict(statement.verdict),
            value: Said::of(subject, report),
            source: Source {
                id: &report.source,
                kind: words::kind(report.source_kind),
                data_source: source::word(report.source_kind),
            },
            rank: statement.rank,
            classifier: words::classifier(report.classifier),
            original_event: &report.original,
            timestamp: moment(report.occurred.as_ref().map(|occurred| occurred.at)),
            precision: report
                .occurred
                .as_ref()
                .map(|o| words::precision(o.precision)),
            location_locode: report.place.locode.map(Shown),
            reported_at: moment(report.reported_at),
            received_at: Moment(report.received_at),
            gives: statement
                .gives
                .iter()
                .map(|part| words::part(*part))
                .collect(),
            contradicts: statement.contradicts,
            doubts: report.doubts.iter().copied().map(words::doubt).collect(),
            raw_event_id: kept.map(|kept| Shown(kept.raw_event)),
            raw_message_id: kept.and_then(|kept| kept.raw_message).map(Shown),
        }
    }
}

#[derive(Serialize)]
struct Whole<'v, 's> {
    attributes: Keyed<&'static str, Value<'v>>,
    relationships: Keyed<&'static str, Value<'v>>,
    transport_events: Keyed<String, Value<'v>>,
    set_aside: Vec<Told<'s>>,
    set_aside_left_out: usize,
}

#[derive(Serialize)]
struct Value<'v> {
    basis: &'static str,
    confidence: Option<f64>,
    stale: bool,
    follows: Vec<&'static str>,
    standing: Vec<Told<'v>>,
    others: Vec<Told<'v>>,
    others_left_out: usize,
}

#[derive(Serialize)]
struct Told<'v> {
    verdict: &'static str,
    value: Said<'v>,
    source: Source<'v>,
    rank: Option<u8>,
    classifier: &'static str,
    original_event: &'v str,
    timestamp: Option<Moment>,
    precision: Option<&'static str>,
    location_locode: Option<Shown<domain::codes::UnLocode>>,
    reported_at: Option<Moment>,
    received_at: Moment,
    gives: Vec<&'static str>,
    contradicts: bool,
    doubts: Vec<&'static str>,
    raw_event_id: Option<Shown<ReportId>>,
    raw_message_id: Option<Shown<RawMessageId>>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "names of the wire")]
struct Source<'v> {
    id: &'v str,
    kind: &'static str,
    data_source: &'static str,
}

/// An object whose members are named by data.
struct Keyed<N, T>(Vec<(N, T)>);

impl<N: AsRef<str>, T: Serialize> Serialize for Keyed<N, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name.as_ref(), value)?;
        }
        map.end()
    }
}

/// What `meta.provenance` consists of.
pub const MEMBERS: &[Attribute] = &[
    Attribute::new("attributes", Shape::Keyed(VALUE)).about(
        "By name of the container's attribute; a dot leads into an object. Attributes that nobody said anything \
         about are missing, and those that come from the account itself.",
    ),
    Attribute::new("relationships", Shape::Keyed(VALUE)).about("By name of the relationship."),
    Attribute::new("transport_events", Shape::Keyed(VALUE))
        .about("By id, the newest hundred of those that stand. Of estimates and dates the newest event."),
    Attribute::new("set_aside", Shape::Objects(STATEMENT))
        .about("Claims that were put aside and would concern no value that stands."),
    Attribute::new("set_aside_left_out", Shape::Integer).about("How many more there are."),
];

const VALUE: &[Attribute] = &[
    Attribute::new("basis", Shape::OneOf(words::bases)).about(
        "A source said so; said so after saying otherwise; it follows from something else; a person said so.",
    ),
    Attribute::or_null("confidence", Shape::Number).about(
        "Of milestones, from 0 to 1: two sources agree, else the rank of the one that stands; less where one \
         contradicts. Decides nothing.",
    ),
    Attribute::new("stale", Shape::Boolean)
        .about("The terminal that said it has been silent for a day."),
    Attribute::new("follows", Shape::Texts).about("Attributes or events that it follows from."),
    Attribute::new("standing", Shape::Objects(STATEMENT)).about(
        "What the value was taken from: one statement, for lists one for each item, 24 at most.",
    ),
    Attribute::new("others", Shape::Objects(STATEMENT))
        .about("What else was said, newest first, the newest eight."),
    Attribute::new("others_left_out", Shape::Integer).about("How many more there are."),
];

const STATEMENT: &[Attribute] = &[
    Attribute::new("verdict", Shape::OneOf(words::verdicts))
        .about("Whether it stands, else why it does not."),
    Attribute::new("value", Shape::Any).about("What it says, in the terms of the attribute."),
    Attribute::new("source", Shape::Object(SOURCE)).about("Who says it."),
    Attribute::or_null("rank", Shape::Integer).about(
        "Of the source for such values: 1 is best, 0 is a person; null where ranks do not matter.",
    ),
    Attribute::new("classifier", Shape::OneOf(words::classifiers)),
    Attribute::new("original_event", Shape::Text).about("In the source's own words."),
    Attribute::or_null("timestamp", Shape::Moment)
        .about("When, by the source, it happened or will."),
    Attribute::or_null("precision", Shape::OneOf(words::precisions)).about("How fine that is."),
    Attribute::or_null("location_locode", Shape::Text).about("Where, as sent."),
    Attribute::or_null("reported_at", Shape::Moment).about("When the source wrote it."),
    Attribute::new("received_at", Shape::Moment).about("When we got it."),
    Attribute::new("gives", Shape::Words(words::parts))
        .about("What a milestone takes from it; the time makes it the one that stands."),
    Attribute::new("contradicts", Shape::Boolean)
        .about("It is more than a day from the time that stands."),
    Attribute::new("doubts", Shape::Words(words::doubts)).about("Why it is used with care."),
    Attribute::or_null("raw_event_id", Shape::Id).about("The raw event."),
    Attribute::or_null("raw_message_id", Shape::Id).about("The stored message it stands in."),
];

const SOURCE: &[Attribute] = &[
    Attribute::new("id", Shape::Text).about("Of its profile."),
    Attribute::new("kind", Shape::OneOf(words::kinds)).about("What it speaks."),
    Attribute::new("data_source", Shape::OneOf(source::words))
        .about("As transport events name it."),
];

/// Every doubt there is, for the list of words.
pub(crate) const DOUBTS: [Doubt; 9] = [
    Doubt::CheckDigit,
    Doubt::ZoneUnknown,
    Doubt::InFuture,
    Doubt::DowngradedToEstimate,
    Doubt::PlaceUnknown,
    Doubt::VesselUnknown,
    Doubt::Unmapped,
    Doubt::Derived,
    Doubt::AsOf,
];

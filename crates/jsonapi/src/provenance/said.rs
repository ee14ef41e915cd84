//! What a claim says about a value, in the terms of the attribute that shows it.

use domain::container::{Fee, Hold};
use domain::provenance::Subject;
use domain::report::{Report, Value, Verb};
use serde::Serialize;

use crate::resource::container::{FeeItem, HoldItem, lfd, pounds};
use crate::wire::{Moment, Shown};

/// One of the things an attribute can hold.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Said<'a> {
    Nothing(()),
    Moment(Moment),
    Text(&'a str),
    Shown(String),
    Number(i64),
    Flag(bool),
    Texts(&'a [String]),
    Holds(Vec<HoldItem<'a>>),
    Fees(Vec<FeeItem<'a>>),
}

impl<'a> Said<'a> {
    pub(super) fn of(subject: &Subject, report: &'a Report) -> Self {
        let said = match subject {
            Subject::Milestone(_) | Subject::Estimate(_) | Subject::Status => time(report),
            Subject::PortOfDischarge | Subject::Destination => report
                .place
                .locode
                .map(|place| Self::Shown(place.to_string())),
            Subject::PodTerminal => report.place.facility_code.as_deref().map(Self::Text),
            Subject::SizeType => equipment(report, |e| e.iso_type.as_deref().map(Self::Text)),
            Subject::GrossMass => {
                equipment(report, |e| e.gross_kg.and_then(pounds).map(Self::Number))
            }
            Subject::Seals => equipment(report, |e| Some(Self::Texts(&e.seals))),
            Subject::Available => match report.verb {
                Verb::Available => Some(Self::Flag(true)),
                Verb::NotAvailable => Some(Self::Flag(false)),
                _ => None,
            },
            Subject::Holds | Subject::RampHolds => Some(holds(report)),
            Subject::Fees | Subject::RampFees => Some(fees(report)),
            Subject::LastFreeDay(_) => match &report.value {
                Some(Value::LastFreeDay(_, day)) => lfd(Some(day)).map(Self::Moment),
                _ => None,
            },
            Subject::Appointment => match report.value {
                Some(Value::Appointment(at)) => Some(Self::Moment(Moment(at))),
                _ => None,
            },
            Subject::YardLocation => match &report.value {
                Some(Value::YardLocation(text)) => Some(Self::Text(text)),
                _ => None,
            },
            Subject::Chassis => match &report.value {
                Some(Value::Chassis(number)) => Some(Self::Text(number)),
                _ => None,
            },
            Subject::TerminalChecked | Subject::RailHeard => {
                Some(Self::Moment(Moment(report.received_at)))
            }
            Subject::PodRailCarrier | Subject::InlandRailCarrier => {
                let scac = report.references.scac;
                scac.map(|scac| Self::Shown(Shown(scac).0.to_string()))
            }
        };
        said.unwrap_or(Self::Nothing(()))
    }
}

fn time(report: &Report) -> Option<Said<'_>> {
    let occurred = report.occurred.as_ref()?;
    Some(Said::Moment(Moment(occurred.at)))
}

fn equipment<'a>(
    report: &'a Report,
    said: impl FnOnce(&'a domain::report::Equipment) -> Option<Said<'a>>,
) -> Option<Said<'a>> {
    said(report.equipment.as_ref()?)
}

/// Holds that it sets; none where it takes one off.
fn holds(report: &Report) -> Said<'_> {
    let named: &[Hold] = match &report.value {
        Some(Value::Holds(all)) => all,
        Some(Value::Hold(hold) | Value::HoldOfItsOwn(hold)) if report.verb == Verb::HoldSet => {
            std::slice::from_ref(hold)
        }
        _ => &[],
    };
    Said::Holds(named.iter().map(HoldItem::of).collect())
}

fn fees(report: &Report) -> Said<'_> {
    let named: &[Fee] = match &report.value {
        Some(Value::Fees(all)) => all,
        Some(Value::Fee(fee)) => std::slice::from_ref(fee),
        _ => &[],
    };
    Said::Fees(named.iter().map(FeeItem::of).collect())
}

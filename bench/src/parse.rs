//! Reading messages, on one core: X12 and EDIFACT beside a walk over the same bytes that only finds where
//! segments end, and DCSA beside a bare typed JSON parse of the same bytes.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use domain::place::Gazetteer;
use jiff::Timestamp;
use serde::Deserialize;
use sources::registry::Registry;
use sources::{Profile, edi_drop};

use crate::carrier::{VOYAGE, event};
use crate::ground::Grounds;
use crate::table::median;

/// What a second of one core must read of X12 and EDIFACT.
const EDI_MEGABYTES_MIN: f64 = 20.0;
/// What DCSA must reach of a bare typed parse.
const DCSA_RATIO_MIN: f64 = 0.5;

/// How much is read.
#[derive(Args)]
pub struct Options {
    /// Size of each file, in megabytes.
    #[arg(long, default_value_t = 10)]
    megabytes: usize,
}

/// Reads a file and counts what it found.
type Read<'a> = Box<dyn Fn(&[u8]) -> usize + 'a>;

/// What one language is read with, and what it is held against.
struct Case<'a> {
    name: &'static str,
    file: Vec<u8>,
    ours: Read<'a>,
    ceiling: fn(&[u8]) -> usize,
    bar: String,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let registry = Registry::load(&[])?;
    // Behind the times at which the carrier says it wrote its events, or each would be a complaint.
    let received_at: Timestamp = "2026-09-20T12:00:00Z".parse()?;
    let bytes = options.megabytes * 1_000_000;
    println!(
        "\nparse (MB/s of one core, median of {} rounds)",
        grounds.rounds
    );
    println!(
        "| {:<8} | {:>9} | {:>9} | {:>6} | {:<20} |",
        "", "ceiling", "ours", "ratio", "bar"
    );
    println!(
        "|{}|",
        [
            "-".repeat(10),
            "-".repeat(11),
            "-".repeat(11),
            "-".repeat(8),
            "-".repeat(22)
        ]
        .join("|")
    );
    for case in cases(bytes, received_at, registry.gazetteer())? {
        case.print(grounds.rounds);
    }
    Ok(())
}

fn cases(bytes: usize, at: Timestamp, gazetteer: &Gazetteer) -> Result<Vec<Case<'_>>> {
    let edi = || {
        let profile = edi_drop::Profile::parse("id = \"bench\"\nprotocol = \"edi\"")?;
        Ok::<_, anyhow::Error>(move |file: &[u8]| {
            let records = edi_drop::records(&profile, file, at, gazetteer);
            records.map(|part| part.reports.len()).sum()
        })
    };
    let carrier = Profile::parse(
        "id = \"bench\"\nprotocol = \"dcsa-2\"\nscac = \"BNCH\"\n[endpoint]\nbase = \"https://bench.invalid\"",
    )?;
    let dcsa = move |file: &[u8]| carrier.read(file, at, gazetteer).reports.len();
    let bar = format!("{EDI_MEGABYTES_MIN} MB/s");
    Ok(vec![
        Case {
            name: "X12",
            file: x12(bytes),
            ours: Box::new(edi()?),
            ceiling: |file| file.split(|byte| *byte == b'~').count(),
            bar: bar.clone(),
        },
        Case {
            name: "EDIFACT",
            file: edifact(bytes),
            ours: Box::new(edi()?),
            ceiling: |file| file.split(|byte| *byte == b'\'').count(),
            bar,
        },
        Case {
            name: "DCSA",
            file: json(bytes)?,
            ours: Box::new(dcsa),
            ceiling: typed,
            bar: format!("ratio {DCSA_RATIO_MIN}"),
        },
    ])
}

impl Case<'_> {
    fn print(&self, rounds: u32) {
        let megabytes = f64::from(u32::try_from(self.file.len()).unwrap_or(u32::MAX)) / 1e6;
        let speed = |read: &dyn Fn(&[u8]) -> usize| {
            let began = Instant::now();
            black_box(read(black_box(&self.file)));
            megabytes / began.elapsed().as_secs_f64()
        };
        let both: Vec<(f64, f64)> = (0..rounds)
            .map(|_| (speed(&self.ceiling), speed(&self.ours)))
            .collect();
        let ceiling = median(both.iter().map(|(ceiling, _)| *ceiling));
        let ours = median(both.iter().map(|(_, ours)| *ours));
        let ratio = median(both.iter().map(|(ceiling, ours)| ours / ceiling));
        println!(
            "| {:<8} | {ceiling:>9.0} | {ours:>9.0} | {ratio:>6.2} | {:<20} |",
            self.name, self.bar
        );
    }
}

/// 315s as a line sends them, about a thousand boxes in turn.
pub fn x12(bytes: usize) -> Vec<u8> {
    let mut file = String::from(
        "ISA*00*          *00*          *ZZ*BENCHLINE      *ZZ*BENCHUSER      *260314*0600*U*00401*000000041*0*P*>~\
         GS*QO*BENCHLINE*BENCHUSER*20260314*0600*41*X*004010~",
    );
    let mut sets = 0;
    while file.len() < bytes {
        let (box_digits, control) = (200_000 + sets % 1_000, sets + 1);
        let _ = write!(
            file,
            "ST*315*{control:07}~B4***UV*20260310*0124**BNCU*{box_digits}*L*45G1*USLAX*UN~N9*BM*BNCH{box_digits}~\
             N9*BN*BK{box_digits}~N9*SCA*BNCH~N9*SN*SEAL{box_digits}~Q2*9321483********221E***L*BENCH PIONEER~\
             R4*L*UN*CNSHA*SHANGHAI*CN~DTM*140*20260220*0700*LT~R4*D*UN*USLAX*TRAPAC LOS ANGELES*US~\
             DTM*139*20260310*0100*LT~R4*E*UN*USCHI*CHICAGO*US~DTM*139*20260318*1200*LT~R4*5*UN*USLAX*LOS ANGELES~\
             DTM*140*20260310*0124*LT~SE*16*{control:07}~"
        );
        sets += 1;
    }
    let _ = write!(file, "GE*{sets}*41~IEA*1*000000041~");
    file.into_bytes()
}

/// IFTSTAs of one status each.
pub fn edifact(bytes: usize) -> Vec<u8> {
    let mut file = String::from("UNB+UNOA:2+BENCHLINE+BENCHUSER+260314:0600+Q41'");
    let mut messages = 0;
    while file.len() < bytes {
        let (box_digits, reference) = (200_000 + messages % 1_000, messages + 1);
        let _ = write!(
            file,
            "UNH+{reference}+IFTSTA:D:99B:UN'BGM+23+D{reference}+9'DTM+137:202603140600:203'NAD+CA+BNCH:172:20'\
             CNI+1+BNCH{box_digits}'STS+1+29:REC24:6'RFF+BM:BNCH{box_digits}'RFF+BN:BK{box_digits}'\
             DTM+334:202603100124:203'LOC+175+USLAX:139:6'TDT+20+221E+1++BNCH:172:20+++9321483:146:11:BENCH PIONEER'\
             LOC+9+CNSHA:139:6'DTM+186:202602200700:203'LOC+11+USLAX:139:6'DTM+178:202603100100:203'\
             EQD+CN+BNCU{box_digits}+45G1:102:5++3+5'SEL+SEAL{box_digits}+CA'UNT+18+{reference}'"
        );
        messages += 1;
    }
    let _ = write!(file, "UNZ+{messages}+Q41'");
    file.into_bytes()
}

/// A carrier's answer: whole journeys, box after box.
pub fn json(bytes: usize) -> Result<Vec<u8>> {
    let mut file = String::from("[");
    let mut boxes = 0_u32;
    while file.len() < bytes {
        let number = format!("BNCU{:06}", 200_000 + boxes % 1_000);
        for step in &VOYAGE {
            if file.len() > 1 {
                file.push(',');
            }
            file.push_str(&event(boxes, &number, step));
        }
        boxes = boxes.checked_add(1).context("more boxes than there are")?;
    }
    file.push(']');
    Ok(file.into_bytes())
}

/// The members of an event that decide something or are kept, borrowed from the text, and nothing else.
#[expect(clippy::struct_field_names, reason = "the names of the standard")]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(rename = "eventID")]
    event_id: &'a str,
    event_type: &'a str,
    event_classifier_code: &'a str,
    event_date_time: &'a str,
    event_created_date_time: &'a str,
    equipment_event_type_code: Option<&'a str>,
    transport_event_type_code: Option<&'a str>,
    equipment_reference: Option<&'a str>,
    #[serde(rename = "ISOEquipmentCode")]
    iso_equipment_code: Option<&'a str>,
    empty_indicator_code: Option<&'a str>,
    #[serde(borrow, default)]
    seals: Vec<Seal<'a>>,
    #[serde(borrow)]
    document_references: Vec<Document<'a>>,
    #[serde(borrow)]
    references: Vec<Reference<'a>>,
    #[serde(borrow)]
    transport_call: Option<Call<'a>>,
}

#[derive(Deserialize)]
struct Seal<'a> {
    #[serde(rename = "sealNumber")]
    number: &'a str,
    #[serde(rename = "sealSource")]
    source: &'a str,
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(rename = "documentReferenceType")]
    kind: &'a str,
    #[serde(rename = "documentReferenceValue")]
    value: &'a str,
}

#[derive(Deserialize)]
struct Reference<'a> {
    #[serde(rename = "referenceType")]
    kind: &'a str,
    #[serde(rename = "referenceValue")]
    value: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call<'a> {
    #[serde(rename = "transportCallID")]
    id: &'a str,
    transport_call_sequence_number: u32,
    #[serde(rename = "UNLocationCode")]
    place: &'a str,
    facility_type_code: &'a str,
    mode_of_transport: &'a str,
    #[serde(borrow)]
    location: Location<'a>,
    carrier_service_code: Option<&'a str>,
    export_voyage_number: Option<&'a str>,
    import_voyage_number: Option<&'a str>,
    #[serde(borrow)]
    vessel: Option<Vessel<'a>>,
}

#[derive(Deserialize)]
struct Location<'a> {
    #[serde(rename = "locationName")]
    name: &'a str,
    #[serde(rename = "UNLocationCode")]
    place: &'a str,
}

#[derive(Deserialize)]
struct Vessel<'a> {
    #[serde(rename = "vesselIMONumber")]
    imo: &'a str,
    #[serde(rename = "vesselName")]
    name: &'a str,
}

/// The bare parse: how many events it finds.
fn typed(file: &[u8]) -> usize {
    let events: Vec<Event<'_>> = serde_json::from_slice(file).unwrap_or_default();
    events.iter().filter(|event| event.says_something()).count()
}

impl Event<'_> {
    /// Looks at every member, so that none is parsed for nothing.
    fn says_something(&self) -> bool {
        let call = self.transport_call.as_ref();
        let own = [
            Some(self.event_id),
            Some(self.event_type),
            Some(self.event_classifier_code),
            Some(self.event_date_time),
            Some(self.event_created_date_time),
            self.equipment_event_type_code,
            self.transport_event_type_code,
            self.equipment_reference,
            self.iso_equipment_code,
            self.empty_indicator_code,
        ];
        let says = |text: &str| !text.is_empty();
        own.into_iter().flatten().any(says)
            || self
                .seals
                .iter()
                .any(|seal| says(seal.number) || says(seal.source))
            || self
                .document_references
                .iter()
                .any(|paper| says(paper.kind) || says(paper.value))
            || self
                .references
                .iter()
                .any(|other| says(other.kind) || says(other.value))
            || call.is_some_and(Call::says_something)
    }
}

impl Call<'_> {
    fn says_something(&self) -> bool {
        let vessel = self.vessel.as_ref();
        let texts = [
            Some(self.id),
            Some(self.place),
            Some(self.facility_type_code),
            Some(self.mode_of_transport),
            Some(self.location.name),
            Some(self.location.place),
            self.carrier_service_code,
            self.export_voyage_number,
            self.import_voyage_number,
            vessel.map(|vessel| vessel.imo),
            vessel.map(|vessel| vessel.name),
        ];
        self.transport_call_sequence_number > 0
            || texts.into_iter().flatten().any(|text| !text.is_empty())
    }
}

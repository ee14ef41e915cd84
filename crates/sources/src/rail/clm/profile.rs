//! The profile of one feed of sightings.

use domain::codes::Scac;
use jiff::tz::TimeZone;

use super::layout::{LINE_COLUMNS_MAX, Layout, USUAL};
use crate::ProfileError;
use crate::section::Section;
use crate::table::mapping::file::id;

/// One feed of car location messages. Its keys are described in `docs/sources/rail.md`.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name of the feed; stands in every report as its source.
    pub id: String,
    /// The railroad, where lines do not name one.
    pub railroad: Option<Scac>,
    pub(super) layout: Layout,
    /// All times are in this zone; else each is local at its place.
    pub(super) zone: Option<TimeZone>,
}

impl Profile {
    /// Reads a profile. Every key is checked, and one that means nothing is an error with its place.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut top = Section::of_document(text)?;
        let protocol = top.required_text("protocol")?;
        if protocol != "clm" {
            return Err(top.bad("protocol", &format!("is clm, not {protocol:?}")));
        }
        let id = id(&mut top)?;
        let railroad = top.text("railroad")?.map(|code| {
            crate::table::railroad(&code).ok_or_else(|| top.bad("railroad", "is a reporting mark"))
        });
        let railroad = railroad.transpose()?;
        let mut times = top.table_or_empty("times")?;
        let zone = times.text("zone")?.map(|name| {
            TimeZone::get(&name)
                .map_err(|_| times.bad("zone", &format!("{name:?} is no IANA time zone")))
        });
        let zone = zone.transpose()?;
        times.finish()?;
        let layout = layout(&mut top)?;
        top.finish()?;
        Ok(Self {
            id,
            railroad,
            layout,
            zone,
        })
    }
}

/// `city = "27-35"`, `sight = "24"`, `train = "none"`.
fn layout(top: &mut Section) -> Result<Layout, ProfileError> {
    let mut layout = Layout::default();
    let Some(mut table) = top.table("columns")? else {
        return Ok(layout);
    };
    for (key, _) in USUAL {
        let Some(text) = table.text(key)? else {
            continue;
        };
        if text == "none" {
            layout.put(key, None);
            continue;
        }
        let (from, to) = text.split_once('-').unwrap_or((&text, &text));
        let columns = from
            .trim()
            .parse::<usize>()
            .ok()
            .zip(to.trim().parse::<usize>().ok());
        let columns =
            columns.filter(|(from, to)| 1 <= *from && from <= to && *to <= LINE_COLUMNS_MAX);
        let (from, to) = columns.ok_or_else(|| {
            table.bad(
                key,
                &format!("is two columns from 1 to {LINE_COLUMNS_MAX} (\"27-35\"), or none"),
            )
        })?;
        layout.put(key, Some(from..=to));
    }
    table.finish()?;
    Ok(layout)
}

//! `sources.trust`: ranks that the operator gives to single sources.

use domain::trust::{Group, Rank, Trust};

use super::{SettingsInvalid, Sources};

/// The ranks as they count for the sources of these ids.
pub fn trust(settings: &Sources, ids: &[&str]) -> Result<Trust, SettingsInvalid> {
    let mut trust = Trust::default();
    for (source, group, rank) in ranks(settings)? {
        // The environment cannot tell capitals.
        let id = ids.iter().find(|id| id.eq_ignore_ascii_case(source));
        let id = id.ok_or_else(|| SettingsInvalid::Trust {
            place: source.to_owned(),
            reason: format!("no source has this id; there are: {}", ids.join(", ")),
        })?;
        trust.give(id, group, rank);
    }
    Ok(trust)
}

/// The ranks as far as they can be judged without the sources.
pub fn ranks(settings: &Sources) -> Result<Vec<(&str, Group, Rank)>, SettingsInvalid> {
    let given = settings.trust.iter().flat_map(|(source, groups)| {
        let groups = groups.iter();
        groups.map(move |(group, rank)| (source.as_str(), group.as_str(), *rank))
    });
    given
        .map(|(source, group, rank)| read(source, group, rank))
        .collect()
}

fn read<'s>(
    source: &'s str,
    group: &str,
    rank: i64,
) -> Result<(&'s str, Group, Rank), SettingsInvalid> {
    let refused = |reason| SettingsInvalid::Trust {
        place: format!("{source}.{group}"),
        reason,
    };
    let known = Group::parse(group).ok_or_else(|| {
        let names = Group::ALL.map(Group::as_str).join(", ");
        refused(format!("is no group of values; there are: {names}"))
    })?;
    let given = u8::try_from(rank).ok().and_then(Rank::new).ok_or_else(|| {
        let worst = Rank::MAX;
        refused(format!(
            "{rank} is no rank; the best is 1, the worst {worst}"
        ))
    })?;
    Ok((source, known, given))
}

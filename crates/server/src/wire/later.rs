//! Profiles of terminals and railroads that are put into `sources.d/` while the service runs.
//!
//! A new file is taken up when it looks the same twice, so that half of one is never read. One that cannot be used is
//! told once, and looked at again when it changes. What changes in a file that was taken up counts after the next
//! start, and is told too.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use sources::Profile;
use tokio_util::sync::CancellationToken;
use tracking::Tracking;

use super::{lacks, secret_owners};
use crate::config::Settings;

/// Real time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What changes when a file is written.
type Form = (u64, Option<SystemTime>);

/// How far a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Seen like this; it may still be written.
    Seen(Form),
    /// Read, or told why not.
    Dealt(Form),
}

/// Looks for new files until told to stop.
pub async fn watch(settings: Settings, tracking: Tracking, stop: CancellationToken) {
    let there = files(&settings).unwrap_or_default().into_iter();
    let mut known: BTreeMap<PathBuf, Stage> = there
        .map(|(path, form)| (path, Stage::Dealt(form)))
        .collect();
    while !stop.is_cancelled() {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => break,
        }
        // A folder that cannot be looked at has lost nothing: it is looked at again.
        let Ok(there) = files(&settings) else {
            continue;
        };
        known.retain(|path, _| there.contains_key(path));
        for (path, form) in there {
            let stage = match known.get(&path) {
                Some(Stage::Dealt(dealt)) if *dealt == form => continue,
                Some(Stage::Seen(seen)) if *seen == form => {
                    let file = path.display();
                    match take_up(&settings, &tracking, &path) {
                        Ok(id) => {
                            tracing::info!(%file, source = id, "a new source is asked from now on");
                        }
                        Err(error) => {
                            tracing::error!(%file, "a profile is not taken up: {error:#}");
                        }
                    }
                    Stage::Dealt(form)
                }
                _ => Stage::Seen(form),
            };
            known.insert(path, stage);
        }
    }
}

fn take_up(settings: &Settings, tracking: &Tracking, path: &std::path::Path) -> Result<String> {
    let profile = super::profile(path)?;
    let id = profile.id().to_owned();
    let together = together(settings);
    let alike = |(other, known): &&(PathBuf, Profile)| {
        other != path && super::watch_one_folder(known, &profile)
    };
    if let Some((other, _)) = together.iter().find(alike) {
        return Err(super::shares_folder(path, other));
    }
    let together: Vec<Profile> = together.into_iter().map(|(_, known)| known).collect();
    let settings = secret_owners::settled(settings, &together)?;
    let alone = std::slice::from_ref(&profile);
    lacks::warn(&lacks::of(&settings, alone, tracking.gazetteer())?);
    let source = super::source(&settings, tracking.outbound(), profile)?;
    tracking.take_up(source)?;
    Ok(id)
}

/// The profiles that lie there now, this one among them. One that cannot be used has no secrets to be given.
fn together(settings: &Settings) -> Vec<(PathBuf, Profile)> {
    let paths = super::profile_paths(&settings.sources.dir).unwrap_or_default();
    let read = paths.into_iter().map(|path| {
        let profile = super::profile(&path).ok()?;
        Some((path, profile))
    });
    read.flatten().collect()
}

fn files(settings: &Settings) -> Result<BTreeMap<PathBuf, Form>> {
    let paths = super::profile_paths(&settings.sources.dir)?;
    let form = |path: PathBuf| {
        let about = std::fs::metadata(&path).ok()?;
        Some((path, (about.len(), about.modified().ok())))
    };
    Ok(paths.into_iter().filter_map(form).collect())
}

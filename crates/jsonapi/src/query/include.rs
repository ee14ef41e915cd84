//! `include`: dotted paths, each step a declared relationship.

use crate::error::ErrorItem;
use crate::resource::named;
use crate::schema::Type;

/// Paths of one request at most.
const PATHS_MAX: usize = 32;
/// Steps of one path at most.
const STEPS_MAX: usize = 4;

/// Paths that clients of the reference interface call otherwise: the type at which they begin, their name, the path.
const ALIASES: &[(&str, &str, &[&str])] = &[
    ("tracking_request", "shipment", &["tracked_object"]),
    (
        "tracking_request",
        "container",
        &["tracked_object", "containers"],
    ),
    ("shipment", "pol_terminal", &["port_of_lading_terminal"]),
];

/// Other names of paths from this type, each with what it stands for.
pub fn aliases(kind: &Type) -> impl Iterator<Item = (&'static str, String)> {
    let own = ALIASES.iter().filter(|(from, _, _)| *from == kind.name);
    own.map(|(_, name, path)| (*name, path.join(".")))
}

/// A relationship to include, and what to include from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The relationship's name.
    pub relationship: &'static str,
    /// Further steps.
    pub then: Vec<Include>,
}

pub(super) fn read(list: &str, from: &'static Type) -> Result<Vec<Include>, Vec<ErrorItem>> {
    let paths: Vec<&str> = super::names(list).collect();
    if paths.len() > PATHS_MAX {
        let detail = format!("include names more than {PATHS_MAX} paths");
        return Err(vec![ErrorItem::parameter("include", detail)]);
    }
    let mut tree = Vec::new();
    let mut faults = Vec::new();
    for path in paths {
        let steps: Vec<&str> = path.split('.').collect();
        if steps.len() > STEPS_MAX {
            let detail = format!("'{path}' has more than {STEPS_MAX} steps");
            faults.push(ErrorItem::parameter("include", detail));
        } else if let Err(detail) = walk(&mut tree, &steps, &[from]) {
            faults.push(ErrorItem::parameter("include", detail));
        }
    }
    if faults.is_empty() {
        Ok(tree)
    } else {
        Err(faults)
    }
}

/// What another name stands for.
fn meant(step: &str, from: &[&'static Type]) -> Option<&'static [&'static str]> {
    let is_from = |kind: &str| from.iter().any(|one| one.name == kind);
    let mut aliases = ALIASES.iter();
    let found = aliases.find(|(kind, name, _)| *name == step && is_from(kind));
    found.map(|(_, _, path)| *path)
}

/// Adds one path to the tree. A relationship can point to several types; a step fits if any of them has it.
fn walk(tree: &mut Vec<Include>, steps: &[&str], from: &[&'static Type]) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(());
    };
    let found: Vec<_> = from.iter().filter_map(|t| t.relationship(step)).collect();
    let Some(relationship) = found.first() else {
        if let Some(path) = meant(step, from) {
            return walk(tree, &[path, rest].concat(), from);
        }
        let on: Vec<&str> = from.iter().map(|t| t.name).collect();
        let on = if on.is_empty() {
            "it".into()
        } else {
            on.join(" or ")
        };
        return Err(format!(
            "'{step}' is not specified as a relationship on {on}"
        ));
    };
    let next: Vec<&'static Type> = found
        .iter()
        .flat_map(|r| r.targets.iter().filter_map(|target| named(target)))
        .collect();
    let place = tree
        .iter()
        .position(|known| known.relationship == relationship.name)
        .unwrap_or_else(|| {
            tree.push(Include {
                relationship: relationship.name,
                then: Vec::new(),
            });
            tree.len() - 1
        });
    match tree.get_mut(place) {
        Some(node) => walk(&mut node.then, rest, &next),
        None => Ok(()),
    }
}

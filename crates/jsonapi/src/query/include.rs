//! `include`: dotted paths, each step a declared relationship.

use crate::error::ErrorItem;
use crate::resource::named;
use crate::schema::Type;

/// Paths of one request at most.
const PATHS_MAX: usize = 32;
/// Steps of one path at most.
const STEPS_MAX: usize = 4;

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

/// Adds one path to the tree. A relationship can point to several types; a step fits if any of them has it.
fn walk(tree: &mut Vec<Include>, steps: &[&str], from: &[&'static Type]) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(());
    };
    let found: Vec<_> = from.iter().filter_map(|t| t.relationship(step)).collect();
    let Some(relationship) = found.first() else {
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

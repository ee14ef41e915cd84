//! Terminals, and what the sources of this installation tell of each.

use std::collections::BTreeMap;

use jsonapi::resource::terminal;
use serde_json::Value;
use sources::outbound::EgressSettings;

use crate::house::House;

const SHEET: &str = r#"
id = "pier-seven"
protocol = "terminal-table"
terminal = "USLAX-Y258"
[columns]
container = "Unit"
available = "Available"
holds = "Holds"
"#;

/// Another source of the same terminal.
const GATE: &str = r#"
id = "gate-seven"
protocol = "terminal-table"
port = "USLAX"
facility = "Y258"
[columns]
container = "Unit"
chassis = "Chassis"
[moves]
full_out = "Out"
"#;

/// It names its terminals row by row, so nobody knows which they are.
const PORT: &str = r#"
id = "port-community"
protocol = "terminal-table"
port = "USLAX"
[columns]
container = "Unit"
facility = "Terminal"
fees = "Fees"
"#;

/// The names under `provided_data` that are true.
fn provided(resource: &Value) -> Vec<&str> {
    let told = resource["attributes"]["provided_data"].as_object().unwrap();
    let is_true = told.iter().filter(|(_, told)| **told == true);
    is_true.map(|(name, _)| name.as_str()).collect()
}

/// Whether empty `holds` mean that there are none, or that nobody tells of them.
#[tokio::test]
async fn what_its_sources_map_is_provided_by_a_terminal() {
    let house = House::hearing(&[SHEET, GATE, PORT], EgressSettings::default()).await;
    let (pier, other) = (terminal::id("USLAX-Y258"), terminal::id("USLAX-W185"));
    let all = [
        "available_for_pickup",
        "holds_at_pod_terminal",
        "pod_full_out_at",
        "pod_full_out_chassis_number",
    ];
    let fetched = house.get(&format!("/v2/terminals/{pier}")).await.json();
    assert_eq!(provided(&fetched["data"]), all);
    let silent = house.get(&format!("/v2/terminals/{other}")).await.json();
    assert_eq!(provided(&silent["data"]), [""; 0]);
    let port = house.get("/v2/ports/USLAX?include=terminals").await.json();
    let included = port["included"].as_array().unwrap().iter();
    let told: BTreeMap<&str, Vec<&str>> = included
        .map(|one| (one["id"].as_str().unwrap(), provided(one)))
        .collect();
    assert_eq!(told[pier.to_string().as_str()], all);
    let telling = told.values().filter(|told| !told.is_empty());
    assert_eq!(telling.count(), 1);
}

//! A long file costs little memory: its own bytes once or twice, and what is made of a few of its rows.

use std::fmt::Write as _;
use std::time::Duration;

use crate::service::Service;

/// What a file of ten megabytes may cost above rest, as is promised. It takes 46 on two cores, most of it the store's pages
/// and the file itself; two copies of the file that are made too much show.
const MEGABYTES_MAX: f64 = 64.0;
const FILE_BYTES: usize = 10_000_000;
/// After its start the service comes to rest in this time.
const REST: Duration = Duration::from_secs(3);
/// Longest wait for the file to be read, of a build that is not optimised.
const READ_MAX: Duration = Duration::from_mins(5);

/// Rows with a long remark: most of such a file is what nobody asks for. Its last word is one that nobody knows.
fn table() -> String {
    let remark = "as the gate has it, ".repeat(60);
    let mut file = String::from("Box,At,Free,Holds,Remark\n");
    for number in 0_u32.. {
        if file.len() >= FILE_BYTES {
            break;
        }
        let _ = writeln!(
            file,
            "QSDU{number:06},2026-03-14T08:00,N,CUSTOMS,\"{remark}\""
        );
    }
    file.push_str("QSDU000000,2026-03-14T08:00,perhaps,,\n");
    file
}

#[test]
fn a_file_of_ten_megabytes_is_read_in_little_memory() {
    let spool = tempfile::tempdir().unwrap();
    let profile = format!(
        "id = \"yard\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[columns]\ncontainer = \"Box\"\n\
         as_of = \"At\"\navailable = \"Free\"\nholds = \"Holds\"\n[drop]\nfolder = \"{}\"\n",
        spool.path().display()
    );
    let mut service = Service::install(&profile);
    service.start();
    std::thread::sleep(REST);
    let rest = service.anonymous_megabytes();
    std::fs::write(spool.path().join("yard.part"), table()).unwrap();
    std::fs::rename(
        spool.path().join("yard.part"),
        spool.path().join("yard.csv"),
    )
    .unwrap();
    let began = std::time::Instant::now();
    let mut worst = rest;
    while !spool.path().join("done/yard.csv").exists() {
        assert!(began.elapsed() < READ_MAX, "the file stays unread");
        worst = worst.max(service.anonymous_megabytes());
        std::thread::sleep(Duration::from_millis(2));
    }
    let above = worst - rest;
    eprintln!("{rest:.1} MB at rest, {above:.1} above it at the worst moment");
    assert!(above < MEGABYTES_MAX, "{above:.1} MB above rest");
    // It was read to its end: only there stands a word that nobody knows.
    let listed = service.call("GET", "/v2/sources", None).unwrap().body;
    let unmapped = &listed["data"][0]["attributes"]["unmapped_reports"];
    assert_eq!(unmapped, 1, "{listed}");
}

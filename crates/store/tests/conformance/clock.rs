//! What time it is, asked of a database that several nodes share.

use jiff::Timestamp;

use crate::bench::Bench;

on_both_engines!(a_shared_database_tells_what_its_clock_shows_at_each_question);

/// The server of the tests has this machine's clock.
async fn a_shared_database_tells_what_its_clock_shows_at_each_question(bench: &Bench) {
    for _ in 0..3 {
        let asked = Timestamp::now();
        let shown = bench.store.time().await.unwrap();
        assert_eq!(shown.is_some(), bench.server.is_some());
        let Some(shown) = shown else {
            continue;
        };
        // Whole microseconds, which may be cut or rounded.
        let micros = |time: Timestamp| time.as_microsecond();
        assert!(micros(asked) <= micros(shown) + 1, "{asked} {shown}");
        assert!(micros(shown) <= micros(Timestamp::now()) + 1, "{shown}");
    }
}

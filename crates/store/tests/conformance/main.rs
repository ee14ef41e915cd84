//! What the store promises, each promise once, proved on both engines.
//!
//! PostgreSQL is started by the tests themselves. When it is missing these tests fail; they do not skip.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, which is what it is for"
)]

/// Makes two tests of each promise, one for each engine.
macro_rules! on_both_engines {
    ($($promise:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test]
            fn $promise() {
                crate::bench::prove(&crate::bench::Bench::sqlite(), super::$promise);
            })+
        }

        mod postgres {
            $(#[test]
            fn $promise() {
                crate::bench::prove(&crate::bench::Bench::postgres(), super::$promise);
            })+
        }
    };
}

mod asked;
mod audit;
mod bench;
mod clock;
mod custom_fields;
mod cut_terms;
mod deliveries;
mod deliveries_forgotten;
mod deliveries_in_hand;
mod deliveries_in_order;
mod dockets;
mod document_schemas;
mod generated;
mod holds_and_fees;
mod kept_answers;
mod killed;
mod lines;
mod listeners;
mod lists;
mod main_keys;
mod messages;
mod notifications_listed;
mod only_postgres;
mod packed;
mod parties;
mod plans;
mod push_subscriptions;
mod recalls;
mod redeliveries;
mod reports;
mod rows;
mod set_back;
mod sources;
mod start;
mod tenants;
mod transactions;
mod values;
mod watches;
mod webhooks_deleted;

//! The bare store on PostgreSQL: each group is four statements over arrays and one commit.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context as _, Result};
use postgres::{Client, NoTls};

use super::{Event, Received, STATES, State, slim};

const TABLES: &str = "
    create table states (id integer primary key, status text not null, updated_at text not null,
        document text not null);
    create index states_by_status on states (status);
    create index states_by_time on states (updated_at);
    create table events (id bigint generated always as identity primary key, key bytea not null unique,
        state integer not null, body text not null);
    create table outbox (id bigint generated always as identity primary key, state integer not null,
        version bigint not null, reference text not null);";
const EVENTS: &str =
    "insert into events (key, state, body) select * from unnest($1::bytea[], $2::int[], $3::text[])
    on conflict do nothing returning key";
const STATES_OF: &str = "select id, document from states where id = any($1)";
const UPDATE: &str = "update states set status = n.status, updated_at = n.at, document = n.document
    from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as n(id, status, at, document)
    where states.id = n.id";
const OUTBOX: &str = "insert into outbox (state, version, reference)
    select * from unnest($1::int[], $2::bigint[], $3::text[])";

pub(super) struct Bare {
    client: Client,
    events: postgres::Statement,
    states_of: postgres::Statement,
    update: postgres::Statement,
    outbox: postgres::Statement,
}

/// Columns of the rows to be written.
#[derive(Default)]
struct Told {
    states: Vec<i32>,
    versions: Vec<i64>,
    references: Vec<String>,
}

impl Bare {
    pub(super) fn open(url: &str) -> Result<Self> {
        let mut client = Client::connect(url, NoTls)?;
        client.batch_execute(TABLES)?;
        let numbers: Vec<u32> = (0..STATES).collect();
        for some in numbers.chunks(1_000) {
            let ids: Vec<i32> = some
                .iter()
                .map(|number| i32::try_from(*number))
                .collect::<Result<_, _>>()?;
            let documents: Vec<String> = some
                .iter()
                .map(|number| serde_json::to_string(&State::first(*number)))
                .collect::<Result<_, _>>()?;
            let insert = "insert into states select id, 'new', '2026-09-01T00:00:00Z', document
                from unnest($1::int[], $2::text[]) as n(id, document)";
            client.execute(insert, &[&ids, &documents])?;
        }
        client.batch_execute("analyze; checkpoint")?;
        Ok(Self {
            events: client.prepare(EVENTS)?,
            states_of: client.prepare(STATES_OF)?,
            update: client.prepare(UPDATE)?,
            outbox: client.prepare(OUTBOX)?,
            client,
        })
    }

    pub(super) fn take_in(&mut self, group: &[Received]) -> Result<()> {
        let parsed: Vec<(&Received, Event<'_>)> = group
            .iter()
            .map(|received| Ok((received, serde_json::from_str(&received.text)?)))
            .collect::<Result<_>>()?;
        let slims: Vec<String> = parsed.iter().map(|(_, event)| slim(event)).collect();
        let keys: Vec<&[u8]> = group
            .iter()
            .map(|received| received.key.as_slice())
            .collect();
        let ids: Vec<i32> = group
            .iter()
            .map(|received| i32::try_from(received.state))
            .collect::<Result<_, _>>()?;
        let mut tx = self.client.transaction()?;
        let fresh = tx.query(&self.events, &[&keys, &ids, &slims])?;
        let mut fresh: HashSet<Vec<u8>> = fresh.iter().map(|row| row.get(0)).collect();
        let rows = tx.query(&self.states_of, &[&ids])?;
        let mut states: BTreeMap<i32, (State, &str)> = BTreeMap::new();
        for row in rows {
            states.insert(row.get(0), (serde_json::from_str(row.get(1))?, ""));
        }
        let mut told = Told::default();
        for (((received, event), id), slim) in parsed.iter().zip(&ids).zip(slims) {
            if fresh.remove(received.key.as_slice()) {
                let (state, at) = states.get_mut(id).context("a state is missing")?;
                state.merge(event);
                *at = event.at;
                told.states.push(*id);
                told.versions.push(state.version);
                told.references.push(slim);
            }
        }
        states.retain(|_, (_, at)| !at.is_empty());
        let ids: Vec<i32> = states.keys().copied().collect();
        let statuses: Vec<&str> = states
            .values()
            .map(|(state, _)| state.status.as_str())
            .collect();
        let times: Vec<&str> = states.values().map(|(_, at)| *at).collect();
        let documents: Vec<String> = states
            .values()
            .map(|(state, _)| serde_json::to_string(state))
            .collect::<Result<_, _>>()?;
        tx.execute(&self.update, &[&ids, &statuses, &times, &documents])?;
        tx.execute(
            &self.outbox,
            &[&told.states, &told.versions, &told.references],
        )?;
        Ok(tx.commit()?)
    }
}

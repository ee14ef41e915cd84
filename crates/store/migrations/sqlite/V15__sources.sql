-- How each source stands: one row for each set of credentials, shared by all nodes. What it said stands elsewhere.

create table sources (
    id text primary key not null,
    paused_at text,
    paused_reason text,
    failures integer not null default 0,
    openings integer not null default 0,
    open_until text,
    open_trouble text,
    trying_until text,
    wait_until text,
    minute_began text,
    in_minute integer not null default 0,
    day integer not null default 0,
    in_day integer not null default 0,
    asked_at text,
    answered_at text,
    heard_at text,
    troubles text not null default '{}'
) strict;

-- What stands in quarantine, by source.
create index raw_messages_aside on raw_messages (source, quarantined_at) where quarantined_at is not null;

-- What is due of one source, without a look at what is due of others.
create index watches_due_of_source on watches (source, next_poll_at, number) where next_poll_at is not null;

-- Vessels by the number of their radio, and the boxes aboard one.
create index vessels_by_radio on vessels (mmsi) where mmsi is not null;
create index container_vessels_aboard on container_vessels (vessel_id, container_id);

-- Our subscriptions at carriers: one for each source. Secrets are sealed.
create table push_subscriptions (
    source text primary key not null,
    subscription_id text,
    callback text not null,
    secret blob not null,
    secret_before blob,
    told integer not null,
    secret_at text not null,
    renewed_at text,
    failures integer not null,
    trouble text,
    due_at text not null
) strict;

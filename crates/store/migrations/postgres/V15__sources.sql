-- How each source stands: one row for each set of credentials, shared by all nodes. What it said stands elsewhere.

create table sources (
    id text primary key not null,
    paused_at timestamptz,
    paused_reason text,
    failures bigint not null default 0,
    openings bigint not null default 0,
    open_until timestamptz,
    open_trouble text,
    trying_until timestamptz,
    wait_until timestamptz,
    minute_began timestamptz,
    in_minute bigint not null default 0,
    day bigint not null default 0,
    in_day bigint not null default 0,
    asked_at timestamptz,
    answered_at timestamptz,
    heard_at timestamptz,
    troubles text not null default '{}'
);

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
    secret bytea not null,
    secret_before bytea,
    told boolean not null,
    secret_at timestamptz not null,
    renewed_at timestamptz,
    failures bigint not null,
    trouble text,
    due_at timestamptz not null
);

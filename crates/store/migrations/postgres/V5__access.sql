-- Who may do what: since when a plan holds, answers kept for repeated requests, calls counted by all nodes.

alter table accounts add column plan_since timestamptz;
update accounts set plan_since = created_at;
alter table accounts alter column plan_since set not null;

-- One row for each Idempotency-Key. It is written in the transaction of the effect; status and body are null
-- only while an answer that could not be written there is on its way.
create table kept_answers (
    account_id uuid not null references accounts (id) on delete cascade,
    method text not null,
    path text not null,
    key text not null,
    fingerprint bytea not null,
    sending uuid not null,
    created_at timestamptz not null,
    status bigint,
    media text,
    location text,
    body bytea,
    primary key (account_id, method, path, key)
);

create index kept_answers_by_age on kept_answers (created_at);

-- Calls of the last minute by second, as JSON text. Only nodes that share a database use it.
create table rate_windows (
    account_id uuid not null references accounts (id) on delete cascade,
    bucket text not null,
    seconds text not null,
    primary key (account_id, bucket)
);

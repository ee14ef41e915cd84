-- Who changed what: a chain of rows for each account, and one under the nil id for what belongs to none. A row is
-- written once and never changed; it outlives what it tells of, so that nothing refers to anything.
create table audit (
    account_id uuid not null,
    position bigint not null,
    created_at timestamptz not null,
    actor text not null,
    action text not null,
    subject_type text not null,
    subject_id text not null,
    detail text not null,
    previous bytea not null,
    hash bytea not null,
    primary key (account_id, position)
);

create index audit_by_time on audit (created_at, account_id, position);

-- Where each chain stands. Whoever adds a row holds its chain's head.
create table audit_heads (
    account_id uuid primary key not null,
    position bigint not null,
    hash bytea not null
);

-- What a delivery that is made again needs to know, and what is told of an event that a webhook missed.

alter table deliveries add column attempts_before bigint not null default 0;

-- The version of the thing that an event tells of, and the request that news of a request are about.
alter table events add column version bigint not null default 0;
alter table events add column tracking_request_id uuid;

-- Windows of time that are sent again. What was sent last stands in the row: kept notifications by time and id,
-- missed events by id.
create table redeliveries (
    id uuid primary key not null,
    account_id uuid not null,
    webhook_id uuid not null,
    from_at timestamptz not null,
    until_at timestamptz not null,
    events text not null,
    statuses text not null,
    missed boolean not null,
    counted bigint not null,
    redelivered bigint not null,
    kept_at timestamptz not null,
    kept_id uuid not null,
    missed_id uuid not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);

create index redeliveries_of_webhook on redeliveries (account_id, webhook_id, created_at desc, id desc);
create index redeliveries_under_way on redeliveries (id) where finished_at is null;

-- What a delivery that is made again needs to know, and what is told of an event that a webhook missed.

alter table deliveries add column attempts_before integer not null default 0;

-- The version of the thing that an event tells of, and the request that news of a request are about.
alter table events add column version integer not null default 0;
alter table events add column tracking_request_id blob;

-- Windows of time that are sent again. What was sent last stands in the row: kept notifications by time and id,
-- missed events by id.
create table redeliveries (
    id blob primary key not null,
    account_id blob not null,
    webhook_id blob not null,
    from_at text not null,
    until_at text not null,
    events text not null,
    statuses text not null,
    missed integer not null,
    counted integer not null,
    redelivered integer not null,
    kept_at text not null,
    kept_id blob not null,
    missed_id blob not null,
    created_at text not null,
    finished_at text,
    foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
) strict, without rowid;

create index redeliveries_of_webhook on redeliveries (account_id, webhook_id, created_at desc, id desc);
create index redeliveries_under_way on redeliveries (id) where finished_at is null;

-- Endpoints that fail, from their first failure after the last success. One that answers has no row.

create table webhook_health (
    webhook_id blob primary key not null references webhooks (id) on delete cascade,
    failing_since text not null,
    failed_at text not null,
    failures integer not null
) strict, without rowid;

alter table webhooks add column disabled_at text;

-- Endpoints that fail, from their first failure after the last success. One that answers has no row.

create table webhook_health (
    webhook_id uuid primary key not null references webhooks (id) on delete cascade,
    failing_since timestamptz not null,
    failed_at timestamptz not null,
    failures bigint not null
);

alter table webhooks add column disabled_at timestamptz;

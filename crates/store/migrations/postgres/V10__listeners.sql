-- Webhooks whose deliveries are fetched by a listener. No delivery of theirs is ever sent.

create table listeners (
    account_id uuid not null,
    name text not null,
    webhook_id uuid not null unique references webhooks (id) on delete cascade,
    asked_at timestamptz not null,
    primary key (account_id, name)
);

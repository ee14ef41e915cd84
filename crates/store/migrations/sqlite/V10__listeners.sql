-- Webhooks whose deliveries are fetched by a listener. No delivery of theirs is ever sent.

create table listeners (
    account_id blob not null,
    name text not null,
    webhook_id blob not null unique references webhooks (id) on delete cascade,
    asked_at text not null,
    primary key (account_id, name)
) strict, without rowid;

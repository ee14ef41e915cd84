-- Webhooks whose waiting deliveries are begun again, and how far that has come along their lines.
create table restarts (
    webhook_id uuid primary key not null references webhooks (id) on delete cascade,
    account_id uuid not null,
    -- Whether they begin their schedule anew; else they are only due at once.
    is_anew boolean not null,
    order_key uuid not null,
    sequence bigint not null,
    notification_id uuid not null
);

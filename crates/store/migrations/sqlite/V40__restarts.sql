-- Webhooks whose waiting deliveries are begun again, and how far that has come along their lines.
create table restarts (
    webhook_id blob primary key not null references webhooks (id) on delete cascade,
    account_id blob not null,
    -- Whether they begin their schedule anew; else they are only due at once.
    is_anew integer not null,
    order_key blob not null,
    sequence integer not null,
    notification_id blob not null
) strict, without rowid;

-- Secrets that signed before the present one and are still known to receivers, sealed together; null when there
-- are none. They count until retired_until.

alter table webhooks add column retired_secrets bytea;
alter table webhooks add column retired_until timestamptz;

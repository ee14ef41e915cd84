-- Whoever writes a delivery, its body or an attempt has just written its notification, or holds it. To have the engine
-- look the notification up again for every row, and lock it, is paid for by every delivery. What goes with a
-- notification still goes with it.
alter table deliveries drop constraint deliveries_notification_id_fkey;
alter table bodies drop constraint bodies_notification_id_fkey;
alter table attempts drop constraint attempts_notification_id_fkey;

create function forget_deliveries() returns trigger language plpgsql as $$
begin
    delete from deliveries where notification_id in (select id from gone);
    delete from bodies where notification_id in (select id from gone);
    delete from attempts where notification_id in (select id from gone);
    return null;
end
$$;

create trigger notifications_forgotten after delete on notifications
    referencing old table as gone for each statement execute function forget_deliveries();

-- The account of an event is held by whoever writes it, and accounts are never deleted.
alter table events drop constraint events_account_id_fkey;

-- A body of usual length stays in its row, instead of three pieces elsewhere.
alter table bodies set (toast_tuple_target = 8160);

-- Rows that change soon after they were written, in columns that no index has, find room on their page, and their
-- indexes stay as they are.
alter table watches set (fillfactor = 60);
alter table notifications set (fillfactor = 85);

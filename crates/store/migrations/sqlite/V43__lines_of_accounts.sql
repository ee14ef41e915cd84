-- What accounts upload stands in lines of their own, so that no account's files are in the way of the news to all, or of
-- another's. The lease, which is none, stands in both so that no other index serves their orders.
drop index unread_messages_waiting;
create index unread_messages_everybodys on unread_messages (source, lease_until, raw_message_id)
    where lease_until is null and account_id is null;
create index unread_messages_accounts on unread_messages (source, account_id, lease_until, raw_message_id)
    where lease_until is null and account_id is not null;

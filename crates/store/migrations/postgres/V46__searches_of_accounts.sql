-- Those of each account whose line is to be found stand in a line of their own, longest untouched first: the accounts have turns.

drop index tracking_requests_undetected;

create index tracking_requests_undetected on tracking_requests (account_id, updated_at, id)
    where status = 'pending' and scac is null and auto_detect;

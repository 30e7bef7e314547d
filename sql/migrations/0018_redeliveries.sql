-- What the owner sent again at once, so that a page shows how far it is.

create table hook_redeliveries (
  no integer primary key,
  cursors bigint[] not null,
  created_at instant not null default now()
);
comment on table hook_redeliveries is 'The deliveries of each subscription that the owner sent again together, the last time. Kept for a day.';
comment on column hook_redeliveries.no is 'The subscription, see hook_positions.';
comment on column hook_redeliveries.cursors is 'Their events. What is in hook_retries is on its way, what is in hook_failures failed again.';

comment on column hook_retries.taken_by is 'The fence under which it was taken last. What its worker says it has under way decides, so what it did not hear of is taken again.';

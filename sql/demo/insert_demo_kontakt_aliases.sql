-- Makes the merged identity keys of the people who first appear in one slice of leads; what is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set; phone numbers depend on it
--
-- Needs setup.sql. Always one hop: an alias leads to a surviving key and is never one itself.
-- Mail survives before phone before lead, so a person without mail can only lose a lead key.
prepare insert_demo_kontakt_aliases (integer, integer, integer) as
with merged as (
  select people.person, people.email, people.phone, people.kontakt_key, people.first_name, people.last_name, people.created_at, losers.place
  from demo.people('alias', $1, $2, $3) as people
  cross join generate_series(1, 5) as losers (place)
  where losers.place < demo.component_size(people.person)
    and (people.email is not null or people.phone is not null and losers.place = 1)
  offset 0
)
insert into kontakt_aliases (alias_key, canonical_key, created_at)
select
  case
    when merged.email is not null and merged.phone is not null and merged.place = 1 then 'phone:' || merged.phone
    when merged.place = 1 or merged.email is not null and merged.phone is not null and merged.place = 2
      then 'lead:' || demo.uuid('lead', merged.person)::text
    -- Addresses of earlier years; the number keeps them apart from everybody else's.
    else 'email:' || demo.mail_form(merged.first_name) || '.' || demo.mail_form(merged.last_name) || merged.person::text
      || (array['.privat', '.alt', '.arbeit', '.verein', '.neu'])[merged.place] || '@example.net'
  end,
  merged.kontakt_key,
  merged.created_at + make_interval(secs => demo.pick(
    'alias.created', 10 * merged.person + merged.place, greatest(1, floor(extract(epoch from demo.today() - merged.created_at))::bigint)))
from merged
on conflict do nothing;

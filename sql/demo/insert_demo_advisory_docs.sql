-- Makes the advisory documents of one slice of leads: three of five leads that got an offer or signed.
-- What is there already stays.
--
-- $1 first_lead
-- $2 last_lead
-- $3 leads_total  the size of the whole set
--
-- Needs setup.sql and the leads of the slice.
prepare insert_demo_advisory_docs (integer, integer, integer) as
with documented as (
  select people.n, people.name, people.created_at,
    greatest(4, floor(extract(epoch from demo.today() - people.created_at))::bigint) / 4 as step_seconds
  from demo.people('advisory_doc', $1, $2, $3) as people
  offset 0
)
insert into advisory_docs (id, lead_id, title, approved_at, sent_at, created_at)
select
  demo.uuid('advisory_doc', documented.n),
  demo.uuid('lead', documented.n),
  coalesce('Beratungsdokumentation ' || documented.name, 'Beratungsdokumentation'),
  case when demo.pick('advisory_doc.approved', documented.n, 100) < 80 then times.created_at + make_interval(secs => demo.pick('advisory_doc.approved_after', documented.n, documented.step_seconds)) end,
  case when demo.pick('advisory_doc.approved', documented.n, 100) < 65 then times.created_at + make_interval(secs => documented.step_seconds + demo.pick('advisory_doc.sent_after', documented.n, documented.step_seconds)) end,
  times.created_at
from documented
cross join lateral (
  select documented.created_at + make_interval(secs => demo.pick('advisory_doc.created', documented.n, documented.step_seconds)) as created_at
) as times
on conflict do nothing;

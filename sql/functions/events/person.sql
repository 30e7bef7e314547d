-- Whom an event is about, as the owner's pages name it.
--
-- @needs identity/kontakt_key

create or replace function event_person(object_type text, object_id text, links jsonb, data jsonb) returns text
  language sql stable
  return coalesce(
    nullif(data ->> 'name', ''),
    nullif(data ->> 'customer_display_name', ''),
    nullif(data #>> '{analysis,kunde,name}', ''),
    -- Its event names no lead, and its object is the appointment.
    (select nullif(appointments.customer_display_name, '') from appointments
      where object_type = 'meeting' and appointments.id = substr(kontakt_key_lead(object_id), 6)::uuid),
    (select leads.name from leads where leads.id = (
      select substr(kontakt_key_lead(found.lead_id), 6)::uuid
      from (select coalesce(
        links ->> 'lead_id', data ->> 'lead_id', case when object_type = 'lead' then object_id end,
        substring(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key')
          from '^lead:(.*)$')) as lead_id) as found)),
    substring(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key') from '^(?:email|phone):(.*)$'));
comment on function event_person is
  'Personal: whom an event is about, by name, else by address or phone number; null: it names no person.';

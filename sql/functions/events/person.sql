-- Whom an event is about, as the owner's pages name it.

create or replace function event_person(object_type text, object_id text, links jsonb, data jsonb) returns text
  language sql stable
  return coalesce(
    nullif(data ->> 'name', ''),
    nullif(data ->> 'customer_display_name', ''),
    nullif(data #>> '{analysis,kunde,name}', ''),
    -- Its event names no lead, and its object is the appointment.
    (select nullif(appointments.customer_display_name, '') from appointments
      where object_type = 'meeting' and appointments.id = case when object_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then object_id::uuid end),
    (select leads.name from leads where leads.id = (
      select case when found.lead_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then found.lead_id::uuid end
      from (select coalesce(
        links ->> 'lead_id', data ->> 'lead_id', case when object_type = 'lead' then object_id end,
        substring(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key') from '^lead:(.*)$')) as lead_id) as found)),
    substring(coalesce(data ->> 'kontakt_key', data ->> 'canonical_key') from '^(?:email|phone):(.*)$'));
comment on function event_person is 'Personal: whom an event is about, by name, else by address or phone number; null: it names no person.';

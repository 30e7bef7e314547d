-- The leads that have a text within a status of few leads.

create or replace function is_rare_status(only_status text) returns boolean
  language sql stable
  return only_status is not null and not exists (select from leads where leads.status = only_status offset 100);
comment on function is_rare_status is 'Called by leads_with_text: whether looking through the leads of a status is less than a walk.';

-- Inlined where it is called.
create or replace function leads_of_status_with_text(
  form text, only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language sql stable rows 50
begin atomic
  select leads.*
  from leads
  where leads.status = only_status
    and strpos(leads.search_text, form) > 0
    and (include_archived or leads.archived_at is null)
  order by leads.created_at desc, leads.id desc
  limit row_limit
  offset row_offset;
end;
comment on function leads_of_status_with_text is 'A page of the leads of a status whose search_text contains a form, newest first.';

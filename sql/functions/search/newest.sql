-- The leads that have a text among the newest.
--
-- @needs tables/rows

-- Inlined where it is called.
create or replace function newest_leads_with_text(
  form text, walked_max double precision, only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language sql stable rows 50
begin atomic
  select walked.*
  from (
    select leads.*
    from leads
    order by leads.created_at desc, leads.id desc
    limit walked_max
  ) as walked
  where strpos(walked.search_text, form) > 0
    and (only_status is null or walked.status = only_status)
    and (include_archived or walked.archived_at is null)
  order by walked.created_at desc, walked.id desc
  limit row_limit
  offset row_offset;
end;
comment on function newest_leads_with_text is 'A page of those of the newest leads whose search_text contains a form; walked_max is how many are looked at, null: all.';

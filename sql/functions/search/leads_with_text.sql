-- The leads that have a text, newest first.
--
-- @needs search/spans, search/plan

-- Each way answers with as much of the page as it reaches, and the next goes on behind that: a wrong share costs time,
-- never a hit. The settings of the pool for files that are planned once would keep it from leads_search_idx.
create or replace function leads_with_text(
  form text, only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language plpgsql stable rows 50
  set search_path = public, pg_temp set enable_seqscan = off set enable_bitmapscan = on as $$
declare
  wanted constant integer := row_limit + row_offset;
  walked_max double precision;
  expected double precision;
  patterns text[];
  newest instant;
  days double precision;
  -- 5: no spans are looked up.
  finest integer := 5;
  spans integer[];
  answered integer := 0;
  found_now integer;
begin
  select * into walked_max, expected, patterns from search_plan(form, wanted);
  if walked_max is null or walked_max > 0 then
    return query
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
    get diagnostics answered = row_count;
  elsif expected > 350 + 3 * wanted then
    newest := (select max(leads.created_at) from leads);
    -- As many as have what is wanted, and a third more: a share is an estimate.
    days := 1.3 * wanted * extract(epoch from newest - (select min(leads.created_at) from leads)) / 86400 / expected;
    finest := case when days <= 8 then 1 when days <= 32 then 2 when days <= 128 then 3 when days <= 512 then 4 else 5 end;
  end if;

  -- The newest spans, at most five as GIN reads each; where they do not fill the page, as many of four times their length, but
  -- not of a text that has turned out to be rare.
  -- Two trigrams: a text of many leads has long lists, and what they let through within a few spans is soon compared.
  for level in finest .. least(finest + 1, 4) loop
    exit when answered = row_limit or level > finest and row_offset = 0 and answered < row_limit / 4;
    spans := array(
      select (search_spans(newest))[level] - 4 * back
      from generate_series(0, ceil(days / (2 * 4 ^ (finest - 1)))::integer) as back);
    return query
      select leads.*
      from leads
      where search_spans(leads.created_at) && spans
        and leads.search_text like patterns[1]
        and leads.search_text like coalesce(patterns[2], patterns[1])
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit - answered
      offset row_offset + answered;
    get diagnostics found_now = row_count;
    answered := answered + found_now;
  end loop;

  -- A text without a trigram has been looked for in all of them.
  if answered < row_limit and walked_max is not null then
    return query
      select leads.*
      from leads
      where leads.search_text like patterns[1]
        and leads.search_text like coalesce(patterns[2], patterns[1])
        and leads.search_text like coalesce(patterns[3], patterns[1])
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit - answered
      offset row_offset + answered;
  end if;
end
$$;
comment on function leads_with_text is 'A page of the leads whose search_text contains a form, newest first: from the newest leads, the newest spans of time or leads_search_idx as a whole, as search_plan says.';

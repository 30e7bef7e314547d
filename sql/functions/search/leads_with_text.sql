-- The leads that have a text, newest first.
--
-- @needs search/newest, search/of_spans, search/pieces, search/plan

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
  core text;
  pieces text[];
  pieces_after_1 text[];
  pieces_after_2 text[];
  newest instant;
  days double precision;
  -- 5: no spans are looked up.
  finest integer := 5;
  spans integer[];
  answered integer := 0;
  found_now integer;
begin
  select * into walked_max, expected, patterns from search_plan(form, wanted);
  if length(form) >= 7 then
    -- Around the rarest trigram: more pieces let hardly less through. What has the form has all pieces of one of the three.
    core := substr(form, greatest(1, least(strpos(form, btrim(patterns[1], '%')) - 6, length(form) - 15)), 16);
    pieces := search_pieces(core);
    pieces_after_1 := search_pieces(substr(core, 2));
    pieces_after_2 := search_pieces(substr(core, 3));
    -- Without a trigram it is not known how common it is.
    walked_max := coalesce(walked_max, 2000);
  end if;
  if walked_max is null or walked_max > 0 then
    return query select * from newest_leads_with_text(form, walked_max, only_status, include_archived, row_limit, row_offset);
    get diagnostics answered = row_count;
  end if;
  if expected > 350 + 3 * wanted and answered < row_limit and (walked_max = 0 or answered + row_offset > 0) then
    newest := (select max(leads.created_at) from leads);
    -- As many as have what is wanted, and a third more: a share is an estimate.
    days := 1.3 * wanted * extract(epoch from newest - (select min(leads.created_at) from leads)) / 86400 / expected;
    finest := case when days <= 8 then 1 when days <= 32 then 2 when days <= 128 then 3 when days <= 512 then 4 else 5 end;
  end if;

  -- The newest spans, at most five as GIN reads each; where they do not fill the page, as many of four times their length, but
  -- not of a text that has turned out to be rare.
  for level in finest .. least(finest + 1, 4) loop
    exit when answered = row_limit or level > finest and row_offset = 0 and answered < row_limit / 4;
    spans := array(
      select (search_spans(newest))[level] - 4 * back
      from generate_series(0, ceil(days / (2 * 4 ^ (finest - 1)))::integer) as back);
    return query select * from leads_of_spans(form, patterns, array[pieces[1], pieces_after_1[1], pieces_after_2[1]], spans, only_status,
      include_archived, row_limit - answered, row_offset + answered);
    get diagnostics found_now = row_count;
    answered := answered + found_now;
  end loop;

  if answered < row_limit and pieces is not null then
    return query
      select leads.*
      from leads
      where (search_pieces(leads.search_text) @> pieces
          or search_pieces(leads.search_text) @> pieces_after_1
          or search_pieces(leads.search_text) @> pieces_after_2)
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit - answered
      offset row_offset + answered;
  elsif answered < row_limit and walked_max is not null then
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

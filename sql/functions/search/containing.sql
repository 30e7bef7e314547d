-- All leads that have a text, or as many of the newest as are wanted.
--
-- @needs search/spans

-- The settings of the pool for files that are planned once would keep it from leads_search_idx. Of a text some rare
-- trigrams are looked up, because each is read to its end, and what is left is compared with the text itself.
-- Where many leads are expected, only those of the newest spans are looked up: of these, GIN reads no other part of a list.
create or replace function leads_containing(
  form text, trigrams text[], only_status text, include_archived boolean, wanted integer, expected real)
  returns table (id uuid, created_at instant)
  language plpgsql stable rows 100
  set search_path = public, pg_temp set enable_seqscan = off set enable_bitmapscan = on as $$
declare
  first constant text := '%' || trigrams[1] || '%';
  second constant text := coalesce('%' || trigrams[2] || '%', first);
  third constant text := coalesce('%' || trigrams[3] || '%', first);
  fourth constant text := coalesce('%' || trigrams[4] || '%', first);
  newest instant;
  days double precision;
  span_length integer;
  upper_span integer;
  spans_read integer;
  hits_read integer;
  hits integer := 0;
begin
  if expected > 4 * wanted then
    newest := (select max(leads.created_at) from leads);
    -- As many as have what is wanted, and half as many again: a share is an estimate.
    days := 1.5 * wanted * extract(epoch from newest - (select min(leads.created_at) from leads)) / 86400 / expected;
    -- Two spans of it hold that: one and a half on average, as the newest one has only begun.
    span_length := case when days < 3 then 1 when days < 12 then 2 when days < 48 then 3 when days < 192 then 4 end;
    upper_span := (search_spans(newest))[span_length];
  end if;
  if span_length is not null then
    foreach spans_read in array array[2, 4] loop
      return query
        select leads.id, leads.created_at
        from leads
        where search_spans(leads.created_at) && array(select generate_series(upper_span, upper_span - 4 * (spans_read - 1), -4))
          and leads.search_text like first and leads.search_text like second
          and leads.search_text like third and leads.search_text like fourth
          and strpos(leads.search_text, form) > 0
          and (only_status is null or leads.status = only_status)
          and (include_archived or leads.archived_at is null);
      get diagnostics hits_read = row_count;
      hits := hits + hits_read;
      upper_span := upper_span - 4 * spans_read;
      if hits >= wanted then
        return;
      end if;
      -- So few that it is not common after all.
      exit when hits < wanted / 4;
    end loop;
  end if;
  return query
    select leads.id, leads.created_at
    from leads
    where leads.search_text like first and leads.search_text like second
      and leads.search_text like third and leads.search_text like fourth
      and strpos(leads.search_text, form) > 0
      and (upper_span is null or (search_spans(leads.created_at))[span_length] <= upper_span)
      and (only_status is null or leads.status = only_status)
      and (include_archived or leads.archived_at is null);
end
$$;
comment on function leads_containing is 'Leads whose search_text contains a form, by up to four of its trigrams in leads_search_idx: all of them, or from the newest on as many as are wanted, where far more are expected.';

-- The words by which leads are found.
--
-- @needs tables/locks

-- A word ends at any ASCII character that is neither a letter nor a digit.
create or replace function search_trigrams(value text) returns table (word text, place bigint, trigram text)
  language sql immutable parallel safe rows 20
begin atomic
  select split.word, split.place, substr(split.word, first, 3)
  from regexp_split_to_table(value, '[\x01-/:-@\[-`{-\x7f]+') with ordinality as split (word, place)
  cross join lateral generate_series(1, length(split.word) - 2) as first;
end;
comment on function search_trigrams is 'The trigrams of each word of a text in search form; place counts the words.';

create or replace function has_trigram(form text) returns boolean
  language sql immutable parallel safe
  return form ~ '[^\x01-/:-@\[-`{-\x7f]{3}';
comment on function has_trigram is 'Whether a text in search form has three characters in a row inside a word.';

create or replace function refresh_search_shares() returns integer
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  sample_max constant double precision := 10000;
  -- Not known after an import, until the table is analyzed: then by its size.
  leads_total constant double precision := (
    select greatest(case when pg_class.reltuples > 0 then pg_class.reltuples else pg_relation_size(pg_class.oid) / 400 end, 1)
    from pg_class where pg_class.oid = 'leads'::regclass);
  sampled_part constant double precision := least(1, sample_max / leads_total);
  -- One row in ten of ten times the pages: leads of one import lie next to each other.
  pages_part constant double precision := least(1, 10 * sampled_part);
  refreshed integer;
begin
  -- Two at a time would each add the same rows.
  perform take_lock('refresh_search_shares');
  delete from search_shares;
  with sampled as materialized (
    select leads.id, leads.search_text
    from leads tablesample system (100 * pages_part)
    where random() < sampled_part / pages_part
  )
  insert into search_shares (part, share)
  select parts.part, count(*) / (select count(*) from sampled)::real
  from (
    select distinct sampled.id, trigrams.trigram as part
    from sampled, search_trigrams(sampled.search_text) as trigrams
    union all
    select distinct sampled.id, substr(sampled.search_text, place, 5)
    from sampled, generate_series(1, length(sampled.search_text) - 4) as place
  ) as parts
  group by parts.part
  -- Left out: five characters of fewer than 100 leads, or of fewer than 5 in the sample. A text with them counts as rare.
  having count(*) >= case length(parts.part) when 3 then 5 else greatest(5, 100 * sampled_part) end;
  get diagnostics refreshed = row_count;
  return refreshed;
end
$$;
comment on function refresh_search_shares is 'Counts anew how common parts of texts are, in a sample of 10,000 leads; how many are known. The worker does it when it prunes.';
revoke execute on function refresh_search_shares from public;

-- The sample is taken anew whenever this file changes.
select refresh_search_shares();

-- One page of the leads whose name, email or phone contains a text, newest first.
-- Case does not count; %, _ and \ are themselves.
--
-- $1 search            never null, no control characters
-- $2 status?           null: every status
-- $3 include_archived  false: only leads that are not archived
-- $4 row_limit
-- $5 row_offset
--
-- @planned once: how common the text is, by search_shares, decides which of its two ways is taken.
-- @replica answers
-- @uses leads_created_idx, leads_search_idx, leads_pkey, search_shares_pkey
prepare search_leads (text, text, boolean, integer, integer) as
with asked as materialized (
  select search_form($1) as form
),
trigrams as materialized (
  select known.word, known.place, known.trigram, known.share,
    row_number() over (partition by known.place order by known.share) as rank
  from (
    select found.word, found.place, found.trigram,
      coalesce((select search_shares.share from search_shares where search_shares.trigram = found.trigram), 0.0001) as share
    from asked
    cross join lateral search_trigrams(asked.form) as found
    -- A text has up to 200 characters, and the planner does not know.
    limit 200
  ) as known
),
-- The rarest trigram of each word; digits follow each other as they like. Words are seldom as independent as their
-- product says: hence the root. Bounded, because long texts would be rarer than a number can say. Null: a text without
-- trigrams, which no index has.
expected as materialized (
  select sqrt(min(words.share) * exp(greatest(sum(ln(words.share)), -60))) as share,
    exp(greatest(sum(ln(words.share)), -60)) * (select pg_class.reltuples from pg_class where pg_class.oid = 'leads'::regclass) as leads,
    (select pg_class.reltuples from pg_class where pg_class.oid = 'leads'::regclass) as leads_total
  from (
    select power(min(trigrams.share), case when trigrams.word ~ '^[0-9]+$' then least(length(trigrams.word) / 3.0, 10) else 1 end) as share
    from trigrams
    group by trigrams.place, trigrams.word
  ) as words
),
-- Walking costs 1 / share, the index share * leads, or 3,000 leads and 4 for each hit where it can stop at a span. Of the
-- newest leads so many that half of them fills the page.
depth as materialized (
  select case
      when expected.share ^ 2 * expected.leads_total > 0.5 * ($4 + $5) and ($4 + $5) / expected.share < 3000 + 4 * ($4 + $5)
        or expected.share is null then 2 * ($4 + $5) / expected.share
      else 0
    end as leads
  from expected
),
newest as materialized (
  select walked.id, walked.created_at
  from (
    select leads.id, leads.created_at, leads.search_text, leads.status, leads.archived_at
    from leads
    order by leads.created_at desc, leads.id desc
    limit (select depth.leads from depth)
  ) as walked
  where strpos(walked.search_text, (select asked.form from asked)) > 0
    and ($2 is null or walked.status = $2)
    and ($3 or walked.archived_at is null)
  order by walked.created_at desc, walked.id desc
  limit $4 + $5
),
-- A rare one, or one that was taken for common and is not: all leads that have it.
found as materialized (
  select newest.id, newest.created_at
  from newest
  where (select count(*) from newest) = $4 + $5 or (select expected.share is null from expected)
  union all
  select containing.id, containing.created_at
  from asked
  cross join lateral leads_containing(asked.form, array(
    select trigrams.trigram from trigrams order by trigrams.rank, trigrams.share limit 4), $2, $3, $4 + $5, (
    select expected.leads::real from expected cross join depth where depth.leads = 0)) as containing
  where (select count(*) from newest) < $4 + $5
    and (select expected.share is not null from expected)
)
select leads.id, leads.name, leads.email, leads.phone, leads.status, leads.source_type, leads.contacted_at,
  leads.archived_at, leads.archive_reason_code, leads.parsed_data, leads.created_at
from (
  select found.id
  from found
  order by found.created_at desc, found.id desc
  limit $4
  offset $5
) as page
join leads on leads.id = page.id
order by leads.created_at desc, leads.id desc;

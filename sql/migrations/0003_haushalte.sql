-- Household records, one per contact, and the aliases that lead to them.
--
-- The counts that lists and events show are derived from the documents when a row is written,
-- because unpacking 50 documents of 24 KB for one page of a list costs more than the page.

-- The contract has two shapes of one name: [{stufe, themen: [text]}] inside a DIN check, [{stufe, anzahl}] in lists and
-- events. This is the one place that makes the second from the first. Levels 1 to 3 are always listed when there is a
-- check at all. A check that was stored with the second shape counts by it; any other counts nothing and never fails.
create function luecken_nach_stufe(din_check jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  with luecken as (
    select (eintrag -> 'stufe')::numeric::integer as stufe,
      case
        when jsonb_typeof(eintrag -> 'themen') = 'array' then jsonb_array_length(eintrag -> 'themen')
        when jsonb_typeof(eintrag -> 'anzahl') = 'number' then least(greatest(floor((eintrag -> 'anzahl')::numeric), 0), 1000)
        else 0
      end as anzahl
    from jsonb_path_query(
      din_check, 'strict $.bewertung.luecken_nach_stufe[*] ? (@.stufe >= 1 && @.stufe <= 99 && @.stufe == @.stufe.floor())', silent => true) as eintrag
  ),
  stufen as (
    select stufe, anzahl from luecken
    union all
    select generate_series(1, 3), 0 where jsonb_typeof(din_check -> 'bewertung') = 'object'
  ),
  summen as (
    select stufe, sum(anzahl)::integer as anzahl from stufen group by stufe
  )
  select coalesce(jsonb_agg(jsonb_build_object('stufe', stufe, 'anzahl', anzahl) order by stufe), '[]')
  from summen;
end;
comment on function luecken_nach_stufe is 'Gaps per need level as counts, [{stufe, anzahl}], from a DIN check.';

create function vertraege_anzahl(haushalt jsonb) returns integer
  language sql immutable parallel safe
  return case when jsonb_typeof(haushalt -> 'vertraege') = 'array' then jsonb_array_length(haushalt -> 'vertraege') else 0 end;
comment on function vertraege_anzahl is 'Number of contracts in a household profile.';

create table haushalte (
  kontakt_key text collate "C" primary key,
  haushalt jsonb not null check (jsonb_typeof(haushalt) = 'object'),
  provenance jsonb check (jsonb_typeof(provenance) = 'object'),
  din_check jsonb check (jsonb_typeof(din_check) = 'object'),
  empfehlungen_aktuell jsonb check (jsonb_typeof(empfehlungen_aktuell) = 'object'),
  quelle text,
  updated_at instant not null default now(),
  vertraege_anzahl integer not null generated always as (vertraege_anzahl(haushalt)) stored,
  luecken_nach_stufe jsonb not null generated always as (luecken_nach_stufe(din_check)) stored,
  params_version text generated always as (din_check #>> '{bewertung,params_version}') stored
);

comment on table haushalte is 'Household records: the needs profile accumulated per contact.';
comment on column haushalte.kontakt_key is 'Personal: identity key, email:, phone: or lead: and the normalised value.';
comment on column haushalte.haushalt is 'Personal: the din_core_v2 household profile.';
comment on column haushalte.provenance is 'Personal: where each field of the profile came from.';
comment on column haushalte.din_check is 'Personal: the DIN check of the household.';
comment on column haushalte.empfehlungen_aktuell is 'Personal: current recommendations.';
comment on column haushalte.quelle is 'Origin of the last change, for example crm_import.';
comment on column haushalte.vertraege_anzahl is 'Derived: number of contracts.';
comment on column haushalte.luecken_nach_stufe is 'Derived: gaps per need level, [{stufe, anzahl}].';
comment on column haushalte.params_version is 'Derived: parameter version of the DIN check.';

-- GET /kontakte.
create index haushalte_updated_idx on haushalte (updated_at desc, kontakt_key);

create table kontakt_aliases (
  alias_key text collate "C" primary key,
  canonical_key text collate "C" not null,
  created_at instant not null default now(),
  check (alias_key <> canonical_key)
);

comment on table kontakt_aliases is 'Merged identity keys, always one hop from alias to surviving key.';
comment on column kontakt_aliases.alias_key is 'Personal: the key that was merged away.';
comment on column kontakt_aliases.canonical_key is 'Personal: the key that survives.';

-- The aliases of one contact.
create index kontakt_aliases_canonical_idx on kontakt_aliases (canonical_key, alias_key);

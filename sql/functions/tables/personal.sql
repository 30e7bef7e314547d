-- The tables that hold what is stored of persons, in the order in which an erasure empties them: rows that refer to
-- others first.

-- texts: every column that people or models fill with text is under the rule of income, be it one word. Addresses and
-- keys are not: a mail address, a phone number or a link with digits removed would be another one.
create or replace function personal_tables()
  returns table (place integer, table_name text, key_column text, key_type text, texts text[])
  language sql immutable parallel safe
begin atomic
  values
    (1, 'meeting_intelligence', 'appointment_id', 'uuid',
      '{failure_reason,customer_persona,conversation_type,summary,next_steps,results}'::text[]),
    (2, 'appointments', 'id', 'uuid', '{title,status,platform,customer_display_name,source,intelligence_status}'),
    (3, 'signals', 'id', 'uuid', '{kind,title,quelle,outcome}'),
    (4, 'advisory_docs', 'id', 'uuid', '{title}'),
    (5, 'lead_analyses', 'id', 'uuid', '{analysis,analysis_v2,din_check}'),
    (6, 'haushalte', 'kontakt_key', 'text', '{quelle,haushalt,provenance,din_check,empfehlungen_aktuell}'),
    (7, 'kontakt_aliases', 'alias_key', 'text', '{}'),
    (8, 'leads', 'id', 'uuid', '{name,status,source_type,archive_reason_code,product_domain,parsed_data}'),
    (9, 'events', 'log_id', 'bigint', '{object_type,object_id,data}');
end;
comment on function personal_tables is
  'Tables with data of persons, their keys, and the columns (texts) that the rule of income cleans.';

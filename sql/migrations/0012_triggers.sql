-- Which function runs when a row is written; sql/schema.sql shows the triggers as they are made.
--
-- BEFORE triggers run by their names: …_documents refuses a document before …_income looks at it, and …_income
-- cleans a row before …_projection looks at it and …_touch compares it. AFTER triggers make events of what was
-- stored. Those of documents and income are enabled always: rows that come by logical replication, or with
-- session_replication_role = replica, are bounded and cleaned too, and make no events.
--
-- @needs documents/bounds, documents/flat, documents/uri, events/changes, feed/log, hooks/subscriptions
-- @needs identity/aliases, income/rows, tables/personal, tables/rows

-- What all tables of persons have.
do $$
declare
  listed record;
  made record;
begin
  for listed in
    select personal_tables.*, array(
      select attname::text from pg_attribute
      where attrelid = table_name::regclass and atttypid = 'jsonb'::regtype and attname = any (texts)) as documents
    from personal_tables()
    where table_name not in ('kontakt_aliases', 'events')
  loop
    execute format(
      'create trigger %1$s_emit_created after insert on %1$s
        referencing new table as new_rows for each statement execute function emit_created();
      create trigger %1$s_emit_changed after update on %1$s
        referencing old table as old_rows new table as new_rows for each statement execute function emit_changed();
      create trigger %1$s_key before update of %2$s on %1$s
        for each row when (new.%2$s <> old.%2$s) execute function refuse_key_change()',
      listed.table_name, listed.key_column);
    for made in
      select kind.*, string_agg(name, ', ') as columns, string_agg('new.' || name, ', ') as new_columns
      from (values
        ('documents', listed.documents, 'not are_bounded(%s)', 'refuse_unbounded'),
        ('income', listed.texts, 'concerns_income(concat_ws('' '', %s))', 'redact_row')
      ) as kind (kind, names, condition, function), unnest(kind.names) as name
      group by kind.kind, kind.names, kind.condition, kind.function
    loop
      execute format(
        'create trigger %1$s_%2$s before insert or update of %3$s on %1$s
          for each row when (%4$s) execute function %5$s(%3$s);
        alter table %1$s enable always trigger %1$s_%2$s',
        listed.table_name, made.kind, made.columns, format(made.condition, made.new_columns), made.function);
    end loop;
  end loop;
end
$$;

create trigger lead_analyses_projection before insert or update of analysis, analysis_v2, din_check on lead_analyses
  for each row execute function project_lead_analysis();
create trigger haushalte_touch before update on haushalte
  for each row when (
    (old.haushalt, old.provenance, old.din_check, old.empfehlungen_aktuell, old.quelle)
      is distinct from (new.haushalt, new.provenance, new.din_check, new.empfehlungen_aktuell, new.quelle))
  execute function touch_updated_at();
create trigger signals_touch before update on signals
  for each row when (old.* is distinct from new.*) execute function touch_updated_at();
create trigger appointments_encode before insert or update of meeting_url on appointments
  for each row when (not is_uri(new.meeting_url) and new.meeting_url !~ '[[:space:]]')
    execute function encode_meeting_url();

create trigger kontakt_aliases_flat_on_insert after insert on kontakt_aliases
  referencing new table as new_rows for each statement execute function refuse_alias_chain();
create trigger kontakt_aliases_flat_on_update after update on kontakt_aliases
  referencing new table as new_rows for each statement execute function refuse_alias_chain();

-- Always, because emit_event also runs in sessions with session_replication_role = replica.
create trigger events_begin before insert on events
  for each statement execute function begin_events();
alter table events enable always trigger events_begin;
create trigger events_income before insert on events
  for each row when (new.object_id !~ '^([0-9a-f-]{36}$|(email|phone|lead):)' or new.object_type ~ '[0-9]')
  execute function redact_row('object_type', 'object_id');
alter table events enable always trigger events_income;

create trigger hook_subscriptions_version before update on hook_subscriptions
  for each row when (current_setting('app.recording', true) is distinct from 'on')
  execute function raise_subscription_version();
create trigger hook_subscriptions_changed after insert or update or delete on hook_subscriptions
  for each row when (current_setting('app.recording', true) is distinct from 'on')
  execute function notify_changed('hooks_changed');
create trigger hook_subscriptions_left after update of deleted_at on hook_subscriptions
  for each row when (new.deleted_at is not null) execute function drop_deliveries();
create trigger hook_subscriptions_deleted after delete on hook_subscriptions
  for each row execute function drop_deliveries();
create trigger hook_subscriptions_failing after update of consecutive_failures on hook_subscriptions
  for each row when (new.consecutive_failures > old.consecutive_failures) execute function note_hook_failures();

-- Every process keeps all keys in memory and reads them again when this fires. Not on last_used_at:
-- that is written every minute and changes nothing about who may enter.
create trigger api_keys_changed
  after insert or delete or truncate or update of digest, scopes, expires_at, revoked_at on api_keys
  for each statement execute function notify_changed('api_keys_changed');

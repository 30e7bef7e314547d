-- Inserts demo findings of meetings.
--
-- $1 rows  a JSON array of them; a column that a row does not name is null
prepare insert_demo_meeting_intelligence (text) as
insert into meeting_intelligence
select * from jsonb_populate_recordset(null::meeting_intelligence, $1::jsonb);

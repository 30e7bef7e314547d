-- Inserts demo appointments.
--
-- $1 rows  a JSON array of them; a column that a row does not name is null
prepare insert_demo_appointments (text) as
insert into appointments
select * from jsonb_populate_recordset(null::appointments, $1::jsonb);

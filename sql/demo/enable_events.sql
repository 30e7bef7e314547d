-- Ends what disable_events.sql began.
alter table leads enable trigger user;
alter table lead_analyses enable trigger user;
alter table haushalte enable trigger user;
alter table appointments enable trigger user;
alter table meeting_intelligence enable trigger user;
alter table signals enable trigger user;
alter table advisory_docs enable trigger user;

-- Where the owner wants notices, as entered in the dashboard. Null: as the settings of the process say.
--
-- Reads the one row there is.
prepare get_notice_settings as
select notice_settings.mail_to, notice_settings.language
from notice_settings;

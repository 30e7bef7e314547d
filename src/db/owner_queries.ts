// The manifest's part for the owner and operators: sessions of the dashboard, what it shows, notices, gauges.
import getEvent from '../../sql/events/get_event.sql' with { type: 'text' }
import listNewestEvents from '../../sql/events/list_newest_events.sql' with { type: 'text' }
import getDelivery from '../../sql/hooks/get_delivery.sql' with { type: 'text' }
import listHookReports from '../../sql/hooks/list_hook_reports.sql' with { type: 'text' }
import claimOwnerNotices from '../../sql/owner/claim_owner_notices.sql' with { type: 'text' }
import countRecentAttempts from '../../sql/owner/count_recent_attempts.sql' with { type: 'text' }
import deleteOwnerNotice from '../../sql/owner/delete_owner_notice.sql' with { type: 'text' }
import deleteOwnerSession from '../../sql/owner/delete_owner_session.sql' with { type: 'text' }
import getGauges from '../../sql/owner/get_gauges.sql' with { type: 'text' }
import getOverview from '../../sql/owner/get_overview.sql' with { type: 'text' }
import getOwnerSession from '../../sql/owner/get_owner_session.sql' with { type: 'text' }
import insertOwnerSession from '../../sql/owner/insert_owner_session.sql' with { type: 'text' }
import listHookNames from '../../sql/owner/list_hook_names.sql' with { type: 'text' }
import pruneOwnerNotices from '../../sql/owner/prune_owner_notices.sql' with { type: 'text' }
import pruneOwnerSessions from '../../sql/owner/prune_owner_sessions.sql' with { type: 'text' }
import updateOwnerSessionUsed from '../../sql/owner/update_owner_session_used.sql' with {
  type: 'text',
}
import { readQueryFile } from './query_file.ts'

export const ownerQueries = {
  getOverview: readQueryFile('owner/get_overview', getOverview),
  getGauges: readQueryFile('owner/get_gauges', getGauges),
  countRecentAttempts: readQueryFile('owner/count_recent_attempts', countRecentAttempts),
  listHookNames: readQueryFile('owner/list_hook_names', listHookNames),
  listHookReports: readQueryFile('hooks/list_hook_reports', listHookReports),
  getDelivery: readQueryFile('hooks/get_delivery', getDelivery),
  listNewestEvents: readQueryFile('events/list_newest_events', listNewestEvents),
  getEvent: readQueryFile('events/get_event', getEvent),

  insertOwnerSession: readQueryFile('owner/insert_owner_session', insertOwnerSession),
  getOwnerSession: readQueryFile('owner/get_owner_session', getOwnerSession),
  updateOwnerSessionUsed: readQueryFile('owner/update_owner_session_used', updateOwnerSessionUsed),
  deleteOwnerSession: readQueryFile('owner/delete_owner_session', deleteOwnerSession),
  pruneOwnerSessions: readQueryFile('owner/prune_owner_sessions', pruneOwnerSessions),

  claimOwnerNotices: readQueryFile('owner/claim_owner_notices', claimOwnerNotices),
  deleteOwnerNotice: readQueryFile('owner/delete_owner_notice', deleteOwnerNotice),
  pruneOwnerNotices: readQueryFile('owner/prune_owner_notices', pruneOwnerNotices),
}

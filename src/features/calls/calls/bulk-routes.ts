import { readableSince } from '../../../domain/call/history.ts'
import { bulkRoute } from '../../accounts/index.ts'
import { type FlagFields, FlagQuery, flagsOf } from './flags.ts'
import { showCalls } from './present.ts'
import { CallView } from './schemas.ts'
import { callsAfter } from './store.ts'

/** All readable calls; for a restricted integration only those of its numbers. */
export const callBulkRoutes = [
  bulkRoute<FlagFields>({
    kind: 'calls',
    word: 'call',
    view: CallView,
    description: 'Calls of the last six months, by start time, in the format of the list.',
    query: FlagQuery.properties,
    async read({ services, companyId, query, numberIds }, after, limit) {
      const since = readableSince(services.clock.now())
      const calls = await callsAfter(services.db, companyId, { after, since, numberIds }, limit)
      const views = await showCalls(services, companyId, calls, flagsOf(query))
      return calls.map(({ id, startedAt }, i) => ({ place: { at: startedAt, id }, view: views[i] ?? {} }))
    },
  }),
]

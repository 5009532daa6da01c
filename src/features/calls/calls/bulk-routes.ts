import { readableSince } from '../../../domain/call/history.ts'
import { bulkRoute } from '../../accounts/index.ts'
import { type FlagFields, FlagQuery, flagsOf } from './flags.ts'
import { showCalls } from './present.ts'
import { CallView } from './schemas.ts'
import { callsAfter } from './store.ts'

/** All calls that can be read; of an integration that is restricted, those of its Numbers. */
export const bulkRoutes = [
  bulkRoute<FlagFields>({
    kind: 'calls',
    word: 'call',
    view: CallView,
    description: 'Calls of the last six months, by their start, as the list shows them.',
    query: FlagQuery.properties,
    async read({ services, companyId, query, numberIds }, after, most) {
      const since = readableSince(services.clock.now())
      const calls = await callsAfter(services.db, companyId, { after, since, numberIds }, most)
      const views = await showCalls(services, companyId, calls, flagsOf(query))
      return calls.map(({ id, startedAt }, i) => ({ place: { at: startedAt, id }, view: views[i] ?? {} }))
    },
  }),
]

import { Type } from 'typebox'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { route } from '../../../http/route.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { day } from '../../../lib/clock.ts'
import { mayChangeAll } from '../../accounts/index.ts'
import { companyTimeZone, liveCalls, waitingSince } from '../../calls/index.ts'
import { setupOf, setupSteps } from './setup.ts'
import { homeFigures } from './store.ts'

const Count = Type.Integer({ minimum: 0 })
const toDoDays = 30

const Home = Type.Object({
  setup: nullable(
    Type.Object(
      {
        complete: Type.Boolean({ description: 'No required step is left' }),
        steps: Type.Array(Type.Object({ kind: oneOf(setupSteps), done: Type.Boolean(), optional: Type.Boolean() })),
      },
      { description: 'Steps until the company takes calls; null for users who cannot take them' },
    ),
  ),
  today: Type.Object({
    answered: Type.Integer({ minimum: 0, description: 'Inbound calls' }),
    missed: Count,
    outbound: Count,
  }),
  time_zone: Type.String({ description: 'IANA name; today begins there at midnight, as on the live page' }),
  waiting: Type.Integer({ minimum: 0, description: 'Callers who wait for an agent now' }),
  to_do: Type.Object(
    { calls: Count, voicemails: Type.Integer({ minimum: 0, description: 'How many of the calls have a voicemail' }) },
    {
      description: `Missed calls and voicemails of the last ${toDoDays} days that are not archived; counted up to 1,000`,
    },
  ),
  health: Type.Object({
    trunks: nullable(
      Type.Object({ total: Count, up: Count, down: Count }, { description: 'Enabled trunks; null for supervisors' }),
    ),
    webhooks: Type.Object({
      total: Count,
      failing: Type.Integer({ minimum: 0, description: 'Including those that were disabled' }),
      paused: Count,
    }),
    integrations: Type.Object({ total: Count, off: Count }),
  }),
})

const getHome = route({
  method: 'GET',
  path: '/v1/home',
  summary: 'Retrieve the overview of today, the health of connections and the set-up steps',
  tag: 'Home',
  access: 'app',
  reply: { status: 200, body: Home },
  async handle({ caller, services: { db, clock, rules } }) {
    const now = clock.now()
    // As on the live page.
    const timeZone = await companyTimeZone(db, caller.companyId)
    const zone = zoneOf(timeZone)
    const period = { today: zone.startOf(zone.dateOf(now)), recent: now - toDoDays * day }
    const figures = await homeFigures(db, caller.companyId, period)
    const going = await liveCalls(db, caller.companyId)
    const isAdmin = mayChangeAll(caller)
    return {
      setup: isAdmin ? setupOf(figures, { isSandbox: rules.sandbox }) : null,
      time_zone: timeZone,
      today: { answered: figures.answered, missed: figures.missed, outbound: figures.outbound },
      waiting: going.filter((call) => waitingSince(call) !== null).length,
      to_do: { calls: figures.to_do, voicemails: figures.voicemails },
      health: {
        trunks: isAdmin ? { total: figures.trunks, up: figures.trunks_up, down: figures.trunks_down } : null,
        webhooks: {
          total: figures.webhooks,
          failing: figures.webhooks_failing,
          paused: figures.webhooks_paused,
        },
        integrations: { total: figures.integrations, off: figures.integrations_off },
      },
    }
  },
})

export const homeRoutes = [getHome]

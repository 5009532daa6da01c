import { Type } from 'typebox'
import { badRequest } from '../http/errors.ts'
import { route } from '../http/route.ts'
import { oneOf, Timestamp } from '../http/schemas.ts'
import { day, second } from '../lib/clock.ts'
import type { ClockState, SandboxClock } from '../lib/sandbox-clock.ts'
import { isoMillis } from '../lib/time-format.ts'
import type { Services } from '../services.ts'

const tag = 'Sandbox'
const mode = oneOf(['running', 'frozen'], { examples: ['frozen'] })
const speed = Type.Number({
  minimum: 0.1,
  maximum: 1_000,
  description: 'How much faster than real time it runs',
  examples: [1],
})

const ClockView = Type.Object({
  now: Timestamp,
  mode,
  speed,
  pending: Type.Integer({
    description: 'What is due up to where the clock is being wound, and has not run; 0: it is there',
    examples: [0],
  }),
})

const clockView = ({ now, mode, speed, pending }: ClockState) => ({ now: isoMillis(now), mode, speed, pending })

const readClock = route({
  method: 'GET',
  path: '/sandbox/v1/clock',
  summary: 'Read the clock',
  description: 'One clock for the installation: everything but time-outs, ids and signatures follows it.',
  tag,
  free: true,
  reply: { status: 200, body: ClockView },
  handle: async ({ services }) => clockView(await clockOf(services).state()),
})

const maxSeconds = (3_660 * day) / second
const lastInstant = Date.UTC(9_999, 0)

const changeClock = route({
  method: 'PUT',
  path: '/sandbox/v1/clock',
  summary: 'Freeze, run or wind the clock',
  description:
    'An advance goes from one due instant to the next, and all that is due there happens first, deliveries included. The ' +
    'answer comes when the clock is there, or after 25 s with what is still `pending`, while it goes on; a second ' +
    'advance is then added to the first. The clock never goes back.',
  tag,
  free: true,
  body: Type.Object({
    mode: Type.Optional(mode),
    speed: Type.Optional(speed),
    advance_seconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: maxSeconds, description: 'Ten years at most', examples: [1_800] }),
    ),
  }),
  reply: { status: 200, body: ClockView },
  async handle({ body, services }) {
    const { advance_seconds: seconds, ...pace } = body
    const advanceMs = seconds === undefined ? undefined : Math.ceil(seconds * second)
    if (services.clock.now() + (advanceMs ?? 0) > lastInstant) throw badRequest('The clock ends with the year 9998')
    return clockView(await clockOf(services).change({ ...pace, ...(advanceMs !== undefined && { advanceMs }) }))
  },
})

function clockOf({ sandbox }: Services): SandboxClock {
  if (!sandbox) throw new Error('the routes of the sandbox are registered in sandbox mode only')
  return sandbox.clock
}

export const clockRoutes = [readClock, changeClock]

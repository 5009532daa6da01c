import { Type } from 'typebox'
import { badRequest } from '../http/errors.ts'
import { route } from '../http/route.ts'
import { oneOf, Timestamp } from '../http/schemas.ts'
import { day, second } from '../lib/clock.ts'
import type { ClockState } from '../lib/clock-advance.ts'
import type { SandboxClock } from '../lib/sandbox-clock.ts'
import { isoMillis } from '../lib/time-format.ts'
import type { Services } from '../services.ts'

const tag = 'Sandbox'
const mode = oneOf(['running', 'frozen'], { examples: ['frozen'] })
const speed = Type.Number({
  minimum: 0.1,
  maximum: 1_000,
  description: 'Speed relative to real time',
  examples: [1],
})

const ClockView = Type.Object({
  now: Timestamp,
  mode,
  speed,
  pending: Type.Integer({
    description: 'Tasks due before the target time that have not run yet; 0: the clock has reached it',
    examples: [0],
  }),
})

const clockView = ({ now, mode, speed, pending }: ClockState) => ({ now: isoMillis(now), mode, speed, pending })

const readClock = route({
  method: 'GET',
  path: '/sandbox/v1/clock',
  summary: 'Retrieve the sandbox clock',
  description: 'One clock for the installation: everything except timeouts, IDs and signatures uses it.',
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
  summary: 'Freeze, run or advance the sandbox clock',
  description:
    'An advance steps from one due task to the next, and everything due at a step runs first, deliveries included. The ' +
    'response is sent when the clock has reached the target time, or after 25 s with the number of `pending` tasks, while the clock keeps advancing; a second ' +
    'advance is then added to the first. The clock never moves backwards.',
  tag,
  free: true,
  body: Type.Object({
    mode: Type.Optional(mode),
    speed: Type.Optional(speed),
    advance_seconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: maxSeconds, description: 'At most ten years', examples: [1_800] }),
    ),
  }),
  reply: { status: 200, body: ClockView },
  async handle({ body, services }) {
    const { advance_seconds: seconds, ...pace } = body
    const advanceMs = seconds === undefined ? undefined : Math.ceil(seconds * second)
    if (services.clock.now() + (advanceMs ?? 0) > lastInstant)
      throw badRequest('The clock cannot be advanced beyond the year 9998')
    return clockView(await clockOf(services).change({ ...pace, ...(advanceMs !== undefined && { advanceMs }) }))
  },
})

function clockOf({ sandbox }: Services): SandboxClock {
  if (!sandbox) throw new Error('the routes of the sandbox are registered in sandbox mode only')
  return sandbox.clock
}

export const clockRoutes = [readClock, changeClock]

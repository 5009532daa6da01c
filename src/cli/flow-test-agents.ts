import { type Autopilot, defaultAutopilot } from '../domain/sandbox/people.ts'
import { second } from '../lib/clock.ts'
import { act } from '../sandbox/actions.ts'
import { setAutopilot } from '../sandbox/settings.ts'
import type { Behaviour, Given } from './flow-test.ts'
import { fullNames } from './flow-test-names.ts'
import type { World } from './flow-test-world.ts'

/** How long before the call they begin: one second each, and time for those who are on another call to get there. */
export const leadMs = (agents: Given['agents']) => agents.length * second + timeToGetBusy

const timeToGetBusy = 10 * second
const somebodyElse = '+33199000888'

/** The first comes first, and so has been idle for the longest time. */
export async function sendToWork(world: World, agents: Given['agents']): Promise<void> {
  for (const { person, does } of agents) {
    await takePlace(world, idOf(world, person), does)
    await world.app.settle()
    await world.clock.advance(second)
  }
}

async function takePlace(world: World, userId: number, does: Behaviour): Promise<void> {
  const { app, companyId, ids } = world
  const { services } = app
  if (does === 'offline') return
  if (does === 'unavailable')
    await act(services, companyId, userId, { action: 'set_status', availability_status: does })
  const autopilot = autopilotFor(does)
  if (autopilot) await setAutopilot(services.db, companyId, userId, autopilot)
  await act(services, companyId, userId, { action: 'connect' })
  if (does !== 'busy') return
  const begun = await services.calls.start(companyId, { userId, numberId: ids.numbers[0] ?? null, to: somebodyElse })
  if (!begun.ok) throw new Error(begun.why)
}

function autopilotFor(does: Behaviour): Autopilot | undefined {
  if (typeof does === 'object') {
    return { ...defaultAutopilot, answer_after_seconds: does.answerAfter, talk_seconds: does.talk }
  }
  return does === 'decline' ? { ...defaultAutopilot, decline_rate: 1 } : undefined
}

/** As if they had never come, but for the time they were here last. */
export async function sendHome(world: World, agents: Given['agents']): Promise<void> {
  const { app, companyId } = world
  for (const { person, does } of agents) {
    const userId = idOf(world, person)
    if (does === 'offline') continue
    const home = (wish: Parameters<typeof act>[3]) => act(app.services, companyId, userId, wish)
    if (does === 'busy') await home({ action: 'hang_up' })
    if (does === 'unavailable') await home({ action: 'set_status', availability_status: 'available' })
    await home({ action: 'disconnect' })
    await setAutopilot(app.services.db, companyId, userId, null)
  }
  await world.clock.advance(0)
}

const idOf = ({ ids }: World, person: string) => ids.users[fullNames.indexOf(person)] ?? 0

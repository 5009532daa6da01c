import { type Autopilot, defaultAutopilot } from '../domain/sandbox/people.ts'
import { second } from '../lib/clock.ts'
import { performAction } from '../sandbox/actions.ts'
import { setAutopilot } from '../sandbox/settings.ts'
import type { AgentBehaviour, FlowTestSetup } from './flow-test.ts'
import type { TestEnvironment } from './flow-test-environment.ts'
import { fullNames } from './flow-test-names.ts'

/** The lead time before the call: one second per agent, and time for busy agents to be on another call. */
export const leadMs = (agents: FlowTestSetup['agents']) => agents.length * second + busyLeadMs

const busyLeadMs = 10 * second
const otherParty = '+33199000888'

/** Connects the agents in order, so that the first has been idle for the longest time. */
export async function connectAgents(environment: TestEnvironment, agents: FlowTestSetup['agents']): Promise<void> {
  for (const { user, does } of agents) {
    await connectAgent(environment, idOf(environment, user), does)
    await environment.app.settle()
    await environment.clock.advance(second)
  }
}

async function connectAgent(environment: TestEnvironment, userId: number, does: AgentBehaviour): Promise<void> {
  const { app, companyId, ids } = environment
  const { services } = app
  if (does === 'offline') return
  if (does === 'unavailable')
    await performAction(services, companyId, userId, { action: 'set_status', availability_status: does })
  const autopilot = autopilotFor(does)
  if (autopilot) await setAutopilot(services.db, companyId, userId, autopilot)
  await performAction(services, companyId, userId, { action: 'connect' })
  if (does !== 'busy') return
  const started = await services.calls.start(companyId, { userId, numberId: ids.numbers[0] ?? null, to: otherParty })
  if (!started.ok) throw new Error(started.why)
}

function autopilotFor(does: AgentBehaviour): Autopilot | undefined {
  if (typeof does === 'object') {
    return { ...defaultAutopilot, answer_after_seconds: does.answerAfter, talk_seconds: does.talk }
  }
  return does === 'decline' ? { ...defaultAutopilot, decline_rate: 1 } : undefined
}

/** Resets the agents to offline. */
export async function disconnectAgents(environment: TestEnvironment, agents: FlowTestSetup['agents']): Promise<void> {
  const { app, companyId } = environment
  for (const { user, does } of agents) {
    const userId = idOf(environment, user)
    if (does === 'offline') continue
    const perform = (action: Parameters<typeof performAction>[3]) =>
      performAction(app.services, companyId, userId, action)
    if (does === 'busy') await perform({ action: 'hang_up' })
    if (does === 'unavailable') await perform({ action: 'set_status', availability_status: 'available' })
    await perform({ action: 'disconnect' })
    await setAutopilot(app.services.db, companyId, userId, null)
  }
  await environment.clock.advance(0)
}

const idOf = ({ ids }: TestEnvironment, user: string) => ids.users[fullNames.indexOf(user)] ?? 0

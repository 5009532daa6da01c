import type { TraceEntry } from '../domain/call/events.ts'
import { findCall, traceOf } from '../features/calls/calls/store.ts'
import { readLog } from '../features/integrations/events/store.ts'
import { createNumber, drawFlow } from '../features/numbers/numbers/actions.ts'
import { ApiError } from '../http/errors.ts'
import { day, hour, minute } from '../lib/clock.ts'
import { type Called, type End, type FlowTest, InvalidFlowTest, type ObservedCall } from './flow-test.ts'
import { connectAgents, disconnectAgents, leadMs } from './flow-test-agents.ts'
import { createEnvironments, type TestEnvironment } from './flow-test-environment.ts'
import { fullNames, numberByName, withIds } from './flow-test-names.ts'
import { instantOf } from './flow-test-time.ts'

export type RunResult = { observed: ObservedCall } | { stuck: string }

export interface Runner {
  run(test: FlowTest): Promise<RunResult>
  close(): Promise<void>
}

const firstBegin = Date.UTC(2026, 0, 1)
const maxCallMs = day

/** One environment is reused for consecutive tests unless a test needs an earlier time or leaves a pending callback. */
export async function createRunner(): Promise<Runner> {
  const environments = await createEnvironments()
  let current: TestEnvironment | undefined

  async function environmentFor(test: FlowTest): Promise<{ environment: TestEnvironment; at: number }> {
    const later = current && callTime(test, current.clock.now())
    if (current && later !== undefined && later - leadMs(test.given.agents) >= current.clock.now()) {
      return { environment: current, at: later }
    }
    const at = callTime(test, firstBegin)
    if (current) environments.leave(current)
    current = undefined
    current = await environments.open(at - leadMs(test.given.agents))
    return { environment: current, at }
  }
  return {
    async run(test) {
      const { environment, at } = await environmentFor(test)
      const result = await runIn(environment, test, at)
      if ('observed' in result && result.observed.end !== 'callback') {
        await disconnectAgents(environment, test.given.agents)
        return result
      }
      // The pending callback would disturb other tests.
      environments.leave(environment)
      current = undefined
      return result
    },
    close: environments.close,
  }
}

/** The first matching time of the call if the agents connect from `from` on. */
function callTime({ given, file, line }: FlowTest, from: number): number {
  const zone = 'flow' in given.called ? given.called.timeZone : numberByName(given.called.number)?.timeZone
  const at = instantOf(given.time, zone ?? 'UTC', from + leadMs(given.agents))
  if (at !== undefined) return at
  throw new InvalidFlowTest(
    `${file}:${line}: given.time does not exist in ${zone} on that day (daylight saving change)`,
  )
}

async function runIn(environment: TestEnvironment, test: FlowTest, at: number): Promise<RunResult> {
  const { app, clock, companyId } = environment
  const { given, caller } = test
  const network = app.services.sandbox?.network
  if (!network) throw new Error('the simulated network is missing')
  clock.moveTo(at - leadMs(given.agents))
  await clock.advance(0)
  const to = await digitsOf(environment, test, given.called)
  await connectAgents(environment, given.agents)
  await clock.advanceTo(at)
  const callId = await network.call({ ...caller, to })
  // Immediate effects complete before the clock advances.
  await app.settle()
  for (let [waited, step] = [0, minute]; waited < maxCallMs; waited += step, step = Math.min(step * 2, hour)) {
    await clock.advance(step)
    const call = await findCall(app.services.db, companyId, callId)
    if (!call || call.publishedEvents === 'nothing') continue
    // Voicemail events follow shortly after the end of the call.
    await clock.advance(minute)
    return { observed: await resultOf(environment, callId) }
  }
  return { stuck: `the call did not end within ${maxCallMs / hour} h; set patience, or add a hang_up step` }
}

let drawn = 0

async function digitsOf(environment: TestEnvironment, { name, file }: FlowTest, called: Called): Promise<string> {
  if ('number' in called) return called.number
  const { app, companyId, ids } = environment
  const digits = `+331990${String(10_000 + (drawn++ % 90_000))}`
  const params = { digits, name, timeZone: called.timeZone, flowEditor: true, validated: true }
  const { id } = await createNumber(app.services, companyId, params)
  try {
    await drawFlow(app.services, companyId, id, withIds(called.flow, ids))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new InvalidFlowTest(`${file}:${called.line}: given.flow is invalid: ${error.message}`)
  }
  return digits
}

async function resultOf({ app, companyId, ids }: TestEnvironment, callId: number): Promise<ObservedCall> {
  const { db } = app.services
  const nameOf = (userId: number) => fullNames[ids.users.indexOf(userId)] ?? `user ${userId}`
  const call = await findCall(db, companyId, callId)
  const trace = (await traceOf(db, companyId, callId)).map(({ entry }): TraceEntry => JSON.parse(entry))
  const logged = await readLog(db, companyId, { after: 0, callId, names: undefined, tokenId: undefined, limit: 1_000 })
  const events = logged.map(({ name }) => name)
  const rings = logged.filter(({ name }) => name === 'call.ringing_on_agent')
  return {
    path: trace.flatMap((entry) => (entry.kind === 'widget' ? [entry.node] : [])),
    events,
    rung: rings.map(({ data }) => nameOf(JSON.parse(data).user?.id)),
    answered_by: call && call.answeredAt !== null && call.userId !== null ? nameOf(call.userId) : null,
    missed_call_reason: call?.missedReason ?? null,
    end: endOf(call?.answeredAt ?? null, events, trace),
  }
}

function endOf(answeredAt: number | null, events: readonly string[], trace: readonly TraceEntry[]): End {
  if (answeredAt !== null) return 'answered'
  if (events.includes('call.voicemail_left')) return 'voicemail'
  return trace.some(({ kind }) => kind === 'callback') ? 'callback' : 'missed'
}

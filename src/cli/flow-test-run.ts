import type { TraceEntry } from '../domain/call/events.ts'
import { findCall, traceOf } from '../features/calls/calls/store.ts'
import { readLog } from '../features/integrations/events/store.ts'
import { createNumber, drawFlow } from '../features/numbers/numbers/actions.ts'
import { ApiError } from '../http/errors.ts'
import { day, hour, minute } from '../lib/clock.ts'
import { type Called, type End, type FlowTest, FlowTestMistake, type Seen } from './flow-test.ts'
import { leadMs, sendHome, sendToWork } from './flow-test-agents.ts'
import { fullNames, numberCalled, withIds } from './flow-test-names.ts'
import { instantOf } from './flow-test-time.ts'
import { createWorlds, type World } from './flow-test-world.ts'

export type Played = { seen: Seen } | { stuck: string }

export interface Stage {
  play(test: FlowTest): Promise<Played>
  close(): Promise<void>
}

const firstBegin = Date.UTC(2026, 0, 1)
const maxCall = day

/** One world serves test after test, for as long as nothing is left in it and no test needs an earlier time. */
export async function openStage(): Promise<Stage> {
  const worlds = await createWorlds()
  let current: World | undefined

  async function worldFor(test: FlowTest): Promise<{ world: World; at: number }> {
    const later = current && callTime(test, current.clock.now())
    if (current && later !== undefined && later - leadMs(test.given.agents) >= current.clock.now()) {
      return { world: current, at: later }
    }
    const at = callTime(test, firstBegin)
    if (current) worlds.leave(current)
    current = undefined
    current = await worlds.open(at - leadMs(test.given.agents))
    return { world: current, at }
  }
  return {
    async play(test) {
      const { world, at } = await worldFor(test)
      const played = await playIn(world, test, at)
      if ('seen' in played && played.seen.end !== 'callback') {
        await sendHome(world, test.given.agents)
        return played
      }
      // Somebody would be called back in the middle of another test.
      worlds.leave(world)
      current = undefined
      return played
    },
    close: worlds.close,
  }
}

/** The first instant at which it can be done by people who begin to come to work at `from`. */
function callTime({ given, file, line }: FlowTest, from: number): number {
  const zone = 'flow' in given.called ? given.called.timeZone : numberCalled(given.called.number)?.timeZone
  const at = instantOf(given.time, zone ?? 'UTC', from + leadMs(given.agents))
  if (at !== undefined) return at
  throw new FlowTestMistake(`${file}:${line}: given.time is a time that the clocks of ${zone} leave out on that day`)
}

async function playIn(world: World, test: FlowTest, at: number): Promise<Played> {
  const { app, clock, companyId } = world
  const { given, caller } = test
  const network = app.services.sandbox?.network
  if (!network) throw new Error('there is no simulated network')
  clock.moveTo(at - leadMs(given.agents))
  await clock.advance(0)
  const to = await digitsOf(world, test, given.called)
  await sendToWork(world, given.agents)
  await clock.advanceTo(at)
  const callId = await network.call({ ...caller, to })
  // Before the clock moves, all that follows at once has been done.
  await app.settle()
  for (let [waited, step] = [0, minute]; waited < maxCall; waited += step, step = Math.min(step * 2, hour)) {
    await clock.advance(step)
    const call = await findCall(app.services.db, companyId, callId)
    if (!call || call.told === 'nothing') continue
    // What is said about a voicemail comes a little after the end.
    await clock.advance(minute)
    return { seen: await lookBack(world, callId) }
  }
  return { stuck: `the call had not ended after ${maxCall / hour} h; give the caller a patience, or a hang_up` }
}

let drawn = 0

async function digitsOf(world: World, { name, file }: FlowTest, called: Called): Promise<string> {
  if ('number' in called) return called.number
  const { app, companyId, ids } = world
  const digits = `+331990${String(10_000 + (drawn++ % 90_000))}`
  const wish = { digits, name, timeZone: called.timeZone, flowEditor: true, validated: true }
  const { id } = await createNumber(app.services, companyId, wish)
  try {
    await drawFlow(app.services, companyId, id, withIds(called.flow, ids))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new FlowTestMistake(`${file}:${called.line}: given.flow is no flow: ${error.message}`)
  }
  return digits
}

async function lookBack({ app, companyId, ids }: World, callId: number): Promise<Seen> {
  const { db } = app.services
  const nameOf = (userId: number) => fullNames[ids.users.indexOf(userId)] ?? `user ${userId}`
  const call = await findCall(db, companyId, callId)
  const trace = (await traceOf(db, companyId, callId)).map(({ entry }): TraceEntry => JSON.parse(entry))
  const told = await readLog(db, companyId, { after: 0, callId, names: undefined, tokenId: undefined, limit: 1_000 })
  const events = told.map(({ name }) => name)
  const rings = told.filter(({ name }) => name === 'call.ringing_on_agent')
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

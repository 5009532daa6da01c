import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { connectUser } from '../../src/features/accounts/presence/actions.ts'
import { type AdjustableClock, createAdjustableClock } from '../../src/lib/adjustable-clock.ts'
import { pause, second, systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import type { PhoneMessage, Services } from '../../src/services.ts'
import { temporaryFolder } from '../servers.ts'
import { type CallOffice, seedOffice } from './office.ts'

const agents = 50
/** Every so manieth never answers: the time of their rings runs out. */
const silentEvery = 3
const [thinkMs, talkMs, ringSeconds, probeMs] = [300, 700, 5, 50]
const arrivingTogether = 64

export interface LongQueue {
  /** How many waited at the beginning and at the end. */
  waiting: [begin: number, end: number]
  servedPerSecond: number
  /** From the instant a timer was due to its run, in ms: all that the product sets, and some of ours. */
  timersLate: number[]
  /** From the moment a ring was due to end until the phone app received it, including the commit. */
  ringsLate: number[]
}

/** Callers who wait on a clock that really runs, while some agents answer and hang up and others let it ring. */
export async function longQueue(callers: number, seconds: number): Promise<LongQueue> {
  const timersLate: number[] = []
  const clock = watchedClock((ms) => timersLate.push(ms))
  const config = readConfig({ HOOKSWITCH_MODE: 'sandbox', DATA_DIR: temporaryFolder(), PORT: '1', LOG_LEVEL: 'error' })
  const roles = { api: false, calls: true, worker: true }
  const app = await createApp({ ...config, roles }, { clock, log: createLog('error') })
  await app.start()
  const { services } = app
  const office = await seedOffice(services, { agents, wrapUpSeconds: 0, ringSeconds, maxWaitSeconds: 3_600 })
  const lines = callersOf(services, office)
  for (let n = 0; n < callers; n += arrivingTogether) {
    await Promise.all(Array.from({ length: Math.min(arrivingTogether, callers - n) }, lines.arrive))
  }
  const begin = await waitingIn(services, office)

  const staff = staffOf(services, office, lines.arrive)
  for (const userId of office.users) {
    const session = { id: `s${userId}`, userId, name: 'default', kind: 'sandbox', owner: '', at: clock.now() } as const
    await connectUser(services, office.companyId, session)
  }
  timersLate.length = 0
  const probe = () => void clock.after(probeMs, probe)
  probe()
  const servedBefore = staff.served()
  const started = performance.now()
  await pause(seconds * second)
  const servedPerSecond = ((staff.served() - servedBefore) * 1_000) / (performance.now() - started)
  const measured = [...timersLate]
  staff.stop()
  const end = await waitingIn(services, office)
  const ringsLate = await ringsLateOf(services, office, staff.timedOut)
  await app.stop()
  return { waiting: [begin, end], servedPerSecond, timersLate: measured, ringsLate }
}

/** The sandbox clock at speed 1, which reports how late each timer was. */
function watchedClock(late: (ms: number) => void): AdjustableClock {
  const machine = systemClock()
  const clock = createAdjustableClock(machine, { at: machine.machineNow(), mode: 'running', speed: 1 })
  return {
    ...clock,
    after(ms, run) {
      const due = clock.now() + Math.max(Math.ceil(ms), 0)
      return clock.after(ms, () => {
        late(machine.machineNow() - due)
        run()
      })
    },
  }
}

function callersOf({ sandbox }: Services, { digits }: CallOffice) {
  let called = 0
  return {
    async arrive(): Promise<void> {
      const from = `+3361${String(called++).padStart(7, '0')}`
      await sandbox?.network.call({ from, to: digits, script: [], patienceSeconds: null })
    },
  }
}

interface TimedOut {
  callId: number
  userId: number
  endedAt: number
}

/** Agents who pick up, for each of which another caller comes, talk and hang up; and agents who do nothing. */
function staffOf({ liveHub, calls, clock, log }: Services, { users }: CallOffice, arrive: () => Promise<void>) {
  const silent = new Set(users.filter((_, n) => n % silentEvery === 0))
  const timedOut: TimedOut[] = []
  let served = 0
  let isOpen = true

  async function serve(key: string, by: number): Promise<void> {
    await pause(thinkMs)
    const answered = await calls.send(key, { kind: 'answer', by })
    if (!answered.ok) return
    if (isOpen) await arrive()
    await pause(talkMs)
    const ended = await calls.send(key, { kind: 'hang_up', by })
    if (ended.ok) served++
  }

  function onMessage(userId: number, message: PhoneMessage): void {
    if (!isOpen) return
    if (message.kind === 'ring' && !silent.has(userId)) {
      serve(message.key, userId).catch((error) => log.error({ error }, 'an agent could not work'))
    }
    if (message.kind === 'ring_stop' && message.why === 'timeout' && message.callId !== null) {
      timedOut.push({ callId: message.callId, userId, endedAt: clock.machineNow() })
    }
  }

  const send = liveHub.send
  liveHub.send = (companyId, userId, message, to) => {
    send(companyId, userId, message, to)
    onMessage(userId, message)
  }
  return {
    timedOut,
    served: () => served,
    stop() {
      isOpen = false
    },
  }
}

async function waitingIn({ db }: Services, { companyId }: CallOffice): Promise<number> {
  const { n } = await db
    .selectFrom('queue_place')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return Number(n)
}

async function ringsLateOf({ db }: Services, { companyId }: CallOffice, timedOut: TimedOut[]): Promise<number[]> {
  const rings = await db
    .selectFrom('ring_attempt')
    .select(['call_id', 'user_id', 'started_at'])
    .where('company_id', '=', companyId)
    .where('outcome', '=', 'no_answer')
    .execute()
  const started = new Map(rings.map(({ call_id, user_id, started_at }) => [`${call_id}:${user_id}`, started_at]))
  return timedOut.flatMap(({ callId, userId, endedAt }) => {
    const startedAt = started.get(`${callId}:${userId}`)
    return startedAt === undefined ? [] : [endedAt - startedAt - ringSeconds * second]
  })
}

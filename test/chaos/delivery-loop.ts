import { seededRandom } from '../../src/lib/random.ts'
import { audit, type Counts } from './audit.ts'
import { farReceiver } from './far-receiver.ts'
import { createFleet, type Fleet, type Member } from './fleet.ts'
import { pollUntil } from './poll.ts'
import { registerHooks, startTraffic } from './traffic.ts'

// Kills the product, or its database, again and again while it delivers; what was acknowledged to a customer must have
// come to every webhook that wants it, and nothing else may have happened.

export interface LoopReport extends Counts {
  seed: number
  kills: number
  /** Kills with requests in flight. */
  kills_with_inflight: number
  /** Requests in flight in all kills. */
  inflight: number
  unanswered: number
  refused: number
  wrongAnswers: string[]
  /** Deliveries that are not `delivered` in the end. */
  unfinished: number
  /** From the last change until everything was delivered. */
  settledAfterMs: number
  /** Processes that did not exit with 0 at the end. */
  badExits: number
}

export interface LoopOptions {
  kills: number
  seed: number
  folder: string
  databaseUrl?: string
  /** As for a fleet. */
  from?: string
  /** Skips the fifteen seconds after which a silent process counts as dead. */
  hurry?: boolean
  /** Kills the database instead of the product, and brings it back. */
  crashDatabase?: () => Promise<void>
}

export async function deliveryLoop(options: LoopOptions): Promise<LoopReport> {
  const { kills, seed, folder, crashDatabase } = options
  const random = seededRandom(seed)
  const receiver = await farReceiver(folder, seed)
  const fleet = await createFleet({ ...options, ...(crashDatabase && { env: { LOG_LEVEL: 'fatal' } }) })
  try {
    const hooks = await registerHooks(fleet, receiver)
    // The demo company has deliveries of its past.
    const past = new Set((await fleet.deliveries()).map(({ message_id }) => message_id))
    const deliveries = async () => (await fleet.deliveries()).filter(({ message_id }) => !past.has(message_id))
    const traffic = startTraffic(fleet, random)
    const inFlight: Set<string>[] = []
    /** The last killed process restarts while another one works. */
    let starting: Promise<void> = Promise.resolve()

    for (let kill = 0; kill < kills; kill++) {
      const changes = traffic.acknowledged.length + random.integer(20, 26)
      const requests = receiver.got() + random.integer(8, 40)
      const isTime = () => traffic.acknowledged.length >= changes && receiver.got() >= requests && receiver.open() > 0
      traffic.allow(28)
      for (;;) {
        await receiver.until(isTime, 500)
        await starting
        const hit =
          isTime() && (crashDatabase ? await hitDatabase(fleet, crashDatabase) : await hitOne(fleet, random.pick))
        if (!hit) {
          // Nothing is out at this moment.
          traffic.allow(6)
          continue
        }
        inFlight.push(new Set(hit.inFlight))
        if (hit.member && options.hurry) await fleet.expire(hit.member)
        if (hit.member) starting = fleet.start(hit.member)
        starting.catch(() => {})
        break
      }
    }
    await starting
    await traffic.stop()
    const stoppedAt = performance.now()
    await receiver.send({ pace: { from: 0, to: 0 } })
    const promised = (await deliveries()).map(({ message_id }) => message_id)
    await receiver.until(() => promised.every((id) => receiver.has(id)))
    // What the last killed process had sent without recording the response is sent again by another one.
    const isFinished = async () => (await deliveries()).every(({ state }) => state === 'delivered')
    await pollUntil(isFinished, 'every delivery is delivered', 1_000).catch((error: unknown) => console.error(error))
    const settledAfterMs = Math.round(performance.now() - stoppedAt)
    const codes = await Promise.all(fleet.members.map((member) => fleet.end(member, 'SIGTERM')))
    const left = (await deliveries()).filter(({ message_id, state }) => {
      return state !== 'delivered' || !receiver.has(message_id)
    })
    return {
      seed,
      kills: inFlight.length,
      kills_with_inflight: inFlight.filter(({ size }) => size > 0).length,
      inflight: inFlight.reduce((sum, { size }) => sum + size, 0),
      ...audit(traffic.acknowledged, hooks, receiver.arrivals(), inFlight),
      unanswered: traffic.unanswered,
      refused: traffic.refused,
      wrongAnswers: traffic.wrong,
      unfinished: left.length,
      settledAfterMs,
      badExits: codes.filter((code) => code !== 0).length,
    }
  } finally {
    await fleet.close()
    await receiver.stop()
  }
}

interface Hit {
  inFlight: string[]
  /** Who is to be started again. */
  member?: Member
}

/** A process with requests in flight; undefined when there is none. */
async function hitOne(fleet: Fleet, pick: <T>(list: readonly T[]) => T): Promise<Hit | undefined> {
  const { members } = fleet
  const busy = members.length === 1 ? members : await filterBusy(fleet)
  if (busy.length === 0) return undefined
  const member = pick(busy)
  // The others are halted until the leases of the killed process are read: they would take them over.
  const others = members.flatMap((other) => (other !== member && other.running ? [other.running.child] : []))
  for (const child of others) child.kill('SIGSTOP')
  try {
    await fleet.end(member, 'SIGKILL')
    return { member, inFlight: await fleet.leased(member) }
  } finally {
    for (const child of others) child.kill('SIGCONT')
  }
}

async function filterBusy(fleet: Fleet): Promise<Member[]> {
  const counts = await Promise.all(fleet.members.map(async (member) => (await fleet.leased(member)).length))
  return fleet.members.filter((_, index) => (counts[index] ?? 0) > 0)
}

async function hitDatabase(fleet: Fleet, crash: () => Promise<void>): Promise<Hit | undefined> {
  const before = await fleet.leased()
  if (before.length === 0) return undefined
  await crash()
  return { inFlight: before }
}

/** What is wrong with it; empty when nothing is. */
export function problemsOf(report: LoopReport): string[] {
  const { kills, lost, unfinished, altered, disordered, unexplained, unverified, badExits } = report
  const none = { lost, unfinished, altered, disordered, unexplained, unverified, badExits }
  return [
    ...Object.entries(none).flatMap(([name, count]) => (count > 0 ? [`${name}: ${count}`] : [])),
    ...(report.wrongAnswers.length > 0 ? [`wrong answers: ${report.wrongAnswers[0]}`] : []),
    ...(report.kills_with_inflight < kills * 0.8 ? ['too few kills with something in flight'] : []),
    ...(report.events < kills * 20 ? ['too few events'] : []),
    ...(report.duplicates > report.inflight ? ['more duplicates than were in flight'] : []),
  ]
}

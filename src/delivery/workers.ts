import { randomInt } from 'node:crypto'
import { holdForLife } from '../db/dialect.ts'
import { owner } from '../domain/delivery/share.ts'
import { type Clock, second } from '../lib/clock.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { ulid } from '../lib/ulid.ts'
import { version } from '../lib/version.ts'
import type { Services } from '../services.ts'
import { beat, forgetWorkers, freeLeasesOf } from './lease-store.ts'

/** The processes that send. Each webhook belongs to one of them, which holds its share and its connections. */
export interface Workers {
  me: string
  owns(webhookId: string): boolean
  alone(): boolean
  /** `changed` is called when a process starts or ends, and when a dead process left deliveries. */
  start(changed: () => void): Promise<void>
  stop(): Promise<void>
}

const beatMs = 3 * second
const freshMs = 10 * second
const goneMs = 15 * second

/** For a database that only this process uses. */
export function onlyWorker(clock: Clock): Workers {
  const me = `wrk_${ulid(clock.machineNow())}`
  return { me, owns: () => true, alone: () => true, async start() {}, async stop() {} }
}

/** Ownership only distributes the work; leases prevent that a delivery is sent twice. */
export function createWorkers(services: Services): Workers {
  const { db, clock, log } = services
  const me = {
    id: `wrk_${ulid(clock.machineNow())}`,
    startedAt: clock.machineNow(),
    build: version,
    lifeKey: randomInt(1, 2 ** 31 - 1),
  }
  let living = [me.id]
  let onChange = () => {}
  const heartbeat = createPeriodicTask({
    clock,
    intervalMs: beatMs,
    run: once,
    onError: (error) => log.warn({ event: 'worker.heartbeat_failed', error }, 'worker heartbeat failed'),
  })

  async function once() {
    const workers = await beat(db, me, { beatMs, freshMs, goneMs, machineNow: clock.machineNow() })
    const before = living.join()
    living = workers.filter(({ id, fresh }) => fresh || id === me.id).map(({ id }) => id)
    const others = workers.filter((worker) => worker.gone && worker.id !== me.id)
    const gone = others.map(({ id }) => id)
    const left: string[] = []
    for (const { id, dead } of others)
      left.push(...(await freeLeasesOf(services, [id], dead ? clock.now() : undefined)))
    await forgetWorkers(db, gone)
    if (gone.length > 0)
      log.warn(
        { event: 'worker.lost', workers: gone, deliveries: left.length },
        'took over the deliveries of lost processes',
      )
    if (before !== living.join() || left.length > 0) onChange()
  }

  return {
    me: me.id,
    owns: (webhookId) => owner(webhookId, living) === me.id,
    alone: () => living.length === 1,
    async start(changed) {
      await holdForLife(db, me.lifeKey)
      await once()
      onChange = changed
      heartbeat.start()
    },
    async stop() {
      await heartbeat.stop()
      await forgetWorkers(db, [me.id]).catch((error) =>
        log.warn({ event: 'worker.not_removed', error }, 'worker row could not be removed'),
      )
    },
  }
}

import type { Db } from '../db/database.ts'
import { atRestart } from '../domain/delivery/health.ts'
import type { Cancel, Clock } from '../lib/clock.ts'
import { readEndpoints } from './endpoint-store.ts'
import type { Receiver } from './lanes.ts'

interface ReceiverParts {
  db: Db
  clock: Clock
  owns(webhookId: string): boolean
  /** Starts a claim unless one is running. */
  pump(): void
}

export type Receivers = ReturnType<typeof createReceivers>

/** The webhooks this process sends to, and which of them may have a delivery due. */
export function createReceivers({ db, clock, owns, pump }: ReceiverParts) {
  const known = new Map<string, Receiver>()
  /** Webhooks that may have a due delivery; only a claim can tell. In order of arrival or of the last claim. */
  const waiting = { live: new Set<string>(), bulk: new Set<string>() }
  const hadBacklog = new Set<string>()
  const toLoad = new Set<string>()
  const timers = new Map<string, { at: number; cancel: Cancel }>()

  function wake(id: string, bulk: boolean) {
    if (!owns(id)) return
    const receiver = known.get(id)
    if (!receiver) toLoad.add(id)
    else if (receiver.busy.size > 0) receiver.wokenWhileBusy = true
    waiting[bulk ? 'bulk' : 'live'].add(id)
    if (bulk) hadBacklog.add(id)
  }

  function wakeAll(ids: readonly string[], bulk: boolean) {
    for (const id of ids) wake(id, bulk)
    pump()
  }

  function wakeAt(id: string, bulk: boolean, at: number) {
    const key = `${id}:${bulk}`
    const timer = timers.get(key)
    if (timer && timer.at <= at && timer.at > clock.now()) return
    timer?.cancel()
    const cancel = clock.after(at - clock.now(), () => {
      timers.delete(key)
      wake(id, bulk)
      pump()
    })
    timers.set(key, { at, cancel })
  }

  /** Reads the webhook again: its URL, state or secrets have changed. */
  function reload(id: string) {
    if (known.has(id)) toLoad.add(id)
    wakeAll([id], false)
    wakeAll([id], true)
  }

  async function load() {
    if (toLoad.size === 0) return
    const ids = [...toLoad]
    toLoad.clear()
    const found = new Map((await readEndpoints(db, ids)).map((endpoint) => [endpoint.id, endpoint]))
    for (const id of ids) {
      const endpoint = found.get(id)
      if (!endpoint || endpoint.isDeleted) {
        drop(id)
        continue
      }
      const { companyId, status, health } = endpoint
      const receiver = known.get(id)
      if (receiver) Object.assign(receiver, { status, health, saved: health })
      else {
        known.set(id, {
          id,
          companyId,
          status,
          health: atRestart(health, clock.now()),
          saved: health,
          inFlight: new Set(),
          busy: new Set(),
          isClaiming: false,
          wokenWhileBusy: false,
        })
      }
    }
  }

  function drop(id: string) {
    waiting.live.delete(id)
    waiting.bulk.delete(id)
    if ((known.get(id)?.inFlight.size ?? 0) === 0) known.delete(id)
  }

  return {
    get: (id: string) => known.get(id),
    waiting,
    hadBacklog: (id: string) => hadBacklog.has(id),
    wake,
    wakeAll,
    wakeAt,
    reload,
    load,
    loadLater: (id: string) => toLoad.add(id),
    cancelTimers() {
      for (const { cancel } of timers.values()) cancel()
      timers.clear()
    },
  }
}

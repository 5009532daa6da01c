import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { inData } from '../cli/installation.ts'
import { api, type Env, type Server, sandbox, serve } from '../cli/program.ts'
import { freshPostgresUrl } from '../kit/databases.ts'
import { receiver } from '../kit/receiver.ts'

interface Story {
  title: string
  /** Response of the receiver to the process that was considered dead. */
  lateAnswer: number
  /** Whether the other one has its answer by then. */
  takenOverFirst: boolean
}

const stories: Story[] = [
  { title: 'late success', lateAnswer: 204, takenOverFirst: true },
  { title: 'late failure', lateAnswer: 500, takenOverFirst: true },
  { title: 'success while the other one is still waiting', lateAnswer: 204, takenOverFirst: false },
]

test.skipIf(inject('postgres') === null)(
  'a process that wakes up after its lease has ended cannot finish a delivery that another one has taken over',
  async () => {
    const url = (await freshPostgresUrl()) ?? ''
    const { db, close } = await openDatabase({ kind: 'postgres', url, poolSize: 2 }, systemClock())
    onTestFinished(close)
    const key = randomBytes(32).toString('base64')
    const common = { DATABASE_URL: url, HOOKSWITCH_KEY: key, WEBHOOK_TIMEOUT_MS: '30000' }
    const first = await sandbox(common)
    const processes = new Map<string, Server>()
    processes.set(...(await started(db, first, processes)))
    processes.set(...(await started(db, await sandbox(common), processes)))
    const call = api(
      [...processes.values()][0]?.base ?? '',
      JSON.parse(readFileSync(inData(first, 'demo.json'), 'utf8')),
    )
    const held: ServerResponse[] = []
    const customer = await receiver((_request, response) => held.push(response))
    const answer = (index: number, status: number) => held[index]?.writeHead(status).end()
    const events = ['contact.created', 'contact.updated']
    const made = await call('POST', '/v1/webhooks', { url: customer.url, events })
    expect(made.status).toBe(201)
    customer.verifyWith(made.json.signing_secret)

    for (const { title, lateAnswer, takenOverFirst } of stories) {
      held.length = 0
      customer.got.length = 0
      const phone_numbers = [{ label: 'Work', value: '+33199001234' }]
      const contact = (await call('POST', '/v1/contacts', { information: title, phone_numbers })).json.contact
      await customer.until((got) => got.length === 1)
      const out = await only(db, contact.id)
      const zombie = processes.get(out.worker_id ?? '')
      if (!zombie) throw new Error(`unknown process ${out.worker_id}`)

      zombie.signal('SIGSTOP')
      await db.updateTable('delivery').set({ lease_until: 1 }).where('id', '=', out.id).execute()
      await db
        .updateTable('worker')
        .set({ heartbeat_at: 1 })
        .where('id', '=', out.worker_id ?? '')
        .execute()
      await customer.until((got) => got.length === 2)
      const [one, two] = customer.got
      const taken = await only(db, contact.id)
      if (takenOverFirst) {
        answer(1, 204)
        await vi.waitFor(async () => expect((await only(db, contact.id)).state).toBe('delivered'), { timeout: 30_000 })
      }
      const before = await only(db, contact.id)
      answer(0, lateAnswer)
      zombie.signal('SIGCONT')
      await vi.waitFor(async () => expect(await lostAttempts(db, out.id)).toHaveLength(1), { timeout: 30_000 })

      const after = await only(db, contact.id)
      if (!takenOverFirst) {
        answer(1, 204)
        await vi.waitFor(async () => expect((await only(db, contact.id)).state).toBe('delivered'), { timeout: 30_000 })
      }

      expect(taken).toMatchObject({ state: 'leased', lost_leases: 1, attempts: 0 })
      expect(taken.worker_id).not.toBe(out.worker_id)
      expect(taken.lease_token).not.toBe(out.lease_token)
      expect(after).toEqual(before)
      expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
      expect(two?.raw).toBe(one?.raw)
      const attempts = await db.selectFrom('attempt').selectAll().where('delivery_id', '=', out.id).execute()
      expect(attempts).toHaveLength(2)
      expect(attempts.find(({ worker_id }) => worker_id === out.worker_id)).toMatchObject({
        error_class: 'lost',
        status: lateAnswer,
      })
      expect(attempts.find(({ worker_id }) => worker_id === taken.worker_id)).toMatchObject({
        error_class: null,
        status: 204,
      })
      expect(await only(db, contact.id)).toMatchObject({ state: 'delivered', attempts: 1, blocking: 0 })

      // The next of the same contact follows: nothing was left over that would be sent again before it.
      await call('POST', `/v1/contacts/${contact.id}`, { information: `${title}, changed` })
      await customer.until((got) => got.length === 3)
      answer(2, 204)
      expect(customer.got[2]?.headers['webhook-sequence']).toBe('2')
      await vi.waitFor(async () => expect(await unfinished(db)).toEqual([]), { timeout: 30_000 })
      console.log(`zombie, ${title}: 2 attempts logged, 1 of them lost, 1 final state: delivered`)
    }
  },
)

async function started(db: Db, env: Env, known: Map<string, Server>): Promise<[string, Server]> {
  const server = await serve(env)
  const rows = await db.selectFrom('worker').select('id').execute()
  const id = rows.map((row) => row.id).find((worker) => !known.has(worker))
  if (!id) throw new Error('the process is not in the list of workers')
  return [id, server]
}

const only = (db: Db, contactId: number) =>
  db
    .selectFrom('delivery')
    .selectAll()
    .where('resource_key', '=', `contact:${contactId}`)
    .where('seq', '=', 1)
    .executeTakeFirstOrThrow()

const lostAttempts = (db: Db, deliveryId: string) =>
  db
    .selectFrom('attempt')
    .select('id')
    .where('delivery_id', '=', deliveryId)
    .where('error_class', '=', 'lost')
    .execute()

const unfinished = (db: Db) =>
  db.selectFrom('delivery').select(['id', 'state']).where('state', '<>', 'delivered').execute()

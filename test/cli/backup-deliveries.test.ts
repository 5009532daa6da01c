import { readFileSync } from 'node:fs'
import { describe, expect, inject, test } from 'vitest'
import { isFullRun } from '../kit/depth.ts'
import { receiver } from '../kit/receiver.ts'
import { emptyStore, inData, type Kind, newFile, seeded, storeOf } from './installation.ts'
import { api, hookswitchProcess, serve } from './program.ts'
import { everything } from './tables.ts'

const kinds: Kind[] = isFullRun ? ['embedded', 'postgres'] : ['embedded']

describe.each(kinds)('a backup made while deliveries are out, %s', (kind) => {
  const skip = kind === 'postgres' && inject('postgres') === null

  test.skipIf(skip)('restored elsewhere it sends what was left, and nothing that was acknowledged before', async () => {
    const env = await seeded(kind)
    const server = await serve(env)
    const call = api(server.base, JSON.parse(readFileSync(inData(env, 'demo.json'), 'utf8')))
    const customers = [await slowReceiver(), await slowReceiver()]
    for (const customer of customers) {
      const events = ['contact.created', 'contact.updated']
      const made = await call('POST', '/v1/webhooks', { url: customer.url, events })
      customer.verifyWith(made.json.signing_secret)
    }
    const got = () => customers.flatMap((customer) => customer.got.map(({ headers }) => headers['webhook-id'] ?? ''))
    /** Resolves as soon as the condition holds, which each request checks. */
    const until = (isSo: () => boolean) => Promise.race(customers.map((customer) => customer.until(isSo)))
    let made = 0
    let writing = true
    const write = async (writer: number) => {
      for (let i = 0; writing; i++) {
        // Always more to send than is out, and never so much that it would not end.
        await until(() => 2 * made - got().length < 100)
        const phone_numbers = [{ label: 'Work', value: '+33199000909' }]
        const first_name = `written-${writer}-${i}`
        const { status } = await call('POST', '/v1/contacts', { first_name, phone_numbers })
        expect(status).toBe(201)
        made++
      }
    }
    const writers = Promise.all([1, 2, 3].map(write))
    await Promise.race([until(() => got().length >= 80), writers])

    const acknowledged = await messages(env, (state) => state === 'delivered')
    const file = await newFile()
    const backup = await hookswitchProcess(['backup', file], storeOf(env))
    writing = false
    await writers
    server.signal('SIGKILL')
    await server.ended
    for (const customer of customers) await customer.disconnected()
    const before = new Set(got())
    for (const customer of customers) customer.got.length = 0
    const fresh = await emptyStore(kind)
    const restored = await hookswitchProcess(['restore', file], storeOf(fresh))
    const done = new Set(await messages(fresh, (state) => state === 'delivered'))
    const left = await messages(fresh, (state) => state !== 'delivered')
    const second = await serve(fresh)
    await until(() => new Set(got()).size >= left.length)
    const code = await second.stop()

    const sent = got()
    console.log(`backup under delivery, ${kind}:`, {
      seed: 'none, nothing is left to chance but the timing',
      acknowledged_before_the_backup: acknowledged.length,
      delivered_in_the_backup: done.size,
      left_in_the_backup: left.length,
      sent_by_the_restored: sent.length,
      of_these_acknowledged_before: sent.filter((id) => acknowledged.includes(id)).length,
      of_these_known_to_the_receiver: sent.filter((id) => before.has(id)).length,
    })
    expect([backup, restored]).toMatchObject([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ])
    expect(code).toBe(0)
    expect(acknowledged.length).toBeGreaterThan(20)
    expect(left.length).toBeGreaterThan(0)
    expect(acknowledged.filter((id) => !done.has(id))).toEqual([])
    // Each that was left, once, and nothing else.
    expect(sent.toSorted()).toEqual(left.toSorted())
    expect(await messages(fresh, (state) => state !== 'delivered')).toEqual([])
  })
})

/** Slow enough that something is always left. */
const slowReceiver = () => receiver((_request, response) => setTimeout(() => response.writeHead(204).end(), 80))

async function messages(env: Record<string, string>, isWanted: (state: string) => boolean): Promise<string[]> {
  const { delivery = [] } = await everything(env)
  return delivery.filter(({ state }) => isWanted(String(state))).map(({ message_id }) => String(message_id))
}

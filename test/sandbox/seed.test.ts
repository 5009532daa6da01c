import { expect, test } from 'vitest'
import { readSeeded, seedVersion, writeSeeded } from '../../src/sandbox/seed.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { openDemo } from './demo.ts'

onAnyDatabase('the demo company', (open) => {
  test('has thirty days of calls, which can be searched and have published no events', async () => {
    const { main, db, seeded } = await openDemo(open)

    const all = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
    const missed = (await main('GET', '/v1/calls/search?direction=inbound&per_page=50&order=desc')).json
    const outbound = (await main('GET', '/v1/calls/search?direction=outbound')).json
    const events = await db.selectFrom('event').select('id').where('company_id', '=', seeded.main.companyId).execute()

    expect(all.meta.total).toBeGreaterThan(250)
    expect(missed.meta.total + outbound.meta.total).toBe(all.meta.total)
    expect(all.calls.every(({ status }: { status: string }) => status === 'done')).toBe(true)
    expect(all.calls.some(({ tags }: { tags: unknown[] }) => tags.length > 0)).toBe(true)
    expect(events).toEqual([])
  })

  test('has users whose default Number is one that they are linked to and may call from', async () => {
    const { main, second } = await openDemo(open)

    for (const company of [main, second]) {
      const { users } = (await company('GET', '/v1/users?per_page=50')).json
      expect(users.length).toBeGreaterThan(1)
      for (const { name, default_number_id, numbers } of users) {
        expect(
          numbers.map(({ id }: { id: number }) => id),
          name,
        ).toContain(default_number_id)
      }
    }
  })

  test('has playable recordings of its newest calls', async () => {
    const { main, base } = await openDemo(open)

    const { calls } = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
    const urls = calls.flatMap(({ recording, voicemail }: { recording: string | null; voicemail: string | null }) =>
      [recording, voicemail].filter((url) => url !== null),
    )

    expect(urls.length).toBeGreaterThan(3)
    for (const url of urls) {
      const answer = await fetch(url.replace(/^https?:\/\/[^/]+/, base))
      expect([answer.status, answer.headers.get('content-type')], url).toEqual([200, 'audio/mpeg'])
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
    }
  })

  test('of an older release is upgraded once, and keeps its other data', async () => {
    const demo = await openDemo(open)
    const { db, seeded, main } = demo
    const before = (await main('GET', '/v1/calls?per_page=50')).json
    const calls = ['ring_attempt', 'call', 'call_count', 'missed_call_count'] as const
    for (const table of [...calls, 'message', 'conversation', 'sms_template'] as const) {
      await db.deleteFrom(table).where('company_id', '=', seeded.main.companyId).execute()
    }
    await writeSeeded(db, { ...seeded, version: 1 })

    const again = await openDemo(async () => demo)
    const twice = await openDemo(async () => demo)

    expect([again.seeded.version, twice.seeded]).toEqual([seedVersion, again.seeded])
    expect(await readSeeded(db)).toEqual({ ...seeded, version: seedVersion })
    const after = (await main('GET', '/v1/calls?per_page=50')).json
    expect(after.meta.total).toBe(before.meta.total)
    const digits = (list: { raw_digits: string }[]) => list.map(({ raw_digits }) => raw_digits)
    expect(digits(after.calls)).toEqual(digits(before.calls))
  })
})

test('the same seed gives the same calls in another installation', async () => {
  const stories = []
  for (const seed of [7, 7, 8]) {
    const { main } = await openDemo(testApp, seed)
    const { calls } = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
    stories.push(
      JSON.stringify(
        calls.map(({ raw_digits, started_at }: { raw_digits: string; started_at: number }) => [raw_digits, started_at]),
      ),
    )
  }

  expect(stories[1]).toBe(stories[0])
  expect(stories[2]).not.toBe(stories[0])
})

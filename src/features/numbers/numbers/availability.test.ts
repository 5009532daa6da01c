import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { addNumber, box, drawing, hangUp, liveFlow, menu, timeRule, versionsOf } from '../../../../test/kit/flows.ts'

// The clock stands at noon of a Monday, UTC.
const mornings = { mon: [['08:00', '12:00']] }
const afternoons = { mon: [['12:00', '18:00']] }

const shown = async ({ a }: TestApp, id: number) => {
  const { open, availability_status } = (await a.api('GET', `/v1/numbers/${id}`)).json.number
  return [availability_status, open]
}

onAnyDatabase('availability of a Number', (open) => {
  test('open, closed and custom set the first Time Rule; `open` shows its current result', async () => {
    const app = await open()
    const { id } = await addNumber(
      app.a,
      {},
      drawing({ hours: timeRule('day', 'night', mornings), day: box(), night: box() }),
    )
    const put = (availability_status: string) => app.a.api('PUT', `/v1/numbers/${id}`, { availability_status })

    expect(await shown(app, id)).toEqual(['custom', false])
    expect((await put('open')).json.number).toMatchObject({ availability_status: 'open', open: true })
    expect((await put('closed')).json.number).toMatchObject({ availability_status: 'closed', open: false })
    await put('custom')
    expect(await shown(app, id)).toEqual(['custom', false])
    expect((await liveFlow(app.a, id)).nodes.hours).toMatchObject({ mode: 'custom', hours: mornings })
  })

  test('hours are those of the time zone of the Number', async () => {
    const app = await open()
    const rule = drawing({ hours: timeRule('day', 'night', mornings), day: box(), night: box() })
    const paris = await addNumber(app.a, { time_zone: 'Europe/Paris' }, rule)
    const newYork = await addNumber(app.a, { time_zone: 'America/New_York' }, rule)

    expect(await shown(app, paris.id)).toEqual(['custom', false])
    expect(await shown(app, newYork.id)).toEqual(['custom', true])
  })

  test('of several Time Rules only the first one counts and only the first one changes', async () => {
    const app = await open()
    const nodes = {
      second: timeRule('day', 'night', mornings),
      start: timeRule('second', 'third', afternoons),
      third: timeRule('day', 'night', mornings, 'closed'),
      day: box(),
      night: box(),
    }
    const { id } = await addNumber(app.a, {}, { start: 'start', nodes })

    expect(await shown(app, id)).toEqual(['custom', true])
    await app.a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'closed' })

    expect(await shown(app, id)).toEqual(['closed', false])
    const modes = Object.entries<{ mode?: string }>((await liveFlow(app.a, id)).nodes).map(([key, { mode }]) => [
      key,
      mode,
    ])
    expect(Object.fromEntries(modes)).toMatchObject({ start: 'closed', second: 'custom', third: 'closed' })
  })

  test('a Time Rule behind an IVR is the first when there is no other', async () => {
    const app = await open()
    const nodes = {
      ask: menu('hours', 'end'),
      hours: timeRule('day', 'end', afternoons, 'closed'),
      day: box(),
      end: hangUp,
    }
    const { id } = await addNumber(app.a, {}, drawing(nodes))

    expect(await shown(app, id)).toEqual(['closed', false])
    expect((await app.a.api('GET', `/v1/numbers/${id}`)).json.number.is_ivr).toBe(true)
  })

  test('without a Time Rule a Number is open, and stays so: there is nothing to set', async () => {
    const app = await open()
    const { id } = await addNumber(app.a, {}, drawing({ box: box() }))

    const refused = await app.a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'closed' })

    expect(refused.status).toBe(400)
    expect(refused.json.troubleshoot).toContain('Time Rule widget')
    expect(await shown(app, id)).toEqual(['open', true])
  })

  test('each change is a new version, an old one never changes, and no change is none', async () => {
    const { a, clock } = await open()
    const { id } = await addNumber(a)
    const [first] = await versionsOf(a, id)

    await clock.advance(1_000)
    await a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'closed' })
    await a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'closed' })
    await a.api('PUT', `/v1/numbers/${id}`, { name: 'Still closed', priority: 1 })
    await clock.advance(1_000)
    await a.api('PUT', `/v1/numbers/${id}`, { messages: { voicemail: 'https://example.com/box.mp3' } })

    const versions = await versionsOf(a, id)
    expect(versions.map(({ version, created_at }: Version) => [version, created_at])).toEqual([
      [3, '2026-06-15T12:00:02.000Z'],
      [2, '2026-06-15T12:00:01.000Z'],
      [1, '2026-06-15T12:00:00.000Z'],
    ])
    expect(versions.map(({ flow }: Version) => [flow.version, flow.nodes.hours?.mode])).toEqual([
      [3, 'closed'],
      [2, 'closed'],
      [1, 'custom'],
    ])
    expect(versions[2]).toEqual(first)
  })

  test('changes at the same moment make one version each, without a gap', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)
    const voices = Array.from({ length: 6 }, (_, i) => `https://example.com/${i}.mp3`)

    const answers = await Promise.all(
      voices.map((voicemail) => a.api('PUT', `/v1/numbers/${id}`, { messages: { voicemail } })),
    )

    expect(answers.map(({ status }) => status)).toEqual(voices.map(() => 200))
    const versions = await versionsOf(a, id)
    expect(versions.map(({ version }: Version) => version)).toEqual([7, 6, 5, 4, 3, 2, 1])
    const spoken = versions.slice(0, 6).map(({ flow }: Version) => flow.nodes.voicemail?.media)
    expect(spoken.toSorted()).toEqual(voices)
  })
})

interface Version {
  version: number
  created_at: string
  flow: { version: number; nodes: Record<string, { mode?: string; media?: string }> }
}

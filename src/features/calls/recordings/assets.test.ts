import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { listen, recordedCall, shortLinkTo } from '../../../../test/kit/sounds.ts'
import { day, hour, second } from '../../../lib/clock.ts'
import { deleteExpiredShortUrls, forgetShortUrls } from './store.ts'
import { durationOf } from './view.ts'

onAnyDatabase('the sound of a call', (open) => {
  test('a signed address gives the mp3 to a player, whole or in part', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)

    const whole = await listen(call.link())
    const head = await listen(call.link(), { method: 'HEAD', headers: { range: 'bytes=0-9' } })
    const part = await listen(call.link(), { headers: { range: 'bytes=100-199' } })

    expect([whole.status, whole.bytes.equals(call.mp3)]).toEqual([200, true])
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': String(call.mp3.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': `inline; filename="recording-${call.id}.mp3"`,
      'cache-control': 'private',
    })
    expect([head.status, head.bytes.length, head.headers.get('content-length')]).toEqual([
      200,
      0,
      String(call.mp3.length),
    ])
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${call.mp3.length}`])
    expect(part.bytes.equals(call.mp3.subarray(100, 200))).toBe(true)
  })

  test('its URL is valid for one hour, its short URL for three', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)
    const [link, short] = [call.link(), await shortLinkTo(app, app.a, call.id)]
    const statuses = async () => [(await listen(link)).status, (await listen(short)).status]

    expect(await statuses()).toEqual([200, 200])
    await app.clock.advance(hour - second)
    expect(await statuses()).toEqual([200, 200])
    await app.clock.advance(2 * second)
    expect(await statuses()).toEqual([403, 200])
    await app.clock.advance(2 * hour - 2 * second)
    expect(await statuses()).toEqual([403, 200])
    await app.clock.advance(2 * second)
    expect(await statuses()).toEqual([403, 404])
  })

  test('after a clock was set back, no address lives longer than it should', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)
    const beforeSetBack = app.clock.now() + 2 * hour

    const link = call.link('recording', beforeSetBack)
    const short = await shortLinkTo(app, app.a, call.id, 'recording', beforeSetBack)

    expect([(await listen(link)).status, (await listen(short)).status]).toEqual([403, 404])
    expect((await listen(call.link())).status).toBe(200)
  })

  test('the short address gives the same sound directly, also in part', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a, { sounds: ['voicemail'] })
    const short = await shortLinkTo(app, app.a, call.id, 'voicemail')

    const whole = await listen(short)
    const end = await listen(short, { headers: { range: 'bytes=-16' } })
    const head = await listen(short, { method: 'HEAD' })

    expect(short).toMatch(/\/v1\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([whole.status, whole.headers.get('content-type'), whole.bytes.equals(call.mp3)]).toEqual([
      200,
      'audio/mpeg',
      true,
    ])
    expect([end.status, end.bytes.equals(call.mp3.subarray(-16))]).toEqual([206, true])
    expect([head.status, head.bytes.length]).toEqual([200, 0])
  })

  test('what was deleted is dead at once, by every address', async () => {
    const app = await open()
    const { db, a } = app
    const call = await recordedCall(app, a, { sounds: ['recording', 'voicemail'] })
    const links = [call.link(), await shortLinkTo(app, a, call.id), await shortLinkTo(app, a, call.id)]

    await db.updateTable('call').set({ recording: null, recording_ms: null }).where('id', '=', call.id).execute()
    await forgetShortUrls(db, a.id, call.id, 'recording')

    for (const link of links) expect((await listen(link)).status).toBe(404)
    expect((await a.api('GET', `/recording/${call.id}`)).status).toBe(404)
    expect((await listen(call.link('voicemail'))).status).toBe(200)
    await db.deleteFrom('call').where('id', '=', call.id).execute()
    expect((await listen(call.link('voicemail'))).status).toBe(404)
  })

  test('an address leads to its own file and to no later one; a file that is gone is not found', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)
    const link = call.link()
    const { files } = app.app.services
    const other = `recordings/${app.a.id}/${call.id}-other.mp3`

    await app.db.updateTable('call').set({ recording: other }).where('id', '=', call.id).execute()
    const replaced = await listen(link)
    await app.db.updateTable('call').set({ recording: call.files.recording }).where('id', '=', call.id).execute()
    await files.remove(call.files.recording ?? '')

    expect(replaced.status).toBe(404)
    expect((await listen(link)).status).toBe(404)
  })

  test('the recording of a call older than six months is not available', async () => {
    const app = await open()
    const now = app.clock.now()
    const [young, old] = [
      await recordedCall(app, app.a, { startedAt: now - 180 * day }),
      await recordedCall(app, app.a, { startedAt: now - 185 * day }),
    ]

    expect((await listen(young.link())).status).toBe(200)
    for (const link of [old.link(), await shortLinkTo(app, app.a, old.id)])
      expect((await listen(link)).status).toBe(404)
    expect((await app.a.api('GET', `/recording/${old.id}`)).status).toBe(404)
  })

  test('short addresses that are over are swept away, and no others', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)
    await shortLinkTo(app, app.a, call.id)
    await app.clock.advance(2 * hour)
    const later = await shortLinkTo(app, app.a, call.id)

    await app.clock.advance(2 * hour)

    const rows = await app.db.selectFrom('short_url').select('id').execute()
    expect(rows.map(({ id }) => id)).toEqual([later.slice(-36)])
    expect(await deleteExpiredShortUrls(app.db, app.clock.now(), 10)).toBe(0)
  })
})

onAnyDatabase('the page of a sound', (open) => {
  const pagesOf = (id: number) => [
    `/recording/${id}`,
    `/calls/${id}/recording`,
    `/calls/${id}/recording/info`,
    `/voicemail/${id}`,
    `/calls/${id}/voicemail`,
  ]

  test('the page shows the call and plays the audio, and comments are escaped', async () => {
    const app = await open()
    const { a } = app
    await app.db.updateTable('user').set({ first_name: '"><script>' }).where('id', '=', a.ownerId).execute()
    const call = await recordedCall(app, a, { sounds: ['recording', 'voicemail'] })

    for (const address of pagesOf(call.id)) {
      const { status, text, headers } = await a.api('GET', address)

      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(text).toContain('+1 415-555-0100')
      expect(text).toContain('Front &lt;b&gt;desk&lt;/b&gt;')
      expect(text).toContain('&quot;&gt;&lt;script&gt;')
      expect(text).toContain('0:03')
      expect(text).not.toContain('<script')
      expect(headers.get('content-security-policy')).not.toContain('unsafe-inline')
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
      const source = /src="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect(new URL(source).pathname).toContain(address.includes('voicemail') ? '/voicemail/' : '/recording/')
      expect((await listen(source)).bytes.equals(call.mp3)).toBe(true)
    }
  })

  test('a visitor without a session is redirected to sign-in, and another company gets 404', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a, { sounds: ['recording', 'voicemail'] })

    for (const address of pagesOf(call.id)) {
      const stranger = await app.anonymous('GET', address)
      const foreign = await app.b.api('GET', address)
      const never = await app.b.api('GET', address.replace(String(call.id), '99999999'))

      const next = `${app.base}/sign-in?next=${encodeURIComponent(address)}`
      expect([stranger.status, foreign.status, never.status]).toEqual([302, 404, 404])
      expect(stranger.headers.get('location')).toBe(next)
      expect(stranger.headers.get('www-authenticate')).toBeNull()
      expect(stranger.text).not.toContain('415-555')
      expect(foreign.text).toBe(never.text)
      expect((await app.as('Basic nonsense')('GET', address)).status).toBe(403)
      expect((await app.a.api('POST', address)).status).toBe(405)
    }
  })

  test('a call without that sound, and what is no id, are not found', async () => {
    const app = await open()
    const call = await recordedCall(app, app.a)

    for (const id of [`${call.id}.0`, '0', '-1', '1e3', 'abc', '99999999999999999999', '%00']) {
      expect((await app.a.api('GET', `/recording/${id}`)).status).toBe(404)
    }
    expect((await app.a.api('GET', `/voicemail/${call.id}`)).status).toBe(404)
  })
})

test('a duration is formatted in words', () => {
  expect([0, 6_600, 754_000, 3_723_000].map(durationOf)).toEqual(['0:00', '0:07', '12:34', '1:02:03'])
})

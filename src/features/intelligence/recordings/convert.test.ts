import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inDataDir, type OpenApp, onAnyDatabase } from '../../../../test/kit/app.ts'
import { listen, recordedCall } from '../../../../test/kit/sounds.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { durationOfMp3 } from '../../../media/mp3.ts'
import { signedUrl } from '../../calls/recordings/links.ts'
import { recordingConverter } from './convert.ts'

const script = { channels: 2, parts: [{ ms: 4_000, left: 440, right: null }], lines: [] }

/** A recorded call whose audio is not converted yet. */
async function unconvertedCall(open: OpenApp) {
  const app = await open()
  const { db, a } = app
  const call = await recordedCall(app, a, { sounds: [] })
  const source = inDataDir(app, 'take.score')
  const write = (text = JSON.stringify(script)) => writeFileSync(source, text)
  write()
  const job = { companyId: a.id, callId: call.id, kind: 'recording' as const, source, ms: 4_000 }
  const notified: number[] = []
  const convert = recordingConverter(app.app.services, async (_services, tx, companyId, callId) => {
    const row = await tx
      .selectFrom('call')
      .select('recording')
      .where('company_id', '=', companyId)
      .where('id', '=', callId)
      .executeTakeFirst()
    if (row?.recording) notified.push(callId)
  })
  const row = () => db.selectFrom('call').selectAll().where('id', '=', call.id).executeTakeFirst()
  const folder = inDataDir(app, `files/recordings/${a.id}`)
  const kept = () => (existsSync(folder) ? readdirSync(folder) : [])
  return { app, db, a, call, source, write, job, notified, convert, row, kept }
}

onAnyDatabase('making the mp3 of a take', (open) => {
  test('the job gives the call its sound, as long as it was, and the source goes', async () => {
    const { app, db, a, call, source, job, row } = await unconvertedCall(open)
    const { vault, links } = app.app.services

    await enqueue(db, 'recording.convert', job, app.clock.now())
    await app.settle()

    const { recording, recording_ms, voicemail } = (await row()) ?? {}
    expect([recording_ms, voicemail, existsSync(source)]).toEqual([4_000, null, false])
    expect(recording).toMatch(new RegExp(`^recordings/${a.id}/${call.id}-[0-9a-f]{32}\\.mp3$`))
    const link = { companyId: a.id, callId: call.id, kind: 'recording' as const, file: recording ?? '' }
    const { bytes } = await listen(signedUrl(vault, links, { ...link, at: app.clock.now() }))
    expect(Math.abs(durationOfMp3(bytes) - 4_000)).toBeLessThanOrEqual(36)
  })

  test('it may be done twice, wherever the first run was cut short', async () => {
    const { call, convert, job, notified, row, kept, write } = await unconvertedCall(open)

    await convert(job)
    await convert(job)
    write()
    await convert(job)

    expect(notified).toEqual([call.id])
    expect(kept()).toEqual([path.basename((await row())?.recording ?? '')])
  })

  test('for a call that is gone nothing is kept', async () => {
    const { app, a, db, call, convert, job, notified, kept, source } = await unconvertedCall(open)
    await db.deleteFrom('call').where('id', '=', call.id).execute()

    await convert({ ...job, companyId: a.id })
    expect([kept(), notified, existsSync(source)]).toEqual([[], [], false])

    await convert(job)
    expect(app.logged()).not.toContain('is lost')
  })

  test('a missing source is reported, and an invalid source fails and stays', async () => {
    const { app, convert, job, source, write, row } = await unconvertedCall(open)
    write('{}')

    await expect(convert(job)).rejects.toThrow('not a script')
    expect(existsSync(source)).toBe(true)
    await convert({ ...job, source: `${source}-lost` })

    expect(app.logged()).toContain('a recording is lost')
    expect((await row())?.recording).toBeNull()
  })
})

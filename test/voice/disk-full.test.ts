import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { answerWith, openBusyOffice, ringing, soundOf } from '../kit/voice.ts'

// On a real disk that is really full: a very small one in memory, which only root can make.

const notice = `
******************************************************************************
*  Only root can make a small disk: calls with a full disk are SKIPPED.      *
******************************************************************************
`

function maySetUp(): boolean {
  if (process.platform === 'linux' && process.getuid?.() === 0 && canMount()) return true
  process.stderr.write(`${notice}\n`)
  return false
}

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Until the function that it gives is called. */
function smallDisk(folder: string): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'hookswitch-test', folder])
  let isThere = true
  const remove = () => {
    // Lazily: the media program may hold a file in it.
    if (isThere) execFileSync('umount', ['--lazy', folder])
    isThere = false
  }
  onTestFinished(remove)
  return remove
}

describe.skipIf(!maySetUp())('a disk that is full', () => {
  test('loses the recording but not the call, is counted, and the next call is recorded once there is space', async () => {
    const office = await openBusyOffice(testApp)
    const { app, carrier, line } = office
    const { a } = app
    const ada = await office.person('ada')
    await a.api('PUT', `/v1/numbers/${line.id}`, { live_recording_activated: true })
    await office.flow(ringing(ada), 'ring')
    const folder = path.join(app.dataDir, 'recordings')
    await mkdir(folder, { recursive: true })
    const giveRoom = smallDisk(folder)
    const phone = await office.phone(ada)
    const agent = await soundOf('agent')
    const call = await carrier.call(line.digits)
    await answerWith(phone, agent)
    await call.answered

    await expect.poll(() => app.logged()).toContain('recording failed')
    await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
    const shown = await phone.ask({ type: 'calls' })
    const figures = async () => (await fetch(`${app.base}/metrics`)).text()
    await expect.poll(figures).toMatch(/^hookswitch_voice_recordings_failed_total 1$/m)
    call.hangUp()
    await expect.poll(async () => (await callsOf(app)).map(({ status }) => status)).toEqual(['done'])

    expect(shown.calls).toMatchObject([{ recording: 'off' }])
    giveRoom()
    const again = await soundOf('supervisor')
    const next = await carrier.call(line.digits)
    await phone.until((received) => received.filter(({ type }) => type === 'ring').length === 2)
    expect(await phone.ask({ type: 'answer', sdp_offer: again.offer })).toMatchObject({ ok: true })
    const answers = await phone.until((received) => received.filter(({ type }) => type === 'sdp_answer').length === 2)
    await again.accept(answers.findLast(({ type }) => type === 'sdp_answer').sdp_answer)
    await next.answered
    await next.sound.received.onlyTone('supervisor')
    next.hangUp()
    await expect
      .poll(async () => (await callsOf(app)).map(({ recording }) => recording))
      .toEqual(expect.arrayContaining([expect.stringMatching(/^http/), null]))
  })
})

// biome-ignore lint/suspicious/noExplicitAny: calls as clients see them
async function callsOf({ a }: { a: { api: (...given: [string, string]) => Promise<{ json: any }> } }): Promise<any[]> {
  return (await a.api('GET', '/v1/calls')).json.calls
}

import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { loudest } from '../kit/ear.ts'
import { openVoiceOffice } from '../kit/voice.ts'
import { withPassword } from './people.ts'

// All of it at once: a carrier on one side, the phone app in Chromium with a microphone that beeps on the other, and between
// them the real server with its media program.

/** Lets the test ask the page's own connections what they hear. */
const keepConnections = `
  window.connections = []
  const Original = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Original {
    constructor(...given) {
      super(...given)
      window.connections.push(this)
    }
  }`

const energyHeard = `(async () => {
  let energy = 0
  for (const connection of window.connections)
    for (const report of (await connection.getStats()).values())
      if (report.type === 'inbound-rtp' && report.kind === 'audio') energy += report.totalAudioEnergy ?? 0
  return energy
})()`

/** By what the sound comes and goes. */
const codecsUsed = `(async () => {
  const used = []
  for (const connection of window.connections) {
    const reports = await connection.getStats()
    for (const { type, codecId } of reports.values())
      if (type === 'inbound-rtp' || type === 'outbound-rtp') used.push(type + ' ' + reports.get(codecId)?.mimeType)
  }
  return used.sort()
})()`

const ringing = (userId: number) => ({
  ring: {
    type: 'ring_to',
    targets: [{ type: 'user', id: userId }],
    strategy: 'simultaneous',
    max_wait_seconds: 60,
    branches: { no_answer: 'end' },
  },
  end: { type: 'hang_up', media: null },
})

inBrowser('a call over a real line in the phone app', () => {
  test('is answered, heard on both sides, comes back after a reload, and ends', async () => {
    const office = await openVoiceOffice(testApp)
    const ada = await office.person('ada')
    const person = await withPassword(office.app, ada, 'ada@example.test')
    await office.flow(ringing(ada), 'ring')
    const window = await openWindow(office.app, { width: 376, height: 700 })
    const { page } = window
    await page.addInitScript(keepConnections)
    await enter(window, person, '/phone')
    await page.getByRole('heading', { level: 1 }).first().waitFor()

    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await call.sound.ear.until((samples) => loudest(samples) > 1_000)
    await expect.poll(() => page.evaluate(energyHeard), { timeout: 60_000 }).toBeGreaterThan(0.01)
    await picture(window, 'phone-real-call')

    await page.reload()
    await page.getByRole('button', { name: /^Hang up/ }).waitFor()
    await expect.poll(() => page.evaluate(energyHeard), { timeout: 60_000 }).toBeGreaterThan(0.01)
    await call.sound.ear.until((samples) => loudest(samples) > 1_000)

    await page.getByRole('button', { name: /^Hang up/ }).click()
    await call.over()
    expect(window.troubles).toEqual([])
  })

  test('is heard on both sides in the sound for weak networks too, once the person has chosen it', async () => {
    const office = await openVoiceOffice(testApp)
    const ada = await office.person('ada')
    const person = await withPassword(office.app, ada, 'ada@example.test')
    await office.flow(ringing(ada), 'ring')
    const window = await openWindow(office.app, { width: 376, height: 700 })
    const { page } = window
    await page.addInitScript(keepConnections)
    await enter(window, person, '/phone')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Network').selectOption('robust')
    await expect
      .poll(async () => (await office.app.a.own('GET', `/v1/users/${ada}/profile`)).json.profile.call_sound)
      .toBe('robust')
    await picture(window, 'phone-weak-network')

    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await call.sound.ear.until((samples) => loudest(samples) > 1_000)
    await expect.poll(() => page.evaluate(energyHeard), { timeout: 60_000 }).toBeGreaterThan(0.01)
    expect(await page.evaluate(codecsUsed)).toEqual(['inbound-rtp audio/opus', 'outbound-rtp audio/opus'])

    await page.getByRole('button', { name: /^Hang up/ }).click()
    await call.over()
    expect(window.troubles).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { loudest } from '../kit/tones.ts'
import { openVoiceOffice, ringing } from '../kit/voice.ts'
import { withPassword } from './people.ts'

// End to end: a carrier on one side, the phone app in Chromium with a test microphone on the other, and between
// them the real server with its media program.

/** Exposes the page’s connections, whose received audio the test measures. */
const keepConnections = `
  window.connections = []
  const Original = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Original {
    constructor(...given) {
      super(...given)
      window.connections.push(this)
    }
  }`

const receivedEnergy = `(async () => {
  let energy = 0
  for (const connection of window.connections)
    for (const report of (await connection.getStats()).values())
      if (report.type === 'inbound-rtp' && report.kind === 'audio') energy += report.totalAudioEnergy ?? 0
  return energy
})()`

/** Codecs of both directions. */
const codecsUsed = `(async () => {
  const used = []
  for (const connection of window.connections) {
    const reports = await connection.getStats()
    for (const { type, codecId } of reports.values())
      if (type === 'inbound-rtp' || type === 'outbound-rtp') used.push(type + ' ' + reports.get(codecId)?.mimeType)
  }
  return used.sort()
})()`

/** Ada, a target of the Number, with her phone app open. */
async function openAda() {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  const person = await withPassword(office.app, ada, 'ada@example.test')
  await office.flow(ringing(ada), 'ring')
  const another = async () => {
    const window = await openWindow(office.app, { width: 376, height: 700 })
    await window.page.addInitScript(keepConnections)
    await enter(window, person, '/phone')
    await window.page.getByRole('heading', { level: 1 }).first().waitFor()
    return window
  }
  const window = await another()
  return { office, ada, window, page: window.page, another }
}

inBrowser('a call over a real line in the phone app', () => {
  test('is answered, has audio both ways, reconnects after a reload, and ends', async () => {
    const { office, window, page } = await openAda()

    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await call.sound.received.until((samples) => loudest(samples) > 1_000)
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)
    await picture(window, 'phone-real-call')

    await page.reload()
    await page.getByRole('button', { name: /^Hang up/ }).waitFor()
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)
    await call.sound.received.until((samples) => loudest(samples) > 1_000)

    await page.getByRole('button', { name: /^Hang up/ }).click()
    await call.over()
    expect(window.troubles).toEqual([])
  })

  test('has audio both ways with the codec for weak networks', async () => {
    const { office, window, page, ada } = await openAda()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Network').selectOption('robust')
    await expect
      .poll(async () => (await office.app.a.own('GET', `/v1/users/${ada}/profile`)).json.profile.call_sound)
      .toBe('robust')
    await picture(window, 'phone-weak-network')

    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await call.sound.received.until((samples) => loudest(samples) > 1_000)
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)
    expect(await page.evaluate(codecsUsed)).toEqual(['inbound-rtp audio/opus', 'outbound-rtp audio/opus'])
    await page.getByRole('button', { name: /^Hang up/ }).click()
    await call.over()
    expect(window.troubles).toEqual([])
  })

  test('reconnects its audio at once after the server has lost it', async () => {
    const { office, window, page } = await openAda()
    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)

    // The browser fires no event for a connection that the page itself closes.
    await page.evaluate('connections[0].close()')

    await expect.poll(() => page.evaluate('connections.length')).toBe(2)
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)
    await call.sound.received.until((samples) => loudest(samples) > 1_000)
    await page.getByRole('button', { name: /^Hang up/ }).click()
    await call.over()
    expect(window.troubles).toEqual([])
  })

  test('loses its audio here at once when another phone of the user takes it over', async () => {
    const { office, window, page, another } = await openAda()
    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)

    const other = await another()
    await other.page.getByRole('button', { name: 'Use audio here' }).click()

    await expect.poll(() => page.evaluate('connections[0].connectionState')).toBe('closed')
    await expect.poll(() => other.page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)
    await page.getByRole('button', { name: 'Use audio here' }).waitFor()
    expect([...window.troubles, ...other.troubles]).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openFromMore, openWindow, picture, type Window } from '../kit/browser.ts'
import { openRelay } from '../kit/relay.ts'
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

/** Packets of the page’s first connection so far. */
const packets = `(async () => {
  const found = { received: 0, sent: 0 }
  for (const report of (await window.connections[0].getStats()).values()) {
    if (report.type === 'inbound-rtp') found.received = report.packetsReceived
    if (report.type === 'outbound-rtp') found.sent = report.packetsSent
  }
  return found
})()`

/** Ada, a target of the Number, with her phone app open. */
async function openAda() {
  const relay = await openRelay()
  const office = await openVoiceOffice(testApp, { DASHBOARD_URL: relay.base })
  relay.to(office.app.base)
  const ada = await office.person('ada')
  const person = await withPassword(office.app, ada, 'ada@example.test')
  await office.flow(ringing(ada), 'ring')
  const another = async () => {
    const window = await openWindow(relay, { width: 376, height: 700 })
    await window.page.addInitScript(keepConnections)
    await enter(window, person, '/phone')
    await window.page.getByRole('heading', { level: 1 }).first().waitFor()
    return window
  }
  const window = await another()
  return { office, relay, ada, window, page: window.page, another }
}

/** Problems other than those of the outage: the browser reports each request that could not be sent. */
const beyondTheOutage = ({ troubles }: Window) => troubles.filter((trouble) => !/net::ERR|WebSocket/.test(trouble))

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
    await openFromMore(page, 'Settings')
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

  test('survives an outage of the server with the same audio connection', async () => {
    const { office, relay, window, page } = await openAda()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const banner = page.getByText(/^Reconnecting…/)
    const call = await office.call()
    await button('Accept').click()
    await call.answered()
    await call.sound.received.until((samples) => loudest(samples) > 1_000)

    relay.cut()
    await banner.waitFor()
    const before = await page.evaluate<{ received: number; sent: number }>(packets)
    // Longer than the server keeps the session of a phone app: 600 packets are 12 seconds.
    await expect
      .poll(async () => (await page.evaluate<typeof before>(packets)).received)
      .toBeGreaterThan(before.received + 600)
    expect((await page.evaluate<typeof before>(packets)).sent).toBeGreaterThan(before.sent + 500)
    await page.getByText('Your call stays open here.').waitFor()
    expect(await button('Hold').isDisabled()).toBe(true)
    await button('Mute').click()
    await page.getByText('Muted', { exact: true }).waitFor()
    await call.sound.received.silence()
    relay.to(office.app.base)
    await banner.waitFor({ state: 'detached' })
    await button('Unmute').click()
    await call.sound.received.until((samples) => loudest(samples) > 1_000)
    expect(await button('Hold').isDisabled()).toBe(false)
    expect(await page.evaluate('connections.map((one) => one.connectionState)')).toEqual(['connected'])

    relay.cut()
    await banner.waitFor()
    await button('Hang up').click()
    await page.getByText('You have left the call.').waitFor()
    expect(await page.evaluate('connections[0].connectionState')).toBe('closed')
    relay.to(office.app.base)
    await call.over()
    await banner.waitFor({ state: 'detached' })
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('that ends during an outage is shown as ended afterwards', async () => {
    const { office, relay, window, page } = await openAda()
    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)

    relay.cut()
    await page.getByText(/^Reconnecting…/).waitFor()
    call.hangUp()
    await page.getByText('The other party may have hung up.').waitFor()
    relay.to(office.app.base)

    await page.getByText(/ended while this phone was not connected/).waitFor()
    await page.getByRole('button', { name: /^Hang up/ }).waitFor({ state: 'detached' })
    expect(beyondTheOutage(window)).toEqual([])
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
    const { office, relay, window, page, another } = await openAda()
    const call = await office.call()
    await page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await expect.poll(() => page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)

    const other = await another()
    await other.page.getByRole('button', { name: 'Use audio here' }).click()

    await expect.poll(() => page.evaluate('connections[0].connectionState')).toBe('closed')
    await expect.poll(() => other.page.evaluate(receivedEnergy)).toBeGreaterThan(0.01)
    await page.getByRole('button', { name: 'Use audio here' }).waitFor()

    // Without the server only the phone that has the audio can mute it.
    relay.cut()
    await page.getByText(/^Reconnecting…/).waitFor()
    await other.page.getByText(/^Reconnecting…/).waitFor()
    const canMute = ({ page: shown }: Window) => shown.getByRole('button', { name: 'Mute', exact: true }).isEnabled()
    expect([await canMute(window), await canMute(other)]).toEqual([false, true])
    expect([...beyondTheOutage(window), ...beyondTheOutage(other)]).toEqual([])
  })
})

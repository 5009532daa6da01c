import type { WebSocketRoute } from 'playwright-core'
import { expect, test } from 'vitest'
import { formatsOffered } from '../../web/phone/codecs.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { createTestUser, withPassword } from './people.ts'

// The browser side of a call with audio. A WebSocket proxy reports a real network to the page, and a second peer connection
// in the same page answers the SDP offer.

// biome-ignore lint/suspicious/noExplicitAny: messages of the socket
type LiveMessage = any

const key = 'real-1'

/** Simulates a real network for the page, and records the requests that it sends. */
async function realNetwork({ page }: Window) {
  const asked: LiveMessage[] = []
  let muted = false
  let calls: LiveMessage[] = []
  const shown = () => calls.map((call) => ({ ...call, muted }))
  const sockets = new Set<WebSocketRoute>()
  let isCut = false
  await page.routeWebSocket(/\/live\?/, async (socket) => {
    if (isCut) return socket.close()
    sockets.add(socket)
    const server = socket.connectToServer()
    const send = (message: object) => socket.send(JSON.stringify(message))
    server.onMessage((text) => {
      const message = JSON.parse(String(text))
      socket.send(
        message.type === 'hello' ? JSON.stringify({ ...message, voice: 'real', calls: shown() }) : String(text),
      )
    })
    socket.onMessage(async (text) => {
      const message = JSON.parse(String(text))
      const { id, type } = message
      if (type === 'active') return server.send(text)
      asked.push(message)
      if (type === 'mute' || type === 'unmute') muted = type === 'mute'
      if (type === 'dial') calls = [call]
      if (type === 'hang_up') calls = []
      send({ type: 'reply', id, ok: true, key, call_id: null, now: 0, calls: shown() })
      if (type === 'hang_up') send({ type: 'call', key, call_id: null, state: 'ended' })
      if (type === 'dial') send({ type: 'call', key, call_id: null, state: 'connected' })
      if (message.sdp_offer) {
        const sdp_answer = await page.evaluate<string>(`(${farEnd})(${JSON.stringify(message.sdp_offer)})`)
        send({ type: 'sdp_answer', key, session: '', sdp_answer })
      }
    })
  })
  const of = (type: string) => asked.filter((message) => message.type === type)
  /** Makes the server unreachable; the audio uses another connection. */
  const cut = async () => {
    isCut = true
    await page.route('**/app/**', (route) => route.abort())
    for (const socket of sockets) await socket.close()
  }
  const restore = async () => {
    isCut = false
    await page.unroute('**/app/**')
  }
  return { of, cut, restore }
}

const call = {
  key,
  call_id: null,
  state: 'on_call',
  direction: 'outbound',
  external: '+33199000001',
  number_id: null,
  purpose: null,
  phase: 'talking',
  line: 'real',
  sound: true,
  held: false,
  recording: 'off',
  started_at: 0,
  answered_at: 0,
  external_display: '+33 1 99 00 00 01',
  contact: null,
  number: null,
  menu: null,
  people: [],
  guests: [],
  given_by: null,
  consultation: null,
}

/** The other end, which beeps. */
const farEnd = `async (sdp) => {
  const far = new RTCPeerConnection()
  window.farEnds = [...(window.farEnds ?? []), far]
  far.addTrack((await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0])
  await far.setRemoteDescription({ type: 'offer', sdp })
  await far.setLocalDescription(await far.createAnswer())
  while (far.iceGatheringState !== 'complete') await new Promise((done) => setTimeout(done, 20))
  return far.localDescription.sdp
}`

/** So that the test can look at what the page has made; the page's own is the first. */
const keepPeers = `window.peers = []
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...given) {
    super(...given)
    window.peers.push(this)
  }
}`

inBrowser('the audio of a real call', () => {
  test('continues during an outage of the server, over the same connection', async () => {
    const office = await openOffice(testApp)
    const person = await withPassword(office, office.ada, 'ada@example.test')
    const window = await openWindow(office, { width: 390, height: 760 })
    const { page, troubles } = window
    const line = await realNetwork(window)
    await page.addInitScript(keepPeers)
    await enter(window, person, '/phone')
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const received = () =>
      page.evaluate<number>(`peers[0].getStats().then((stats) =>
        [...stats.values()].find(({ type }) => type === 'inbound-rtp')?.packetsReceived ?? 0)`)

    await page.getByRole('textbox', { name: 'Number, extension or name' }).fill('201')
    await button('Call').click()
    await page.getByText('Good audio').waitFor()
    await line.cut()
    await page.getByText(/^Reconnecting…/).waitFor()
    const before = await received()
    await expect.poll(received).toBeGreaterThan(before + 50)
    await button('Hang up').waitFor()
    await line.restore()
    await page.getByText(/^Reconnecting…/).waitFor({ state: 'detached' })
    const after = await received()
    await expect.poll(received).toBeGreaterThan(after + 50)

    expect(line.of('attach')).toEqual([])
    expect(await page.evaluate<string>('peers[0].connectionState')).toBe('connected')
    await button('Hang up').click()
    await page.getByRole('textbox', { name: 'Number, extension or name' }).waitFor()
    expect(troubles.filter((trouble) => !/net::ERR|WebSocket/.test(trouble))).toEqual([])
  })

  test('is offered with the call, follows the mute button, and reconnects after a reload', async () => {
    const office = await openOffice(testApp)
    const person = await withPassword(office, office.ada, 'ada@example.test')
    const window = await openWindow(office, { width: 376, height: 720 })
    const { page, troubles } = window
    const line = await realNetwork(window)
    await page.addInitScript(keepPeers)
    const isSpeaking = () => page.evaluate<boolean>('peers[0].getSenders()[0].track.enabled')
    await enter(window, person, '/phone')
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    await page.getByRole('textbox', { name: 'Number, extension or name' }).fill('201')
    await button('Call').click()
    await page.getByText('Good audio').waitFor()
    const [dialled] = line.of('dial')
    expect(formatsOffered(dialled.sdp_offer)).toEqual([
      ['PCMU/8000', 'opus/48000', 'telephone-event/8000', 'telephone-event/48000'],
    ])
    expect(dialled.sdp_offer).toMatch(/^m=audio \d+ \S+ 0 /m)
    expect(dialled.sdp_offer).toMatch(/^a=candidate:/m)
    expect(line.of('attach')).toEqual([])
    await picture(window, 'phone-sound')

    expect(await isSpeaking()).toBe(true)
    await button('Mute').click()
    await button('Unmute').waitFor()
    expect(await isSpeaking()).toBe(false)
    await page.reload()
    await page.getByText('Good audio').waitFor()
    expect(line.of('attach')).toMatchObject([{ key }])
    expect(formatsOffered(line.of('attach')[0].sdp_offer)).toHaveLength(1)
    expect(await isSpeaking()).toBe(false)

    // As when another phone of Ada's takes it.
    await page.evaluate('farEnds[0].close()')
    await button('Use audio here').click()
    await page.getByText('Good audio').waitFor()
    expect(line.of('attach')).toHaveLength(2)
    await button('Hang up').click()
    await button('Call').waitFor()
    // Its own and its other end, twice.
    expect(await page.evaluate('peers.length')).toBe(4)
    expect(await page.evaluate('peers[2].connectionState')).toBe('closed')

    expect(troubles).toEqual([])
  })

  test('is played to a supervisor, whose microphone is off until they whisper', async () => {
    const office = await openOffice(testApp)
    const person = await createTestUser(office, 'Sue', 'supervisor')
    const window = await openWindow(office, { width: 420, height: 720 })
    const { page, troubles } = window
    const line = await realNetwork(window)
    await page.addInitScript(keepPeers)
    const modes = () => line.of('supervise').map(({ mode }) => mode)
    const hasMicrophone = () => page.evaluate<boolean>('peers[0].getSenders()[0].track !== null')

    await enter(window, person, `/phone?listen=${key}&mode=listen`)
    await page.getByText('No one can hear you').waitFor()
    expect(modes()).toEqual(['listen'])
    expect(formatsOffered(line.of('supervise')[0].sdp_offer)).toHaveLength(1)
    expect(await hasMicrophone()).toBe(false)
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'phone-listening')

    await page.getByText('Whisper', { exact: true }).click()
    await page.getByText('Only the agents can hear you').waitFor()
    await expect.poll(() => page.evaluate('peers[0].getSenders()[0].track !== null')).toBe(true)
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => page.evaluate('peers[0].connectionState')).toBe('closed')

    expect(modes()).toEqual(['listen', 'whisper', null])
    expect(line.of('supervise')[1].sdp_offer).toBeUndefined()
    // A reload stays a window for supervision, and does not listen again.
    expect(new URL(page.url()).search).toBe('?listen')
    expect(troubles).toEqual([])
  })
})

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { hasBaresip, openBaresip, type PhoneCodec } from '../kit/baresip.ts'
import { enter, inBrowser, openWindow } from '../kit/browser.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { toneFile } from '../kit/tone-file.ts'
import { hasTreble, standsOut, type Voice } from '../kit/tones.ts'
import { lineDigits, openOfficeTowards, ringing } from '../kit/voice.ts'
import { withPassword } from './people.ts'

// End to end with third-party endpoints: Chromium with a tone as its microphone, the server, and a
// SIP phone of another project.

const customer = '+14155550123'

/** Disables audio processing, which destroys a tone, and keeps an analyser per received track. */
const listenIn = `
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = ({ audio, ...more }) =>
    original({ ...more, audio: { ...audio, echoCancellation: false, noiseSuppression: false, autoGainControl: false } })
  window.analysers = []
  const Original = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Original {
    constructor(...given) {
      super(...given)
      this.addEventListener('track', ({ track }) => {
        const context = new AudioContext()
        const analyser = context.createAnalyser()
        analyser.fftSize = 16384
        context.createMediaStreamSource(new MediaStream([track])).connect(analyser)
        window.analysers.push({ analyser, rate: context.sampleRate })
      })
    }
  }`

/** The last third of a second or so. */
const lastSamples = `(() => {
  const { analyser, rate } = window.analysers.at(-1) ?? {}
  if (!analyser) return { rate: 8000, samples: [] }
  const samples = new Float32Array(analyser.fftSize)
  analyser.getFloatTimeDomainData(samples)
  return { rate, samples: [...samples] }
})()`

async function heardIn(page: Page): Promise<{ rate: number; samples: number[] }> {
  const { rate, samples } = await page.evaluate<{ rate: number; samples: number[] }>(lastSamples)
  return { rate, samples: samples.map((sample) => sample * 32_768) }
}

async function toneLevel(page: Page, voice: Voice): Promise<number> {
  const { rate, samples } = await heardIn(page)
  return standsOut(voice, samples, rate)
}

async function trebleIn(page: Page, voice: Voice): Promise<boolean> {
  const { rate, samples } = await heardIn(page)
  return hasTreble(voice, samples, rate)
}

async function openAll(codec: PhoneCodec = 'g711') {
  const network = await ownNetwork()
  const phone = await openBaresip(network, customer, 'caller', { codec })
  const office = await openOfficeTowards(testApp, { bind: network.here, host: network.there, port: phone.port })
  const ada = await office.person('ada')
  const person = await withPassword(office.app, ada, 'ada@example.test')
  await office.flow(ringing(ada), 'ring')
  const window = await openWindow(office.app, {
    width: 376,
    height: 700,
    microphone: await toneFile('agent', codec !== 'g711'),
  })
  await window.page.addInitScript(listenIn)
  await window.page.goto('/phone')
  // A Chromium that has just been started may replace its network service, and the cookies set before are gone.
  do await enter(window, person, '/phone')
  while (!(await window.page.evaluate("fetch('/app/v1/session').then(({ ok }) => ok)")))
  await window.page.getByRole('heading', { level: 1 }).first().waitFor()
  return { network, phone, office, window, page: window.page }
}

inBrowser('Chromium and a SIP phone', () => {
  describe.skipIf(!hasBaresip())('exchange audio in both directions', () => {
    test('when the phone calls, and the phone hangs up', async () => {
      const { network, phone, office, page, window } = await openAll()

      await phone.dial(`sip:${lineDigits}@${network.here}:${office.sipPort}`)
      await page.getByRole('button', { name: 'Accept' }).click()
      await phone.until('CALL_ESTABLISHED')

      await expect.poll(() => toneLevel(page, 'caller')).toBeGreaterThan(20)
      await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
      await phone.hangUp()
      await page.getByRole('button', { name: /^Hang up/ }).waitFor({ state: 'detached' })
      expect(window.troubles).toEqual([])
    })

    test('in wideband, when the phone calls with G.722', async () => {
      const { network, phone, office, page, window } = await openAll('g722')

      await phone.dial(`sip:${lineDigits}@${network.here}:${office.sipPort}`)
      await page.getByRole('button', { name: 'Accept' }).click()
      await phone.until('CALL_ESTABLISHED')

      await expect.poll(() => toneLevel(page, 'caller')).toBeGreaterThan(20)
      await expect.poll(() => trebleIn(page, 'caller')).toBe(true)
      await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
      await expect.poll(() => phone.hasTreble('agent')).toBe(true)
      expect(window.troubles).toEqual([])
    })

    test('when the agent dials, and the agent hangs up', async () => {
      const { phone, page, window } = await openAll()

      await page.getByRole('textbox', { name: 'Number, extension or name' }).fill(customer)
      // It can be pressed once the phone app is connected.
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await phone.until('CALL_INCOMING')
      await phone.accept()
      await phone.until('CALL_ESTABLISHED')

      await expect.poll(() => toneLevel(page, 'caller')).toBeGreaterThan(20)
      await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
      await page.getByRole('button', { name: /^Hang up/ }).click()
      await phone.until('CALL_CLOSED')
      expect(window.troubles).toEqual([])
    })
  })
})

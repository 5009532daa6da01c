import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import nodeDataChannel from 'node-datachannel'
import { expect, test } from 'vitest'
import type { TransportEvents } from './browser-transport.ts'
import { nativeTransports } from './native-transport.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A browser that offers its microphone. */
async function offerOf(browser: nodeDataChannel.PeerConnection): Promise<string> {
  const microphone = new nodeDataChannel.Audio('0', 'SendRecv')
  microphone.addOpusCodec(111)
  browser.addTrack(microphone)
  await new Promise<void>((resolve) => {
    browser.onGatheringStateChange((state) => state === 'complete' && resolve())
    browser.setLocalDescription('offer')
  })
  return browser.localDescription()?.sdp ?? ''
}

/** What remains of a call after it has ended. */
async function endedCall(): Promise<WeakRef<TransportEvents>> {
  const network = { bindAddress: '127.0.0.1', publicAddress: null, port: 0 }
  const events = { packet() {}, open() {}, connected() {}, lost() {} }
  const transport = nativeTransports.open('server', network, events)
  const browser = new nodeDataChannel.PeerConnection('browser', { iceServers: [], disableAutoNegotiation: true })
  const agreed = {
    codec: 'opus',
    payloadType: 111,
    isWideband: false,
    isLowDelay: false,
    telephoneEvent: null,
  } as const
  await transport.answer(await offerOf(browser), { mid: '0', ssrc: 7, agreed })
  transport.close()
  browser.close()
  await transport.closed
  return new WeakRef(events)
}

test('nothing of a call stays in memory after its end', async () => {
  const ended = await endedCall()

  for (let turns = 0; turns < 100 && ended.deref(); turns++) {
    await nextTurn()
    collectGarbage()
  }

  expect(ended.deref()).toBeUndefined()
})

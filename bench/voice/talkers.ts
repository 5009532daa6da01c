import { createSocket, type Socket } from 'node:dgram'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { cleanup } from 'node-datachannel'
import { ulawSilence } from '../../src/media/g711.ts'
import { headerBytes, isRtcp, writeRtpHeader } from '../../src/voice-node/rtp.ts'
import { browserPeer } from '../../test/kit/browser-peer.ts'
import { every20ms } from '../../test/kit/tones.ts'
import type { AskName, Asks } from './load-generator.ts'
import { prefer } from './pin.ts'

// The program behind load-generator.ts: simulated browsers and far ends of trunks. All send fifty packets a second.

/** One call: its two talkers and what each has received. */
interface Call {
  accept(answer: string): Promise<void>
  talkTo(port: number): void
  counters: PacketCounter[]
  close(): Promise<void>
}

const calls = new Map<number, Call>()
const lateness = monitorEventLoopDelay({ resolution: 10 })
lateness.enable()
prefer(process.pid)

const handlers: { [Name in AskName]: (given: Asks[Name]['with']) => Promise<Asks[Name]['gives']> } = {
  async invite({ call, address }) {
    const [left, right] = [new PacketCounter(), new PacketCounter()]
    const browser = await browserPeer('agent', { address, onPacket: left.receive })
    const trunk = await farEnd(right)
    calls.set(call, {
      accept: browser.accept,
      talkTo: trunk.talkTo,
      counters: [left, right],
      async close() {
        trunk.close()
        await browser.close()
      },
    })
    return { offer: browser.offer, farPort: trunk.port }
  },
  async talk({ call: number, answer, port }) {
    const call = calls.get(number)
    if (!call) throw new Error(`there is no call ${number}`)
    call.talkTo(port)
    await call.accept(answer)
    return null
  },
  async received() {
    const counters = [...calls.values()].flatMap((call) => call.counters)
    const counts = counters.map((counter) => counter.count())
    const lateMs = lateness.max / 1e6
    lateness.reset()
    return {
      packets: counts.reduce((sum, count) => sum + count, 0),
      withoutAudio: counts.filter((count) => count === 0).length,
      lateMs,
    }
  },
  async leave({ call: only }) {
    const leaving = [...calls].filter(([number]) => only === undefined || number === only)
    for (const [number] of leaving) calls.delete(number)
    await Promise.all(leaving.map(([, call]) => call.close()))
    return null
  },
}

/** Counts the packets with audio: a carrier that sends silence has carried nothing. */
class PacketCounter {
  #received = 0

  receive = (packet: Buffer): void => {
    if (packet.length > headerBytes && !isRtcp(packet) && isSound(packet)) this.#received++
  }

  /** Since the last time. */
  count(): number {
    const received = this.#received
    this.#received = 0
    return received
  }
}

/** By a few of its samples; silence is the same code with either sign. */
const isSound = (packet: Buffer) => [20, 53, 91, 130].some((at) => ((packet[at] ?? 0) | 0x80) !== ulawSilence)

async function farEnd(counter: PacketCounter) {
  const socket = await bound()
  const { port: own } = socket.address()
  let stop = () => {}
  socket.on('message', counter.receive)
  return {
    port: own,
    talkTo(port: number) {
      let n = 0
      stop = every20ms(() => {
        const packet = Buffer.alloc(headerBytes + 160, 0x55)
        writeRtpHeader(packet, 0, false, n & 0xffff, (n * 160) >>> 0, own)
        n++
        socket.send(packet, port, '127.0.0.1')
      })
    },
    close() {
      stop()
      socket.close()
    },
  }
}

async function bound(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', lookup: (host, _options, found) => found(null, host, 4) })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return socket
}

process.on('message', async ({ id, ask, with: given }: { id: number; ask: AskName; with: never }) => {
  try {
    process.send?.({ id, gives: await handlers[ask](given) })
  } catch (error) {
    process.send?.({ id, failed: String(error) })
  }
})
process.on('disconnect', async () => {
  await handlers.leave({})
  cleanup()
  process.exit(0)
})
// The benchmark ends this process after all browsers are closed: an exit with an open one crashes.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})

import { WebSocket } from 'ws'
import { type BrowserPeer, browserPeer } from '../../test/kit/browser-peer.ts'
import type { Installation } from '../fleet/installation.ts'
import { pause } from '../voice/measure.ts'

// Agents with the phone app: each answers what rings with WebRTC audio, and connects again when the server was killed.

export interface Agents {
  answered(): number
  /** Conversations in which the phone app received no audio. */
  withoutAudio(): number
  errors(): string[]
  close(): Promise<void>
}

interface Conversation {
  sound: BrowserPeer
  packets: number
  /** When media could flow. */
  acceptedAt?: number
}

interface Counts {
  answered: number
  withoutAudio: number
  errors: string[]
}

const reconnectMs = 500
const minPackets = 10
const minTalkMs = 3_000

export function openAgents(installation: Installation, userIds: readonly number[]): Agents {
  const counts: Counts = { answered: 0, withoutAudio: 0, errors: [] }
  const phones = userIds.map((userId) => openPhone(installation, userId, counts))
  return {
    answered: () => counts.answered,
    withoutAudio: () => counts.withoutAudio,
    errors: () => [...new Set(counts.errors)].map((error) => `phone app: ${error}`),
    async close() {
      await Promise.all(phones.map((phone) => phone.close()))
    },
  }
}

function openPhone({ server, authorization }: Installation, userId: number, counts: Counts) {
  const talks = new Map<string, Conversation>()
  let socket: WebSocket | undefined
  let isClosing = false
  const send = (message: object) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message))

  async function ring(key: string): Promise<void> {
    if (talks.has(key)) return
    const talk: Conversation = { sound: await browserPeer('agent', { onPacket: () => talk.packets++ }), packets: 0 }
    talks.set(key, talk)
    send({ id: 1, type: 'answer', key, sdp_offer: talk.sound.offer })
  }

  async function end(key: string): Promise<void> {
    const talk = talks.get(key)
    if (!talks.delete(key) || !talk) return
    const talkedMs = performance.now() - (talk.acceptedAt ?? performance.now())
    if (talkedMs > minTalkMs && talk.packets < minPackets) counts.withoutAudio++
    await talk.sound.close()
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  async function take(message: any): Promise<void> {
    const { type, key } = message
    if (type === 'ring') await ring(key)
    if (type === 'ring_stop') await end(key)
    if (type === 'call' && message.state === 'ended') await end(key)
    if (type === 'reply' && !message.ok)
      for (const [one, talk] of talks) if (talk.acceptedAt === undefined) await end(one)
    if (type === 'hello') {
      const current = new Set(message.calls.map((call: { key: string }) => call.key))
      for (const one of talks.keys()) if (!current.has(one)) await end(one)
    }
    const talk = talks.get(key)
    if (type !== 'sdp_answer' || !talk || !message.sdp_answer) return
    counts.answered++
    await talk.sound.accept(message.sdp_answer)
    talk.acceptedAt = performance.now()
  }

  const failed = (error: unknown) => void counts.errors.push(String(error))

  async function run(): Promise<void> {
    while (!isClosing) {
      await new Promise<void>((resolve) => {
        const address = `${server().url.replace('http', 'ws')}/live?user_id=${userId}`
        socket = new WebSocket(address, { headers: { authorization } })
        socket.on('error', () => {})
        socket.on('close', () => resolve())
        socket.on('message', (data) => void take(JSON.parse(data.toString())).catch(failed))
      })
      await pause(reconnectMs)
    }
  }

  const running = run()
  return {
    async close() {
      isClosing = true
      socket?.terminate()
      await running
      for (const key of talks.keys()) await end(key)
    },
  }
}

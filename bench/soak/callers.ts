import { seededRandom } from '../../src/lib/random.ts'
import type { Carrier, CarrierCall } from '../../test/kit/carrier.ts'
import type { Installation } from '../fleet/installation.ts'
import { pause } from '../voice/measure.ts'
import type { Loops } from './loops.ts'

// Callers over the SIP trunk, with RTP audio: conversations with agents, voicemails and callers who give up waiting.

export interface Placed {
  /** Unique, so that the call is found again. */
  from: string
  to: keyof Destinations
  isAnswered: boolean
  talkedMs: number
  /** Rejected with that status line. */
  rejection?: string
  hasAudio: boolean
}

export interface Callers {
  placed: Placed[]
  active(): number
}

export interface Destinations {
  agents: string
  voicemail: string
  queue: string
}

const random = seededRandom(20_260_719)
const answerMs = 30_000
/** Half a second of audio. */
const minSamples = 4_000

export function startCallers(loops: Loops, carrier: Carrier, to: Destinations, conversations: number): Callers {
  const placed: Placed[] = []
  let active = 0

  async function call(kind: keyof Destinations, seconds: number): Promise<void> {
    const one: Placed = {
      from: `+1415${5_560_000 + placed.length}`,
      to: kind,
      isAnswered: false,
      talkedMs: 0,
      hasAudio: false,
    }
    placed.push(one)
    active++
    const leg = await carrier.call(to[kind], one.from)
    try {
      one.isAnswered = await isAnswered(leg)
      const from = performance.now()
      if (one.isAnswered) await lasts(leg, seconds)
      one.talkedMs = one.isAnswered ? performance.now() - from : 0
      if (!one.isAnswered && leg.hasEnded()) one.rejection = (await leg.over).split('\r\n', 1)[0] ?? ''
    } finally {
      one.hasAudio = leg.sound.received.length > minSamples
      leg.hangUp()
      active--
    }
  }

  async function isAnswered(leg: CarrierCall): Promise<boolean> {
    let isOk = false
    void leg.answered.then(() => {
      isOk = true
    })
    const until = performance.now() + answerMs
    while (!isOk && !leg.hasEnded() && !loops.isStopping() && performance.now() < until) await pause(50)
    return isOk
  }

  /** Until the other side hangs up, or the time is over. */
  async function lasts(leg: CarrierCall, seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1_000
    while (!leg.hasEnded() && !loops.isStopping() && performance.now() < until) await pause(200)
  }

  for (let n = 0; n < conversations; n++) {
    loops.repeat('SIP conversation', 2_000, () => call('agents', random.integer(10, 40)))
  }
  loops.repeat('SIP voicemail', 5_000, () => call('voicemail', random.integer(8, 15)))
  loops.repeat('SIP caller in the queue', 5_000, () => call('queue', random.integer(10, 20)))
  return { placed, active: () => active }
}

/** Numbers of the first company for the trunk: agents by longest idle time, a voicemail, and a queue that no agent serves. */
export async function openNumbers(
  installation: Installation,
  agents: readonly number[],
  nobody: number,
): Promise<Destinations> {
  const { api, own, number } = installation
  const end = { type: 'hang_up', media: null }
  const ring = (users: readonly number[], max_wait_seconds: number) => ({
    type: 'ring_to',
    targets: users.map((id) => ({ type: 'user', id })),
    strategy: 'longest_idle',
    max_wait_seconds,
    branches: { no_answer: 'end' },
  })
  const welcome = { type: 'audio', media: null, branches: { next: 'ring' } }
  const box = { type: 'voicemail', media: null, max_seconds: 60, silence_seconds: 10 }
  const talking = await number({ start: 'ring', nodes: { ring: ring(agents, 60), end } })
  const voicemail = await number({ start: 'box', nodes: { box } })
  const queue = await number({ start: 'welcome', nodes: { welcome, ring: ring([nobody], 600), end } })
  await own('PUT', `/v1/numbers/${talking.id}/users`, { user_ids: agents })
  await api('PUT', `/v1/numbers/${talking.id}`, { live_recording_activated: true })
  return { agents: talking.digits, voicemail: voicemail.digits, queue: queue.digits }
}

import { type MetricKit, type Sample, samplesBy } from './metric-kit.ts'

/** Figures of a voice driver. */
export interface VoiceFigures {
  legs: number
  maxLegs?: number
  rooms: number
  tickLagMs: number
  dropped: number
  recordingsFailed?: number
  foreign?: number
  invalid?: number
  /** SIP responses since the start, by class such as `2xx`. */
  sipResponses?: { received: Record<string, number>; sent: Record<string, number> }
}

export function telephonyMetrics({ figures }: MetricKit) {
  const voice = figures<VoiceFigures>()
  voice.gauge('voice_legs', 'Active media legs', ({ legs }) => legs)
  voice.gauge('voice_legs_limit', 'Maximum number of media legs', ({ maxLegs = 0 }) => maxLegs)
  voice.gauge('voice_rooms', 'Active calls with media', ({ rooms }) => rooms)
  voice.gauge(
    'voice_tick_lag_seconds',
    'Maximum delay of the media mixer in the last ten seconds',
    ({ tickLagMs }) => tickLagMs / 1_000,
  )
  const counted = (name: string, help: string, value: (now: VoiceFigures) => number | undefined) =>
    voice.counters(name, help, [], (now) => [{ labels: {}, value: value(now) ?? 0 }])
  counted(
    'voice_dropped_frames_total',
    'Audio frames dropped because they arrived too fast',
    ({ dropped }) => dropped,
  )
  counted(
    'voice_foreign_packets_total',
    'RTP packets dropped because their source is not the far end',
    ({ foreign }) => foreign,
  )
  counted(
    'voice_invalid_packets_total',
    'Packets of the far end dropped because they are not RTP of a negotiated payload type',
    ({ invalid }) => invalid,
  )
  counted(
    'voice_recordings_failed_total',
    'Recordings lost, most likely to a full disk',
    ({ recordingsFailed }) => recordingsFailed,
  )
  voice.counters('sip_responses_total', 'SIP responses by class', ['direction', 'class'], ({ sipResponses }) =>
    sipResponses ? (['received', 'sent'] as const).flatMap((way) => byClass(way, sipResponses[way])) : [],
  )
  return {
    /** Read on scrape; undefined while there are no calls with media. */
    voice: (read: () => Promise<VoiceFigures | undefined>) => voice.from(read),
  }
}

const byClass = (direction: string, counts: Record<string, number>): Sample[] =>
  samplesBy('class', counts).map(({ labels, value }) => ({ labels: { ...labels, direction }, value }))

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

/** The calls of this process. */
export interface CallFigures {
  active: Record<'inbound' | 'outbound', number>
  legs: number
  /** Callers who wait for an agent. */
  waiting: number
  maxWaitSeconds: number
}

/** A trunk that this process serves. */
export interface TrunkFigures {
  id: string
  registers: boolean
  /** Null: not known yet. */
  isUp: boolean | null
  /** Status code of the last SIP response; 0: none. */
  lastResponse: number
}

/** A line node as this process sees it. */
export interface NodeFigures {
  id: string
  isConnected: boolean
  legs: number
  maxLegs: number
}

const setupBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 15, 30]
const lossBuckets = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
const jitterBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2]
const roundTripBuckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1]
const mosBuckets = [1.5, 2, 2.5, 3, 3.25, 3.5, 3.75, 4, 4.1, 4.2, 4.3, 4.4]

export function telephonyMetrics(kit: MetricKit) {
  return { ...callMetrics(kit), ...voiceMetrics(kit) }
}

function callMetrics({ counter, histogram, figures }: MetricKit) {
  const calls = figures<CallFigures>()
  calls.gauges('active_calls', 'Calls in progress', ['direction'], ({ active }) => samplesBy('direction', active))
  calls.gauge('active_legs', 'Legs of calls in progress', ({ legs }) => legs)
  calls.gauge('waiting_callers', 'Callers who wait for an agent', ({ waiting }) => waiting)
  calls.gauge('longest_wait_seconds', 'Longest wait of a caller for an agent', (now) => now.maxWaitSeconds)
  const trunks = figures<readonly TrunkFigures[]>()
  trunks.gauges('trunk_up', '1 while the trunk is registered or reachable', ['trunk'], (all) =>
    all.flatMap(({ id, isUp }) => (isUp === null ? [] : [{ labels: { trunk: id }, value: isUp ? 1 : 0 }])),
  )
  trunks.gauges('trunk_last_response', 'Status code of the last SIP response of the trunk; 0: none', ['trunk'], (all) =>
    all.map(({ id, lastResponse }) => ({ labels: { trunk: id }, value: lastResponse })),
  )
  trunks.gauges('trunk_registrations', 'Trunks that register, by state', ['state'], (all) => {
    const registering = all.filter(({ registers }) => registers)
    const registered = registering.filter(({ isUp }) => isUp).length
    return samplesBy('state', { registered, not_registered: registering.length - registered })
  })
  const nodes = figures<readonly NodeFigures[]>()
  const ofNodes = (name: string, help: string, value: (node: NodeFigures) => number) =>
    nodes.gauges(name, help, ['node'], (all) => all.map((node) => ({ labels: { node: node.id }, value: value(node) })))
  ofNodes('line_node_up', '1 while this process is connected to the line node', ({ isConnected }) =>
    isConnected ? 1 : 0,
  )
  ofNodes('line_node_legs', 'Legs on the line node', ({ legs }) => legs)
  ofNodes('line_node_legs_limit', 'Maximum number of legs on the line node', ({ maxLegs }) => maxLegs)
  const direction: ('direction' | 'party')[] = ['direction', 'party']
  return {
    nodesLost: counter('line_nodes_lost_total', 'Line nodes that ended unexpectedly'),
    callsEnded: counter('calls_total', 'Calls that have ended', ['direction', 'outcome']),
    callsRecovered: counter('calls_recovered_total', 'Calls taken over from a process that has ended', ['result']),
    adoptionSeconds: histogram('call_adoption_seconds', 'Time to resume a batch of calls', setupBuckets),
    callSetup: histogram('call_setup_seconds', 'From the INVITE to ringing or answer', setupBuckets, ['direction']),
    rtpLoss: histogram('rtp_loss_ratio', 'RTP packets lost, per leg and five seconds', lossBuckets, direction),
    rtpJitter: histogram(
      'rtp_jitter_seconds',
      'Interarrival jitter, per leg and five seconds',
      jitterBuckets,
      direction,
    ),
    rtpRoundTrip: histogram('rtp_round_trip_seconds', 'Round trip between RTCP reports', roundTripBuckets, ['party']),
    rtpMos: histogram('rtp_mos', 'Estimated mean opinion score, per leg and five seconds', mosBuckets, direction),
    /** Read on scrape. */
    calls: (read: () => CallFigures) => calls.from(read),
    trunks: (read: () => readonly TrunkFigures[]) => trunks.from(read),
    lineNodes: (read: () => readonly NodeFigures[]) => nodes.from(read),
  }
}

function voiceMetrics({ figures }: MetricKit) {
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
  counted('voice_dropped_frames_total', 'Audio frames dropped because they arrived too fast', ({ dropped }) => dropped)
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

// RFC 3261 §17 with the corrections of RFC 6026: the four transaction state machines as pure functions. A timer that no
// longer fits the phase is ignored, so timers need not be cancelled.

/** RFC 3261 table 4, in ms. */
export const T1 = 500
export const T2 = 4_000
export const T4 = 5_000
const giveUp = 64 * T1

export type TransactionTimer = 'resend' | 'giveUp' | 'linger'

export interface ClientState {
  invite: boolean
  /** TCP and TLS: no retransmissions. */
  reliable: boolean
  phase: 'trying' | 'proceeding' | 'completed' | 'accepted' | 'done'
  /** Delay of the next retransmission. */
  wait: number
}

export type ClientEvent =
  | { kind: 'start' }
  | { kind: 'response'; status: number }
  | { kind: 'timer'; timer: TransactionTimer }
  | { kind: 'unreachable' }

export type ClientEffect =
  | { kind: 'send' }
  | { kind: 'ack' }
  | { kind: 'deliver' }
  | { kind: 'timedOut' }
  | { kind: 'unreachable' }
  | { kind: 'arm'; timer: TransactionTimer; ms: number }
  | { kind: 'done' }

export const clientTransaction = (invite: boolean, reliable: boolean): ClientState => ({
  invite,
  reliable,
  phase: 'trying',
  wait: T1,
})

export interface TransactionStep<State, Effect> {
  state: State
  effects: Effect[]
}

type ClientStep = TransactionStep<ClientState, ClientEffect>

export function stepClient(state: ClientState, event: ClientEvent): ClientStep {
  if (state.phase === 'done') return { state, effects: [] }
  switch (event.kind) {
    case 'start':
      return { state, effects: [{ kind: 'send' }, ...firstTimers(state)] }
    case 'unreachable':
      return end(state, { kind: 'unreachable' })
    case 'response':
      return state.invite ? inviteResponse(state, event.status) : otherResponse(state, event.status)
    case 'timer':
      return clientTimer(state, event.timer)
  }
}

/** Timers A and B, or E and F. */
const firstTimers = ({ reliable }: ClientState): ClientEffect[] => [
  ...(reliable ? [] : [arm('resend', T1)]),
  arm('giveUp', giveUp),
]

function clientTimer(state: ClientState, timer: TransactionTimer): ClientStep {
  const { phase, invite } = state
  if (timer === 'linger') return phase === 'completed' || phase === 'accepted' ? end(state) : { state, effects: [] }
  if (timer === 'giveUp') {
    // §17.1.1.2: timer B stops with the first provisional response; §17.1.2.2: timer F applies in both phases.
    const isWaiting = phase === 'trying' || (phase === 'proceeding' && !invite)
    return isWaiting ? end(state, { kind: 'timedOut' }) : { state, effects: [] }
  }
  if (phase === 'trying') {
    const wait = invite ? state.wait * 2 : Math.min(state.wait * 2, T2)
    return { state: { ...state, wait }, effects: [{ kind: 'send' }, arm('resend', wait)] }
  }
  if (phase === 'proceeding' && !invite) return { state, effects: [{ kind: 'send' }, arm('resend', T2)] }
  return { state, effects: [] }
}

function inviteResponse(state: ClientState, status: number): ClientStep {
  const { phase } = state
  if (phase === 'completed') return { state, effects: status >= 300 ? [{ kind: 'ack' }] : [] }
  // RFC 6026 §7.2: every 2xx, retransmitted or from another fork, goes to the transaction user.
  if (phase === 'accepted') return { state, effects: status >= 200 && status < 300 ? [{ kind: 'deliver' }] : [] }
  if (status < 200) return { state: { ...state, phase: 'proceeding' }, effects: [{ kind: 'deliver' }] }
  if (status < 300) {
    return { state: { ...state, phase: 'accepted' }, effects: [{ kind: 'deliver' }, arm('linger', giveUp)] }
  }
  return completed(state, [{ kind: 'ack' }, { kind: 'deliver' }], giveUp)
}

function otherResponse(state: ClientState, status: number): ClientStep {
  if (state.phase === 'completed') return { state, effects: [] }
  if (status < 200) return { state: { ...state, phase: 'proceeding' }, effects: [{ kind: 'deliver' }] }
  return completed(state, [{ kind: 'deliver' }], T4)
}

/** Timers D and K, which are zero on reliable transports. */
function completed(state: ClientState, effects: ClientEffect[], ms: number): ClientStep {
  if (state.reliable) return { state: { ...state, phase: 'done' }, effects: [...effects, { kind: 'done' }] }
  return { state: { ...state, phase: 'completed' }, effects: [...effects, arm('linger', ms)] }
}

const end = (state: ClientState, ...effects: ClientEffect[]): ClientStep => ({
  state: { ...state, phase: 'done' },
  effects: [...effects, { kind: 'done' }],
})

export interface ServerState {
  invite: boolean
  reliable: boolean
  phase: 'trying' | 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'done'
  wait: number
}

export type ServerEvent =
  /** The request was retransmitted. */
  { kind: 'again' } | { kind: 'respond'; status: number } | { kind: 'ack' } | { kind: 'timer'; timer: TransactionTimer }

export type ServerEffect =
  /** Sends or retransmits the last response. */
  | { kind: 'send' }
  | { kind: 'unacknowledged' }
  | { kind: 'arm'; timer: TransactionTimer; ms: number }
  | { kind: 'done' }

type ServerStep = TransactionStep<ServerState, ServerEffect>

export const serverTransaction = (invite: boolean, reliable: boolean): ServerState => ({
  invite,
  reliable,
  phase: 'trying',
  wait: T1,
})

export function stepServer(state: ServerState, event: ServerEvent): ServerStep {
  switch (event.kind) {
    case 'again':
      // RFC 6026 §7.1: once accepted, the transaction user retransmits the 2xx.
      return { state, effects: state.phase === 'proceeding' || state.phase === 'completed' ? [{ kind: 'send' }] : [] }
    case 'respond':
      return state.invite ? answerInvite(state, event.status) : answerOther(state, event.status)
    case 'ack':
      return acknowledged(state)
    case 'timer':
      return serverTimer(state, event.timer)
  }
}

function answerInvite(state: ServerState, status: number): ServerStep {
  const { phase, reliable } = state
  const is2xx = status >= 200 && status < 300
  if (phase === 'accepted' && is2xx) return { state, effects: [{ kind: 'send' }] }
  if (phase !== 'trying' && phase !== 'proceeding') return { state, effects: [] }
  if (status < 200) return { state: { ...state, phase: 'proceeding' }, effects: [{ kind: 'send' }] }
  if (is2xx) return { state: { ...state, phase: 'accepted' }, effects: [{ kind: 'send' }, arm('linger', giveUp)] }
  // Timers G and H.
  const again = reliable ? [] : [arm('resend', T1)]
  return { state: { ...state, phase: 'completed' }, effects: [{ kind: 'send' }, ...again, arm('giveUp', giveUp)] }
}

function answerOther(state: ServerState, status: number): ServerStep {
  if (state.phase !== 'trying' && state.phase !== 'proceeding') return { state, effects: [] }
  if (status < 200) return { state: { ...state, phase: 'proceeding' }, effects: [{ kind: 'send' }] }
  if (state.reliable) return { state: { ...state, phase: 'done' }, effects: [{ kind: 'send' }, { kind: 'done' }] }
  return { state: { ...state, phase: 'completed' }, effects: [{ kind: 'send' }, arm('linger', giveUp)] }
}

function acknowledged(state: ServerState): ServerStep {
  if (!state.invite || state.phase !== 'completed') return { state, effects: [] }
  if (state.reliable) return { state: { ...state, phase: 'done' }, effects: [{ kind: 'done' }] }
  return { state: { ...state, phase: 'confirmed' }, effects: [arm('linger', T4)] }
}

function serverTimer(state: ServerState, timer: TransactionTimer): ServerStep {
  const { phase, invite } = state
  if (timer === 'resend') {
    if (!invite || phase !== 'completed') return { state, effects: [] }
    const wait = Math.min(state.wait * 2, T2)
    return { state: { ...state, wait }, effects: [{ kind: 'send' }, arm('resend', wait)] }
  }
  if (timer === 'giveUp') {
    if (phase !== 'completed') return { state, effects: [] }
    return { state: { ...state, phase: 'done' }, effects: [{ kind: 'unacknowledged' }, { kind: 'done' }] }
  }
  const isOver = phase === 'confirmed' || phase === 'accepted' || (phase === 'completed' && !invite)
  return isOver ? { state: { ...state, phase: 'done' }, effects: [{ kind: 'done' }] } : { state, effects: [] }
}

const arm = (timer: TransactionTimer, ms: number): { kind: 'arm'; timer: TransactionTimer; ms: number } => ({
  kind: 'arm',
  timer,
  ms,
})

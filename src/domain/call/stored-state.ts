// The JSON of an active call in the database. Its field names and values must not change: processes of several releases
// may share a database, and one of them ends the calls of another.
import type { CallPhase, CallState, Recording, VoiceAgentSession } from './state.ts'

type Renamed = 'number' | 'phase' | 'recording' | 'consultation' | 'voiceAgent' | 'outboundVoiceAgent'

export interface StoredCallState extends Omit<CallState, Renamed> {
  phase: StoredPhase
  recording: StoredRecording
  aside: CallState['consultation']
  agent: StoredVoiceAgent | null
  errand: CallState['outboundVoiceAgent']
}

type Fields = Record<string, unknown>
type StoredPhase = Fields & { at: string; doing?: Fields & { is: string } }
type StoredRecording = Fields & { is: Recording['kind'] }
type StoredNext = (Fields & { is: string }) | null

interface StoredVoiceAgent extends Omit<VoiceAgentSession, 'next' | 'llm'> {
  next: StoredNext
  mind: { asked: number; requestedAt?: number; thinks: boolean; queue: readonly string[]; after: StoredNext }
}

export function toStored(call: Omit<CallState, 'number'>): StoredCallState {
  const { phase, recording, consultation, voiceAgent, outboundVoiceAgent, ...rest } = call
  return {
    ...rest,
    phase: toStoredPhase(phase),
    recording: toStoredRecording(recording),
    aside: consultation,
    agent: voiceAgent && toStoredVoiceAgent(voiceAgent),
    errand: outboundVoiceAgent,
  }
}

export function fromStored<T extends StoredCallState>(stored: T) {
  const { phase, recording, aside, agent, errand, ...rest } = stored
  return {
    ...rest,
    phase: fromStoredPhase(phase),
    recording: fromStoredRecording(recording),
    consultation: aside,
    voiceAgent: agent && fromStoredVoiceAgent(agent),
    outboundVoiceAgent: errand,
  }
}

const storedPhaseNames: Partial<Record<CallPhase['kind'], string>> = { forwarded: 'passed', voiceAgent: 'agent' }
const phaseNames = new Map(Object.entries(storedPhaseNames).map(([kind, at]) => [at, kind]))

function toStoredPhase(phase: CallPhase): StoredPhase {
  const { kind, ...rest } = phase
  const at = storedPhaseNames[kind] ?? kind
  if (phase.kind !== 'widget') return { at, ...rest }
  return { at, node: phase.node, doing: toStoredKind(phase.activity) }
}

function fromStoredPhase({ at, doing, ...rest }: StoredPhase): CallPhase {
  return { kind: phaseNames.get(at) ?? at, ...rest, ...(doing && { activity: fromStoredKind(doing) }) } as CallPhase
}

const toStoredRecording = ({ kind, ...rest }: Recording): StoredRecording => ({ is: kind, ...rest })
const fromStoredRecording = ({ is, ...rest }: StoredRecording) => ({ kind: is, ...rest }) as Recording

function toStoredVoiceAgent({ next, llm, ...rest }: VoiceAgentSession): StoredVoiceAgent {
  const { requestId, isPending, after, ...same } = llm
  const mind = { ...same, asked: requestId, thinks: isPending, after: after && toStoredKind(after) }
  return { ...rest, next: next && toStoredKind(next), mind }
}

function fromStoredVoiceAgent({ next, mind, ...rest }: StoredVoiceAgent): VoiceAgentSession {
  const { asked, thinks, after, ...same } = mind
  const llm = { ...same, requestId: asked, isPending: thinks, after: after && fromStoredKind(after) }
  return { ...rest, next: next && fromStoredKind(next), llm } as VoiceAgentSession
}

const toStoredKind = ({ kind, ...rest }: { kind: string }) => ({ is: kind, ...rest })
const fromStoredKind = ({ is, ...rest }: Fields & { is: string }) => ({ kind: is, ...rest })

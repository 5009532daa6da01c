import type { VoiceAgentTurn } from '../call/state.ts'

/** Figures of one conversation of an AI agent. */
export interface SessionFigures {
  /** From the end of each turn of the caller to the start of the reply. */
  turnMs: number[]
  /** What the agent did not understand. */
  misunderstood: string[]
}

const maxPhraseLength = 200

export function sessionFigures(turns: readonly VoiceAgentTurn[]): SessionFigures {
  const turnMs = turns.flatMap(({ by, at }, place) => {
    const reply = turns[place + 1]
    return by === 'caller' && reply?.by === 'agent' ? [Math.max(0, reply.at - at)] : []
  })
  const misunderstood = turns.flatMap((turn) =>
    turn.by === 'caller' && turn.misunderstood ? [turn.text.slice(0, maxPhraseLength)] : [],
  )
  return { turnMs, misunderstood }
}

/** The smallest value that is not exceeded by that share of the values; null without values. */
export function percentileOf(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

import type { CustomerBehaviour, ScriptLine } from '../../domain/sandbox/people.ts'
import type { CallerStep } from '../../domain/sandbox/script.ts'
import { type Cancel, second } from '../../lib/clock.ts'
import { type CallCondition, type Move, movesOf, movesOfLines, presses } from './script.ts'

/** The phone of a simulated person. */
export interface SimulatedPhone {
  is(sign: CallCondition): boolean
  after(ms: number, run: () => void): Cancel
  press(digit: string): void
  speak(text: string | null): void
  fallSilent(): void
  /** The agent on the call speaks for this long. */
  agentSpeaks(text: string, ms: number): void
  hangUp(): void
}

/** The phone of a callee. */
export interface RingingPhone extends SimulatedPhone {
  ring(): void
  answer(): void
  refuse(reason: 'busy' | 'no_answer', code: number): void
}

/** Called after every change of the call. */
export type SimulatedPerson = () => void

/** Without scripted lines a person talks continuously while another participant listens. */
export const talksSteadily = (script: readonly object[]): boolean =>
  !script.some((step) => 'say' in step || 'agent_say' in step)

/** The agent on the call speaks lines of the caller's script. */
export const scriptsAgent = (script: readonly object[]): boolean => script.some((step) => 'agent_say' in step)

/** Hangs up after `patienceSeconds` unless the call is answered, or the voicemail of the script is being recorded. */
export function caller(
  phone: SimulatedPhone,
  script: readonly CallerStep[],
  patienceSeconds: number | null,
): SimulatedPerson {
  const wantsVoicemail = script.some((step) => 'voicemail' in step)
  const goOn = follow(phone, movesOf(script))
  const giveUp = patienceSeconds === null ? undefined : phone.after(patienceSeconds * second, phone.hangUp)
  return () => {
    if (phone.is('company') || (wantsVoicemail && phone.is('recording'))) giveUp?.()
    goOn()
  }
}

/** An agent on autopilot, in a conversation. */
export const agent = (phone: SimulatedPhone, lines: readonly ScriptLine[]): SimulatedPerson =>
  follow(phone, movesOfLines(lines))

const busyAfterMs = 1_000
const defaultAnswerSeconds = 3

export function callee(phone: RingingPhone, behaviour: CustomerBehaviour, timeoutMs: number): SimulatedPerson {
  const answerMs = (behaviour.answer_after_seconds ?? defaultAnswerSeconds) * second
  const talkSeconds = behaviour.talk_seconds ?? null
  if (behaviour.busy) {
    phone.after(Math.min(busyAfterMs, timeoutMs), () => phone.refuse('busy', 486))
    return () => {}
  }
  phone.ring()
  if (behaviour.no_answer || answerMs >= timeoutMs) {
    phone.after(timeoutMs, () => phone.refuse('no_answer', 480))
    return () => {}
  }
  phone.after(answerMs, () => {
    if (talkSeconds !== null) phone.after(talkSeconds * second, phone.hangUp)
    phone.answer()
  })
  return follow(phone, [...keysOf(behaviour), { kind: 'wait_for', sign: 'company' }, ...movesOf(behaviour.lines ?? [])])
}

const keysOf = ({ press }: CustomerBehaviour): Move[] =>
  press ? [{ kind: 'wait_for', sign: 'answered' }, { kind: 'pause', ms: 2 * second }, ...presses(press)] : []

/** Makes one move after the other, each as soon as possible. */
function follow(phone: SimulatedPhone, moves: readonly Move[]): SimulatedPerson {
  let next = 0
  // A move changes the call, which calls the person again before the move is complete.
  let occupied = false

  function goOn(): void {
    while (!occupied) {
      const move = moves[next]
      if (!move || (move.kind === 'wait_for' && !phone.is(move.sign))) return
      next += 1
      occupied = true
      occupied = make(move) === 'takes time'
    }
  }

  function make(move: Move): 'done' | 'takes time' {
    switch (move.kind) {
      case 'wait_for':
        return 'done'
      case 'pause':
        return takeTime(move.ms, () => {})
      case 'press':
        phone.press(move.digit)
        return 'done'
      case 'speak':
        phone.speak(move.text)
        return takeTime(move.ms, phone.fallSilent)
      case 'agent_speak':
        phone.agentSpeaks(move.text, move.ms)
        return takeTime(move.ms, () => {})
      case 'hang_up':
        next = moves.length
        phone.hangUp()
        return 'done'
    }
  }

  function takeTime(ms: number, finish: () => void): 'takes time' {
    phone.after(ms, () => {
      finish()
      occupied = false
      goOn()
    })
    return 'takes time'
  }

  return goOn
}

import { restRecording, takeUpRecording } from './agent-part.ts'
import { ask, enter, hear, hushed, publish, type Turn } from './turn.ts'

export function hold(turn: Turn) {
  const { customer, number, phase } = turn.call
  if (phase.at !== 'talking' || phase.held) return
  enter(turn, { at: 'talking', held: true })
  if (customer.leg !== null) ask(turn, { kind: 'mute', leg: customer.leg, muted: true })
  hear(turn, [number?.musicOnHold ?? 'waiting'], { loop: true })
  // The customer does not take part: what the agent says meanwhile is no part of the conversation.
  restRecording(turn)
  publish(turn, 'hold')
}

export function resume(turn: Turn) {
  const { customer } = turn.call
  enter(turn, { at: 'talking', held: false })
  hushed(turn)
  if (customer.leg !== null) ask(turn, { kind: 'mute', leg: customer.leg, muted: false })
  takeUpRecording(turn)
}

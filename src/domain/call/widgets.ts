// The widgets of a flow that the caller passes before a phone rings.
import {
  type Callback,
  type Flow,
  type Forward,
  type Ivr,
  type RingTo,
  type Target,
  type Waiting,
  widgetAt,
} from '../flow/document.ts'
import { widgetsFrom } from '../flow/order.ts'
import { ruleIsOpen } from '../flow/time-rule.ts'
import { finish } from './finish.ts'
import { forwardCall } from './forwarded.ts'
import { leadsToConversation, startNotice } from './recording-notice.ts'
import { startRing } from './ringing.ts'
import type { WidgetActivity } from './state.ts'
import {
  cancelTimers,
  emit,
  enterPhase,
  goTo,
  patch,
  patchRecord,
  play,
  playWaiting,
  publishCallEvent,
  rankOf,
  startTimer,
  stopPlayback,
  type Turn,
  trace,
} from './turn.ts'

const maxNodes = 1_000
const maxNumberHops = 5
const allKeys = '0123456789*#'
/** Invalid keys in faster succession than this count as one attempt, as long as the attempt lasts. */
const sameAttemptMs = 2_000
const maxAttemptMs = 10_000

/** Moves from widget to widget until one of them waits. */
export function runFlow(turn: Turn) {
  while (turn.next) {
    const { node } = turn.next
    turn.next = null
    enterNode(turn, node)
  }
}

function enterNode(turn: Turn, id: string | undefined) {
  const { number } = turn.call
  const widget = number && id !== undefined ? widgetAt(number.flow, id) : undefined
  if (!number || !widget || id === undefined || turn.call.entered >= maxNodes) return finish(turn, 'normal_clearing')
  if (leadsToConversation(widget) && startNotice(turn, { kind: 'node', node: id })) return
  patch(turn, { entered: turn.call.entered + 1 })
  trace(turn, { kind: 'widget', node: id, type: widget.type, name: widget.name ?? null, number_id: number.id })
  switch (widget.type) {
    case 'time_rule': {
      const open = ruleIsOpen(widget, number.timeZone, turn.at)
      trace(turn, { kind: 'time_rule', node: id, open })
      if (!open) patch(turn, { seen: { ...turn.call.seen, otherwise: true } })
      return goTo(turn, open ? widget.branches.open : widget.branches.otherwise)
    }
    case 'audio':
      return playWidget(turn, id, { kind: 'playing' }, widget.media ?? 'welcome')
    case 'ivr':
      return offerMenu(turn, id, widget, 0)
    case 'waiting':
      return beginWaiting(turn, id, widget)
    case 'ring_to':
      return ringStep(turn, id, widget)
    case 'voicemail':
      return playWidget(turn, id, { kind: 'greeting' }, widget.media ?? 'voicemail')
    case 'forward':
      return forward(turn, id, widget)
    case 'go_to_number':
      if (turn.call.passes >= maxNumberHops) return finish(turn, 'normal_clearing')
      patch(turn, { passes: turn.call.passes + 1 })
      enterPhase(turn, { kind: 'widget', node: id, activity: { kind: 'moving' } })
      return void emit(turn, { kind: 'query.number', numberId: widget.number_id })
    case 'callback':
      return takeCallback(turn, id, widget)
    case 'ai_agent':
      enterPhase(turn, { kind: 'widget', node: id, activity: { kind: 'moving' } })
      return void emit(turn, { kind: 'query.voiceAgent', agentId: widget.agent_id })
    case 'hang_up':
      if (widget.media === null) return finish(turn, 'normal_clearing')
      return playWidget(turn, id, { kind: 'farewell' }, widget.media)
  }
}

function playWidget(turn: Turn, node: string, activity: WidgetActivity, media: string) {
  enterPhase(turn, { kind: 'widget', node, activity })
  play(turn, [media])
}

function offerMenu(
  turn: Turn,
  node: string,
  { media }: Ivr,
  tries: number,
  invalidKeys?: { firstAt: number; lastAt: number },
) {
  cancelTimers(turn, 'menu')
  const { phase } = turn.call
  const again =
    phase.kind === 'widget' && phase.node === node && phase.activity.kind === 'menu' ? phase.activity.shownAt : turn.at
  enterPhase(turn, {
    kind: 'widget',
    node,
    activity: { kind: 'menu', tries, shownAt: again, listening: false, ...(invalidKeys && { invalidKeys }) },
  })
  play(turn, [media ?? 'ivr'], { bargeInOn: allKeys })
}

/** Sets the audio for the following ring steps, or makes the caller wait here as well. */
function beginWaiting(turn: Turn, node: string, widget: Waiting) {
  const offersCallback = widget.callback && turn.call.record.external !== 'anonymous'
  patch(turn, {
    waiting: {
      media: widget.media ?? 'ringing_tone',
      announceEveryMs: widget.announce_position ? widget.announce_every_seconds * 1_000 : null,
      callbackNode: offersCallback ? (widget.branches.callback ?? null) : null,
      since: turn.call.waiting.since ?? turn.at,
    },
  })
  if (widget.seconds === 0) return goTo(turn, widget.branches.next)
  enterPhase(turn, { kind: 'widget', node, activity: { kind: 'waiting' } })
  startTimer(turn, 'wait', widget.seconds * 1_000)
  playWaiting(turn)
}

function ringStep(turn: Turn, node: string, { targets, strategy, ring_seconds, max_wait_seconds }: RingTo) {
  const { number, record, waiting } = turn.call
  const together = strategy === 'simultaneous'
  const defaultRingMs = together ? (number?.ringSimultaneousMs ?? 30_000) : (number?.ringOneByOneMs ?? 20_000)
  patch(turn, { ringNode: node })
  if (record.direction === 'inbound') {
    patchRecord(turn, { teamIds: targets.filter(({ type }) => type === 'team').map(({ id }) => id) })
  }
  startRing(turn, {
    purpose: 'flow',
    node,
    targets,
    strategy,
    ringMs: ring_seconds === undefined ? defaultRingMs : ring_seconds * 1_000,
    deadline: max_wait_seconds > 0 ? turn.at + max_wait_seconds * 1_000 : null,
    enteredAt: waiting.since ?? turn.at,
    rung: [],
    except: [],
    tried: {},
  })
}

function forward(turn: Turn, node: string, { number: to, ring_seconds, caller_id }: Forward) {
  const { number, record } = turn.call
  const own = number?.digits ?? record.external
  forwardCall(turn, to, {
    by: null,
    node,
    from: caller_id === 'caller' ? record.external : own,
    timeoutMs: ring_seconds * 1_000,
    origin: 'forward',
  })
}

function takeCallback(turn: Turn, node: string, widget: Callback) {
  const { number, record, waiting } = turn.call
  trace(turn, { kind: 'callback', node })
  if (number && record.external !== 'anonymous') {
    // Served only after the caller has hung up: a caller on the phone cannot be called back.
    patch(turn, {
      callback: {
        phone: record.external,
        numberId: number.id,
        targets: widget.targets ?? targetsFor(turn, number.flow),
        rank: rankOf(turn),
        enteredAt: waiting.since ?? turn.at,
        attempts: widget.attempts,
        retrySeconds: widget.retry_seconds,
        expiresSeconds: widget.expires_seconds,
      },
    })
  }
  playWidget(turn, node, { kind: 'farewell' }, widget.media ?? 'callback_later')
}

/** The targets the caller waited for; otherwise those of the next ring step. */
function targetsFor({ call: { phase, ringNode } }: Turn, flow: Flow): readonly Target[] {
  const waitedFor = ringNode === null ? undefined : widgetAt(flow, ringNode)
  if (waitedFor?.type === 'ring_to') return waitedFor.targets
  const start = phase.kind === 'widget' && widgetAt(flow, phase.node) ? phase.node : flow.start
  const next = widgetsFrom(flow, start).find(({ widget }) => widget.type === 'ring_to')?.widget
  return next?.type === 'ring_to' ? next.targets : []
}

/** Playback of a widget has ended. */
export function afterSound(turn: Turn, node: string, activity: WidgetActivity) {
  const widget = turn.call.number ? widgetAt(turn.call.number.flow, node) : undefined
  switch (activity.kind) {
    case 'playing':
      return goTo(turn, widget?.type === 'audio' ? widget.branches.next : undefined)
    case 'menu':
      if (widget?.type !== 'ivr') return
      enterPhase(turn, { kind: 'widget', node, activity: { ...activity, listening: true } })
      return startTimer(turn, 'menu', widget.timeout_seconds * 1_000)
    case 'waiting':
      return playWaiting(turn, false)
    case 'greeting':
      return beginVoicemail(turn, node)
    case 'farewell':
      return finish(turn, 'normal_clearing')
    case 'voicemail':
    case 'moving':
      return
  }
}

function beginVoicemail(turn: Turn, node: string) {
  const { customer, number } = turn.call
  const widget = number ? widgetAt(number.flow, node) : undefined
  if (widget?.type !== 'voicemail' || customer.leg === null) return finish(turn, 'normal_clearing')
  enterPhase(turn, { kind: 'widget', node, activity: { kind: 'voicemail', recId: null } })
  emit(turn, {
    kind: 'record',
    what: 'voicemail',
    leg: customer.leg,
    maxSeconds: widget.max_seconds,
    silenceSeconds: widget.silence_seconds,
  })
}

/** Inactive, deleted, or without speech services. */
export function voiceAgentUnavailable(turn: Turn, node: string) {
  const widget = turn.call.number ? widgetAt(turn.call.number.flow, node) : undefined
  if (widget?.type === 'ai_agent') goTo(turn, widget.branches.unavailable)
}

/** A key, or `null` for the timeout. */
export function menuKey(turn: Turn, key: string | null) {
  const { phase, number } = turn.call
  if (phase.kind !== 'widget' || phase.activity.kind !== 'menu' || !number) return
  const widget = widgetAt(number.flow, phase.node)
  if (widget?.type !== 'ivr') return
  const option = key === null ? undefined : widget.options.find((one) => one.key === key)
  const { invalidKeys } = phase.activity
  if (!option && key !== null && invalidKeys && isSameAttempt(invalidKeys, turn.at)) {
    // The key has stopped the prompt, so the menu is played again.
    stopPlayback(turn)
    return offerMenu(turn, phase.node, widget, phase.activity.tries, { ...invalidKeys, lastAt: turn.at })
  }
  const tries = phase.activity.tries + 1
  if (!option && tries < widget.tries) {
    stopPlayback(turn)
    const attempt = key === null ? undefined : { firstAt: turn.at, lastAt: turn.at }
    return offerMenu(turn, phase.node, widget, tries, attempt)
  }
  cancelTimers(turn, 'menu')
  stopPlayback(turn)
  const taken = option ?? { key: 'fallback', title: 'Fallback' }
  const to = widget.branches[taken.key]
  const next = to === undefined ? undefined : widgetAt(number.flow, to)
  patchRecord(turn, {
    ivrOptions: [
      ...turn.call.record.ivrOptions,
      {
        id: derivedId(turn.call.key, turn.call.record.ivrOptions.length),
        title: taken.title,
        key: taken.key,
        branch: next?.name ?? to ?? null,
        createdAt: turn.at,
        shownAt: phase.activity.shownAt,
        takenAt: turn.at,
      },
    ],
  })
  trace(turn, { kind: 'menu', node: phase.node, key: taken.key, title: taken.title })
  publishCallEvent(turn, 'ivr_option_selected')
  goTo(turn, to)
}

const isSameAttempt = ({ firstAt, lastAt }: { firstAt: number; lastAt: number }, at: number) =>
  at - lastAt < sameAttemptMs && at - firstAt < maxAttemptMs

/** A UUID derived from that of the call: the machine has no source of randomness. */
function derivedId(key: string, n: number): string {
  const last = (Number.parseInt(key.slice(-12), 16) + n + 1) % 2 ** 48
  return key.slice(0, -12) + last.toString(16).padStart(12, '0')
}

export function afterWait(turn: Turn, node: string) {
  const widget = turn.call.number ? widgetAt(turn.call.number.flow, node) : undefined
  stopPlayback(turn)
  goTo(turn, widget?.type === 'waiting' ? widget.branches.next : undefined)
}

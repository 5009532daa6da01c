import { type Flow, type Widget, withWidgets } from './document.ts'
import { insideIvr, ofType, type PlacedWidget, widgetsFrom, widgetsInOrder } from './order.ts'
import { firstTimeRule } from './time-rule.ts'

/**
 * In the order in which changes are applied: voicemail also covers the after-hours voicemail, after_hours then
 * overrides it.
 */
export const messageKeys = ['welcome', 'ivr', 'voicemail', 'after_hours', 'ringing_tone'] as const
export type MessageKey = (typeof messageKeys)[number]
/** The URL of an audio file, or null where the default audio plays. */
export type Messages = Record<MessageKey, string | null>
export type MessageChanges = { [key in MessageKey]?: string }

export function messagesOf(flow: Flow): Messages {
  const read = (key: MessageKey) => mediaOf(speakers[key](flow)[0]?.widget)
  return {
    welcome: read('welcome'),
    ivr: read('ivr'),
    voicemail: read('voicemail'),
    after_hours: read('after_hours'),
    ringing_tone: read('ringing_tone'),
  }
}

/** All changes or none. */
export function setMessages(flow: Flow, changes: MessageChanges): { flow: Flow } | { problem: string } {
  let changed = flow
  for (const key of messageKeys) {
    const media = changes[key]
    if (media === undefined) continue
    const ids = new Set(speakers[key](flow).map(({ id }) => id))
    if (ids.size === 0) return { problem: `messages.${key} needs ${missingWidget(flow, key)}` }
    changed = withWidgets(changed, (widget, id) => (ids.has(id) ? withMedia(widget, media) : widget))
  }
  return { flow: changed }
}

export function hasIvr(flow: Flow): boolean {
  return ofType(widgetsInOrder(flow), 'ivr').length > 0
}

/** The widgets that play a message: a change is written to all of them, and read from the first. */
const speakers: Record<MessageKey, (flow: Flow) => PlacedWidget[]> = {
  welcome: (flow) => {
    const inside = insideIvr(flow)
    return ofType(widgetsInOrder(flow), 'audio')
      .filter(({ id }) => !inside.has(id))
      .slice(0, 1)
  },
  ivr: (flow) => ofType(widgetsInOrder(flow), 'ivr').slice(0, 1),
  voicemail: (flow) => ofType(widgetsInOrder(flow), 'voicemail'),
  after_hours: (flow) => {
    const branch = widgetsAtAnyOtherTime(flow)
    return [...ofType(branch, 'voicemail'), ...ofType(branch, 'audio')].slice(0, 1)
  },
  ringing_tone: (flow) => ofType(widgetsInOrder(flow), 'waiting'),
}

/** Reading order also applies here, so a widget shared with the open branch comes first. */
function widgetsAtAnyOtherTime(flow: Flow): PlacedWidget[] {
  const first = firstTimeRule(flow)
  if (!first) return []
  const reached = new Set(widgetsFrom(flow, first.rule.branches.otherwise).map(({ id }) => id))
  return widgetsInOrder(flow).filter(({ id }) => reached.has(id))
}

function missingWidget(flow: Flow, key: MessageKey): string {
  switch (key) {
    case 'welcome':
      return ofType(widgetsInOrder(flow), 'audio').length > 0
        ? 'an Audio widget outside of IVR widgets, and every one of this flow is inside an IVR widget'
        : 'an Audio widget, and the flow of this Number has none'
    case 'ivr':
      return 'an IVR widget, and the flow of this Number has none'
    case 'voicemail':
      return 'a Voicemail widget, and the flow of this Number has none'
    case 'after_hours':
      return firstTimeRule(flow)
        ? 'a Voicemail or Audio widget in the otherwise branch of the first Time Rule widget, and there is none'
        : 'a Time Rule widget with a Voicemail or Audio widget in its otherwise branch, and the flow of this Number has none'
    case 'ringing_tone':
      return 'a Waiting Experience widget, and the flow of this Number has none'
  }
}

function mediaOf(widget: Widget | undefined): string | null {
  return widget && 'media' in widget ? widget.media : null
}

function withMedia(widget: Widget, media: string): Widget {
  return 'media' in widget ? { ...widget, media } : widget
}

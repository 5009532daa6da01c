import type { LegId } from '../../domain/voice.ts'
import type { SipEvent } from '../embedded/sip-calls.ts'
import type { SipCall, SipCallEvent } from '../sip/call.ts'

/** The SIP calls of this process. */
export interface CallsByLeg {
  get(leg: LegId): SipCall | undefined
  /** A redialled leg gets another call. */
  add(leg: LegId, call: SipCall): void
  /** Emits the events of the call with its leg. */
  listen(leg: LegId, call: SipCall): void
  /** Further events of the call are not emitted. */
  remove(leg: LegId): void
  /** Also of a call that has ended; undefined for a dialog of another process. */
  legOfDialog(dialog: string): LegId | undefined
}

const maxRemembered = 1_000

export function createCallsByLeg(emit: (event: SipEvent) => void): CallsByLeg {
  const calls = new Map<LegId, SipCall>()
  const dialogs = new Map<string, LegId>()

  function remember(dialog: string, leg: LegId): void {
    dialogs.set(dialog, leg)
    if (dialogs.size <= maxRemembered) return
    for (const [text, one] of dialogs) {
      if (dialogs.size <= maxRemembered / 2) return
      if (!calls.has(one)) dialogs.delete(text)
    }
  }

  function referred(leg: LegId, { to, replaces }: Extract<SipCallEvent, { kind: 'leg.referred' }>): SipEvent {
    const ids = replaces?.tags.map((tag) => `${replaces.callId}|${tag}`) ?? []
    const other = [...calls].find(([, call]) => ids.includes(call.id))?.[0]
    return { kind: 'leg.referred', leg, to, ...(other !== undefined && { replaces: other }) }
  }

  return {
    get: (leg) => calls.get(leg),
    add: (leg, call) => void calls.set(leg, call),
    listen(leg, call) {
      call.on((event) => {
        if (calls.get(leg) !== call) return
        if (event.kind === 'leg.dialog') remember(event.dialog, leg)
        if (event.kind === 'leg.ended') calls.delete(leg)
        emit(event.kind === 'leg.referred' ? referred(leg, event) : { ...event, leg })
      })
    },
    remove: (leg) => void calls.delete(leg),
    legOfDialog: (dialog) => dialogs.get(dialog),
  }
}

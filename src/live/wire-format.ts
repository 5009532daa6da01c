import type { LoggedEvent } from '../features/integrations/events/store.ts'
import type { PhoneMessage } from '../services.ts'
import type { ServerMessage } from './protocol.ts'

/** Converts an internal message to the wire format. */
export function toServerMessage(message: PhoneMessage): ServerMessage {
  switch (message.kind) {
    case 'ring': {
      const { kind: type, key, callId: call_id, from, numberId: number_id, purpose } = message
      // A callback has no line before it is dialled.
      return { type, key, call_id, from, number_id, purpose, line: message.line ?? 'simulated' }
    }
    case 'ring_stop': {
      const { kind: type, key, callId: call_id, why } = message
      return { type, key, call_id, why }
    }
    case 'call': {
      const { kind: type, key, callId: call_id, state, ...more } = message
      return { type, key, call_id, state, ...more }
    }
    case 'sdp_answer': {
      const { kind: type, key, session, sdpAnswer: sdp_answer } = message
      return { type, key, session, sdp_answer }
    }
    case 'quality': {
      const { kind: type, key, received, sent } = message
      return { type, key, received, sent }
    }
    case 'insight_card': {
      const { kind: type, callId: call_id, contents } = message
      return { type, call_id, contents }
    }
    case 'dial':
      return { type: message.kind, to: message.to }
    case 'presence':
      return { type: message.kind, availability: message.availability }
    case 'notice':
      return { type: message.kind, notice: message.notice }
    case 'dialer_campaign':
      return { type: message.kind }
    case 'direct_message':
      return { type: message.kind, user_id: message.colleagueId, what: message.what }
    case 'suggestion': {
      const { kind: type, callId: call_id, suggestion } = message
      return { type, call_id, suggestion }
    }
  }
}

/** `data` is already JSON. */
export const eventFrame = ({ position, name, data }: LoggedEvent) =>
  `{"type":"event","position":${position},"name":${JSON.stringify(name)},"data":${data}}`

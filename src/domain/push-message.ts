// The payload of Web Push and of notifications in the phone app. Types only, so that web apps may import them. It contains
// what the notification displays and nothing else; the push service cannot read it (RFC 8291).

interface Displayed {
  /** The caller: contact name or number. Of a direct message: the sender. */
  title: string
  /** Name of the number that was called. Of a direct message: its text, shortened. */
  detail: string
}

export type PushMessage = Displayed &
  (
    | { kind: 'ring'; key: string }
    | { kind: 'ring_stop'; key: string }
    | { kind: 'missed_call'; call_id: number }
    | { kind: 'voicemail'; call_id: number }
    | { kind: 'direct_message'; user_id: number }
  )

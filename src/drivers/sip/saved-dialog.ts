import type { Dialog } from './dialog.ts'
import type { Peer } from './flow.ts'
import { type Header, header, headerList, type SipRequest } from './message.ts'

// The state needed to tear down a dialog, as text for storage: another process may end the call. The text may be older than
// the last request, so the CSeq number is raised: a gap is allowed, a repetition is not.

export type SavedDialog =
  /** Established: BYE. */
  | { kind: 'dialog'; dialog: Dialog; peer: Peer }
  /** Outbound, not answered yet: CANCEL. */
  | { kind: 'calling'; trunkId: string; uri: string; headers: Header[]; peer: Peer }
  /** Inbound, not answered yet: a final response. */
  | { kind: 'ringing'; trunkId: string; headers: Header[]; peer: Peer }

const wellAbove = 1_000

export const saveDialog = (dialog: Dialog, peer: Peer) => write({ kind: 'dialog', dialog, peer })

export function saveCalling(trunkId: string, invite: SipRequest, peer: Peer): string {
  return write({ kind: 'calling', trunkId, uri: invite.uri, headers: essentials(invite), peer })
}

/** Stored with our To tag, so that the final response belongs to the same dialog as the 180. */
export function saveRinging(trunkId: string, invite: SipRequest, tag: string, peer: Peer): string {
  const headers = essentials(invite).map((one) =>
    one.name === 'to' ? { ...one, value: `${one.value};tag=${tag}` } : one,
  )
  return write({ kind: 'ringing', trunkId, headers, peer })
}

function essentials(invite: SipRequest): Header[] {
  return [
    ...headerList(invite, 'via').map((value) => ({ name: 'via', value })),
    ...headerList(invite, 'route').map((value) => ({ name: 'route', value })),
    ...['from', 'to', 'call-id', 'cseq'].map((name) => ({ name, value: header(invite, name) ?? '' })),
  ]
}

export const inviteOf = (uri: string, headers: Header[]): SipRequest => ({
  kind: 'request',
  method: 'INVITE',
  uri,
  headers,
  body: '',
})

/** The connection id is left out: it is valid only in its own process. */
const write = ({ peer: { transport, address, port, name }, ...rest }: SavedDialog) =>
  JSON.stringify({ v: 1, ...rest, peer: { transport, address, port, name } })

/** undefined if the text is not a saved dialog. */
export function readSaved(text: string): SavedDialog | undefined {
  let saved: unknown
  try {
    saved = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isOurs(saved)) return undefined
  if (saved.kind !== 'dialog') return saved
  return { ...saved, dialog: { ...saved.dialog, seq: saved.dialog.seq + wellAbove } }
}

function isOurs(value: unknown): value is SavedDialog {
  if (typeof value !== 'object' || value === null) return false
  if (!('v' in value) || value.v !== 1 || !('kind' in value) || !('peer' in value)) return false
  return value.kind === 'dialog' ? 'dialog' in value : 'headers' in value && Array.isArray(value.headers)
}

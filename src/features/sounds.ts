import type { CompanyId } from '../db/tables.ts'
import type { Services } from '../services.ts'
import type { Call, Sound } from './calls/store.ts'
import { signedUrl } from './recordings/links.ts'

// An address of a recording is good for an hour, an event for weeks: it keeps a word in place of the address, and the
// address is made when the event is sent or shown.

type Signing = Pick<Services, 'vault' | 'links' | 'clock'>

/** Addresses of a call's sounds that are good from now on. */
export function freshUrls({ vault, links, clock }: Signing) {
  const at = clock.now()
  return ({ companyId, id }: Pick<Call, 'companyId' | 'id'>, kind: Sound, file: string) =>
    signedUrl(vault, links, { companyId, callId: id, kind, file, at })
}

export const placeholder = ({ id }: Pick<Call, 'id'>, kind: Sound) => `hookswitch-asset:${kind}:${id}`

type Refs = Pick<Call, 'id' | Sound>

/** What the placeholders in an event's data stand for; undefined when there are none. */
export const soundRefs = ({ id, recording, voicemail }: Refs): string | undefined =>
  recording === null && voicemail === null ? undefined : JSON.stringify({ id, recording, voicemail } satisfies Refs)

interface Stored {
  data: string
  asset_refs: string | null
}

export function withFreshUrls<E extends Stored>(signing: Signing, companyId: CompanyId, event: E): E {
  if (event.asset_refs === null) return event
  const refs: Refs = JSON.parse(event.asset_refs)
  const urlOf = freshUrls(signing)
  let { data } = event
  for (const kind of ['recording', 'voicemail'] as const) {
    const file = refs[kind]
    if (file !== null)
      data = data.replaceAll(`"${placeholder(refs, kind)}"`, `"${urlOf({ companyId, id: refs.id }, kind, file)}"`)
  }
  return { ...event, data }
}

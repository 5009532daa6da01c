import type { CompanyId } from '../../../db/tables.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { downloadAddress } from '../../analytics/exports/links.ts'
import type { Call, Sound } from '../../calls/calls/store.ts'
import { signedUrl } from '../../calls/recordings/links.ts'
import { mediumUrl } from '../../messages/messages/links.ts'

// An address of a recording or an export is good for an hour, an event for weeks: it keeps a word in place of the address, and the
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

/** What stands for the address of an export, and for the end of it. */
export const exportPlaceholders = (id: string) => ({ url: `hookswitch-export:${id}`, until: `hookswitch-until:${id}` })

interface ExportRefs {
  export: { id: string; file: string }
}

export const exportRefs = (id: string, file: string): string =>
  JSON.stringify({ export: { id, file } } satisfies ExportRefs)

interface Stored {
  data: string
  asset_refs: string | null
}

/** Of an event about a message: its files, by their place. */
export interface MediaRefs {
  message: number
  files: string[]
}

export const mediumPlaceholder = (messageRow: number, place: number) =>
  `hookswitch-asset:message:${messageRow}:${place}`

export function withFreshUrls<E extends Stored>(signing: Signing, companyId: CompanyId, event: E): E {
  if (event.asset_refs === null) return event
  const refs: Refs | MediaRefs | ExportRefs = JSON.parse(event.asset_refs)
  let { data } = event
  for (const [word, text] of wordsFor(signing, companyId, refs)) data = data.replaceAll(`"${word}"`, `"${text}"`)
  return { ...event, data }
}

type Filling = [word: string, text: string]

function wordsFor(signing: Signing, companyId: CompanyId, refs: Refs | MediaRefs | ExportRefs): Filling[] {
  if ('export' in refs) return wordsOfExport(signing, companyId, refs)
  return 'message' in refs ? wordsOfMedia(signing, companyId, refs) : wordsOfSounds(signing, companyId, refs)
}

function wordsOfExport(signing: Signing, companyId: CompanyId, { export: { id, file } }: ExportRefs): Filling[] {
  const { vault, links, clock } = signing
  const { url, expiresAt } = downloadAddress(vault, links, { companyId, exportId: id, file }, clock.now())
  const words = exportPlaceholders(id)
  return [
    [words.url, url],
    [words.until, isoMillis(expiresAt)],
  ]
}

function wordsOfSounds(signing: Signing, companyId: CompanyId, refs: Refs): Filling[] {
  const urlOf = freshUrls(signing)
  return (['recording', 'voicemail'] as const).flatMap((kind): Filling[] => {
    const file = refs[kind]
    return file === null ? [] : [[placeholder(refs, kind), urlOf({ companyId, id: refs.id }, kind, file)]]
  })
}

function wordsOfMedia(
  { vault, links, clock }: Signing,
  companyId: CompanyId,
  { message, files }: MediaRefs,
): Filling[] {
  return files.map((file, place) => [
    mediumPlaceholder(message, place),
    mediumUrl(vault, links, { companyId, messageRow: message, file }, clock.now()),
  ])
}

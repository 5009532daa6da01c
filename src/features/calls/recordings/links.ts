import path from 'node:path'
import type { CompanyId } from '../../../db/tables.ts'
import { type Followed, signedAddress, verifySignedAddress } from '../../../http/signed-links.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Links, Services } from '../../../services.ts'
import type { CallAudioKind } from '../calls/store.ts'

export interface AudioLink {
  companyId: CompanyId
  callId: number
  kind: CallAudioKind
  /** The key in the file store; a URL contains its last segment. */
  file: string
}

/** URL of the mp3 file for anyone who has it, valid for one hour. */
export function signedUrl(vault: Vault, links: Links, { at, ...link }: AudioLink & { at: number }): string {
  const { companyId, kind, callId, file } = link
  return signedAddress(vault, links, `/media/${companyId}/${kind}/${callId}/${path.basename(file)}`, at)
}

/** URLs of a call's recording and voicemail that are valid from now on. */
export function freshSoundUrls({ vault, links, clock }: Pick<Services, 'vault' | 'links' | 'clock'>) {
  const at = clock.now()
  return ({ companyId, id }: { companyId: CompanyId; id: number }, kind: CallAudioKind, file: string) =>
    signedUrl(vault, links, { companyId, callId: id, kind, file, at })
}

const form = /^\/media\/([1-9]\d{0,15})\/(recording|voicemail)\/([1-9]\d{0,15})\/([a-z0-9._-]{1,100})$/

/** The target of the link; `file` is only the last segment of the key. */
export function verifySignedUrl(vault: Vault, links: Links, followed: Followed, now: number): AudioLink | undefined {
  const place = verifySignedAddress(vault, links, followed, now)
  const [, company, kind, call, file = ''] = form.exec(place ?? '') ?? []
  if (!kind) return undefined
  return {
    companyId: Number(company),
    callId: Number(call),
    kind: kind === 'voicemail' ? 'voicemail' : 'recording',
    file,
  }
}

import path from 'node:path'
import type { CompanyId } from '../../../db/tables.ts'
import { type Followed, signedAddress, verifySignedAddress } from '../../../http/signed-links.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

export interface MediumLink {
  companyId: CompanyId
  messageRow: number
  /** Key in the file store; the URL contains its last part. */
  file: string
}

/** Signed URL of a message's file, valid for one hour without credentials. */
export const mediumUrl = (vault: Vault, links: Links, { companyId, messageRow, file }: MediumLink, at: number) =>
  signedAddress(vault, links, `/message-media/${companyId}/${messageRow}/${path.basename(file)}`, at)

const form = /^\/message-media\/([1-9]\d{0,15})\/([1-9]\d{0,15})\/([a-z0-9._-]{1,100})$/

export function verifyMediumUrl(vault: Vault, links: Links, followed: Followed, now: number): MediumLink | undefined {
  const [, company, row, file = ''] = form.exec(verifySignedAddress(vault, links, followed, now) ?? '') ?? []
  return row ? { companyId: Number(company), messageRow: Number(row), file } : undefined
}

/** Key of a message's file in the file store. */
export const mediumKey = (companyId: CompanyId, messageId: string, place: number, ending: string) =>
  `messages/${companyId}/${messageId}/${place}.${ending}`

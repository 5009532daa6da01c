import path from 'node:path'
import type { CompanyId } from '../../../db/tables.ts'
import { type Followed, signedAddress, verifySignedAddress } from '../../../http/signed-links.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

export interface MediumLink {
  companyId: CompanyId
  messageRow: number
  /** The key in the file store; an address shows the last part of it. */
  file: string
}

/** A file of a message, for whoever has the address, for one hour. */
export const mediumUrl = (vault: Vault, links: Links, { companyId, messageRow, file }: MediumLink, at: number) =>
  signedAddress(vault, links, `/message-media/${companyId}/${messageRow}/${path.basename(file)}`, at)

const form = /^\/message-media\/([1-9]\d{0,15})\/([1-9]\d{0,15})\/([a-z0-9._-]{1,100})$/

export function verifyMediumUrl(vault: Vault, links: Links, followed: Followed, now: number): MediumLink | undefined {
  const [, company, row, file = ''] = form.exec(verifySignedAddress(vault, links, followed, now) ?? '') ?? []
  return row ? { companyId: Number(company), messageRow: Number(row), file } : undefined
}

/** Where a file of a message lies. */
export const mediumKey = (companyId: CompanyId, messageId: string, place: number, ending: string) =>
  `messages/${companyId}/${messageId}/${place}.${ending}`

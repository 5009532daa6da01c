import path from 'node:path'
import type { CompanyId } from '../../../db/tables.ts'
import { type Followed, signedAddress, signedLinkMs, verifySignedAddress } from '../../../http/signed-links.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

export interface ExportLink {
  companyId: CompanyId
  exportId: string
  /** The key in the file store; an address shows the last part of it. */
  file: string
}

export interface DownloadAddress {
  url: string
  expiresAt: number
}

/** The file itself, for whoever has the address, for one hour. */
export function downloadAddress(
  vault: Vault,
  links: Links,
  { companyId, exportId, file }: ExportLink,
  at: number,
): DownloadAddress {
  const place = `/exports/${companyId}/${exportId}/${path.basename(file)}`
  return { url: signedAddress(vault, links, place, at), expiresAt: at + signedLinkMs }
}

const form = /^\/exports\/([1-9]\d{0,15})\/([0-9a-f-]{36})\/([a-z0-9._-]{1,100})$/

/** What the link leads to; `file` is only the last part of the key. */
export function verifyDownloadAddress(vault: Vault, links: Links, followed: Followed, now: number) {
  const place = verifySignedAddress(vault, links, followed, now)
  const [, company, exportId = '', file = ''] = form.exec(place ?? '') ?? []
  return company ? { companyId: Number(company), exportId, file } : undefined
}

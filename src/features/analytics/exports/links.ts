import path from 'node:path'
import type { CompanyId } from '../../../db/tables.ts'
import { type Followed, signedAddress, signedLinkMs, verifySignedAddress } from '../../../http/signed-links.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

export interface ExportLink {
  companyId: CompanyId
  exportId: string
  /** Key in the file store; the URL contains its last part. */
  file: string
}

export interface DownloadAddress {
  url: string
  expiresAt: number
}

/** Signed URL of the file, valid for one hour without credentials. */
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

/** Export of a signed URL; `file` is only the last part of the key. */
export function verifyDownloadAddress(vault: Vault, links: Links, followed: Followed, now: number) {
  const place = verifySignedAddress(vault, links, followed, now)
  const [, company, exportId = '', file = ''] = form.exec(place ?? '') ?? []
  return company ? { companyId: Number(company), exportId, file } : undefined
}

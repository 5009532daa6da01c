import path from 'node:path'
import { forbidden, notFound } from '../../../http/errors.ts'
import { type PageRequest, pageAt } from '../../../http/page-at.ts'
import type { Page } from '../../../http/server.ts'
import type { AudioResponse } from '../../../http/sound.ts'
import type { Services } from '../../../services.ts'
import { verifyDownloadAddress } from './links.ts'
import { exportsSince } from './retention.ts'
import { findExport } from './store.ts'

const changedLink = () => forbidden('The link has expired or is invalid; retrieve the export again to get a new one')

/** Serves a report at a signed URL, without credentials. */
export const downloadPage = (services: Services): Page =>
  pageAt('/exports/*', (asked) => download(services, asked), changedLink)

async function download({ vault, links, clock, db, files }: Services, asked: PageRequest): Promise<AudioResponse> {
  const link = verifyDownloadAddress(vault, links, asked, clock.now())
  if (!link) throw changedLink()
  const made = await findExport(db, link.companyId, link.exportId, exportsSince(clock.now()))
  const file = made?.status === 'COMPLETED' ? made.file : null
  const size = file === null ? undefined : await files.size(file)
  if (!made || file === null || !size || path.basename(file) !== link.file) throw notFound()
  return {
    name: fileName(made.name),
    type: 'text/csv; charset=utf-8',
    isDownload: true,
    size,
    read: (range) => files.read(file, range),
  }
}

/** Letters and digits that are valid in file names on every system. */
const fileName = (name: string) =>
  `${
    name
      .split(/[^A-Za-z0-9_]/)
      .filter(Boolean)
      .join('-') || 'report'
  }.csv`

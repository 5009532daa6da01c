import path from 'node:path'
import { forbidden, notFound } from '../../../http/errors.ts'
import { pageAt } from '../../../http/page-at.ts'
import type { Page } from '../../../http/server.ts'
import type { Services } from '../../../services.ts'
import { verifyMediumUrl } from './links.ts'
import { messageAt } from './store.ts'

const changedLink = () => forbidden('The link has expired or is invalid; retrieve the message again to get a new one')

/** Serves the files of messages at signed URLs, without credentials. */
export const mediaPage = ({ db, clock, vault, links, files }: Services): Page =>
  pageAt('/message-media/*', async (asked) => {
    const link = verifyMediumUrl(vault, links, asked, clock.now())
    if (!link) throw changedLink()
    const message = await messageAt(db, link.companyId, link.messageRow)
    const medium = message?.media.find(({ file }) => file !== null && path.basename(file) === link.file)
    const size = medium?.file ? await files.size(medium.file) : undefined
    if (!medium?.file || !size) throw notFound()
    const { file, name, type } = medium
    return { name, type, size, read: (range) => files.read(file, range) }
  })

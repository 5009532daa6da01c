import { notFound } from '../../../http/errors.ts'
import { pageAt } from '../../../http/page-at.ts'
import type { Page } from '../../../http/server.ts'
import type { Services } from '../../../services.ts'
import { uploadKey } from './links.ts'

// Serves uploads by an unguessable id, without credentials: flows and messages reference them by URL.

const kinds = { mp3: 'audio/mpeg', wav: 'audio/wav', ogg: 'audio/ogg' } as const

const idForm = /^[0-9a-f]{32}$/

export const uploadPage = ({ files }: Services): Page =>
  pageAt('/media/sounds/:id', async ({ params: { id = '' } }) => {
    if (!idForm.test(id)) throw notFound()
    for (const kind of ['mp3', 'wav', 'ogg'] as const) {
      const key = uploadKey(id, kind)
      const size = await files.size(key)
      if (size) return { name: `${id}.${kind}`, type: kinds[kind], size, read: (range) => files.read(key, range) }
    }
    throw notFound()
  })

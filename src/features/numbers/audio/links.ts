import type { Links } from '../../../services.ts'

const folder = ({ assets }: Links) => `${assets}/media/sounds/`

export const uploadUrl = (links: Links, id: string) => folder(links) + id
export const isUpload = (links: Links, url: string) => url.startsWith(folder(links))

/** Key of the original in the file store. */
export const uploadKey = (id: string, kind: 'mp3' | 'wav' | 'ogg') => `sounds/uploads/${id}.${kind}`

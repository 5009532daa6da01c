import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

/** An audio file, served as a whole or by range. */
export interface AudioResponse {
  /** File name for downloads. */
  name: string
  /** Defaults to audio/mpeg. */
  type?: string
  /** Download instead of playback. */
  isDownload?: true
  size: number
  read(range?: ByteRange): Readable
}

export interface ByteRange {
  start: number
  /** The last byte, inclusive. */
  end: number
}

const soundHeaders = {
  'accept-ranges': 'bytes',
  'cache-control': 'private',
  // Opened directly, browsers show a media player, which has to load the audio.
  'content-security-policy': "default-src 'none'; media-src 'self'; frame-ancestors 'none'",
}

/** RFC 9110 §14: serves a single byte range; other ranges are 416. */
export function sendSound({ method, headers }: FastifyRequest, reply: FastifyReply, sound: AudioResponse) {
  const { name, type, size, read } = sound
  // §14.2: Range applies to GET only. §13.1.5: without a validator no If-Range can match.
  const asked = method === 'GET' && headers['if-range'] === undefined ? headers.range : undefined
  const range = rangeIn(asked, size)
  if (range === 'unsatisfiable') throw unsatisfiable(size)
  const { start, end } = range ?? { start: 0, end: size - 1 }
  reply.headers({
    ...soundHeaders,
    'content-type': type ?? 'audio/mpeg',
    'content-disposition': `${sound.isDownload ? 'attachment' : 'inline'}; filename="${name}"`,
    'content-length': end - start + 1,
  })
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  return method === 'HEAD' ? reply.send() : reply.send(read({ start, end }))
}

const unsatisfiable = (size: number) =>
  new ApiError(416, 'Ask for one range of bytes that the file has, like `Range: bytes=0-1023`', {
    'content-range': `bytes */${size}`,
  })

/** Undefined: the whole file is requested, or the range unit is unknown. */
export function rangeIn(header: string | undefined, size: number): ByteRange | undefined | 'unsatisfiable' {
  if (!header || !/^bytes=/i.test(header)) return undefined
  const [, first, last] = /^bytes= *(\d*)-(\d*) *$/i.exec(header) ?? []
  if (first === undefined || last === undefined || first + last === '') return 'unsatisfiable'
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start <= end ? { start, end } : 'unsatisfiable'
}

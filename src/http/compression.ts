import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** Off the main thread. Brotli above quality 5 takes up to ten times as long, for 1 % fewer bytes. */
const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
}

/** Browsers offer Brotli over HTTPS and on localhost only. An encoding with `q=0` is refused. */
export function encodingFor(
  header: string | string[] | undefined,
  possible: readonly Encoding[] = ['br', 'gzip'],
): Encoding | undefined {
  const offered = String(header ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';', 1)[0])
  return possible.find((encoding) => offered.includes(encoding))
}

/** Compressed content of one file, by encoding. */
export type CompressedFile = Partial<Record<Encoding, Promise<Buffer>>>

/** Compresses on the first request for an encoding; a failure is retried by the next request. */
export function compressOnce(
  known: CompressedFile,
  encoding: Encoding,
  bytes: () => Promise<Buffer> | Buffer,
): Promise<Buffer> {
  const before = known[encoding]
  if (before) return before
  const made = Promise.resolve(bytes()).then(compressors[encoding])
  known[encoding] = made
  made.catch(() => delete known[encoding])
  return made
}

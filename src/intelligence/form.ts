import { randomId } from '../lib/secrets.ts'

/** A multipart form with one file (RFC 7578). */
export function formOf(
  fields: readonly (readonly [string, string])[],
  file: { name: string; type: string; bytes: Buffer },
): { type: string; body: Buffer } {
  const boundary = randomId()
  const head = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const parts = fields.map(([name, value]) => Buffer.from(`${head(`name="${name}"`)}\r\n${value}\r\n`))
  const before = Buffer.from(`${head(`name="file"; filename="${file.name}"`)}Content-Type: ${file.type}\r\n\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, before, file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

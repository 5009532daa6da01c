import { get, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'

describe('files of the web apps', () => {
  test('scripts, style sheets and pages are compressed with what the client accepts', async () => {
    const { base } = await testApp()
    for (const name of ['dashboard', 'phone']) {
      const page = await fileAs(`${base}/${name}`, 'identity')
      const files = [...page.body.toString().matchAll(/"(\/web\/assets\/[^"]+\.(?:js|css))"/g)].map(
        ([, file = '']) => file,
      )
      expect(files.length).toBeGreaterThan(2)

      for (const file of [`/${name}`, ...files]) {
        const identity = await fileAs(base + file, 'identity')
        const brotli = await fileAs(base + file, 'gzip, deflate, br, zstd')
        const gzipped = await fileAs(base + file, 'gzip, deflate')
        const refused = await fileAs(base + file, 'br;q=0, gzip;q=0')

        expect([identity.vary, brotli.vary, gzipped.vary]).toEqual(Array(3).fill('accept-encoding'))
        expect([identity.encoding, refused.encoding]).toEqual([undefined, undefined])
        expect(refused.body.equals(identity.body)).toBe(true)
        if (identity.body.length < 1_000) continue
        expect([brotli.encoding, gzipped.encoding], file).toEqual(['br', 'gzip'])
        expect(brotliDecompressSync(brotli.body).equals(identity.body)).toBe(true)
        expect(gunzipSync(gzipped.body).equals(identity.body)).toBe(true)
        expect(gzipped.body.length, file).toBeLessThan(identity.body.length * 0.7)
      }
    }
  })

  test('what is compressed already is sent as it is', async () => {
    const { base } = await testApp()

    const icon = await fileAs(`${base}/phone/icon-512.png`, 'gzip, br')

    expect([icon.status, icon.encoding]).toEqual([200, undefined])
  })
})

/** `fetch` decodes on its own; this does not. */
const fileAs = (url: string, accepted: string) =>
  new Promise<{ status: number; encoding: string | undefined; vary: string | undefined; body: Buffer }>(
    (resolve, reject) => {
      const answered = (response: IncomingMessage) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const { 'content-encoding': encoding, vary } = response.headers
          resolve({ status: response.statusCode ?? 0, encoding, vary, body: Buffer.concat(chunks) })
        })
      }
      get(url, { headers: { 'accept-encoding': accepted } }, answered).on('error', reject)
    },
  )

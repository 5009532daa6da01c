import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { PushMessage } from '../../src/domain/push-message.ts'

// A browser with a push service of its own: it receives messages and decrypts them as RFC 8291 describes for browsers.

export interface PushBrowser {
  /** As sent to the server. */
  subscription: { endpoint: string; p256dh: string; auth: string }
  /** Requests to the push service. */
  requests: { headers: IncomingHttpHeaders; bytes: Buffer }[]
  /** Decrypted messages, in order. */
  messages(): PushMessage[]
  /** Status of the next responses of the push service. */
  respond(status: number): void
}

export async function pushBrowser(): Promise<PushBrowser> {
  const requests: PushBrowser['requests'] = []
  let status = 201
  const service = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push({ headers: request.headers, bytes: Buffer.concat(chunks) })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    service.closeAllConnections()
    service.close()
  })
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  const auth = randomBytes(16)
  const { port } = service.address() as AddressInfo
  return {
    subscription: {
      endpoint: `http://127.0.0.1:${port}/send/${randomBytes(8).toString('hex')}`,
      p256dh: keys.getPublicKey('base64url'),
      auth: auth.toString('base64url'),
    },
    requests,
    messages: () => requests.map(({ bytes }) => JSON.parse(decrypt(bytes, keys, auth))),
    respond(next) {
      status = next
    },
  }
}

function decrypt(body: Buffer, keys: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16)
  const length = body[20] ?? 0
  const server = body.subarray(21, 21 + length)
  const record = body.subarray(21 + length)
  const derive = (key: Buffer, from: Buffer, info: Buffer, size: number) =>
    Buffer.from(hkdfSync('sha256', key, from, info, size))
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), server])
  const input = derive(keys.computeSecret(server), auth, info, 32)
  const key = derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  if (padded.at(-1) !== 2) throw new Error('the last record must end with the delimiter 2')
  return padded.subarray(0, -1).toString('utf8')
}

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectWithSharedKey, serveWithSharedKey } from './shared-key-tls.ts'

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const greeting = (secret: string) => serveWithSharedKey(secret, 'node', (socket) => void socket.end('welcome'))

test('both sides know the secret: data is exchanged', async () => {
  const port = await portOf(greeting('one secret'))

  const socket = connectWithSharedKey('one secret', 'node', { host: '127.0.0.1', port })
  const [data] = await once(socket, 'data')

  expect(String(data)).toBe('welcome')
  expect(socket.getProtocol()).toBe('TLSv1.2')
})

test('another secret, or another name of it, gets no connection', async () => {
  const port = await portOf(greeting('one secret').on('tlsClientError', () => {}))
  const refusal = async (secret: string, name: string) => {
    const socket = connectWithSharedKey(secret, name, { host: '127.0.0.1', port })
    const [error] = await once(socket, 'error').catch((reason) => [reason])
    return error
  }

  expect(await refusal('another secret', 'node')).toBeInstanceOf(Error)
  expect(await refusal('one secret', 'other')).toBeInstanceOf(Error)
})

test('a host that accepts the connection and says nothing is given up', async () => {
  const port = await portOf(createServer())

  const socket = connectWithSharedKey('one secret', 'node', { host: '127.0.0.1', port })
  const [error] = await once(socket, 'error')

  expect(String(error)).toContain('no answer')
})

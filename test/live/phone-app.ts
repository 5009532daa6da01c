import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import type { SocketHub } from '../../src/live/hub.ts'
import { basic, type TestApp, type TestCompany } from '../kit/app.ts'

// A phone app connected to the live socket.

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
export type ReceivedMessage = any

export interface PhoneApp {
  received: ReceivedMessage[]
  /** Resolves with all messages so far once the condition holds; rejects when the socket closes before. */
  until(enough: (received: readonly ReceivedMessage[]) => boolean): Promise<ReceivedMessage[]>
  /** The first message of a type. */
  first(type: string): Promise<ReceivedMessage>
  /** Positions of the received events. */
  positions(): number[]
  ask(request: object): Promise<ReceivedMessage>
  send(data: string | Buffer): void
  socket: WebSocket
  over: Promise<{ code: number; why: string }>
  close(): Promise<{ code: number; why: string }>
}

/** Where it connects to. */
export type PhoneServer = Pick<TestApp, 'base' | 'a'>

export interface PhoneOptions {
  company?: TestCompany
  userId?: number | string
  query?: Record<string, string | number>
  headers?: Record<string, string>
  options?: ClientOptions
}

function dial(
  { base, a }: PhoneServer,
  { company = a, userId = company.ownerId, query, headers, options }: PhoneOptions,
) {
  const address = new URL('/live', base.replace('http', 'ws'))
  for (const [name, value] of Object.entries({ user_id: userId, ...query })) address.searchParams.set(name, `${value}`)
  const authorization = basic(company.apiId, company.apiToken)
  return new WebSocket(address, { ...options, headers: { authorization, ...headers } })
}

/** The response to a refused phone app. */
export function refusal(app: TestApp, options: PhoneOptions = {}): Promise<{ status: number; json: ReceivedMessage }> {
  const socket = dial(app, options)
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.terminate()
      reject(new Error('was let in'))
    })
    socket.on('error', () => {})
    socket.on('unexpected-response', async (_request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) })
    })
  })
}

export async function openPhone(app: PhoneServer, options: PhoneOptions = {}): Promise<PhoneApp> {
  const socket = dial(app, options)
  const received: ReceivedMessage[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  let isOver = false
  let lastId = 0
  socket.on('message', (data) => {
    received.push(JSON.parse(data.toString()))
    wake()
  })
  const over = new Promise<{ code: number; why: string }>((resolve) =>
    socket.on('close', (code, why) => {
      isOver = true
      resolve({ code, why: why.toString() })
      wake()
    }),
  )
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve())
    socket.on('error', reject)
  })
  const until = (enough: (received: readonly ReceivedMessage[]) => boolean) =>
    new Promise<ReceivedMessage[]>((resolve, reject) => {
      const look = () => {
        if (!enough(received) && !isOver) return
        waiting.delete(look)
        if (enough(received)) resolve(received)
        else reject(new Error(`the socket ended after ${JSON.stringify(received)}`))
      }
      waiting.add(look)
      look()
    })
  const first = async (type: string) => {
    await until((all) => all.some((one) => one.type === type))
    return received.find((one) => one.type === type)
  }
  const close = () => {
    socket.close()
    return over
  }
  onTestFinished(() => socket.terminate())
  // A client that gives up before the socket is open ignores the error.
  opened.catch(() => {})
  await opened
  await first('hello')
  return {
    received,
    until,
    first,
    positions: () => received.flatMap(({ type, position }) => (type === 'event' ? [position] : [])),
    async ask(request) {
      lastId += 1
      const id = lastId
      socket.send(JSON.stringify({ id, ...request }))
      const all = await until((some) => some.some((one) => one.type === 'reply' && one.id === id))
      return all.find((one) => one.type === 'reply' && one.id === id)
    },
    send: (data) => socket.send(data),
    socket,
    over,
    close,
  }
}

/** The hub of an app, the `liveHub` of its services. */
export function hubOf({ app }: TestApp): SocketHub {
  const { liveHub } = app.services
  if (!('localPhones' in liveHub)) throw new Error('the app has a hub')
  return liveHub as SocketHub
}

/** Yields to the event loop until the condition holds. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

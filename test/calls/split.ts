import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { placeOf } from '../chaos/place.ts'
import { type Api, clientOf, endAll, launch, type Reply, type Running } from '../chaos/server.ts'
import { freePort } from '../kit/postgres.ts'

// An installation of several processes on one PostgreSQL database, each with its own roles, port and data folder.

export interface Split {
  /** One client per process that serves the API. */
  apis: Api[]
  bases: string[]
  // biome-ignore lint/suspicious/noExplicitAny: demo.json
  demo: any
  /** A request that must succeed, sent to the API processes in turn. */
  ask(method: string, target: string, body?: unknown): Promise<Reply>
  /** The sandbox user does something in the phone app. */
  act(userId: number, action: string, more?: object): Promise<Reply>
  advance(seconds: number): Promise<void>
  /** A phone app connected to the last API process. */
  phone(userId: number): Promise<Phone>
  processes: { running: Running; dataDir: string }[]
  /** How long each command took, in milliseconds. */
  commands: number[]
}

export interface Phone {
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  got: any[]
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  first(type: string): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: messages of every shape
  ask(request: object): Promise<any>
}

/** `settings` has more settings of each process, by its position. */
export async function openSplit(
  roles: readonly string[],
  settings: readonly Record<string, string>[] = [],
): Promise<Split> {
  onTestFinished(endAll)
  const { folder, from = '', databaseUrl = '' } = await placeOf('postgres')
  const apiPort = await freePort()
  const started: { running: Running; dataDir: string; roles: string }[] = []
  for (const [n, role] of roles.entries()) {
    const dataDir = path.join(folder, `${n}`)
    await cp(from, dataDir, { recursive: true })
    const env = {
      ROLES: role,
      FILES_URL: path.join(folder, 'files'),
      PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
      ...(n === 0 && { PORT: String(apiPort) }),
      ...settings[n],
    }
    started.push({ running: await launch({ dataDir, databaseUrl, env }), dataDir, roles: role })
  }
  const serving = started.filter((one) => one.roles.includes('api'))
  const bases = serving.map(({ running }) => `http://127.0.0.1:${running.port}`)
  const apis = serving.map(({ running, dataDir }, n) => clientOf({ ...running, base: bases[n] ?? '' }, dataDir))
  const demo = JSON.parse(await readFile(path.join(folder, '0', 'demo.json'), 'utf8'))
  const commands: number[] = []
  let turn = 0

  async function ask(method: string, target: string, body?: unknown): Promise<Reply> {
    const api = apis[turn++ % apis.length]
    const reply = await api?.(method, target, body)
    if (!reply || reply.status >= 300) {
      throw new Error(`${method} ${target} ${JSON.stringify(body)}: ${reply?.status} ${JSON.stringify(reply?.json)}`)
    }
    return reply
  }

  async function timed(method: string, target: string, body?: unknown): Promise<Reply> {
    const started = performance.now()
    const reply = await ask(method, target, body)
    commands.push(performance.now() - started)
    return reply
  }

  return {
    apis,
    bases,
    demo,
    processes: started,
    commands,
    ask: (method, target, body) => (isCommand(target) ? timed : ask)(method, target, body),
    act: (userId, action, more = {}) => timed('POST', `/sandbox/v1/users/${userId}/actions`, { action, ...more }),
    async advance(seconds) {
      let { json } = await ask('PUT', '/sandbox/v1/clock', { advance_seconds: seconds })
      // On a busy machine the response may come before the clock is ready.
      while (json.pending > 0) json = (await ask('PUT', '/sandbox/v1/clock', { advance_seconds: 0 })).json
    },
    phone: (userId) => connectPhone(bases.at(-1) ?? '', userId, demo),
  }
}

const isCommand = (target: string) => /_recording$|^\/sandbox\/v1\/calls$/.test(target)

async function connectPhone(base: string, userId: number, demo: { api_id: string; api_token: string }): Promise<Phone> {
  const authorization = `Basic ${Buffer.from(`${demo.api_id}:${demo.api_token}`).toString('base64')}`
  const socket = new WebSocket(`${base.replace('http', 'ws')}/live?user_id=${userId}`, { headers: { authorization } })
  const got: Phone['got'] = []
  const waiting = new Set<() => void>()
  const isOpen = new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve())
    socket.on('error', reject)
  })
  socket.on('message', (data) => {
    got.push(JSON.parse(data.toString()))
    for (const look of [...waiting]) look()
  })
  onTestFinished(() => socket.terminate())
  await isOpen
  const when = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  const first = (type: string) => when(() => got.find((one) => one.type === type))
  let lastId = 0
  await first('hello')
  return {
    got,
    first,
    ask(request) {
      const id = ++lastId
      socket.send(JSON.stringify({ id, ...request }))
      return when(() => got.find((one) => one.id === id))
    },
  }
}

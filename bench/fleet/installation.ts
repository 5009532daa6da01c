import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type Client, client } from '../../test/kit/client.ts'
import { freePort } from '../../test/kit/postgres.ts'
import { basic, readDemo, root, sandboxEnvironment, temporaryFolder } from '../servers.ts'
import { freeRange } from '../voice/free-range.ts'
import { pause } from '../voice/measure.ts'
import { lineNodesOf, type NodeProcesses, pidsOf } from './processes.ts'

// The built program with a SIP trunk on loopback: server processes that can be killed, and their line nodes.

export interface Installation {
  dataDir: string
  /** Of the first line node; the next one has the port ten above. */
  sipPort: number
  /** The newest server process. */
  server(): ServerProcess
  /** Headers of the session of the owner. */
  session: Record<string, string>
  /** Authenticated with the key of the company, at the newest server process. */
  api: Client
  authorization: string
  /** Signed in as the owner. */
  own: Client
  /** One more server process on the same database and data folder; the newest one from now on. */
  start(): Promise<ServerProcess>
  lineNodes(): NodeProcesses[]
  /** A Number with that flow; returns its digits. */
  number(flow: object): Promise<{ id: number; digits: string }>
  stop(): Promise<void>
}

export interface ServerProcess {
  url: string
  child: ChildProcess
  /** Unix time in milliseconds of the first log line with that event since the process was started. */
  loggedAt(event: string): number | undefined
  /** The same for the last one. */
  loggedLastAt(event: string): number | undefined
}

export interface InstallationOptions {
  /** Of the trunk: the far end answers OPTIONS there. */
  carrierPort: number
  databaseUrl?: string
  maxCalls: number
  env?: Record<string, string>
  /** Receives warnings and errors of the log; without it they are printed. */
  onWarning?(event: string, line: string): void
}

const started = new Set<number>()
const dataDirs = new Set<string>()
// Before the data folders are removed.
process.prependListener('exit', () => {
  for (const pid of started) end(pid)
  for (const dataDir of dataDirs) endLineNodes(dataDir)
})

export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const dataDir = temporaryFolder()
  dataDirs.add(dataDir)
  const env = await environmentOf(dataDir, options)
  const running: ServerProcess[] = []
  const newest = () => {
    const last = running.at(-1)
    if (!last) throw new Error('no server was started')
    return last
  }

  async function start(): Promise<ServerProcess> {
    const server = await launch({ ...env, PORT: String(await freePort()) }, options.onWarning)
    running.push(server)
    return server
  }

  await start()
  const demo = readDemo(dataDir)
  const authorization = basic(demo)
  const session = await signIn(newest().url, demo.users[0])
  const api: Client = (...request) => client(newest().url, { authorization })(...request)
  const own: Client = (...request) => client(`${newest().url}/app`, { ...session, origin: newest().url })(...request)
  const made = await own('POST', '/v1/trunks', {
    name: 'Carrier',
    host: '127.0.0.1',
    port: options.carrierPort,
    prefixes: [],
  })
  if (made.status !== 201) throw new Error(`no trunk: ${made.text}`)
  await untilMediaIsUp(dataDir)
  let numbers = 0

  return {
    dataDir,
    session,
    sipPort: Number(env.SIP_PORT),
    server: newest,
    authorization,
    api,
    own,
    start,
    lineNodes: () => lineNodesOf(dataDir),
    async number(flow) {
      const digits = `+1415555${String(1_000 + numbers++)}`
      const line = await own('POST', '/v1/numbers', { digits, name: `Line ${digits}`, validated: true })
      if (line.status !== 201) throw new Error(`no Number: ${line.text}`)
      const { id } = line.json.number
      const drawn = await own('PUT', `/v1/numbers/${id}/flow`, flow)
      if (drawn.status !== 200) throw new Error(`no flow: ${drawn.text}`)
      return { id, digits }
    },
    async stop() {
      for (const { child } of running) await killed(child)
      endLineNodes(dataDir)
    },
  }
}

/** Line nodes and their media programs are started with the first trunk. */
async function untilMediaIsUp(dataDir: string): Promise<void> {
  const isUp = ({ media }: NodeProcesses) => media.length > 0
  for (;;) {
    const nodes = lineNodesOf(dataDir)
    if (nodes.length > 0 && nodes.every(isUp)) return
    await pause(50)
  }
}

async function environmentOf(dataDir: string, { databaseUrl, maxCalls, env }: InstallationOptions) {
  const [rtpFrom, rtpTo] = await freeRange(4 * maxCalls)
  const [browserPort] = await freeRange(20)
  // Further nodes have the ports ten above.
  const [sipPort] = await freeRange(20)
  return {
    ...sandboxEnvironment(dataDir, 0),
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    HOOKSWITCH_KEY: randomBytes(32).toString('base64'),
    SIP_BIND: '127.0.0.1',
    SIP_PORT: String(sipPort),
    RTP_PORTS: `${rtpFrom}-${rtpTo}`,
    RTP_BROWSER_PORT: String(browserPort),
    RTP_MAX_CALLS: String(maxCalls),
    RTP_TIMEOUT_SECONDS: '0',
    SIP_REFUSE_EMERGENCY: '1',
    AI_STT: 'off',
    CALL_ENDED_DELAY_SECONDS: '0',
    LOG_LEVEL: 'info',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...env,
  }
}

function printed(_event: string, line: string): void {
  process.stderr.write(`${line}\n`)
}

async function launch(env: Record<string, string>, onWarning = printed): Promise<ServerProcess> {
  const child = spawn(process.execPath, [path.join(root, 'dist', 'main.js'), 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) started.add(child.pid)
  child.once('exit', () => started.delete(child.pid ?? 0))
  const times = new Map<string, { first: number; last: number }>()
  eachLine(child.stderr, (line) => {
    const [, time] = /"time":"([^"]+)"/.exec(line) ?? []
    const [, event] = /"event":"([^"]+)"/.exec(line) ?? []
    if (time === undefined || event === undefined) return
    const at = Date.parse(time)
    times.set(event, { first: times.get(event)?.first ?? at, last: at })
    if (/"level":(40|50|60)/.test(line) && !expected.has(event)) onWarning(event, line)
  })
  const url = await new Promise<string>((resolve, reject) => {
    eachLine(child.stdout, (line) => line.startsWith('ready ') && resolve(line.slice(6)))
    child.once('exit', (code) => reject(new Error(`the server ended with exit code ${code}`)))
  })
  return {
    url,
    child,
    loggedAt: (event) => times.get(event)?.first,
    loggedLastAt: (event) => times.get(event)?.last,
  }
}

/** Warnings that are part of what is measured. */
const expected = new Set(['call.recovered', 'worker.lost', 'admin_socket.unavailable', 'http.request_failed'])

function eachLine(stream: NodeJS.ReadableStream, run: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) run(line)
  })
}

async function signIn(url: string, user: { email: string; password: string } | undefined) {
  const reply = await client(`${url}/app`, { origin: url })('POST', '/v1/session', user)
  const cookie = reply.headers.get('set-cookie')?.split(';', 1)[0]
  if (cookie === undefined) throw new Error(`the owner cannot sign in: ${reply.text}`)
  return { cookie, 'x-csrf-token': String(reply.json.csrf_token) }
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

function endLineNodes(dataDir: string): void {
  for (const pid of lineNodesOf(dataDir).flatMap(pidsOf)) end(pid)
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

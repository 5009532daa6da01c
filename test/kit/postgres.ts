// The test kit: infrastructure around the program. src/ never imports it.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { access, chown, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface PostgresServer {
  url: string
  /** The same server over a Unix socket, which saves a quarter of every query. */
  socketUrl: string
  stop(): Promise<void>
}

const debianFolder = '/usr/lib/postgresql'
const attempts = 5

/**
 * Starts a temporary PostgreSQL server, or returns undefined where none is installed. The server and its folder are
 * removed by `stop()`, and when this process ends for any reason.
 */
export async function startPostgres(
  place = tmpdir(),
  /** Whether commits wait for the disk, as in production; tests need not. */
  { durable = false } = {},
): Promise<PostgresServer | undefined> {
  const bin = await newestBinaries()
  if (bin === undefined) return undefined
  for (let attempt = 1; ; attempt++) {
    const result = await tryToStart(bin, place, await freePort(), durable)
    if ('url' in result) return result
    const isCollision = result.log.includes('could not bind')
    if (!isCollision || attempt === attempts) throw new Error(`PostgreSQL did not start:\n${result.log}`)
  }
}

export const hasPostgres = async (): Promise<boolean> => (await newestBinaries()) !== undefined

const given = new Set<number>()

/**
 * A free TCP port of 127.0.0.1, returned once. It is below the ephemeral range, so that no outgoing connection can take
 * it before we listen.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_000)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

// Creates the cluster, runs the server, and waits on its standard input, a pipe held by our process only: when it
// closes, even by SIGKILL, the server is stopped (SIGQUIT) and the folder deleted.
const guardian = `
bin=$1 folder=$2 port=$3 durable=$4
trap 'rm -rf "$folder"' EXIT
exec 3<&0 </dev/null
"$bin/initdb" --pgdata="$folder/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync >/dev/null || exit
"$bin/postgres" -D "$folder/data" -p "$port" -k "$folder" -h 127.0.0.1 -c fsync=$durable -c synchronous_commit=$durable \\
  -c full_page_writes=$durable -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off -c jit=off -c max_connections=200 3<&- &
server=$!
{ read -r _ <&3; kill -QUIT "$server" 2>/dev/null; } &
watch=$!
exec 3<&-
wait "$server"
kill "$watch" 2>/dev/null
`

async function tryToStart(
  bin: string,
  place: string,
  port: number,
  durable: boolean,
): Promise<PostgresServer | { log: string }> {
  const folder = await mkdtemp(join(place, 'hookswitch-pg-'))
  const user = await serverUser()
  if (user) await chown(folder, user.uid, user.gid)
  const child = spawn('/bin/sh', ['-c', guardian, 'guardian', bin, folder, String(port), durable ? 'on' : 'off'], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    // In another process group: Ctrl-C must not reach the guardian before it has cleaned up.
    detached: true,
    ...user,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const log = await logUntilReady(child)
  if (!isReady(log)) return { log }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://postgres@${encodeURIComponent(folder)}:${port}/postgres`,
    stop: () => {
      child.stdin?.end()
      return ended
    },
  }
}

/** Output of the server until it was ready, or all of it if it ended before. */
function logUntilReady(child: ChildProcess): Promise<string> {
  let log = ''
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(log))
    // Keeps reading: a full pipe would block the server.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (isReady(log)) return
      log += text
      if (isReady(log)) resolve(log)
    })
  })
}

function isReady(log: string): boolean {
  return log.includes('database system is ready to accept connections')
}

async function newestBinaries(): Promise<string | undefined> {
  const versions = await readdir(debianFolder).catch(() => [])
  const debian = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debianFolder, version, 'bin'))
  const onPath = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '')
  for (const folder of [...debian, ...onPath]) {
    if (await exists(join(folder, 'initdb'))) return folder
  }
  return undefined
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, or as the user `nobody` where that is missing. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? []
  if (uid === undefined || gid === undefined) throw new Error('PostgreSQL cannot run as root, and no other user exists')
  return { uid: Number(uid), gid: Number(gid) }
}

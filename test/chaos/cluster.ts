import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../kit/postgres.ts'

// A PostgreSQL server that is made to crash. Unlike the one of the tests it keeps what it has committed: the commit waits
// for its record to be written. (The machine itself does not crash, so nothing waits for the disk.)

export interface Cluster {
  url: string
  /** Ends at once without a clean shutdown, and starts again on the same data. */
  crash(): Promise<void>
  stop(): Promise<void>
}

// Waits on its standard input, a pipe that only the test holds: when it is closed, the server receives SIGQUIT.
const guardian = `
exec 3<&0 </dev/null
"$1" -D "$2/data" -p "$3" -k "$2" -h 127.0.0.1 -c fsync=off -c synchronous_commit=on -c max_connections=200 3<&- &
server=$!
{ read -r _ <&3; kill -QUIT "$server" 2>/dev/null; } &
watch=$!
exec 3<&-
wait "$server"
kill "$watch" 2>/dev/null
`

/** Undefined where no PostgreSQL is installed. */
export async function startCluster(): Promise<Cluster | undefined> {
  const bin = newestBinaries()
  if (!bin) return undefined
  const user = serverUser()
  const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-cluster-'))
  if (user) chownSync(folder, user.uid, user.gid)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', remove)
  const words = [`--pgdata=${folder}/data`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']
  const made = spawnSync(path.join(bin, 'initdb'), [...words, '--no-sync'], { cwd: '/', ...user })
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)
  const port = await freePort()
  let server = await run()

  async function run(): Promise<ChildProcess> {
    const child = spawn(
      '/bin/sh',
      ['-c', guardian, 'guardian', path.join(bin ?? '', 'postgres'), folder, String(port)],
      {
        cwd: '/',
        stdio: ['pipe', 'ignore', 'pipe'],
        detached: true,
        ...user,
      },
    )
    await new Promise<void>((resolve, reject) => {
      let log = ''
      child.once('close', () => reject(new Error(`PostgreSQL has ended:\n${log}`)))
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-10_000)
        if (log.includes('database system is ready to accept connections')) resolve()
      })
    })
    return child
  }

  const quit = () =>
    new Promise<void>((resolve) => {
      server.once('close', () => resolve())
      server.stdin?.end()
    })

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async crash() {
      await quit()
      server = await run()
    },
    async stop() {
      await quit()
      remove()
      process.off('exit', remove)
    },
  }
}

function newestBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => path.join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return folders.find((folder) => existsSync(path.join(folder, 'initdb')))
}

/** PostgreSQL does not run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString() || Number.NaN)
  const user = { uid: id('-u'), gid: id('-g') }
  return Number.isNaN(user.uid) ? { uid: 65_534, gid: 65_534 } : user
}

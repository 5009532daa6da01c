import { existsSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { InstallationStatus } from '../app/status.ts'
import type { Config } from '../config.ts'
import { type Database, type Db, openDatabase } from '../db/database.ts'
import { isInstallationKey, storedFingerprint } from '../db/installation-key.ts'
import { appliedVersion, schemaState, schemaVersion } from '../db/migrate.ts'
import { examinePostgres } from '../db/pool-mode.ts'
import { listAnnouncedNodes } from '../engine/line-node-store.ts'
import { second, systemClock } from '../lib/clock.ts'
import { filesIn } from '../lib/files.ts'
import { filesOnS3 } from '../lib/files-s3.ts'
import { readKey } from '../lib/key-file.ts'
import { checkMailServer } from '../lib/mail.ts'
import { randomId } from '../lib/secrets.ts'
import { connectWithSharedKey } from '../lib/shared-key-tls.ts'
import { allocateRelay } from '../lib/turn-allocation.ts'
import { turnServers } from '../live/turn-credentials.ts'
import { askRunningServer } from './administer.ts'
import { type DoctorFinding, tried } from './doctor-finding.ts'

// Checks of the services that an installation uses. Each connects as the server would, and leaves nothing behind.

/** Database, installation key and line nodes, which the database lists. */
export async function storeFindings(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const { database } = config
  if (database.kind === 'postgres') {
    const found = await tried('Database', 'check DATABASE_URL and that PostgreSQL accepts connections from here', () =>
      postgres(database.url),
    )
    return found.state === 'wrong' ? [found] : [found, ...(await withDatabase(config, isRunning))]
  }
  if (isRunning)
    return [{ about: 'Database', state: 'fine', says: 'in use by the running service' }, ...(await nodes())]
  if (!existsSync(path.join(database.folder, 'hookswitch.db'))) {
    return [{ about: 'Database', state: 'fine', says: `none in ${database.folder} yet; the first start creates it` }]
  }
  return withDatabase(config, isRunning)
}

async function postgres(url: string): Promise<DoctorFinding | string> {
  const about = 'Database'
  const { version, isReadOnly, isSessionKept } = await examinePostgres(url)
  const wrong = (says: string): DoctorFinding => ({ about, state: 'wrong', says })
  if (version < 15) return wrong(`PostgreSQL ${version} is too old; upgrade it to 15 or newer`)
  if (isReadOnly) return wrong('the server is read-only; set DATABASE_URL to the primary server')
  if (!isSessionKept) {
    return wrong(
      'a pooler in transaction mode is between; set its pool_mode to session, or connect to PostgreSQL directly',
    )
  }
  return `PostgreSQL ${version}, writable, connections keep their session`
}

async function withDatabase(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const opened: Database[] = []
  const findings = [
    await tried('Schema', 'check that this user may read and write the database', async () => {
      const options = config.database.kind === 'postgres' ? { ...config.database, poolSize: 2 } : config.database
      const database = await openDatabase(options, systemClock())
      opened.push(database)
      return schema(database.db)
    }),
  ]
  const [database] = opened
  if (!database) return findings
  const { db } = database
  try {
    findings.push(await tried('Installation key', 'restore the original key from a backup', () => key(config, db)))
    findings.push(...(isRunning ? await nodes() : []), ...(await remoteNodes(config, db)))
  } finally {
    await database.close()
  }
  return findings
}

async function schema(db: Db): Promise<DoctorFinding | string> {
  const about = 'Schema'
  const applied = await appliedVersion(db)
  if (applied === schemaVersion) return `version ${applied}, that of this release`
  if (applied > schemaVersion) {
    const isUsable = (await schemaState(db)) === 'newer'
    const says = isUsable ? 'of a newer release, and usable by this one' : 'of a newer release'
    return { about, state: isUsable ? 'look' : 'wrong', says: `version ${applied} is ${says}; install that release` }
  }
  return {
    about,
    state: 'look',
    says: `version ${applied} of ${schemaVersion}; \`hookswitch migrate\` or the next start migrates it`,
  }
}

async function key(config: Config, db: Db): Promise<DoctorFinding | string> {
  const about = 'Installation key'
  if ((await appliedVersion(db)) === 0 || (await storedFingerprint(db)) === undefined) {
    return 'none is stored yet; the first start stores its fingerprint'
  }
  const given = config.key ?? readKey(config.dataDir)
  const place = config.key ? 'HOOKSWITCH_KEY' : 'the key file in DATA_DIR/keys'
  if (!given) {
    return { about, state: 'wrong', says: 'missing; restore DATA_DIR/keys/installation.key or set HOOKSWITCH_KEY' }
  }
  if (await isInstallationKey(db, given)) return `${place} is the key of this database`
  return {
    about,
    state: 'wrong',
    says: `${place} is not the key of this database; restore the original key from a backup`,
  }
}

/** As the running server sees them. */
async function nodes(): Promise<DoctorFinding[]> {
  const { line_nodes: all } = await askRunningServer<InstallationStatus>('status')
  return all.map(({ id, state, legs, max_legs: maxLegs }) => ({
    about: `Line node ${id}`,
    state: state === 'unreachable' ? 'wrong' : state === 'draining' ? 'look' : 'fine',
    says:
      state === 'unreachable'
        ? 'the server cannot connect to it; check that it runs, and the firewall between the hosts'
        : state === 'not running'
          ? 'starts with the first trunk, device or call'
          : `${state}, ${legs} of ${maxLegs} legs`,
  }))
}

async function remoteNodes({ voice: { lineNodes } }: Config, db: Db): Promise<DoctorFinding[]> {
  const { secret, local } = lineNodes
  if (secret === undefined) return []
  const announced = await listAnnouncedNodes(db)
  if (announced.length === 0 && local === 0) {
    const says = 'none has announced itself, and LINE_NODES=0; start `hookswitch line-node` on its host'
    return [{ about: 'Line nodes', state: 'wrong', says }]
  }
  return Promise.all(
    announced.map(({ id, host, port }) =>
      tried(
        `Line node ${id}`,
        `check that it runs, that TCP ${port} is open between the hosts, and that LINE_NODE_SECRET is the same`,
        () => connected(secret, { host, port }),
      ),
    ),
  )
}

function connected(secret: string, to: { host: string; port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectWithSharedKey(secret, 'doctor', to)
    socket.once('error', reject).once('secureConnect', () => {
      socket.destroy()
      resolve(`accepts connections at ${to.host}:${to.port}`)
    })
  })
}

export function storageFinding({ files: place }: Config): Promise<DoctorFinding> {
  const isS3 = place.kind === 's3'
  const remedy = isS3
    ? 'check bucket, region, endpoint and credentials of FILES_URL; s3:PutObject, GetObject and DeleteObject are needed'
    : 'check that the folder of FILES_URL is writable'
  return tried('File storage', remedy, async () => {
    const files = isS3 ? filesOnS3(place, systemClock()) : filesIn(place.folder)
    if (!isS3 && !existsSync(place.folder)) return `${place.folder}; the first file creates it`
    const name = `doctor/${randomId()}`
    const content = Buffer.from('hookswitch doctor')
    await files.put(name, content)
    try {
      const read = await buffer(files.read(name))
      if (!read.equals(content)) throw new Error('the file that was read differs from the one that was written')
    } finally {
      await files.remove(name)
    }
    return `wrote, read and deleted a file in ${isS3 ? `the bucket ${place.bucket}` : place.folder}`
  })
}

export function mailFinding({ smtpUrl, mailFrom }: Config): Promise<DoctorFinding> {
  const about = 'Mail server'
  if (smtpUrl === undefined) {
    return Promise.resolve({ about, state: 'look', says: 'SMTP_URL is not set; emails stay in the email log' })
  }
  const { host } = new URL(smtpUrl)
  return tried(about, `check SMTP_URL (${host}), its user and password, and the firewall`, async () => {
    await checkMailServer(smtpUrl)
    return `${host} accepts the connection; emails are sent as ${mailFrom}`
  })
}

export function turnFinding({ voice: { turn } }: Config): Promise<DoctorFinding> {
  const about = 'TURN'
  if (!turn) {
    return Promise.resolve({
      about,
      state: 'look',
      says: 'not configured; users behind strict firewalls may have no audio',
    })
  }
  return tried(about, `check that the TURN server runs at ${turn.url} and has the same TURN_SECRET`, async () => {
    const [server] = turnServers(turn, systemClock())(0)
    const { username = '', credential = '' } = server ?? {}
    return `${turn.url} allocated the relay address ${await allocateRelay(turn.url, { username, credential }, systemClock())}`
  })
}

/** Through DNS, proxy and certificate, as far as this machine can see them. */
export async function publicUrlFindings({ links, mode }: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const about = 'PUBLIC_URL'
  if (!isRunning) {
    return [
      {
        about,
        state: mode === 'production' ? 'look' : 'fine',
        says: `${links.api} is tested while the service is running`,
      },
    ]
  }
  const skews: number[] = []
  const remedy =
    'check DNS, firewall, certificate and the reverse proxy; some networks cannot reach their own public address'
  const found = await tried(about, remedy, async () => {
    const response = await fetch(`${links.api}/v1`, { redirect: 'manual' })
    const body = await response.text()
    const date = Date.parse(response.headers.get('date') ?? '')
    if (!Number.isNaN(date)) skews.push(systemClock().machineNow() - date)
    if (response.status !== 200 || !body.startsWith('{')) {
      return {
        about,
        state: 'wrong',
        says: `${links.api}/v1 responds ${response.status}, not with this API; check the reverse proxy`,
      }
    }
    return `${links.api} responds`
  })
  return [found, ...skews.flatMap((skewMs) => clockFindings([{ of: new URL(links.api).host, skewMs }]))]
}

/** Compared with the database server, which is often another machine. */
export async function databaseClock({ database }: Config): Promise<DoctorFinding[]> {
  if (database.kind !== 'postgres') return []
  try {
    const { now } = await examinePostgres(database.url)
    return clockFindings([{ of: 'the database server', skewMs: systemClock().machineNow() - now }])
  } catch {
    // Reported by the check of the database.
    return []
  }
}

const maxSkewMs = 3 * second

function clockFindings(compared: { of: string; skewMs: number }[]): DoctorFinding[] {
  return compared.map(({ of, skewMs }) => {
    const seconds = Math.round(Math.abs(skewMs) / second)
    return Math.abs(skewMs) <= maxSkewMs
      ? { about: 'Clock', state: 'fine', says: `agrees with ${of}` }
      : {
          about: 'Clock',
          state: 'wrong',
          says: `${seconds} s from ${of}; synchronize both with NTP, for example with chrony`,
        }
  })
}

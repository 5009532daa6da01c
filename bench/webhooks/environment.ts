import pg from 'pg'
import { freePort, startPostgres } from '../../test/kit/postgres.ts'
import { temporaryFolder } from '../servers.ts'
import type { BadReceiverActions } from './bad-receivers.ts'
import type { PeerActions } from './peers.ts'
import type { ProductActions, Store } from './product.ts'
import type { RawActions } from './raw.ts'
import type { ReceiverActions } from './receiver.ts'
import { buildPrograms, launch, type Remote } from './remote.ts'
import type { UnresponsiveReceiverActions } from './unresponsive-receiver.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** All participants of the benchmark, each in a process of its own. */
export interface Environment {
  store: StoreKind
  product: Remote<ProductActions>
  receiver: Remote<ReceiverActions>
  raw: Remote<RawActions>
  /** Origin of the healthy receiver. */
  origin: string
  /** Origins of the failing receivers, one of each of the five kinds. */
  badOrigins: string[]
  /** Only with PostgreSQL. */
  peers: { graphile: Remote<PeerActions>; pgboss: Remote<PeerActions> } | undefined
  newStore(): Promise<Store>
  close(): Promise<void>
}

const local = (port: number) => `http://127.0.0.1:${port}`

export async function openEnvironment(store: StoreKind, productFlags: string[] = []): Promise<Environment> {
  const folder = await buildPrograms()
  // As in production: a commit waits for the disk.
  const server = store === 'postgres' ? await startPostgres(undefined, { durable: true }) : undefined
  if (store === 'postgres' && !server) throw new Error('PostgreSQL is not installed')
  const product = launch<ProductActions>(folder, 'product', productFlags)
  const receiver = launch<ReceiverActions>(folder, 'receiver')
  const raw = launch<RawActions>(folder, 'raw')
  const bad = launch<BadReceiverActions>(folder, 'bad-receivers')
  const unresponsive = launch<UnresponsiveReceiverActions>(folder, 'unresponsive-receiver')
  const peers = server && {
    graphile: launch<PeerActions>(folder, 'peers'),
    pgboss: launch<PeerActions>(folder, 'peers'),
  }
  const processes = [product, receiver, raw, bad, unresponsive, ...(peers ? Object.values(peers) : [])]
  const close = async () => {
    await Promise.all(processes.map((one) => one.stop()))
    await server?.stop()
  }
  try {
    const origin = local(await receiver.ask('open'))
    const badOrigins = [await unresponsive.ask('open'), ...(await bad.ask('open'))].map(local)
    if (peers) {
      await peers.graphile.ask('open', { kind: 'graphile', url: await newDatabase(server.url), origin })
      await peers.pgboss.ask('open', { kind: 'pgboss', url: await newDatabase(server.url), origin })
    }
    const newStore = async () => {
      const place = { folder: temporaryFolder(), port: await freePort() }
      return server ? { ...place, url: await newDatabase(server.url) } : place
    }
    return { store, product, receiver, raw, origin, badOrigins, peers, newStore, close }
  } catch (error) {
    await close()
    throw error
  }
}

let databases = 0

async function newDatabase(server: string): Promise<string> {
  const name = `bench_${++databases}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

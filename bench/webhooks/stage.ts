import pg from 'pg'
import { freePort, startPostgres } from '../../test/kit/postgres.ts'
import { temporaryFolder } from '../servers.ts'
import type { BadReceiverActions } from './bad-receivers.ts'
import type { DeafReceiverActions } from './deaf-receiver.ts'
import type { PeerActions } from './peers.ts'
import type { ProductActions, Store } from './product.ts'
import type { RawActions } from './raw.ts'
import type { ReceiverActions } from './receiver.ts'
import { buildPrograms, launch, type Remote } from './remote.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** Everybody who plays a part, each in a process of its own. */
export interface Stage {
  store: StoreKind
  product: Remote<ProductActions>
  receiver: Remote<ReceiverActions>
  raw: Remote<RawActions>
  /** Where the receiver that is well listens. */
  origin: string
  /** Where those that are not do, one of each of the five kinds. */
  badOrigins: string[]
  /** Only with PostgreSQL. */
  peers: { graphile: Remote<PeerActions>; pgboss: Remote<PeerActions> } | undefined
  newStore(): Promise<Store>
  close(): Promise<void>
}

const local = (port: number) => `http://127.0.0.1:${port}`

export async function setStage(store: StoreKind, productFlags: string[] = []): Promise<Stage> {
  const server = store === 'postgres' ? await startPostgres() : undefined
  if (store === 'postgres' && !server) throw new Error('PostgreSQL is not installed')
  const folder = await buildPrograms()
  const product = await launch<ProductActions>(folder, 'product', productFlags)
  const receiver = await launch<ReceiverActions>(folder, 'receiver')
  const raw = await launch<RawActions>(folder, 'raw')
  const bad = await launch<BadReceiverActions>(folder, 'bad-receivers')
  const deaf = await launch<DeafReceiverActions>(folder, 'deaf-receiver')
  const origin = local(await receiver.ask('open'))
  const badOrigins = [await deaf.ask('open'), ...(await bad.ask('open'))].map(local)
  const peers = server && (await openPeers(folder, server.url, origin))
  const everybody = [product, receiver, raw, bad, deaf, ...(peers ? [peers.graphile, peers.pgboss] : [])]
  return {
    store,
    product,
    receiver,
    raw,
    origin,
    badOrigins,
    peers,
    async newStore() {
      const place = { folder: temporaryFolder(), port: await freePort() }
      return server ? { ...place, url: await newDatabase(server.url) } : place
    },
    async close() {
      await peers?.graphile.ask('close')
      await peers?.pgboss.ask('close')
      await Promise.all(everybody.map((one) => one.stop()))
      await server?.stop()
    },
  }
}

async function openPeers(folder: string, server: string, origin: string) {
  const open = async (kind: 'graphile' | 'pgboss') => {
    const peer = await launch<PeerActions>(folder, 'peers')
    await peer.ask('open', { kind, url: await newDatabase(server), origin })
    return peer
  }
  return { graphile: await open('graphile'), pgboss: await open('pgboss') }
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

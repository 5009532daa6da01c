import { createHash, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Db, enclosingTransaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { day, minute } from '../lib/clock.ts'
import { hashOf } from '../lib/secrets.ts'
import { withoutTrailing } from '../lib/text.ts'
import type { RequestClaim, Services } from '../services.ts'
import type { ParsedBody } from './body.ts'
import type { Caller } from './caller.ts'
import { badRequest, conflict, unprocessable } from './errors.ts'

// Idempotency-Key: a client that did not receive the response repeats the request with the same key, and gets the
// response of the first one. Only successful requests are stored: after an error the key can be used again.

const keptMs = day
/** A request whose change is not part of its own transaction has ended by then, or its process has. */
const claimMs = minute
const maxKeyLength = 255

/** A request that has used a key before. */
export interface KnownRequest {
  fingerprint: string
  token: string
  isDone: boolean
  status: number
  /** Sealed. */
  body: string | null
  claimedUntil: number
  expiresAt: number
}

/** Stores the keys; injected, because http/ has no stores. */
export interface IdempotencyStore {
  find(db: Db, companyId: CompanyId, keyHash: string): Promise<KnownRequest | undefined>
  /** Stores a request with its response; fails if another one has the key. Waits for a concurrent transaction. */
  add(tx: Db, finished: NewClaim): Promise<void>
  /** False: another request has the key. */
  claim(db: Db, claim: NewClaim): Promise<boolean>
  finish(db: Db, claim: RequestClaim, body: string | null): Promise<void>
  /** Frees the key of a request that has changed nothing, or has expired. */
  release(db: Db, claim: RequestClaim, now: number): Promise<void>
}

interface NewClaim extends RequestClaim {
  fingerprint: string
  status: number
  body: string | null
  now: number
  until: number
  expiresAt: number
}

/** A request with a key. */
export interface KeyedRequest {
  companyId: CompanyId
  keyHash: string
  fingerprint: string
}

/** Makes the change and returns the text of the response. */
export type Execution = (services: Services, claim?: RequestClaim) => Promise<string | null>

/** A request that was checked. */
interface PreparedRequest {
  services: Services
  execute: Execution
}

export interface Idempotency {
  /**
   * Executes the request, or returns the response of the first request with the key. `outside`: the change is not made
   * through `services.db`, so it cannot be part of the transaction of the request.
   */
  once(
    request: KeyedRequest,
    reply: { status: number; outside: boolean; body: string | null },
    prepare: () => Promise<PreparedRequest>,
  ): Promise<{ body: string | null; isReplayed: boolean }>
}

/** `shared`: other processes may use the same database. */
export function createIdempotency(services: Services, store: IdempotencyStore, shared: boolean): Idempotency {
  const { db, clock, vault } = services
  /** Fingerprints of the requests that this process executes now. */
  const running = new Map<string, string>()
  const tokenPrefix = randomUUID()

  /** The response of a finished request; undefined: the key is free. */
  async function known({ companyId, keyHash, fingerprint }: KeyedRequest) {
    const found = await store.find(db, companyId, keyHash)
    if (!found) return undefined
    const now = clock.machineNow()
    if (found.expiresAt <= now || (!found.isDone && isAbandoned(found))) {
      await store.release(db, { companyId, keyHash, token: found.token }, now)
      return undefined
    }
    requireSame(found.fingerprint, fingerprint)
    if (!found.isDone) throw stillRunning()
    return { body: found.body === null ? null : vault.open(found.body), isReplayed: true }
  }

  /** The process of the request has ended. Without other processes, that is every request of an earlier process. */
  function isAbandoned({ claimedUntil, token }: KnownRequest): boolean {
    return claimedUntil <= clock.machineNow() || !(shared || token.startsWith(tokenPrefix))
  }

  function newClaim(request: KeyedRequest, status: number, body: string | null): NewClaim {
    const now = clock.machineNow()
    const times = { now, until: now + claimMs, expiresAt: now + keptMs }
    return { ...request, token: `${tokenPrefix}.${randomUUID()}`, status, body: sealed(body), ...times }
  }

  const sealed = (body: string | null) => (body === null ? null : vault.seal(body))

  /** The change and its response are committed together. */
  async function inTransaction(claim: NewClaim, prepared: PreparedRequest): Promise<string | null | undefined> {
    const { services: own, execute } = prepared
    const reports: (() => Promise<void>)[] = []
    // Written to the database, and to be kept although the transaction is rolled back.
    const refusals: Services['refusals'] = {
      async report(...report) {
        reports.push(() => services.refusals.report(...report))
      },
    }
    try {
      return await enclosingTransaction(own.db, async (tx) => {
        const body = await execute({ ...own, db: tx, refusals })
        await store.add(tx, { ...claim, body: sealed(body) })
        return body
      })
    } catch (error) {
      // Another process was faster: it has the key, or its change is why this one failed (a name is taken).
      if (shared && (await known(claim))) return undefined
      throw error
    } finally {
      for (const report of reports) await report()
    }
  }

  /** The key is claimed before the change; what makes the change marks the claim as done in its own transaction. */
  async function outside(claim: NewClaim, prepared: PreparedRequest): Promise<string | null | undefined> {
    if (!(await store.claim(db, claim))) return undefined
    const { companyId, keyHash, token } = claim
    const reference = { companyId, keyHash, token }
    try {
      const body = await prepared.execute(prepared.services, reference)
      await store.finish(db, reference, sealed(body))
      return body
    } catch (error) {
      await store.release(db, reference, clock.machineNow())
      throw error
    }
  }

  return {
    async once(request, reply, prepare) {
      const name = `${request.companyId} ${request.keyHash}`
      const other = running.get(name)
      if (other !== undefined) {
        requireSame(other, request.fingerprint)
        throw stillRunning()
      }
      running.set(name, request.fingerprint)
      try {
        const before = await known(request)
        if (before) return before
        const prepared = await prepare()
        const claim = newClaim(request, reply.status, reply.body)
        const body = await (reply.outside ? outside(claim, prepared) : inTransaction(claim, prepared))
        if (body !== undefined) return { body, isReplayed: false }
        // Another process was faster.
        const first = await known(request)
        if (first) return first
        throw stillRunning()
      } finally {
        running.delete(name)
      }
    },
  }
}

const stillRunning = () =>
  conflict('A request with this Idempotency-Key is still being processed; repeat it in a few seconds')

function requireSame(first: string, now: string): void {
  if (first !== now) {
    throw unprocessable(
      'This Idempotency-Key was used for another request: with other credentials, another method, path or body. ' +
        'Use a new key for each new request',
    )
  }
}

/** The key of a request that changes something through the public API; undefined without the header. */
export function keyedRequest(request: FastifyRequest, caller: Caller): KeyedRequest | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || isRepeated(request) || key.length > maxKeyLength || !/^[!-~]+$/.test(key)) {
    throw badRequest(
      `The header Idempotency-Key must be sent once, with 1 to ${maxKeyLength} ASCII characters without spaces; a UUID fits`,
    )
  }
  const { companyId } = caller
  return { companyId, keyHash: hashOf(key), fingerprint: fingerprintOf(request, caller) }
}

function isRepeated({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let given = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'idempotency-key') given++
  return given > 1
}

/** Bodies with the same fields are equal, whatever their order and white space. */
function fingerprintOf({ method, url, body }: FastifyRequest, { via }: Caller): string {
  const given = body as ParsedBody | null | undefined
  const fields = given && 'problem' in given ? 'malformed' : (given?.fields ?? {})
  const credentials = via.kind === 'session' ? via.session : `${via.kind} ${via.id}`
  const [path = '', ...query] = url.split('?')
  const target = [withoutTrailing(path, '/'), ...query].join('?')
  return createHash('sha256')
    .update(`${credentials}\n${method}\n${target}\n${JSON.stringify(fields, inOrder)}`)
    .digest('hex')
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export const markReplayed = (response: FastifyReply) => response.header('idempotent-replayed', 'true')

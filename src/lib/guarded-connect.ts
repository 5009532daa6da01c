import { isIP, connect as openTcp, type Socket } from 'node:net'
import { connect as openTls, type SecureContext } from 'node:tls'
import type { AddressPolicy, RequestDestination } from './address-policy.ts'
import { type Cancel, type Clock, second } from './clock.ts'
import { type FetchPhase, failure } from './fetch-failure.ts'
import type { NameResolver, Resolution } from './name-resolver.ts'

export interface ConnectOptions {
  clock: Clock
  policy: AddressPolicy
  names: NameResolver
  secureContext: SecureContext
}

export interface ConnectWatcher {
  reached(phase: FetchPhase): void
  connected(socket: Socket): void
  failed(error: Error): void
}

const maxResolving = 2 * second
const maxConnecting = 4 * second
const maxAddresses = 8

/**
 * Opens one connection after checking the host and every address it resolves to. After cancelling, the watcher is not
 * called again.
 */
export function guardedConnect(
  options: ConnectOptions,
  destination: RequestDestination,
  watcher: ConnectWatcher,
): Cancel {
  const { clock, policy, names } = options
  const isLiteral = isIP(destination.host) !== 0
  let socket: Socket | undefined
  let over = false
  let cancelTimer: Cancel = () => {}

  const end = () => {
    over = true
    cancelTimer()
  }
  const fail = (error: Error) => {
    if (over) return
    end()
    socket?.destroy()
    watcher.failed(error)
  }
  const limit = (ms: number, what: string) => {
    cancelTimer()
    cancelTimer = clock.machineAfter(ms, () => fail(failure('OUT_OF_TIME', what)))
  }

  const dial = (addresses: readonly string[]) => {
    watcher.reached('connect')
    limit(maxConnecting, 'no connection in time')
    socket = openSocket(destination, addresses, options.secureContext)
    // Never removed: an abandoned socket may still fail, and the error needs a listener.
    socket.on('error', fail)
    if (destination.protocol === 'https:') socket.once('connect', () => watcher.reached('tls'))
    socket.once(destination.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      if (over || !socket) return
      end()
      watcher.connected(socket)
    })
  }

  const findAddresses = async (): Promise<Resolution> => {
    const problem = policy.hostProblem(destination)
    if (problem) return { error: failure('NOT_ALLOWED', problem) }
    if (isLiteral) return { addresses: [destination.host] }
    limit(maxResolving, 'name not resolved in time')
    return names.resolve(destination.host)
  }

  const start = async () => {
    const found = await findAddresses()
    if (over) return
    if ('error' in found) return fail(asError(found.error))
    if (!policy.allows(destination, found.addresses))
      return fail(failure('NOT_ALLOWED', 'leads to a forbidden address'))
    dial(found.addresses)
  }

  watcher.reached(isLiteral ? 'connect' : 'dns')
  void start().catch((error: unknown) => fail(asError(error)))
  return () => {
    end()
    socket?.destroy()
  }
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))

function openSocket(
  { protocol, host, port, bare }: RequestDestination,
  addresses: readonly string[],
  secureContext: SecureContext,
) {
  const checked = addresses.slice(0, maxAddresses).map((address) => ({ address, family: isIP(address) }))
  const options = {
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 500,
    // Uses the addresses just checked, so that a second lookup cannot return others.
    lookup: (_name: string, _options: unknown, found: (error: null, addresses: typeof checked) => void) =>
      process.nextTick(found, null, checked),
  }
  if (protocol !== 'https:') return openTcp(options)
  // TLS sessions are never resumed: resumption would skip the check of the certificate's host name.
  const protocols = bare ? {} : { ALPNProtocols: ['http/1.1'] }
  return openTls({
    ...options,
    ...tlsOptions,
    ...protocols,
    secureContext,
    ...(isIP(host) === 0 && { servername: host }),
  })
}

// Set explicitly although it is the default: the environment can change the default.
const tlsOptions = { rejectUnauthorized: true }

import type { Cancel } from '../../lib/clock.ts'
import type { FinalOutcome } from './attempt.ts'
import type { SipEndpoint } from './endpoint.ts'
import { addressList } from './guard.ts'
import { createRegistration } from './registration.ts'
import { createTrunkRequests } from './trunk-requests.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** A configured trunk: registers, checks the far end with OPTIONS, and matches source addresses. */
export interface SipTrunk {
  settings: SipTrunkSettings
  /** undefined until it is known. */
  isUp(): boolean | undefined
  /** Whether the address is listed in the settings, or the host resolves to it. */
  owns(address: string): boolean
  start(): void
  /** Unregisters. */
  close(): Promise<void>
}

const defaultOptionsSeconds = 30

export function createSipTrunk(
  endpoint: SipEndpoint,
  settings: SipTrunkSettings,
  changed: (up: boolean, detail: string) => void,
): SipTrunk {
  const isListed = addressList(settings.allowedIps)
  const requests = createTrunkRequests(endpoint, settings)
  const registration = createRegistration(endpoint, settings, requests)
  const optionsSeconds = settings.optionsSeconds ?? defaultOptionsSeconds
  let isAnswering: boolean | undefined = optionsSeconds > 0 ? undefined : true
  let known: boolean | undefined
  /** The last response or error, preferring the one that keeps the trunk down. */
  let detail = ''
  let isClosed = false
  let cancelRegister: Cancel = () => {}
  let cancelOptions: Cancel = () => {}

  const isRegistered = () => (settings.register ? registration.isRegistered() : true)

  function judge() {
    const isDown = isRegistered() === false || isAnswering === false
    const isUp = isDown ? false : isRegistered() && isAnswering
    if (isClosed || isUp === undefined || isUp === known) return
    known = isUp
    changed(isUp, detail)
  }

  async function registerOnce() {
    const registered = await registration.register()
    if (!registered) return
    detail = `REGISTER: ${detailOf(registered.result)}`
    judge()
    if (!isClosed) cancelRegister = endpoint.clock.machineAfter(registered.nextMs, () => run(registerOnce))
  }

  async function optionsOnce() {
    const result = await requests.options()
    if (isClosed) return
    // Any response shows that the far end is up, except these two.
    isAnswering = result.kind === 'response' && result.response.status !== 503 && result.response.status !== 408
    if (isRegistered() !== false) detail = `OPTIONS: ${detailOf(result)}`
    judge()
    cancelOptions = endpoint.clock.machineAfter(optionsSeconds * 1_000, () => run(optionsOnce))
  }

  const run = (work: () => Promise<void>) => {
    work().catch((error) =>
      endpoint.log.error({ event: 'sip.trunk_failed', error, trunkId: settings.id }, 'trunk check failed'),
    )
  }

  return {
    settings,
    isUp: () => known,
    owns: (address) => isListed(address) || requests.hasResolvedTo(address),
    start() {
      run(async () => void (await requests.peers()))
      if (settings.register) run(registerOnce)
      if (optionsSeconds > 0) run(optionsOnce)
      judge()
    },
    async close() {
      isClosed = true
      cancelRegister()
      cancelOptions()
      await registration.close()
    },
  }
}

function detailOf(result: FinalOutcome): string {
  switch (result.kind) {
    case 'response':
      return `${result.response.status} ${result.response.phrase}`.trim().slice(0, 100)
    case 'timedOut':
      return 'no response'
    case 'unreachable':
      return 'host unreachable or not resolved'
    case 'cancelled':
      return 'cancelled'
  }
}

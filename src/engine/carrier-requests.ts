import type { CompanyId } from '../db/tables.ts'
import { numberByDigits } from '../features/accounts/numbers/store.ts'
import { unavailable } from '../http/errors.ts'
import { second } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import type { Calls, NewCall, Services, SimulatedCaller, TrunkTest } from '../services.ts'
import type { CallStarts } from './call-starts.ts'
import type { Callbacks } from './callbacks.ts'
import type { InboundCalls } from './inbound-calls.ts'
import { noAnswer, type ProcessRequests } from './process-requests.ts'
import type { Processes } from './processes.ts'
import type { TrunkTestRequest } from './trunk-test.ts'

/**
 * Requests from a process without the role `calls` to one that has it. The two may be of different releases: the field
 * name `ask` cannot change.
 */
export type CarrierRequest =
  | { ask: 'start'; call: NewCall }
  | { ask: 'simulate'; caller: SimulatedCaller }
  | { ask: 'serve callback'; requestId: string }
  | { ask: 'test trunk'; test: TrunkTestRequest }

/** Operations that need a process with the role `calls`: executed here, or sent to such a process. */
export interface CarrierRequests {
  start(companyId: CompanyId, call: NewCall): ReturnType<Calls['start']>
  simulate(caller: SimulatedCaller): Promise<number | undefined>
  serveCallback(payload: { companyId: CompanyId; requestId: string }): Promise<void>
  testTrunk(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest>
  /** Executes a request of another process. */
  handle(companyId: CompanyId, request: CarrierRequest): Promise<unknown>
}

interface Options {
  services: Services
  /** This process has the role `calls`. */
  carries: boolean
  processes: Pick<Processes, 'carriers'>
  requests: Pick<ProcessRequests, 'send'>
  starts: Pick<CallStarts, 'start'>
  inbound: Pick<InboundCalls, 'simulate'>
  callbacks: Pick<Callbacks, 'serve'>
  testTrunk: ((companyId: CompanyId, test: TrunkTestRequest) => Promise<TrunkTest>) | undefined
}

const notCarried = 'No process that carries calls is running: start one with `calls` among its ROLES'
/** A test call may ring for half a minute. */
const trunkTestTimeoutMs = 45 * second

export function createCarrierRequests(options: Options): CarrierRequests {
  const { services, carries, processes, requests, starts, inbound, callbacks } = options
  const { db, clock } = services

  /** To the process with the fewest calls. Undefined: no process carries calls. */
  async function ask(companyId: CompanyId, request: CarrierRequest, timeoutMs?: number) {
    const [carrier] = await processes.carriers()
    if (carrier === undefined) return undefined
    const key = `${request.ask} ${ulid(clock.machineNow())}`
    return requests.send(companyId, carrier, key, request, { timeoutMs })
  }

  async function testTrunk(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest> {
    if (options.testTrunk) return options.testTrunk(companyId, test)
    const outcome = carries ? undefined : await ask(companyId, { ask: 'test trunk', test }, trunkTestTimeoutMs)
    if (outcome?.kind === 'answered') return outcome.answer as TrunkTest
    return { outcome: 'failed', code: null, response: null, seconds: 0, explanation: outcome ? noAnswer : notCarried }
  }

  return {
    async start(companyId, call) {
      if (carries) return starts.start(companyId, call)
      const outcome = await ask(companyId, { ask: 'start', call })
      if (outcome?.kind === 'answered') return outcome.answer as Awaited<ReturnType<Calls['start']>>
      return { ok: false, refused: 'unavailable', why: outcome ? noAnswer : notCarried }
    },
    async simulate(caller) {
      if (carries) return inbound.simulate(caller)
      const dialled = await numberByDigits(db, caller.to)
      if (!dialled) return undefined
      const outcome = await ask(dialled.companyId, { ask: 'simulate', caller })
      if (outcome?.kind === 'answered') return (outcome.answer as number | null) ?? undefined
      throw unavailable(outcome ? noAnswer : notCarried)
    },
    async serveCallback({ companyId, requestId }) {
      if (carries) return callbacks.serve(companyId, requestId)
      const outcome = await ask(companyId, { ask: 'serve callback', requestId })
      // The job is retried.
      if (outcome?.kind !== 'answered') throw new Error(outcome ? noAnswer : notCarried)
    },
    testTrunk,
    handle(companyId, request) {
      switch (request.ask) {
        case 'start':
          return starts.start(companyId, request.call)
        case 'simulate':
          return inbound.simulate(request.caller)
        case 'serve callback':
          return callbacks.serve(companyId, request.requestId)
        case 'test trunk':
          return testTrunk(companyId, request.test)
      }
    },
  }
}

export const isCarrierRequest = (message: unknown): message is CarrierRequest =>
  typeof message === 'object' && message !== null && 'ask' in message

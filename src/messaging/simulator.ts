import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { isTroubleCode, type TroubleCode } from '../domain/message.ts'
import { behaviourOf, type CustomerBehaviour } from '../domain/sandbox/people.ts'
import { lockMessages, type Message, messageAt } from '../features/messages/messages/store.ts'
import { receiveMessage } from '../features/messages/transport/receive.ts'
import { changeStatuses, type MessageStatusChange } from '../features/messages/transport/status.ts'
import type { JobPayloads } from '../jobs/payloads.ts'
import { enqueue } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import { fractionOf } from '../lib/random.ts'
import { calleesOf } from '../sandbox/settings.ts'
import type { Services } from '../services.ts'
import type { SendRefusal } from './refusals.ts'

// The simulated carrier of the sandbox: recipients receive messages, and some reply. Sending is an update of the database
// row, so no message is lost or duplicated.

/** Stored in jobs: the field keeps its name. */
type SimulatedStep = JobPayloads['message.simulated']['deed']

const deliveredAfterMs = 1 * second
const readAfterMs = 3 * second
const replyAfterMs = 5 * second
/** Steps that are due at about the same time share one transaction. */
const roundMs = second / 4

const codeIn = ({ error_code }: CustomerBehaviour): TroubleCode => {
  const code = Number(error_code)
  return isTroubleCode(code) ? code : 30008
}

/** Accepts or refuses messages in one transaction. */
export async function takeSimulated(
  services: Services,
  companyId: CompanyId,
  messages: readonly Message[],
  refusals: ReadonlyMap<number, SendRefusal>,
): Promise<void> {
  const { db, clock, sandbox } = services
  await transaction(db, async (tx) => {
    const callees = await calleesOf(tx, companyId)
    const faults = sandbox?.faults.of(companyId)
    const rows = await lockMessages(
      tx,
      companyId,
      messages.map(({ rowId }) => rowId),
    )
    const changes: MessageStatusChange[] = []
    const at = clock.now()
    for (const message of rows.filter(({ queued }) => queued > 0)) {
      const refusal = refusals.get(message.rowId)
      const behaviour = behaviourOf(callees, recipientOf(message))
      const fails = behaviour.message_status === 'failed'
      const breaks = faults !== undefined && fractionOf(`${faults.seed}:${message.id}`) < faults.carrier_failure
      if (refusal) changes.push({ message, status: 'failed', ...refusal })
      else if (fails) changes.push({ message, status: 'failed', code: codeIn(behaviour) })
      else if (breaks) changes.push({ message, status: 'failed', code: 30008 })
      else {
        changes.push({ message, status: 'sent' })
        const next = behaviour.message_status === 'undelivered' ? 'undelivered' : 'delivered'
        await book(message, next, deliveredAfterMs)
        if (behaviour.message_status === 'read' && message.channel) await book(message, 'read', readAfterMs)
        if (next === 'delivered' && behaviour.reply) await book(message, 'reply', replyAfterMs)
      }
    }
    await changeStatuses(services, tx, companyId, changes)

    function book({ rowId }: Message, step: SimulatedStep, afterMs: number) {
      const due = Math.ceil((at + afterMs) / roundMs) * roundMs
      return enqueue(tx, 'message.simulated', { companyId, messageRow: rowId, deed: step }, due)
    }
  })
}

const recipientOf = ({ external, participants }: Message) => external ?? participants?.[0] ?? ''

/** Delivery, reading and replies of the simulated recipients, in batches. */
export function simulatedReader(services: Services) {
  const { db } = services
  return async (jobs: readonly JobPayloads['message.simulated'][]): Promise<void> => {
    for (const companyId of new Set(jobs.map((job) => job.companyId))) {
      const mine = jobs.filter((job) => job.companyId === companyId)
      await transaction(db, async (tx) => {
        const callees = await calleesOf(tx, companyId)
        const about = mine.filter(({ deed: step }) => step !== 'reply')
        const messages = await lockMessages(
          tx,
          companyId,
          about.map(({ messageRow }) => messageRow),
        )
        const statusOf = new Map(
          about.map(({ messageRow, deed: step }) => [messageRow, step as Exclude<SimulatedStep, 'reply'>]),
        )
        const changes = messages.map((message) => ({
          message,
          status: statusOf.get(message.rowId) ?? message.status,
          code: codeIn(behaviourOf(callees, recipientOf(message))),
        }))
        await changeStatuses(services, tx, companyId, changes)
      })
      for (const { messageRow } of mine.filter(({ deed: step }) => step === 'reply')) await reply(companyId, messageRow)
    }
  }

  async function reply(companyId: CompanyId, messageRow: number): Promise<void> {
    const message = await messageAt(db, companyId, messageRow)
    if (!message) return
    const from = recipientOf(message)
    const body = behaviourOf(await calleesOf(db, companyId), from).reply
    if (!body) return
    const { numberId, channel, participants } = message
    await receiveMessage(services, companyId, {
      numberId,
      from,
      channel,
      body,
      media: [],
      participants: participants ?? undefined,
      arrival: { carrierId: 0, ref: `reply ${message.id}` },
    })
  }
}

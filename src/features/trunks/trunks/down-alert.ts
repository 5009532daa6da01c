import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { cancelJob, enqueueOnce } from '../../../jobs/queue.ts'
import { hour, minute } from '../../../lib/clock.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { adminsAndCreator, queueMail, raiseAlert } from '../../accounts/index.ts'
import { allTrunks, type Trunk } from './store.ts'

/** A trunk that is up again within this time raises no alert. */
const toleratedMs = minute

const keyOf = (trunkId: number) => `trunk.down:${trunkId}`

/** Called when the state of a trunk is saved. */
export async function scheduleTrunkAlert(
  { db, clock }: Services,
  companyId: CompanyId | null,
  trunkId: number,
  isUp: boolean,
): Promise<void> {
  if (isUp) return cancelJob(db, keyOf(trunkId))
  const at = clock.now()
  await enqueueOnce(db, 'trunk.down', { companyId, trunkId, since: at }, at + toleratedMs, keyOf(trunkId))
}

/** The job that reports a trunk that is still down, at most once an hour: to the admins of its company and the operator. */
export function trunkAlerter(services: Services) {
  const { db, clock, links } = services
  const reportedAt = new Map<number, number>()
  return async ({ trunkId, since }: { trunkId: number; since: number }): Promise<void> => {
    const trunk = (await allTrunks(db)).find(({ id }) => id === trunkId)
    if (!trunk?.enabled || trunk.up !== false) return
    const now = clock.now()
    if (now - (reportedAt.get(trunkId) ?? Number.NEGATIVE_INFINITY) < hour) return
    reportedAt.set(trunkId, now)
    const { companyId, upDetail } = trunk
    await transaction(db, async (tx) => {
      await raiseAlert(services, tx, {
        event: 'trunk.down',
        message: `SIP trunk ${trunkId} is down`,
        details: { trunk_id: trunkId, company_id: companyId, since: isoSeconds(since), last_response: upDetail },
      })
      if (companyId === null) return
      for (const { id, email } of await adminsAndCreator(tx, companyId, null)) {
        const mail = mailOf(trunk, since, links.dashboard)
        await queueMail(services, tx, companyId, { userId: id, to: email, ...mail })
      }
    })
  }
}

const mailOf = ({ name, upDetail }: Trunk, since: number, dashboard: string) => ({
  subject: `SIP trunk ${name} is down`,
  text:
    `The SIP trunk “${name}” has been down since ${isoSeconds(since)}: calls over it fail.\n\n` +
    `Last response: ${upDetail ?? 'none'}\n\n${dashboard}/dashboard/trunks\n\n` +
    'You receive at most one email per trunk and hour.\n',
})

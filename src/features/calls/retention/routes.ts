import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, lockCompany, updateCompany } from '../../accounts/index.ts'
import { deletedBefore, isShortened, RetentionPeriods, RetentionPeriodsInput } from './periods.ts'
import { countOld, retentionOf } from './store.ts'

const tag = 'Company'
const Count = Type.Integer({ minimum: 0 })
const RetentionPreview = Type.Object({
  calls: Count,
  recordings: Count,
  voicemails: Count,
  transcripts: Type.Integer({ minimum: 0, description: 'Calls with a transcript' }),
  messages: Count,
  audit_log: Type.Integer({ minimum: 0, description: 'Entries' }),
})

const getRetention = route({
  method: 'GET',
  path: '/v1/company/retention',
  summary: 'Retrieve the retention periods of the company',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Type.Object({ retention: RetentionPeriods }) },
  async handle({ caller: { companyId }, services: { db } }) {
    return { retention: await retentionOf(db, companyId) }
  },
})

const previewRetention = route({
  method: 'POST',
  path: '/v1/company/retention/preview',
  summary: 'Count what retention periods would delete at the next run; nothing is changed',
  tag,
  access: 'app',
  roles: admins,
  body: RetentionPeriodsInput,
  reply: { status: 200, body: Type.Object({ would_delete: RetentionPreview }) },
  async handle({ body, caller: { companyId }, services }) {
    const retention = { ...(await retentionOf(services.db, companyId)), ...body }
    return { would_delete: await countFor(services, companyId, retention) }
  },
})

const putRetention = route({
  method: 'PUT',
  path: '/v1/company/retention',
  summary: 'Update the retention periods of the company',
  description:
    'Data older than its period is deleted once a day and cannot be restored. A shorter period requires `confirmation`.',
  tag,
  access: 'app',
  roles: admins,
  edits: {
    object: 'retention',
    view: async ({ caller, services }) => ({ retention: await retentionOf(services.db, caller.companyId) }),
  },
  body: Type.Object({
    retention: RetentionPeriodsInput,
    confirmation: Type.Optional(Type.String({ maxLength: 20, description: '`DELETE`, if a period becomes shorter' })),
  }),
  errors: [{ status: 400, when: 'a period becomes shorter and the confirmation is missing' }],
  reply: { status: 200, body: Type.Object({ retention: RetentionPeriods }) },
  async handle({ body: { retention: given, confirmation }, caller, services, address }) {
    const { companyId } = caller
    const retention = await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const before = await retentionOf(tx, companyId)
      const retention = { ...before, ...given }
      if (isShortened(before, retention) && confirmation !== 'DELETE') {
        throw badRequest('`confirmation` must be DELETE: shorter periods delete data that cannot be restored')
      }
      await updateCompany(tx, companyId, { retention: JSON.stringify(retention) })
      const details = { before, after: retention }
      await audit(services, tx, companyId, { actor: actorOf(caller), action: 'retention.changed', details, address })
      return retention
    })
    return { retention }
  },
})

function countFor({ db, clock }: Services, companyId: CompanyId, periods: RetentionPeriods) {
  const now = clock.now()
  return countOld(db, companyId, (kind) => deletedBefore(kind, periods, now))
}

export const retentionRoutes: Route[] = [getRetention, previewRetention, putRetention]

import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { Flag } from '../../../db/tables.ts'
import { everyFeature } from '../../../http/caller.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { oneOf } from '../../../http/schemas.ts'
import { callingCodeOf } from '../../../lib/phone-format.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { admins } from '../credentials/roles.ts'
import { mailStates, pageOfMails } from '../emails/store.ts'
import { tagsBecameOptional } from '../presence/actions.ts'
import { countUsersAndNumbers, findCompany, hasTags, updateCompany } from './store.ts'
import {
  CompanySettingsView,
  CompanyView,
  companySettingsView,
  MailView,
  PlanView,
  planView,
  SettingsAndState,
} from './view.ts'

const tag = 'Company'
const flag = (value: boolean): Flag => (value ? 1 : 0)

const getRoot = route({
  method: 'GET',
  path: '/v1',
  summary: 'Name and version of the API',
  tag: 'Service',
  access: 'open',
  reply: { status: 200, body: Type.Object({ resource: Type.String(), contact: Type.String() }) },
  async handle({ services }) {
    return { resource: 'Hookswitch Documentation', contact: services.rules.supportContact }
  },
})

const ping = route({
  method: 'GET',
  path: '/v1/ping',
  summary: 'Test your credentials',
  tag: 'Service',
  reply: { status: 200, body: Type.Object({ ping: Type.String() }) },
  async handle() {
    return { ping: 'pong' }
  },
})

const getCompany = route({
  method: 'GET',
  path: '/v1/company',
  summary: 'Retrieve the company',
  tag,
  reply: { status: 200, body: Type.Object({ company: CompanyView }) },
  async handle({ caller: { companyId }, services }) {
    const { name } = await findCompany(services.db, companyId)
    const { users, numbers } = await countUsersAndNumbers(services.db, companyId)
    return { company: { name, users_count: users, numbers_count: numbers } }
  },
})

const getSettings = route({
  method: 'GET',
  path: '/v1/company/settings',
  summary: 'Retrieve the company settings',
  tag,
  access: 'app',
  reply: { status: 200, body: SettingsAndState },
  async handle({ caller, services }) {
    return companySettingsView(await findCompany(services.db, caller.companyId))
  },
})

const putSettings = route({
  method: 'PUT',
  path: '/v1/company/settings',
  summary: 'Update the company settings',
  tag,
  access: 'app',
  edits: {
    object: 'company_settings',
    view: async ({ caller, services }) => companySettingsView(await findCompany(services.db, caller.companyId)),
  },
  body: Type.Partial(CompanySettingsView),
  reply: { status: 200, body: SettingsAndState },
  async handle({ body, caller: { companyId }, services }) {
    if (body.country && (await callingCodeOf(body.country)) === null) {
      throw badRequest('`country` must be an ISO 3166-1 country code, for example FR')
    }
    const origins = body.embed_origins && originsIn(body.embed_origins, services.rules.sandbox)
    await transaction(services.db, async (tx) => {
      if (body.mandatory_tagging && !(await hasTags(tx, companyId))) throw badRequest(noTagYet)
      await updateCompany(tx, companyId, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.mandatory_tagging !== undefined && { mandatory_tagging: flag(body.mandatory_tagging) }),
        ...(body.countries !== undefined && { countries: body.countries && JSON.stringify(body.countries) }),
        ...(body.country !== undefined && { country: body.country }),
        ...(origins && { embed_origins: JSON.stringify(origins) }),
      })
      if (body.mandatory_tagging === false) await tagsBecameOptional(services, tx, companyId)
    })
    return companySettingsView(await findCompany(services.db, companyId))
  },
})

const noTagYet = '`mandatory_tagging` requires at least one tag, otherwise wrap-up could not end: create a tag first'

/** Normalized as browsers write origins, without duplicates. They become part of a header, so no other value passes. */
function originsIn(given: readonly string[], sandbox: boolean): string[] {
  const origins = given.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    const isOrigin =
      url !== undefined && /^https?:\/\/[a-z0-9.[\]:-]+$/.test(url.origin) && url.href === `${url.origin}/`
    const isSafe = url?.protocol === 'https:' || (sandbox && isLoopback(url?.hostname ?? ''))
    if (!isOrigin || !isSafe) throw badRequest('`embed_origins` must contain origins such as https://crm.example.com')
    return url.origin
  })
  return [...new Set(origins)]
}

const isLoopback = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)

const getPlan = route({
  method: 'GET',
  path: '/v1/company/plan',
  summary: 'Retrieve plan and add-ons',
  tag,
  access: 'app',
  reply: { status: 200, body: PlanView },
  async handle({ caller, services }) {
    return planView({
      ...(await findCompany(services.db, caller.companyId)),
      ...(services.rules.everyFeature && everyFeature),
    })
  },
})

const putPlan = route({
  method: 'PUT',
  path: '/v1/company/plan',
  summary: 'Update plan and add-ons',
  description:
    'With TENANCY=multi the operator sets the plan with `hookswitch company set`; with TENANCY=single there ' +
    'is no plan.',
  tag,
  access: 'app',
  operatorControls: 'Plan and add-ons are set',
  errors: [{ status: 403, when: 'the operator controls plans, or every feature is included' }],
  body: Type.Partial(PlanView),
  reply: { status: 200, body: PlanView },
  async handle({ body, caller: { companyId }, services }) {
    if (services.rules.everyFeature) {
      throw forbidden('There is no plan to change: with TENANCY=single every feature is included')
    }
    await updateCompany(services.db, companyId, {
      ...(body.plan !== undefined && { plan: body.plan }),
      ...(body.ai_package !== undefined && { ai_package: body.ai_package }),
      ...(body.whatsapp !== undefined && { whatsapp: flag(body.whatsapp) }),
      ...(body.analytics_plus !== undefined && { analytics_plus: flag(body.analytics_plus) }),
      ...(body.ai_voice_agents !== undefined && { ai_voice_agents: flag(body.ai_voice_agents) }),
    })
    return planView(await findCompany(services.db, companyId))
  },
})

/** Emails beyond this one cannot be reached by paging, and are not counted. */
const reachableEmails = 10_000

const Seconds = Type.Integer({ minimum: 0, maximum: 4_102_444_800 })

const getOutbox = route({
  method: 'GET',
  path: '/v1/mail_outbox',
  summary: 'List the emails of the company, sent or not',
  tag,
  access: 'app',
  roles: admins,
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the recipient or the subject' })),
    state: Type.Optional(oneOf(mailStates)),
    from: Type.Optional({ ...Seconds, description: 'UNIX time in seconds' }),
    to: Type.Optional({ ...Seconds, description: 'UNIX time in seconds' }),
  }),
  reply: { status: 200, body: Type.Object({ meta: Meta, mails: Type.Array(MailView) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query, reachableEmails)
    const { rows, total } = await pageOfMails(services.db, caller.companyId, window, {
      search: query.search?.trim() || undefined,
      state: query.state,
      from: query.from === undefined ? undefined : query.from * 1_000,
      to: query.to === undefined ? undefined : query.to * 1_000 + 999,
    })
    const mails = rows.map((mail) => ({
      id: mail.id,
      to: mail.recipient,
      subject: mail.subject,
      text: readable(services.vault.open(mail.text_sealed), services.rules.sandbox),
      created_at: isoSeconds(mail.created_at),
      sent_at: mail.sent_at === null ? null : isoSeconds(mail.sent_at),
      error: mail.error,
    }))
    return { meta: metaOf(place, window, mails.length, total), mails }
  },
})

/** Links to reset a password or to unsubscribe are shown only to their owner; in a sandbox all users are one person. */
const readable = (text: string, sandbox: boolean) =>
  sandbox
    ? text
    : text
        .replace(/(\/password\/)[0-9a-f]{64}/g, '$1(hidden)')
        .replace(/(\/unsubscribe\/)[0-9a-f-]{20,80}/g, '$1(hidden)')

export const companyRoutes = [getRoot, ping, getCompany, getSettings, putSettings, getPlan, putPlan, getOutbox]

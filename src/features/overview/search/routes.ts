import { type Static, Type } from 'typebox'
import { route } from '../../../http/route.ts'
import { nameText, nullable, oneOf } from '../../../http/schemas.ts'
import { anyRole, maySeeAll, userIdOf } from '../../accounts/index.ts'
import { showCalls } from '../../calls/index.ts'
import { findEverything } from './find.ts'
import type { SearchedKind } from './store.ts'

const Outcome = oneOf(['active', 'answered', 'missed', 'voicemail', 'not_answered'])

const Found = Type.Object({
  calls: Type.Array(
    Type.Object({
      id: Type.Integer(),
      direction: oneOf(['inbound', 'outbound']),
      outcome: Outcome,
      started_at: Type.Integer({ description: 'UNIX seconds' }),
      contact: nullable(Type.String({ description: 'Name of the contact' })),
      phone_number: Type.String({ description: 'The external party in international format, or `anonymous`' }),
      number: nullable(Type.String({ description: 'Name of the Number' })),
    }),
    { description: 'The latest first' },
  ),
  contacts: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), phone_number: nullable(Type.String()) })),
  users: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), email: Type.String() })),
  numbers: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), digits: Type.String() })),
  teams: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  tags: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String(), color: Type.String() })),
  webhooks: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), url: Type.String() })),
})

const everyKind = ['user', 'number', 'team', 'tag'] as const satisfies SearchedKind[]

const search = route({
  method: 'GET',
  path: '/v1/search',
  summary: 'Search calls, contacts, users, numbers, teams, tags and webhooks',
  description:
    'At most five results of each kind: by parts of a name, ignoring case and accents, or by three or more digits of ' +
    'a phone number. Calls are found by their external party. Agents find their own calls, and no webhooks.',
  tag: 'Search',
  access: 'app',
  roles: anyRole,
  query: Type.Object({ q: nameText(100) }),
  reply: { status: 200, body: Found },
  async handle({ query, caller, services }) {
    const { companyId } = caller
    const seesAll = maySeeAll(caller)
    const found = await findEverything(services, companyId, {
      text: query.q.trim(),
      kinds: seesAll ? [...everyKind, 'webhook'] : everyKind,
      ownOf: seesAll ? undefined : (userIdOf(caller) ?? 0),
    })
    const flags = { contact: true, shortUrls: false, timeline: false, voiceAgents: false }
    const calls = await showCalls(services, companyId, found.calls, flags)
    const objects = (kind: SearchedKind) =>
      found.objects(kind).map(({ id, name, detail }) => ({ id: Number(id), name, detail }))
    return {
      calls: calls.map((call) => ({
        id: call.id,
        direction: call.direction,
        outcome: outcomeOf(call),
        started_at: call.started_at,
        contact: call.contact ? nameOf(call.contact) : null,
        phone_number: call.raw_digits,
        number: call.number?.name ?? null,
      })),
      contacts: found.contacts.map(({ id, phones, emails, ...names }) => ({
        id,
        name:
          nameOf({ first_name: names.firstName, last_name: names.lastName, company_name: names.companyName }) ??
          phones[0]?.value ??
          emails[0]?.value ??
          '',
        phone_number: phones[0]?.value ?? null,
      })),
      users: objects('user').map(({ id, name, detail }) => ({ id, name, email: detail })),
      numbers: objects('number').map(({ id, name, detail }) => ({ id, name, digits: detail })),
      teams: objects('team').map(({ id, name }) => ({ id, name })),
      tags: objects('tag').map(({ id, name, detail }) => ({ id, name, color: detail })),
      webhooks: found.objects('webhook').map(({ id, name, detail }) => ({ id, name, url: detail })),
    }
  },
})

interface ContactNames {
  first_name: string | null
  last_name: string | null
  company_name: string | null
}

function nameOf({ first_name, last_name, company_name }: ContactNames): string | null {
  const name = [first_name, last_name].filter(Boolean).join(' ')
  return name && company_name ? `${name} · ${company_name}` : name || company_name
}

function outcomeOf(call: Awaited<ReturnType<typeof showCalls>>[number]): Static<typeof Outcome> {
  if (call.status !== 'done') return 'active'
  if (call.answered_at !== null) return 'answered'
  if (call.voicemail !== null) return 'voicemail'
  return call.direction === 'inbound' ? 'missed' : 'not_answered'
}

export const searchRoutes = [search]

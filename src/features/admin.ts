import { isEmail } from '../domain/email.ts'
import { isTimeZone } from '../domain/opening-hours.ts'
import { isE164 } from '../domain/phone-number.ts'
import { type AdminCommands, CommandRefused } from '../http/admin-socket.ts'
import { idFrom } from '../http/input.ts'
import { isoSeconds } from '../lib/time-format.ts'
import type { Services } from '../services.ts'
import { createCompany, createKey, revokeKey } from './companies/actions.ts'
import { listCompanies, listKeys } from './companies/store.ts'
import { changeSettings, createNumber, linkUsers, removeNumber } from './numbers/actions.ts'
import { explicitUserIds, findNumberByDigits, pageOfNumbers } from './numbers/store.ts'
import { inviteUser } from './users/actions.ts'
import { findUser } from './users/store.ts'

type Input = Record<string, unknown>

/** What an operator can do without screens; the same code runs in the server and, when none runs, in the command. */
export function adminCommands(services: Services): AdminCommands {
  const { db } = services
  return {
    'company.create': async (input) => {
      const name = word(input, 'name')
      const email = word(input, 'owner_email')
      if (!isEmail(email)) throw new CommandRefused('--owner-email must be an e-mail address')
      const companyId = await createCompany(services, { name, plan: 'custom', aiPackage: 'none', addOns: false })
      const { user, link } = await inviteUser(services, companyId, {
        email,
        firstName: nameIn(email),
        lastName: 'Owner',
        status: 'available',
        roles: ['owner'],
        wrapUpTime: 0,
      })
      const key = await createKey(services, companyId, { name: 'First key', createdBy: user.id })
      return {
        company_id: companyId,
        owner_id: user.id,
        invitation_link: link,
        api_id: key.apiId,
        api_token: key.apiToken,
      }
    },
    'company.list': async () => ({ companies: await listCompanies(db) }),
    'keys.list': async (input) => {
      const keys = await listKeys(db, await companyOf(services, input))
      return { keys: keys.map((key) => ({ ...key, created_at: isoSeconds(key.created_at) })) }
    },
    'keys.create': async (input) => {
      const companyId = await companyOf(services, input)
      const name = typeof input.name === 'string' && input.name.trim() !== '' ? input.name : 'API key'
      const key = await createKey(services, companyId, { name, createdBy: null })
      return { id: key.id, api_id: key.apiId, api_token: key.apiToken }
    },
    'keys.revoke': async (input) => {
      const id = idFrom(input.id)
      const done = id !== undefined && (await revokeKey(services, await companyOf(services, input), id))
      if (!done) throw new CommandRefused('no such key; `hookswitch keys list` shows them')
      return { revoked: id }
    },
    'numbers.list': async (input) => {
      const everything = { page: 1, perPage: 1_000, limit: 1_000, offset: 0, order: 'asc' as const, wall: 1_000 }
      const window = { ...everything, from: undefined, to: undefined }
      const { numbers } = await pageOfNumbers(db, await companyOf(services, input), window)
      return {
        numbers: numbers.map(({ id, digits, name, flowEditor, validated }) => ({
          id,
          digits,
          name,
          kind: flowEditor ? 'flow' : 'classic',
          validated,
        })),
      }
    },
    'numbers.add': async (input) => {
      const digits = word(input, 'digits')
      if (!isE164(digits)) throw new CommandRefused('the number must be E.164: + and 7 to 15 digits')
      const timeZone = typeof input.time_zone === 'string' ? input.time_zone : 'Etc/UTC'
      if (!isTimeZone(timeZone)) throw new CommandRefused('--time-zone must be an IANA name, such as Europe/Paris')
      const number = await createNumber(services, await companyOf(services, input), {
        digits,
        name: typeof input.name === 'string' ? input.name : digits,
        timeZone,
        flowEditor: input.classic !== true,
        validated: input.validated === true,
      })
      return { id: number.id, digits: number.digits, validated: number.validated }
    },
    'numbers.remove': async (input) => {
      const { companyId, number } = await numberOf(services, input)
      await removeNumber(services, companyId, number.id)
      return { removed: number.digits }
    },
    'numbers.validate': async (input) => {
      const { companyId, number } = await numberOf(services, input)
      await changeSettings(services, companyId, number.id, { validated: 1 })
      return { validated: number.digits }
    },
    'numbers.link': async (input) => {
      const { companyId, number } = await numberOf(services, input)
      const wanted = Array.isArray(input.users) ? input.users.map(String) : []
      const ids: number[] = []
      for (const ref of wanted) {
        const user = await findUser(db, companyId, idFrom(ref) ?? ref)
        if (!user) throw new CommandRefused(`${ref} is no user of the company`)
        ids.push(user.id)
      }
      const before = await explicitUserIds(db, companyId, number.id)
      await linkUsers(services, companyId, number.id, [...new Set([...before, ...ids])])
      return { linked: ids, to: number.digits }
    },
  }
}

function word(input: Input, name: string): string {
  const value = input[name]
  if (typeof value !== 'string' || value.trim() === '')
    throw new CommandRefused(`--${name.replace('_', '-')} is missing`)
  return value.trim()
}

const nameIn = (email: string) => email.split('@', 1)[0] ?? email

/** Named by --company, or the only one there is. */
async function companyOf(services: Services, input: Input): Promise<number> {
  const companies = await listCompanies(services.db)
  const wanted = idFrom(input.company)
  const chosen = wanted === undefined ? companies : companies.filter(({ id }) => id === wanted)
  if (chosen.length === 1 && chosen[0]) return chosen[0].id
  if (companies.length === 0)
    throw new CommandRefused('there is no company yet; make one with `hookswitch company create`')
  const list = companies.map(({ id, name }) => `${id} (${name})`).join(', ')
  throw new CommandRefused(`say which company with --company ID: ${list}`)
}

async function numberOf(services: Services, input: Input) {
  const companyId = await companyOf(services, input)
  const number = await findNumberByDigits(services.db, companyId, word(input, 'digits'))
  if (!number) throw new CommandRefused('the company has no such Number; `hookswitch numbers list` shows them')
  return { companyId, number }
}

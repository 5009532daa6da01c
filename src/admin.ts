import type { Flag } from './db/tables.ts'
import { isEmail } from './domain/email.ts'
import { isTimeZone } from './domain/opening-hours.ts'
import { nameInAddress, splitName } from './domain/person-name.ts'
import { isE164 } from './domain/phone-number.ts'
import { createKey } from './features/accounts/api-keys/actions.ts'
import { keyAdminCommands } from './features/accounts/api-keys/operator.ts'
import { operatorActor } from './features/accounts/audit/record.ts'
import { createCompany } from './features/accounts/companies/actions.ts'
import { findCompany, listCompanies, updateCompany } from './features/accounts/companies/store.ts'
import {
  findNumber,
  findNumberByDigits,
  numberByDigits,
  type PhoneNumber,
  pageOfNumbers,
} from './features/accounts/numbers/store.ts'
import { resetTwoStep } from './features/accounts/two-step/actions.ts'
import { inviteUser } from './features/accounts/users/actions.ts'
import { findUser } from './features/accounts/users/store.ts'
import { importAdminCommands } from './features/imports/runs/operator.ts'
import type { ImportTools } from './features/imports/runs/run.ts'
import { changeSettings, createNumber, linkUsers, removeNumber } from './features/numbers/numbers/actions.ts'
import { explicitUserIds } from './features/numbers/numbers/store.ts'
import { trunkAdminCommands } from './features/trunks/trunks/operator.ts'
import { type AdminCommands, CommandRefused } from './http/admin-socket.ts'
import { everyFeature } from './http/caller.ts'
import { idFrom, isCleanText } from './http/input.ts'
import type { Services } from './services.ts'

type Input = Record<string, unknown>

/** Commands of the operator. The server runs them; without a running server the CLI runs the same code. */
export function adminCommands(services: Services, importTools: ImportTools): AdminCommands {
  const { db } = services
  return {
    ...trunkAdminCommands(services),
    ...importAdminCommands(services, importTools, (input) => companyOrDemo(services, input)),
    ...keyAdminCommands(services, {
      companyOf: (input) => companyOf(services, input),
      companyOrDemo: (input) => companyOrDemo(services, input),
    }),
    'company.create': async (input) => {
      const name = word(input, 'name')
      const email = word(input, 'owner_email')
      if (!isEmail(email)) throw new CommandRefused('--owner-email must be an email address')
      await mustTakeAnother(services)
      const companyId = await createCompany(services, { name, plan: 'custom', aiPackage: 'none', addOns: false })
      const owner = {
        email,
        ...ownerName(input, email),
        status: 'available',
        roles: ['owner'],
        wrapUpTime: 0,
      } as const
      const { user, link } = await inviteUser(services, companyId, owner, { actor: operatorActor })
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
    'company.set': async (input) => {
      const companyId = await companyOf(services, input)
      if (planOptions.some((option) => input[option] !== undefined)) mustHavePlans(services)
      const plan = input.plan === undefined ? undefined : oneOfWords(input, 'plan', plans)
      const aiPackage = input.ai_package === undefined ? undefined : oneOfWords(input, 'ai_package', aiPackages)
      await updateCompany(db, companyId, {
        ...(plan && { plan }),
        ...(aiPackage && { ai_package: aiPackage }),
        ...(input.whatsapp !== undefined && { whatsapp: yesOrNo(input, 'whatsapp') }),
        ...(input.analytics_plus !== undefined && { analytics_plus: yesOrNo(input, 'analytics_plus') }),
        ...(input.ai_voice_agents !== undefined && { ai_voice_agents: yesOrNo(input, 'ai_voice_agents') }),
        ...(input.active !== undefined && { active: yesOrNo(input, 'active') }),
        ...(input.verified !== undefined && { verified: yesOrNo(input, 'verified') }),
      })
      return stateOf(services, companyId)
    },
    'users.reset_two_step': async (input) => {
      const companyId = await companyOf(services, input)
      const user = await findUser(db, companyId, word(input, 'email'))
      if (!user) throw new CommandRefused('there is no user with this email address')
      if (!(await resetTwoStep(services, user, { actor: operatorActor })))
        throw new CommandRefused('the user has not enabled two-step verification')
      return { user_id: user.id }
    },
    'numbers.list': async (input) => {
      const numbers = await allNumbers(services, await companyOf(services, input))
      return { numbers: numbers.map(numberView) }
    },
    'numbers.add': async (input) => {
      const digits = word(input, 'digits')
      if (!isE164(digits)) throw new CommandRefused('the number must be in E.164 format: + and 7 to 15 digits')
      const timeZone = input.time_zone === undefined ? 'Etc/UTC' : word(input, 'time_zone')
      if (!isTimeZone(timeZone))
        throw new CommandRefused('--time-zone must be an IANA time zone, for example Europe/Paris')
      const companyId = await companyOf(services, input)
      const taken = await numberByDigits(db, digits)
      if (taken) throw new CommandRefused(`${digits} already belongs to company ${taken.companyId}`)
      const number = await createNumber(services, companyId, {
        digits,
        name: input.name === undefined ? digits : word(input, 'name'),
        timeZone,
        flowEditor: input.classic !== true,
        validated: input.validated === true,
      })
      return numberView(number)
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
        if (!user) throw new CommandRefused(`${ref} is not a user of the company`)
        ids.push(user.id)
      }
      const before = await explicitUserIds(db, companyId, number.id)
      await linkUsers(services, companyId, number.id, [...new Set([...before, ...ids])])
      return { linked: ids, to: number.digits }
    },
  }
}

/** A text that is present, not blank, and that both databases can store. */
function word(input: Input, name: string): string {
  const value = input[name]
  const option = `--${name.replaceAll('_', '-')}`
  if (typeof value !== 'string' || value.trim() === '') throw new CommandRefused(`${option} is required`)
  if (!isCleanText(value) || value.length > 255) {
    throw new CommandRefused(`${option} must be at most 255 characters, without control characters`)
  }
  return value.trim()
}

const plans = ['essentials', 'professional', 'custom'] as const
const aiPackages = ['none', 'assist', 'assist-pro'] as const
const planOptions = ['plan', 'ai_package', 'whatsapp', 'analytics_plus', 'ai_voice_agents'] as const

/** Serving a second company in production changes who controls what, so the command explains the setting first. */
async function mustTakeAnother({ db, rules }: Services): Promise<void> {
  if (rules.sandbox || rules.tenancy === 'multi' || (await listCompanies(db)).length === 0) return
  throw new CommandRefused(
    'this installation serves one company (TENANCY=single): its owner is the operator, adds numbers and has ' +
      'every feature. To serve several companies, set TENANCY=multi and restart the server; the operator then ' +
      'controls plans, numbers, caller ID verification and shared trunks with `hookswitch company`, ' +
      '`hookswitch numbers` and `hookswitch trunks`',
  )
}

function mustHavePlans({ rules }: Services): void {
  if (!rules.everyFeature) return
  throw new CommandRefused('TENANCY=single has no plans: every feature is included. Set TENANCY=multi to use plans')
}

async function stateOf({ db, rules }: Services, companyId: number) {
  const company = { ...(await findCompany(db, companyId)), ...(rules.everyFeature && everyFeature) }
  return {
    company_id: companyId,
    name: company.name,
    plan: company.plan,
    ai_package: company.aiPackage,
    whatsapp: company.whatsapp,
    analytics_plus: company.analyticsPlus,
    ai_voice_agents: company.aiVoiceAgents,
    active: company.active,
    verified: company.verified,
  }
}

function oneOfWords<T extends string>(input: Input, name: string, words: readonly T[]): T {
  const found = words.find((one) => one === input[name])
  if (!found) throw new CommandRefused(`--${name.replaceAll('_', '-')} must be one of ${words.join(', ')}`)
  return found
}

const yesOrNo = (input: Input, name: string): Flag => (oneOfWords(input, name, ['yes', 'no']) === 'yes' ? 1 : 0)

/** The given name, or the one in the email address. */
function ownerName(input: Input, email: string): { firstName: string; lastName: string } {
  const name = input.owner_name === undefined ? nameInAddress(email) : word(input, 'owner_name')
  const { first, last } = splitName(name || (email.split('@', 1)[0] ?? email))
  return { firstName: first, lastName: last }
}

const numberView = ({ id, digits, name, flowEditor, validated }: PhoneNumber) => ({
  id,
  digits,
  name,
  kind: flowEditor ? 'flow' : 'classic',
  validated,
})

async function allNumbers({ db }: Services, companyId: number): Promise<PhoneNumber[]> {
  const perPage = 200
  const all: PhoneNumber[] = []
  for (let page = 1; ; page++) {
    const offset = all.length
    const window = { page, perPage, limit: perPage, offset, order: 'asc' as const, wall: offset + perPage }
    const { numbers } = await pageOfNumbers(db, companyId, { ...window, from: undefined, to: undefined })
    all.push(...numbers)
    if (numbers.length < perPage) return all
  }
}

/** The company given by --company, or the only one. */
async function companyOf(services: Services, input: Input): Promise<number> {
  const companies = await listCompanies(services.db)
  const known = companies.map(({ id, name }) => `${id} (${name})`).join(', ')
  if (companies.length === 0) {
    throw new CommandRefused('there is no company yet; create one with `hookswitch company create`')
  }
  if (input.company !== undefined) {
    const wanted = companies.find(({ id }) => id === idFrom(input.company))
    if (!wanted) throw new CommandRefused(`there is no company ${input.company}; the companies are ${known}`)
    return wanted.id
  }
  const [only, another] = companies
  if (!only || another) throw new CommandRefused(`several companies exist; choose one with --company ID: ${known}`)
  return only.id
}

/** The same; in a sandbox the demo company, which is the first one, is the default. */
async function companyOrDemo(services: Services, input: Input): Promise<number> {
  const [demo] = services.rules.sandbox && input.company === undefined ? await listCompanies(services.db) : []
  return demo?.id ?? companyOf(services, input)
}

async function numberOf(services: Services, input: Input) {
  const companyId = await companyOf(services, input)
  const given = word(input, 'number')
  const id = given.startsWith('+') ? undefined : idFrom(given)
  const number =
    id === undefined
      ? await findNumberByDigits(services.db, companyId, given)
      : await findNumber(services.db, companyId, id)
  if (!number)
    throw new CommandRefused(`the company has no number ${given}; list the numbers with \`hookswitch numbers list\``)
  return { companyId, number }
}

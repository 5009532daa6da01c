import { afterCommit, transaction } from '../../../db/database.ts'
import { type AdminCommands, CommandRefused } from '../../../http/admin-socket.ts'
import { idFrom, isCleanText } from '../../../http/input.ts'
import { callingCodeOf } from '../../../lib/phone-format.ts'
import { codecNames } from '../../../media/codecs.ts'
import type { Services } from '../../../services.ts'
import { audit, listCompanies, numberByDigits, operatorActor } from '../../accounts/index.ts'
import { checkedTrunk, newTrunk } from './settings.ts'
import {
  assignedCompanies,
  assignTrunk,
  deleteTrunk,
  insertTrunk,
  operatorTrunks,
  type Trunk,
  type TrunkSettings,
  unassignTrunk,
  updateTrunk,
} from './store.ts'
import { inboundDigests, numberForms, transports, trunkView } from './view.ts'

type Input = Record<string, unknown>

/** Trunks of the operator, for the companies they are assigned to. Companies cannot change them. */
export function trunkAdminCommands(services: Services): AdminCommands {
  const { db } = services

  async function found(input: Input): Promise<Trunk> {
    const id = idFrom(input.id)
    const trunk = (await operatorTrunks(db)).find((one) => one.id === id)
    if (trunk) return trunk
    throw new CommandRefused(`the operator has no trunk ${input.id}; list the trunks with \`hookswitch trunks list\``)
  }

  async function companiesIn(input: Input): Promise<number[]> {
    const wanted = Array.isArray(input.companies) ? input.companies : []
    const known = new Set((await listCompanies(db)).map(({ id }) => id))
    return wanted.map((text) => {
      const id = idFrom(text)
      if (id === undefined || !known.has(id)) throw new CommandRefused(`there is no company ${text}`)
      return id
    })
  }

  const shown = async (trunk: Trunk) => ({
    ...trunkView(trunk),
    country: trunk.country,
    companies: await assignedCompanies(db, trunk.id),
  })

  async function save(trunk: Pick<Trunk, 'id'> | null, settings: TrunkSettings): Promise<Trunk> {
    const checked = checkedTrunk(settings)
    return transaction(db, async (tx) => {
      const saved = trunk
        ? await updateTrunk(tx, null, trunk.id, checked)
        : await insertTrunk(tx, null, checked, services.clock.now())
      afterCommit(tx, () => services.trunks.changed())
      if (!saved) throw new CommandRefused('the trunk has been removed')
      return saved
    })
  }

  async function assign(trunk: Trunk, companies: readonly number[], isAssigned: boolean): Promise<void> {
    await transaction(db, async (tx) => {
      const change = isAssigned ? assignTrunk : unassignTrunk
      for (const companyId of companies) await change(tx, companyId, trunk.id)
      const action = isAssigned ? 'trunk.assigned' : 'trunk.unassigned'
      for (const companyId of companies) {
        await audit(services, tx, companyId, { actor: operatorActor, action, target: `trunk:${trunk.id}` })
      }
      afterCommit(tx, () => services.trunks.changed())
    })
  }

  return {
    'trunks.list': async () => ({ trunks: await Promise.all((await operatorTrunks(db)).map(shown)) }),
    'trunks.add': async (input) => {
      const companies = await companiesIn(input)
      const settings = await settingsIn(services, input)
      const name = textIn(input, 'name')
      const trunk = await save(null, { ...newTrunk, host: textIn(input, 'host'), ...settings, name })
      await assign(trunk, companies, true)
      return shown(trunk)
    },
    'trunks.set': async (input) => {
      const { id, companyId: _owner, up: _up, upAt: _upAt, upDetail: _detail, ...before } = await found(input)
      return shown(await save({ id }, { ...before, ...(await settingsIn(services, input)) }))
    },
    'trunks.assign': async (input) => {
      const trunk = await found(input)
      await assign(trunk, await companiesIn(input), true)
      return shown(trunk)
    },
    'trunks.unassign': async (input) => {
      const trunk = await found(input)
      await assign(trunk, await companiesIn(input), false)
      return shown(trunk)
    },
    'trunks.remove': async (input) => {
      const trunk = await found(input)
      await assign(trunk, await assignedCompanies(db, trunk.id), false)
      await transaction(db, async (tx) => {
        await deleteTrunk(tx, null, trunk.id)
        afterCommit(tx, () => services.trunks.changed())
      })
      return { removed: trunk.id }
    },
    'trunks.test': async (input) => {
      const trunk = await found(input)
      const from = textIn(input, 'from')
      const number = await numberByDigits(db, from)
      if (!number) throw new CommandRefused(`--from must be a number of this installation, not ${from}`)
      const companies = await assignedCompanies(db, trunk.id)
      if (!companies.includes(number.companyId)) {
        throw new CommandRefused(`trunk ${trunk.id} is not assigned to the company of ${from}`)
      }
      const call = { trunkId: trunk.id, numberId: number.id, to: textIn(input, 'to') }
      return services.trunks.test(number.companyId, call)
    },
  }
}

function textIn(input: Input, name: string): string {
  const value = input[name]
  const option = `--${name.replaceAll('_', '-')}`
  if (typeof value !== 'string' || value.trim() === '') throw new CommandRefused(`${option} is required`)
  if (!isCleanText(value) || value.length > 255) {
    throw new CommandRefused(`${option} must be at most 255 characters, without control characters`)
  }
  return value.trim()
}

/** Only the given settings. */
async function settingsIn({ vault }: Services, input: Input): Promise<Partial<TrunkSettings>> {
  const given = <T>(name: string, read: (text: string) => T): T | undefined =>
    input[name] === undefined ? undefined : read(textIn(input, name))
  const flag = (name: string) => given(name, (text) => oneOf(name, text, ['yes', 'no']) === 'yes')
  const list = (name: string) =>
    given(name, (text) => (text === 'none' ? [] : text.split(',').map((one) => one.trim())))
  const settings: { [K in keyof TrunkSettings]?: TrunkSettings[K] | undefined } = {
    name: given('name', (text) => text),
    host: given('host', (text) => text),
    port: given('port', (text) => integer('port', text, 1, 65_535)),
    transport: given('transport', (text) => oneOf('transport', text, transports)),
    srtp: flag('srtp'),
    enabled: flag('enabled'),
    registers: flag('register'),
    username: given('username', (text) => text),
    passwordSealed: given('password', (text) => vault.seal(text)),
    domain: given('domain', (text) => text),
    inboundUsername: given('inbound_username', (text) => text),
    inboundPasswordSealed: given('inbound_password', (text) => vault.seal(text)),
    inboundDigest: given('inbound_digest', (text) => oneOf('inbound_digest', text, inboundDigests)),
    codecs: list('codecs')?.map((name) => oneOf('codecs', name, codecNames)),
    addresses: list('addresses'),
    prefixes: list('prefixes')?.map((prefix) => digitsOf(prefix)),
    numberForm: given('number_form', (text) => oneOf('number_form', text, numberForms)),
    behindNat: flag('nat'),
    emergency: flag('emergency'),
    priority: given('priority', (text) => integer('priority', text, 0, 1_000)),
    maxCalls: given('max_calls', (text) => integer('max_calls', text, 1, 10_000)),
    country: await given('country', countryOf),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

function oneOf<T extends string>(name: string, text: string, words: readonly T[]): T {
  const word = words.find((one) => one === text)
  if (!word) throw new CommandRefused(`--${name.replaceAll('_', '-')} must be one of ${words.join(', ')}`)
  return word
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new CommandRefused(`--${name.replaceAll('_', '-')} must be a number from ${min} to ${max}`)
}

function digitsOf(prefix: string): string {
  if (/^\+?[1-9]\d{0,14}$/.test(prefix)) return prefix.replace('+', '')
  throw new CommandRefused(`--prefixes: ${prefix} is not an international prefix such as +33`)
}

async function countryOf(text: string): Promise<string> {
  const country = text.toUpperCase()
  if (/^[A-Z]{2}$/.test(country) && (await callingCodeOf(country)) !== null) return country
  throw new CommandRefused('--country must be an ISO 3166 code, such as FR')
}

import { administer } from './administer.ts'
import type { Command, CommandArguments } from './command.ts'
import { alignColumns, printable } from './print.ts'

interface SharedTrunk {
  id: number
  name: string
  host: string
  state: string
  state_detail: string | null
  companies: number[]
}

const settings = [
  ['host', 'HOST'],
  ['port', 'PORT'],
  ['transport', 'udp|tcp|tls|auto'],
  ['srtp', 'yes|no'],
  ['register', 'yes|no'],
  ['username', 'NAME'],
  ['password', 'PASSWORD'],
  ['domain', 'NAME'],
  ['inbound-username', 'NAME'],
  ['inbound-password', 'PASSWORD'],
  ['inbound-digest', 'any|sha256|md5'],
  ['codecs', 'opus,g722,pcmu,pcma'],
  ['addresses', 'RANGE,…'],
  ['prefixes', '+33,…'],
  ['number-form', 'plus|digits|national'],
  ['country', 'FR'],
  ['nat', 'yes|no'],
  ['emergency', 'yes|no'],
  ['priority', 'N'],
  ['max-calls', 'N'],
  ['enabled', 'yes|no'],
] as const

const text = { type: 'string' } as const
const settingOptions = Object.fromEntries(settings.map(([name]) => [name, text]))
const settingUsage = settings.map(([name, value]) => `[--${name} ${value}]`).join(' ')

function settingsIn(given: CommandArguments): Record<string, string> {
  const pairs = [...settings.map(([name]) => name), 'name'].flatMap((name) => {
    const value = given.text(name)
    return value === undefined ? [] : [[name.replaceAll('-', '_'), value] as const]
  })
  return Object.fromEntries(pairs)
}

const companies = (list: string | undefined) => ({ companies: list?.split(',').map((id) => id.trim()) ?? [] })

const about = ({ id, name, companies: assigned }: SharedTrunk) =>
  `Trunk ${id} (${printable(name)}) serves ${assigned.length === 0 ? 'no company' : `company ${assigned.join(', ')}`}.`

/** Operator-owned trunks that serve numbers of several companies. */
export const trunkCliCommands: Command[] = [
  {
    name: 'trunks list',
    summary: 'List the shared SIP trunks and the companies they serve',
    async run() {
      const result = await administer<{ trunks: SharedTrunk[] }>('trunks.list', {})
      const rows = result.trunks.map((trunk) => [
        ...[trunk.id, trunk.host, trunk.state, trunk.companies.join(',') || '-'],
        ...[printable(trunk.name), printable(trunk.state_detail)],
      ])
      const heads = ['ID', 'HOST', 'STATE', 'COMPANIES', 'NAME', 'LAST RESPONSE']
      return { text: rows.length > 0 ? alignColumns([heads, ...rows]) : 'No shared trunks.', json: result }
    },
  },
  {
    name: 'trunks add',
    usage: `NAME --host HOST [--company ID,…] ${settingUsage.replace('[--host HOST] ', '')}`,
    summary: 'Add a SIP trunk that is shared by the given companies',
    details:
      'Companies see the trunk as shared and cannot change it. Inbound calls reach the company that owns the called number,\n' +
      'if the trunk is assigned to that company. --addresses accepts ranges of any width; --country is the country of\n' +
      'national numbers. With --inbound-username and --inbound-password, inbound calls must authenticate.',
    options: { ...settingOptions, company: text },
    words: [1, 1],
    async run(given) {
      const input = { ...settingsIn(given), name: given.words[0], ...companies(given.text('company')) }
      const trunk = await administer<SharedTrunk>('trunks.add', input)
      return { text: about(trunk), json: trunk }
    },
  },
  {
    name: 'trunks set',
    usage: `ID [--name NAME] ${settingUsage}`,
    summary: 'Change a shared SIP trunk; active calls are not affected',
    options: { ...settingOptions, name: text },
    words: [1, 1],
    async run(given) {
      const trunk = await administer<SharedTrunk>('trunks.set', { ...settingsIn(given), id: given.words[0] })
      return { text: `Trunk ${trunk.id} updated.`, json: trunk }
    },
  },
  ...(['assign', 'unassign'] as const).map(
    (verb): Command => ({
      name: `trunks ${verb}`,
      usage: 'ID COMPANY…',
      summary:
        verb === 'assign' ? 'Assign a shared SIP trunk to companies' : 'Remove companies from a shared SIP trunk',
      words: [2, 1_000],
      async run({ words: [id, ...ids] }) {
        const trunk = await administer<SharedTrunk>(`trunks.${verb}`, { id, companies: ids })
        return { text: about(trunk), json: trunk }
      },
    }),
  ),
  {
    name: 'trunks remove',
    usage: 'ID',
    summary: 'Remove a shared SIP trunk; active calls are not affected',
    words: [1, 1],
    async run({ words: [id] }) {
      const result = await administer<{ removed: number }>('trunks.remove', { id })
      return { text: `Trunk ${result.removed} removed.`, json: result }
    },
  },
  {
    name: 'trunks test',
    usage: 'ID --from +NUMBER --to +NUMBER',
    summary: 'Place a test call over a shared SIP trunk',
    details:
      '--from is a number of a company that the trunk is assigned to. The command places a real call, which ends automatically.',
    options: { from: text, to: text },
    words: [1, 1],
    async run(given) {
      const input = { id: given.words[0], from: given.text('from'), to: given.text('to') }
      const result = await administer<{ outcome: string; explanation: string }>('trunks.test', input)
      return { text: `${result.outcome}: ${printable(result.explanation)}`, json: result }
    },
  },
]

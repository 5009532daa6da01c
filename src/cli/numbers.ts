import { administer, companyIn, companyOption } from './administer.ts'
import type { Command, CommandArguments } from './command.ts'
import { alignColumns, printable } from './print.ts'

interface Line {
  id: number
  digits: string
  name: string
  kind: 'flow' | 'classic'
  validated: boolean
}

/** The number, by its digits or by the id from `numbers list`. */
const numberIn = (given: CommandArguments) => ({ ...companyIn(given), number: given.words[0] })

export const numberCommands: Command[] = [
  {
    name: 'numbers list',
    usage: '[--company ID]',
    summary: 'List the numbers of a company',
    options: companyOption,
    async run(given) {
      const result = await administer<{ numbers: Line[] }>('numbers.list', companyIn(given))
      const rows = result.numbers.map((line) => [line.id, line.digits, line.kind, verified(line), line.name])
      const heads = ['ID', 'NUMBER', 'KIND', 'VERIFIED', 'NAME']
      return { text: rows.length > 0 ? alignColumns([heads, ...rows]) : 'No numbers.', json: result }
    },
  },
  {
    name: 'numbers add',
    usage: '+DIGITS [--name NAME] [--time-zone ZONE] [--classic] [--validated] [--company ID]',
    summary: 'Add a number to a company',
    details:
      'A number has an editable call flow or, with --classic, a fixed flow with business hours. Without --validated the\n' +
      'caller ID must be verified with `hookswitch numbers validate`. ZONE is an IANA time zone; the default is Etc/UTC.',
    options: {
      ...companyOption,
      name: { type: 'string' },
      'time-zone': { type: 'string' },
      classic: { type: 'boolean' },
      validated: { type: 'boolean' },
    },
    words: [1, 1],
    async run(given) {
      const name = given.text('name')
      const zone = given.text('time-zone')
      const line = await administer<Line>('numbers.add', {
        ...companyIn(given),
        digits: given.words[0],
        ...(name !== undefined && { name }),
        ...(zone !== undefined && { time_zone: zone }),
        classic: given.flag('classic'),
        validated: given.flag('validated'),
      })
      const state = line.validated ? 'verified' : 'not verified'
      return {
        text: `Number ${line.id} added: ${line.digits}, ${printable(line.name)}, ${line.kind}, ${state}.`,
        json: line,
      }
    },
  },
  {
    name: 'numbers remove',
    usage: '+DIGITS|ID [--company ID]',
    summary: 'Remove a number and its call flow',
    options: companyOption,
    words: [1, 1],
    async run(given) {
      const result = await administer<{ removed: string }>('numbers.remove', numberIn(given))
      return { text: `Number ${result.removed} removed.`, json: result }
    },
  },
  {
    name: 'numbers link',
    usage: '+DIGITS|ID USER… [--company ID]',
    summary: 'Link users, by id or email address, to a number',
    options: companyOption,
    words: [2, 1_000],
    async run(given) {
      const input = { ...numberIn(given), users: given.words.slice(1) }
      const result = await administer<{ linked: number[]; to: string }>('numbers.link', input)
      const who = `${result.linked.length === 1 ? 'User' : 'Users'} ${result.linked.join(', ')}`
      return { text: `${who} linked to ${result.to}.`, json: result }
    },
  },
  {
    name: 'numbers validate',
    usage: '+DIGITS|ID [--company ID]',
    summary: 'Mark the caller ID of a number as verified',
    options: companyOption,
    words: [1, 1],
    async run(given) {
      const result = await administer<{ validated: string }>('numbers.validate', numberIn(given))
      return { text: `Number ${result.validated} verified.`, json: result }
    },
  },
]

const verified = ({ validated }: Line) => (validated ? 'yes' : 'no')

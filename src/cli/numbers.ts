import { administer, companyIn, companyOption } from './administer.ts'
import type { Command, Given } from './command.ts'
import { columns, printable } from './print.ts'

interface Line {
  id: number
  digits: string
  name: string
  kind: 'flow' | 'classic'
  validated: boolean
}

/** By its digits, or by the id that `numbers list` shows. */
const numberIn = (given: Given) => ({ ...companyIn(given), number: given.words[0] })

export const numberCommands: Command[] = [
  {
    name: 'numbers list',
    usage: '[--company ID]',
    summary: 'List the Numbers of a company',
    options: companyOption,
    async run(given) {
      const result = await administer<{ numbers: Line[] }>('numbers.list', companyIn(given))
      const rows = result.numbers.map((line) => [line.id, line.digits, line.kind, validity(line), line.name])
      const heads = ['ID', 'NUMBER', 'KIND', 'VALIDATED', 'NAME']
      return { text: rows.length > 0 ? columns([heads, ...rows]) : 'There is no Number yet.', json: result }
    },
  },
  {
    name: 'numbers add',
    usage: '+DIGITS [--name NAME] [--time-zone ZONE] [--classic] [--validated] [--company ID]',
    summary: 'Add a Number to a company',
    details:
      'A Number has a flow that can be drawn freely, or with --classic the fixed one with opening hours. Without\n' +
      '--validated it waits for `hookswitch numbers validate`. ZONE is an IANA name; without it, Etc/UTC.',
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
      const state = line.validated ? 'validated' : 'not validated'
      return {
        text: `${line.digits} is Number ${line.id}: ${printable(line.name)}, ${line.kind}, ${state}.`,
        json: line,
      }
    },
  },
  {
    name: 'numbers remove',
    usage: '+DIGITS|ID [--company ID]',
    summary: 'Remove a Number and its flow',
    options: companyOption,
    words: [1, 1],
    async run(given) {
      const result = await administer<{ removed: string }>('numbers.remove', numberIn(given))
      return { text: `${result.removed} is removed.`, json: result }
    },
  },
  {
    name: 'numbers link',
    usage: '+DIGITS|ID USER… [--company ID]',
    summary: 'Link users, by id or e-mail address, to a Number',
    options: companyOption,
    words: [2, 1_000],
    async run(given) {
      const input = { ...numberIn(given), users: given.words.slice(1) }
      const result = await administer<{ linked: number[]; to: string }>('numbers.link', input)
      const who = `${result.linked.length === 1 ? 'User' : 'Users'} ${result.linked.join(', ')}`
      return { text: `${who} ${result.linked.length === 1 ? 'is' : 'are'} linked to ${result.to}.`, json: result }
    },
  },
  {
    name: 'numbers validate',
    usage: '+DIGITS|ID [--company ID]',
    summary: 'Mark a Number as validated',
    options: companyOption,
    words: [1, 1],
    async run(given) {
      const result = await administer<{ validated: string }>('numbers.validate', numberIn(given))
      return { text: `${result.validated} is validated.`, json: result }
    },
  },
]

const validity = ({ validated }: Line) => (validated ? 'yes' : 'no')

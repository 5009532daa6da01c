import { administer, companyIn, companyOption } from './administer.ts'
import { type Command, UsageError } from './command.ts'
import { columns, printable } from './print.ts'

interface Made {
  company_id: number
  owner_id: number
  invitation_link: string
  api_id: string
  api_token: string
}

interface State {
  company_id: number
  name: string
  plan: string
  active: boolean
  verified: boolean
}

export const companyCommands: Command[] = [
  {
    name: 'company create',
    usage: '--name NAME --owner-email EMAIL',
    summary: 'Make a company, invite its owner and print its first API key',
    options: { name: { type: 'string' }, 'owner-email': { type: 'string' } },
    async run(given) {
      const name = given.text('name')
      const email = given.text('owner-email')
      if (!name || !email) throw new UsageError('Say --name and --owner-email')
      const made = await administer<Made>('company.create', { name, owner_email: email })
      return { text: story(name, email, made), json: made }
    },
  },
  {
    name: 'company set',
    usage: '[--plan PLAN] [--active yes|no] [--verified yes|no] [--company ID]',
    summary: 'Change the plan of a company, or switch it off and on',
    details: 'Plans: essentials, professional, custom. A company that is not active or not verified is answered 403.',
    options: { ...companyOption, plan: { type: 'string' }, active: { type: 'string' }, verified: { type: 'string' } },
    async run(given) {
      const named = ['plan', 'active', 'verified'].map((option) => [option, given.text(option)])
      const wish = Object.fromEntries(named.filter(([, value]) => value !== undefined))
      const now = await administer<State>('company.set', { ...companyIn(given), ...wish })
      const state = `plan ${now.plan}, ${now.active ? 'active' : 'not active'}, ${now.verified ? 'verified' : 'not verified'}`
      return { text: `Company ${now.company_id} (${printable(now.name)}): ${state}.`, json: now }
    },
  },
  {
    name: 'company list',
    summary: 'List the companies',
    async run() {
      const result = await administer<{ companies: { id: number; name: string }[] }>('company.list', {})
      const rows = result.companies.map(({ id, name }) => [id, name])
      return { text: rows.length > 0 ? columns([['ID', 'NAME'], ...rows]) : 'There is no company yet.', json: result }
    },
  },
]

const story = (name: string, email: string, made: Made) => `Company ${made.company_id} is made: ${printable(name)}

${columns([
  ['  owner', email],
  ['  invitation', made.invitation_link],
  ['  api_id', made.api_id],
  ['  api_token', made.api_token],
])}

The token and the invitation are shown this once. The invitation works for 24 hours.`

import { administer } from './administer.ts'
import { type Command, UsageError } from './command.ts'
import { columns, printable } from './print.ts'

interface Made {
  company_id: number
  owner_id: number
  invitation_link: string
  api_id: string
  api_token: string
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

The token and the invitation are shown this once. The invitation works once, within 24 hours.`

import { administer, companyIn, companyOption } from './administer.ts'
import type { Command } from './command.ts'
import { alignColumns } from './print.ts'

interface Key {
  id: number
  api_id: string
  name: string
  created_at: string
}

export const keyCommands: Command[] = [
  {
    name: 'keys list',
    usage: '[--company ID]',
    summary: 'List the API keys of a company',
    options: companyOption,
    async run(given) {
      const result = await administer<{ keys: Key[] }>('keys.list', companyIn(given))
      const rows = result.keys.map(({ id, api_id, created_at, name }) => [id, api_id, created_at, name])
      const text = rows.length > 0 ? alignColumns([['ID', 'API_ID', 'CREATED', 'NAME'], ...rows]) : 'No API keys.'
      return { text, json: result }
    },
  },
  {
    name: 'keys create',
    usage: '[--name NAME] [--company ID]',
    summary: 'Create an API key and print it',
    options: { ...companyOption, name: { type: 'string' } },
    async run(given) {
      const name = given.text('name')
      const input = { ...companyIn(given), ...(name !== undefined && { name }) }
      const made = await administer<{ id: number; api_id: string; api_token: string }>('keys.create', input)
      const facts = alignColumns([
        ['  api_id', made.api_id],
        ['  api_token', made.api_token],
      ])
      return { text: `API key ${made.id} created.\n\n${facts}\n\nThe token is shown only once.`, json: made }
    },
  },
  {
    name: 'keys revoke',
    usage: 'ID [--company ID]',
    summary: 'Revoke an API key; it is rejected immediately',
    options: companyOption,
    words: [1, 1],
    async run(given) {
      const [id] = given.words
      const result = await administer<{ revoked: number }>('keys.revoke', { ...companyIn(given), id })
      return { text: `API key ${result.revoked} revoked.`, json: result }
    },
  },
]

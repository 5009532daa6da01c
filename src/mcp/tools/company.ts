import { Type } from 'typebox'
import { type McpApi, request, withQuery } from '../api.ts'
import { idInput, optional } from '../inputs.ts'
import { bounded, objectIn, objectsIn } from '../present.ts'
import { defineTool, type McpTool } from '../tool.ts'

const page = optional(Type.Integer({ minimum: 1, default: 1, description: 'Page of 50, the first by default' }))

export const companyTools: McpTool[] = [
  defineTool({
    name: 'get_company',
    title: 'Get the company',
    description: 'Get the name of the company and how many users and numbers it has.',
    effect: 'read',
    input: Type.Object({}),
    run: async (api) => (await request(api, 'GET', '/v1/company')).company,
  }),
  defineTool({
    name: 'list_users',
    title: 'List users',
    description: 'List the users of the company with their ids, e-mail addresses and availability.',
    effect: 'read',
    input: Type.Object({ page }),
    run: (api, input) => listed(api, 'users', '/v1/users', input.page, userOf),
  }),
  defineTool({
    name: 'who_is_available',
    title: 'See who is available',
    description: 'See which users can take or make a call now, and what the others are doing.',
    effect: 'read',
    input: Type.Object({ page }),
    async run(api, input) {
      const { users, ...rest } = await listed(api, 'users', '/v1/users', input.page, userOf)
      const all = objectsIn(users)
      const isFree = ({ availability }: Record<string, unknown>) => availability === 'available'
      return { available: all.filter(isFree), others: all.filter((user) => !isFree(user)), ...rest }
    },
  }),
  defineTool({
    name: 'list_teams',
    title: 'List teams',
    description: 'List the teams of the company with their members.',
    effect: 'read',
    input: Type.Object({ page }),
    run: (api, input) =>
      listed(api, 'teams', '/v1/teams', input.page, ({ id, name, users }) => ({
        id,
        name,
        users: objectsIn(users).map((user) => ({ id: user.id, name: user.name })),
      })),
  }),
  defineTool({
    name: 'list_numbers',
    title: 'List phone numbers of the company',
    description: 'List the phone numbers of the company, with their names, countries and whether they are open now.',
    effect: 'read',
    input: Type.Object({ page }),
    run: (api, input) =>
      listed(api, 'numbers', '/v1/numbers', input.page, ({ id, name, digits, country, time_zone, open }) => ({
        id,
        name,
        digits,
        country,
        time_zone,
        open,
      })),
  }),
  defineTool({
    name: 'list_tags',
    title: 'List tags',
    description: 'List the tags that calls can have.',
    effect: 'read',
    input: Type.Object({ page }),
    run: (api, input) =>
      listed(api, 'tags', '/v1/tags', input.page, ({ id, name, description }) => ({ id, name, description })),
  }),
  defineTool({
    name: 'list_ai_agents',
    title: 'List AI voice agents',
    description: 'List the AI voice agents of the company.',
    effect: 'read',
    input: Type.Object({}),
    run: (api) => request(api, 'GET', '/v1/ai_voice_agents'),
  }),
  defineTool({
    name: 'list_webhooks',
    title: 'List webhooks',
    description:
      'List the webhooks of the company: where events are sent, which ones, and whether the webhook is active.',
    effect: 'read',
    input: Type.Object({ page }),
    run: (api, input) =>
      listed(api, 'webhooks', '/v1/webhooks', input.page, ({ webhook_id, custom_name, url, active, events }) => ({
        webhook_id,
        custom_name,
        url,
        active,
        events: Array.isArray(events) ? events.length : 0,
      })),
  }),
  defineTool({
    name: 'send_message',
    title: 'Send an SMS',
    description:
      'Send a text message to a person, from a number of the company. It cannot be taken back and may cost money: ask ' +
      'the person you work for to confirm recipient and text before you use this.',
    effect: 'contact',
    input: Type.Object({
      number_id: idInput('company number that sends; it must support messages'),
      to: Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', description: 'Recipient in E.164 notation' }),
      text: Type.String({ minLength: 1, maxLength: 1_600 }),
    }),
    run: (api, { number_id, to, text }) =>
      request(api, 'POST', `/v1/numbers/${number_id}/messages/native/send`, { to, body: text }),
  }),
]

const userOf = ({ id, name, email, available, availability_status }: Record<string, unknown>) => ({
  id,
  name,
  email,
  availability: available === true ? 'available' : (availability_status ?? 'unavailable'),
})

async function listed(
  api: McpApi,
  name: string,
  target: string,
  at: number | undefined,
  brief: (item: Record<string, unknown>) => Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const body = await request(api, 'GET', withQuery(target, { page: at ?? 1, per_page: 50 }))
  const hasMore = typeof objectIn(body.meta)?.next_page_link === 'string'
  return { ...bounded(name, objectsIn(body[name]).map(brief), body.meta), ...(hasMore && { next_page: (at ?? 1) + 1 }) }
}

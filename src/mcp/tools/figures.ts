import { Type } from 'typebox'
import { type McpApi, request, withQuery } from '../api.ts'
import { idInput, optional, timeAt } from '../inputs.ts'
import { epochSeconds, objectIn, objectsIn } from '../present.ts'
import { defineTool, type McpTool } from '../tool.ts'

type Fields = Record<string, unknown>

/** Pages of 50: what a question may cost of the rate limit. */
const maxPages = 20

export const figureTools: McpTool[] = [
  defineTool({
    name: 'get_call_figures',
    title: 'Get figures about calls',
    description:
      'Count the calls of a period: answered, missed with reasons, duration, time to answer, and the same per user, ' +
      `number or day. At most ${maxPages * 50} calls are counted; \`complete\` is false when the period has more, so ` +
      'choose a shorter one.',
    effect: 'read',
    input: Type.Object({
      from: timeAt('Start of the period'),
      to: timeAt('End of the period'),
      by: optional(
        Type.Union([Type.Literal('user'), Type.Literal('number'), Type.Literal('day')], {
          description: 'Also count each user, number or day (UTC)',
        }),
      ),
      user_id: optional(idInput('user who took or made the calls')),
    }),
    async run(api, { from, to, by, user_id }) {
      const { calls, complete } = await callsBetween(api, { from: epochSeconds(from), to: epochSeconds(to), user_id })
      return { from, to, complete, ...figuresOf(calls), ...(by && { [`by_${by}`]: groupsOf(calls, by) }) }
    },
  }),
]

async function callsBetween(api: McpApi, filter: Record<string, number | undefined>) {
  const calls: Fields[] = []
  for (let page = 1; page <= maxPages; page++) {
    const body = await request(api, 'GET', withQuery('/v1/calls/search', { ...filter, page, per_page: 50 }))
    calls.push(...objectsIn(body.calls))
    if (typeof objectIn(body.meta)?.next_page_link !== 'string') return { calls, complete: true }
  }
  return { calls, complete: false }
}

function figuresOf(calls: readonly Fields[]) {
  const inbound = calls.filter(({ direction }) => direction === 'inbound')
  const missed = inbound.filter(({ missed_call_reason }) => typeof missed_call_reason === 'string')
  const answered = calls.filter(({ answered_at }) => typeof answered_at === 'number')
  const waits = answered.filter(({ direction }) => direction === 'inbound').map(waitOf)
  return {
    calls: calls.length,
    inbound: inbound.length,
    outbound: calls.length - inbound.length,
    answered: answered.length,
    missed: missed.length,
    missed_by_reason: counted(missed.map(({ missed_call_reason }) => String(missed_call_reason))),
    average_duration_seconds: average(answered.map(({ duration }) => Number(duration ?? 0))),
    average_seconds_to_answer: average(waits),
  }
}

const waitOf = ({ started_at, answered_at }: Fields) => Number(answered_at) - Number(started_at)

function groupsOf(calls: readonly Fields[], by: 'user' | 'number' | 'day') {
  const groups = new Map<string, Fields[]>()
  for (const call of calls) {
    const name = groupOf(call, by)
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push(call)
  }
  return [...groups].map(([name, group]) => ({ [by]: name, ...figuresOf(group) }))
}

function groupOf(call: Fields, by: 'user' | 'number' | 'day'): string {
  if (by === 'day') return new Date(Number(call.started_at) * 1_000).toISOString().slice(0, 10)
  const name = objectIn(call[by])?.name
  return typeof name === 'string' ? name : 'none'
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const average = (values: readonly number[]) =>
  values.length === 0 ? null : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)

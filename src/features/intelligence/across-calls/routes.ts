import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { periodsOf } from '../../../domain/analytics/range.ts'
import { linesFound, transcriptSearch } from '../../../domain/intelligence/transcript-words.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import { userIdOf, usersById } from '../../accounts/index.ts'
import { periodErrors } from '../../analytics/index.ts'
import { askedFields, askedIn, callSummariesOf, readers } from './asked.ts'
import {
  callsSaying,
  conversationsIn,
  countOpenItems,
  findItem,
  itemsAcrossCalls,
  type ListedItem,
  markItem,
  utterancesOfCalls,
} from './store.ts'
import { addConversation, newFigures, talkRatio } from './summarize.ts'
import { CallSummary, userName } from './view.ts'

const pageSize = 20
const maxLines = 3
const maxTopics = 50
const whole = Type.Integer()
const moods = { positive: whole, neutral: whole, negative: whole }
const Share = nullable(Type.Integer({ description: 'Per cent of the speech that is the agents’' }))

const getOverview = route({
  ...readers,
  method: 'GET',
  path: '/v1/intelligence/overview',
  summary: 'Retrieve topics, sentiment and talk ratio of a date range',
  query: Type.Object(askedFields),
  errors: periodErrors,
  reply: {
    status: 200,
    body: Type.Object({
      timezone: Type.String(),
      from_date: Type.String(),
      to_date: Type.String(),
      calls: Type.Integer({ description: 'Calls and voicemails with a transcript' }),
      open_action_items: whole,
      topics: Type.Array(Type.Object({ name: Type.String(), calls: whole }), {
        description: 'The most frequent first',
      }),
      sentiment: Type.Object(moods),
      days: Type.Array(Type.Object({ date: Type.String(), ...moods })),
      talk_ratio: Share,
      users: Type.Array(
        Type.Object({ id: whole, name: nullable(Type.String()), calls: whole, talk_ratio: Share, ...moods }),
      ),
    }),
  },
  async handle({ query, caller: { companyId }, services: { db, clock } }) {
    const { zone, range, asked } = askedIn(query, clock.now())
    const figures = newFigures(periodsOf(range, zone, 'DAILY').map(({ fromDate }) => fromDate))
    for await (const batch of conversationsIn(db, companyId, asked)) {
      for (const facts of batch) addConversation(figures, zone, facts)
    }
    const users = await usersById(db, companyId, [...figures.users.keys()])
    return {
      timezone: zone.name,
      from_date: range.fromDate,
      to_date: range.toDate,
      calls: figures.calls,
      open_action_items: await countOpenItems(db, companyId, asked),
      topics: [...figures.topics]
        .map(([name, calls]) => ({ name, calls }))
        .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
        .slice(0, maxTopics),
      sentiment: figures.moods,
      days: [...figures.days].map(([date, of]) => ({ date, ...of })),
      talk_ratio: talkRatio(figures.talk),
      users: [...figures.users]
        .map(([id, of]) => ({
          id,
          name: userName(users.get(id)),
          calls: of.calls,
          talk_ratio: talkRatio(of),
          ...of.moods,
        }))
        .sort((a, b) => b.calls - a.calls || a.id - b.id),
    }
  },
})

const search = route({
  ...readers,
  method: 'GET',
  path: '/v1/intelligence/search',
  summary: 'Search all transcripts',
  description:
    'Calls whose transcript has all words, without regard to case and accents, the latest first. The last word may be a ' +
    'beginning, unless a space follows it.',
  query: Type.Object({
    ...askedFields,
    q: nameText(200),
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`next` of the page before' })),
  }),
  errors: [...periodErrors, { status: 400, when: 'q has no word of at least two letters or digits' }],
  reply: {
    status: 200,
    body: Type.Object({
      results: Type.Array(
        Type.Object({
          call: CallSummary,
          lines: Type.Array(
            Type.Object({
              start_time: Type.Number({ description: 'Seconds from the start of the recording' }),
              speaker: Type.String(),
              side: oneOf(['internal', 'external']),
              text: Type.String(),
            }),
          ),
        }),
      ),
      next: nullable(Type.Integer({ description: 'null on the last page' })),
    }),
  },
  async handle({ query, caller: { companyId }, services }) {
    const { db, clock } = services
    const words = transcriptSearch(query.q)
    if (!words) throw badRequest('`q` needs a word of at least two letters or digits')
    const { asked } = askedIn(query, clock.now())
    const page = { before: query.before, limit: pageSize + 1 }
    const found = await callsSaying(db, companyId, words, asked, page)
    const ids = found.slice(0, pageSize)
    const transcripts = await utterancesOfCalls(db, companyId, ids)
    const lines = new Map(ids.map((id) => [id, linesFound(transcripts.get(id) ?? [], words, maxLines)]))
    const speakerIds = [...lines.values()].flat().flatMap(({ speaker }) => ('userId' in speaker ? speaker.userId : []))
    const users = await usersById(
      db,
      companyId,
      speakerIds.filter((id) => id !== null),
    )
    const calls = await callSummariesOf(services, companyId, ids)
    return {
      results: ids.flatMap((id) => {
        const call = calls.get(id)
        if (!call) return []
        const shown = (lines.get(id) ?? []).map(({ start, text, speaker }) => ({
          start_time: start,
          speaker:
            speaker.side === 'external'
              ? (call.contact ?? call.phone_number)
              : 'userId' in speaker
                ? (userName(speaker.userId === null ? undefined : users.get(speaker.userId)) ?? 'Agent')
                : 'AI agent',
          side: speaker.side,
          text,
        }))
        return [{ call, lines: shown }]
      }),
      next: found.length > pageSize ? (ids.at(-1) ?? null) : null,
    }
  },
})

const Item = Type.Object({
  id: whole,
  content: Type.String(),
  ai_generated: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
  done: Type.Boolean(),
})

const itemView = ({ id, content, aiGenerated, createdAt, doneAt }: ListedItem) => ({
  id,
  content,
  ai_generated: aiGenerated,
  created_at: isoMillis(createdAt),
  done: doneAt !== null,
})

const listItems = route({
  ...readers,
  method: 'GET',
  path: '/v1/intelligence/action_items',
  summary: 'List action items of all calls',
  query: Type.Object({
    ...askedFields,
    done: Type.Optional(Type.Boolean({ description: '`true`: those that are done; otherwise the open ones' })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`next` of the page before' })),
  }),
  errors: periodErrors,
  reply: {
    status: 200,
    body: Type.Object({
      action_items: Type.Array(Type.Object({ ...Item.properties, call: CallSummary })),
      next: nullable(Type.Integer({ description: 'null on the last page' })),
    }),
  },
  async handle({ query, caller: { companyId }, services }) {
    const { db, clock } = services
    const { asked } = askedIn(query, clock.now())
    const page = { isDone: query.done === true, before: query.before, limit: pageSize + 1 }
    const found = await itemsAcrossCalls(db, companyId, asked, page)
    const items = found.slice(0, pageSize)
    const calls = await callSummariesOf(
      services,
      companyId,
      items.map(({ callId }) => callId),
    )
    return {
      action_items: items.flatMap((item) => {
        const call = calls.get(item.callId)
        return call ? [{ ...itemView(item), call }] : []
      }),
      next: found.length > pageSize ? (items.at(-1)?.id ?? null) : null,
    }
  },
})

const changeItem = route({
  ...readers,
  method: 'PUT',
  path: '/v1/intelligence/action_items/:id',
  summary: 'Mark an action item as done, or reopen it',
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findItem(services.db, caller.companyId, params.id),
  body: Type.Object({ done: Type.Boolean() }),
  reply: { status: 200, body: Type.Object({ action_item: Item }) },
  async handle({ loaded, body, caller, services: { db, clock } }) {
    const done = body.done ? { at: clock.now(), by: userIdOf(caller) } : null
    const { companyId } = caller
    return transaction(db, async (tx) => {
      await markItem(tx, companyId, loaded.id, done)
      return { action_item: itemView({ ...loaded, doneAt: done?.at ?? null }) }
    })
  },
})

export const acrossCallsRoutes = [getOverview, search, listItems, changeItem]

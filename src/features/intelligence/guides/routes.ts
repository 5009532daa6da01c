import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { extractors, sectionTypes } from '../../../domain/intelligence/custom-summary.ts'
import { measures } from '../../../domain/intelligence/measures.ts'
import { languageTags } from '../../../domain/intelligence/transcript.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, Timestamp, text } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import { deleteGuide, findGuide, type Guide, guidesOf, insertGuide, type NewGuide, updateGuide } from './store.ts'

const tag = 'Conversation intelligence'
const feature = 'assist'
const maxGuides = 200
const kinds = ['topic', 'playbook', 'summary_template', 'scorecard'] as const

const Phrases = Type.Array(text(255), { maxItems: 20 })
const Language = oneOf(languageTags)

const blocks = {
  topic: Type.Object({ keywords: Type.Array(text(255), { minItems: 1, maxItems: 50 }) }),
  playbook: Type.Object({
    language: Language,
    topics: Type.Array(
      Type.Object({ name: nameText(255), phrases: Type.Array(text(255), { minItems: 1, maxItems: 20 }) }),
      { minItems: 1, maxItems: 50 },
    ),
  }),
  summary_template: Type.Object({
    language: Language,
    sections: Type.Array(
      Type.Object({
        name: nameText(255),
        type: oneOf(sectionTypes),
        extractor: nullable(oneOf(extractors, { description: 'Null: requires an LLM' })),
      }),
      { minItems: 1, maxItems: 20 },
    ),
  }),
  scorecard: Type.Object({
    description: Type.Optional(Type.String({ maxLength: 2_000 })),
    categories: Type.Array(
      Type.Object({
        name: nameText(255),
        questions: Type.Array(
          Type.Object({
            text: text(500),
            type: oneOf(['BINARY', 'RATING']),
            points: Type.Integer({ minimum: 0, maximum: 1_000 }),
            strictness: Type.Unsafe<0 | 1 | 2>({ type: 'integer', minimum: 0, maximum: 2 }),
            ai_enabled: Type.Boolean(),
            phrases: Phrases,
            measure: Type.Optional(
              oneOf(measures, { description: 'Metric that answers a RATING question without an LLM' }),
            ),
          }),
          { minItems: 1, maxItems: 50 },
        ),
      }),
      { minItems: 1, maxItems: 20 },
    ),
  }),
}

const shared = { kind: oneOf(kinds), name: nameText(255), active: Type.Boolean() }
const GuideBody = Type.Object({ ...shared, ...Type.Partial(Type.Object(blocks)).properties })
const GuideView = Type.Object({
  id: Type.Integer(),
  ...GuideBody.properties,
  created_at: Timestamp,
  updated_at: Timestamp,
})
const OneGuide = Type.Object({ guide: GuideView })
const params = Type.Object({ id: Id })
const errors = [
  { status: 422 as const, when: 'the object named by `kind` is missing' },
  { status: 400 as const, when: 'a BINARY question has a measure' },
]

function guideView(guide: Guide): Static<typeof GuideView> {
  const { id, kind, name, active, createdAt, updatedAt } = guide
  const times = { created_at: isoMillis(createdAt), updated_at: isoMillis(updatedAt) }
  return { id, kind, name, active, ...partOf(guide), ...times }
}

function partOf(guide: Guide) {
  switch (guide.kind) {
    case 'topic':
      return { topic: guide.document }
    case 'playbook':
      return { playbook: guide.document as Static<typeof blocks.playbook> }
    case 'summary_template':
      return { summary_template: guide.document as Static<typeof blocks.summary_template> }
    case 'scorecard': {
      const { description, categories } = guide.document
      return {
        scorecard: {
          description,
          categories: categories.map(({ name, questions }) => ({
            name,
            questions: questions.map(({ aiEnabled, phrases, ...rest }) => ({
              ...rest,
              ai_enabled: aiEnabled,
              phrases: [...phrases],
            })),
          })),
        },
      }
    }
  }
}

function guideIn(body: Static<typeof GuideBody>, createdAt: number, updatedAt: number): NewGuide {
  const { name, active } = body
  const common = { name, active, createdAt, updatedAt }
  if (body.kind === 'topic' && body.topic) return { ...common, kind: 'topic', document: body.topic }
  if (body.kind === 'playbook' && body.playbook) return { ...common, kind: 'playbook', document: body.playbook }
  if (body.kind === 'summary_template' && body.summary_template) {
    return { ...common, kind: 'summary_template', document: body.summary_template }
  }
  if (body.kind === 'scorecard' && body.scorecard) {
    const { description = '', categories } = body.scorecard
    const read = categories.map((category) => ({
      name: category.name,
      questions: category.questions.map(({ ai_enabled, ...rest }) => ({ ...rest, aiEnabled: ai_enabled })),
    }))
    if (
      read.some(({ questions }) => questions.some(({ type, measure }) => type === 'BINARY' && measure !== undefined))
    ) {
      throw badRequest('`measure` is possible for RATING questions only')
    }
    return { ...common, kind: 'scorecard', document: { description, categories: read } }
  }
  throw unprocessable(`\`${body.kind}\` is mandatory for this kind`)
}

const listGuides = route({
  method: 'GET',
  path: '/v1/intelligence/guides',
  summary: 'List topics, playbooks, summary templates and scorecards',
  tag,
  access: 'app',
  feature,
  reply: { status: 200, body: Type.Object({ guides: Type.Array(GuideView) }) },
  async handle({ caller, services }) {
    return { guides: (await guidesOf(services.db, caller.companyId)).map(guideView) }
  },
})

const createGuide = route({
  method: 'POST',
  path: '/v1/intelligence/guides',
  summary: 'Create a topic, playbook, summary template or scorecard',
  description:
    'Requires the object named by `kind`. Of several active playbooks or summary templates the oldest applies; all ' +
    'active topics and scorecards apply.',
  tag,
  access: 'app',
  feature,
  body: GuideBody,
  errors: [...errors, { status: 400, when: `the company already has ${maxGuides} guides` }],
  reply: { status: 201, body: OneGuide },
  async handle({ body, caller: { companyId }, services: { db, clock } }) {
    const guide = guideIn(body, clock.now(), clock.now())
    if ((await guidesOf(db, companyId)).length >= maxGuides)
      throw badRequest(`The company already has ${maxGuides} guides; delete one first`)
    const id = await insertGuide(db, companyId, guide)
    return { guide: guideView({ id, ...guide }) }
  },
})

const changeGuide = route({
  method: 'PUT',
  path: '/v1/intelligence/guides/:id',
  summary: 'Replace a topic, playbook, summary template or scorecard',
  description: 'Existing results are not changed.',
  tag,
  access: 'app',
  feature,
  params,
  load: ({ params: { id }, caller, services }) => findGuide(services.db, caller.companyId, id),
  edits: { object: 'guide', view: ({ loaded }) => guideView(loaded) },
  body: GuideBody,
  errors,
  reply: { status: 200, body: OneGuide },
  async handle({ body, loaded, caller, services: { db, clock } }) {
    const guide = { id: loaded.id, ...guideIn(body, loaded.createdAt, clock.now()) }
    const isFound = await transaction(db, (tx) => updateGuide(tx, caller.companyId, guide))
    if (!isFound) throw notFound()
    return { guide: guideView(guide) }
  },
})

const removeGuide = route({
  method: 'DELETE',
  path: '/v1/intelligence/guides/:id',
  summary: 'Delete a topic, playbook, summary template or scorecard',
  tag,
  access: 'app',
  feature,
  params,
  load: ({ params: { id }, caller, services }) => findGuide(services.db, caller.companyId, id),
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    if (!(await deleteGuide(services.db, caller.companyId, loaded.id))) throw notFound()
    return {}
  },
})

export const guideRoutes = [listGuides, createGuide, changeGuide, removeGuide]

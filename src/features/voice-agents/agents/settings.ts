import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { schemaProblem } from '../../../domain/ai-agent/http-tools.ts'
import {
  agentLanguages,
  agentModes,
  defaultVoicemail,
  type EscalationTarget,
  intentEnds,
  questionKinds,
  type TransferTarget,
  voicemailActions,
} from '../../../domain/ai-agent/plan.ts'
import type { JsonSchema } from '../../../domain/intelligence/json-schema.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest } from '../../../http/errors.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Vault } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { findNumber, findTeam, findUser } from '../../accounts/index.ts'
import { ContextRequestSettings, checkContextRequest, contextRequestFrom } from './context-settings.ts'
import type { AgentSettings } from './store.ts'
import { checkTools, ToolSettings, toolsFrom } from './tool-settings.ts'
import { directTypes, targetTypes } from './view.ts'

// Settings of an AI agent, and their validation.

const maxMessageLength = 2_000
const maxPromptLength = 8_000
const maxKnowledgeLength = 50_000
const maxTargets = 20
const Phrases = Type.Array(text(200), { maxItems: 50 })

const others = {
  language: Type.Optional(oneOf(agentLanguages)),
  voice: Type.Optional(nullable(text(64))),
  first_message: Type.Optional(
    nullable(
      text(maxMessageLength, {
        description: '`{{ name }}` is replaced by a value from the context of an outbound call',
      }),
    ),
  ),
  goodbye_message: Type.Optional(nullable(text(maxMessageLength))),
  questions: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({
          pattern: '^[a-z][a-z0-9_]{0,63}$',
          examples: ['order_number'],
          description: 'Key in `extracted_data`',
        }),
        ask: text(maxMessageLength),
        kind: oneOf(questionKinds),
        options: Type.Optional(
          Type.Array(text(100), {
            maxItems: 12,
            description: 'Options of a choice; callers select them with the keys 1, 2, 3 …',
          }),
        ),
        confirm: Type.Optional(
          Type.Boolean({
            description:
              'Confirm: reads the answer back. Spoken numbers, e-mail addresses and postcodes are always read back, and so are dates and times that were said incompletely',
          }),
        ),
      }),
      { maxItems: 30 },
    ),
  ),
  intents: Type.Optional(
    Type.Array(
      Type.Object({
        name: nameText(64),
        phrases: Type.Array(text(200), { minItems: 1, maxItems: 50 }),
        reply: Type.Optional(nullable(text(maxMessageLength))),
        next: Type.Optional(oneOf(intentEnds)),
      }),
      { maxItems: 50 },
    ),
  ),
  escalation: Type.Optional(
    Type.Object({
      phrases: Type.Optional(Phrases),
      after_misunderstandings: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
      target: Type.Optional(
        Type.Object({
          type: oneOf(targetTypes),
          id: Type.Optional(Id),
          number: Type.Optional(Type.String({ maxLength: 16, description: 'E.164' })),
        }),
      ),
    }),
  ),
  outbound_number_id: Type.Optional(nullable(Id)),
  max_seconds: Type.Optional(Type.Integer({ minimum: 30, maximum: 3_600 })),
  brain: Type.Optional(
    oneOf(agentModes, {
      description: '`flow` (Scripted) asks its questions in order; `llm` converses freely with an LLM',
    }),
  ),
  prompt: Type.Optional(nullable(text(maxPromptLength, { description: 'Instructions for the LLM' }))),
  knowledge: Type.Optional(
    nullable(
      text(maxKnowledgeLength, { description: 'Knowledge the LLM may use; separate subjects by an empty line' }),
    ),
  ),
  transfer_targets: Type.Optional(
    Type.Array(
      Type.Object({
        name: nameText(64, { description: 'Name of the destination for the LLM' }),
        type: oneOf(directTypes),
        id: Type.Optional(Id),
        number: Type.Optional(Type.String({ maxLength: 16, description: 'E.164' })),
      }),
      { maxItems: maxTargets, description: 'Transfer destinations of the LLM, besides the escalation' },
    ),
  ),
  tools: Type.Optional(ToolSettings),
  context_request: Type.Optional(nullable(ContextRequestSettings)),
  data_schema: Type.Optional(
    nullable(
      Type.Unsafe<object>({
        type: 'object',
        'x-any': true,
        description:
          'Data to extract after the conversation: a JSON Schema of type object, with the keywords of tool parameters',
      }),
    ),
  ),
  error_message: Type.Optional(
    nullable(text(maxMessageLength, { description: 'Spoken when an engine fails, before the call is escalated' })),
  ),
  idle: Type.Optional(
    Type.Object({
      seconds: Type.Optional(Type.Integer({ minimum: 3, maximum: 60 })),
      prompts: Type.Optional(Type.Integer({ minimum: 0, maximum: 5 })),
      message: Type.Optional(nullable(text(maxMessageLength))),
    }),
  ),
  voicemail: Type.Optional(
    Type.Object(
      {
        action: Type.Optional(oneOf(voicemailActions)),
        message: Type.Optional(
          nullable(
            text(maxMessageLength, { description: 'Null: the first message. Variables as in the first message' }),
          ),
        ),
      },
      { description: 'What the AI agent does if an outbound call is answered by a voicemail' },
    ),
  ),
  active: Type.Optional(Type.Boolean()),
}

export const NewAgent = Type.Object({ name: nameText(64), ...others })
export const ChangedAgent = Type.Object({ name: Type.Optional(nameText(64)), ...others })

/** `vault` encrypts the header values of tools. */
export function changedBy(
  before: AgentSettings,
  body: Static<typeof ChangedAgent>,
  vault: Pick<Vault, 'open' | 'seal'>,
): AgentSettings {
  const { escalation } = body
  return {
    ...before,
    ...(body.name !== undefined && { name: body.name }),
    ...(body.language !== undefined && { language: body.language }),
    ...(body.voice !== undefined && { voice: body.voice }),
    ...(body.first_message !== undefined && { firstMessage: body.first_message }),
    ...(body.goodbye_message !== undefined && { goodbyeMessage: body.goodbye_message }),
    ...(body.questions !== undefined && {
      questions: body.questions.map(({ options = [], confirm = false, ...question }) => ({
        ...question,
        options,
        confirm,
      })),
    }),
    ...(body.intents !== undefined && {
      intents: body.intents.map(({ reply = null, next = 'go_on', ...intent }) => ({ ...intent, reply, next })),
    }),
    ...(escalation !== undefined && {
      escalation: {
        phrases: escalation.phrases ?? before.escalation.phrases,
        afterMisunderstandings: escalation.after_misunderstandings ?? before.escalation.afterMisunderstandings,
        target: escalation.target ? targetOf(escalation.target) : before.escalation.target,
      },
    }),
    ...(body.outbound_number_id !== undefined && { numberId: body.outbound_number_id }),
    ...(body.max_seconds !== undefined && { maxSeconds: body.max_seconds }),
    ...(body.active !== undefined && { active: body.active }),
    ...(body.voicemail !== undefined && {
      voicemail: { ...(before.voicemail ?? defaultVoicemail), ...body.voicemail },
    }),
    ...llmSettingsOf(before, body),
    ...(body.context_request !== undefined && {
      contextRequest: body.context_request && contextRequestFrom(before.contextRequest, body.context_request, vault),
    }),
    ...(body.data_schema !== undefined && { dataSchema: body.data_schema as JsonSchema | null }),
    ...(body.tools !== undefined && { tools: toolsFrom(before.tools ?? [], body.tools, vault) }),
  }
}

function llmSettingsOf(before: AgentSettings, body: Static<typeof ChangedAgent>): Partial<AgentSettings> {
  const { transfer_targets: targets, idle } = body
  return {
    ...(body.brain !== undefined && { brain: body.brain }),
    ...(body.prompt !== undefined && { prompt: body.prompt }),
    ...(body.knowledge !== undefined && { knowledge: body.knowledge }),
    ...(body.error_message !== undefined && { errorMessage: body.error_message }),
    ...(targets !== undefined && { transferTargets: targets.map(transferTargetOf) }),
    ...(idle !== undefined && {
      idle: {
        seconds: idle.seconds ?? before.idle.seconds,
        prompts: idle.prompts ?? before.idle.prompts,
        message: idle.message === undefined ? before.idle.message : idle.message,
      },
    }),
  }
}

interface GivenTarget {
  type: EscalationTarget['type']
  id?: number
  number?: string
}

function transferTargetOf({ name, ...given }: GivenTarget & { name: string }): TransferTarget {
  const target = targetOf(given, 'transfer_targets')
  if (target.type === 'branch') throw badRequest('A target of `transfer_targets` must be a user, a team or external')
  return { name, target }
}

function targetOf({ type, id, number }: GivenTarget, where = 'escalation.target'): EscalationTarget {
  if (type === 'branch') return { type }
  if (type === 'external') {
    if (number === undefined || !isE164(number)) throw badRequest(`\`${where}.number\` must be E.164`)
    return { type, number }
  }
  if (id === undefined) throw badRequest(`\`${where}.id\` of the ${type} is missing`)
  return { type, id }
}

/** Throws for inconsistent settings and for unknown users and teams. */
export async function checkAgent(
  { outbound }: Pick<Services, 'outbound'>,
  db: Db,
  companyId: CompanyId,
  settings: AgentSettings,
): Promise<void> {
  const { questions, intents, escalation, numberId, transferTargets } = settings
  checkTools(settings.tools ?? [], outbound)
  if (settings.contextRequest) checkContextRequest(settings.contextRequest, outbound)
  const schema = settings.dataSchema ? schemaProblem(settings.dataSchema, 'data_schema') : undefined
  if (schema) throw badRequest(`\`data_schema\` ${schema}`)
  const twice = questions.find(({ key }, index) => questions.findIndex((other) => other.key === key) !== index)
  if (twice) throw badRequest(`The question "${twice.key}" is listed twice`)
  const bare = questions.find(({ kind, options }) => kind === 'choice' && options.length < 2)
  if (bare) throw badRequest(`The question "${bare.key}" is a choice and needs at least two options`)
  const mute = intents.find(({ next, reply }) => next === 'go_on' && reply === null)
  if (mute) throw badRequest(`The intent "${mute.name}" needs a reply, because the conversation continues after it`)
  if (numberId !== null && !(await findNumber(db, companyId, numberId))) {
    throw badRequest('`outbound_number_id` is not a Number of the company')
  }
  const names = transferTargets.map(({ name }) => name)
  const double = names.find((name, index) => names.indexOf(name) !== index)
  if (double !== undefined) throw badRequest(`The target "${double}" is listed twice`)
  for (const target of [escalation.target, ...transferTargets.map((one) => one.target)]) {
    await checkTarget(db, companyId, target)
  }
}

async function checkTarget(db: Db, companyId: CompanyId, target: EscalationTarget): Promise<void> {
  if (target.type === 'user' && !(await findUser(db, companyId, target.id)))
    throw badRequest(`The user ${target.id} does not exist`)
  if (target.type === 'team' && !(await findTeam(db, companyId, target.id)))
    throw badRequest(`The team ${target.id} does not exist`)
}

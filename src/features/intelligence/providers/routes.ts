import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import {
  type EngineKind,
  type EngineLine,
  engineKinds,
  isExternal,
  ofKnownKinds,
  readEngineLine,
} from '../../../domain/intelligence/engine-line.ts'
import { type Language, languages, llmTasks, type SttEngine } from '../../../domain/intelligence/engines.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, auditAlone, lockCompany } from '../../accounts/index.ts'
import { type CompanyEngines, enginesOf, writeEngines } from './store.ts'

// Speech-to-text, LLM and text-to-speech engines. Under /app only: third-party apps have no access to provider settings.

const tag = 'Conversation intelligence'
const feature = 'assist'
const examples = ['openai+https://llm.example.com/v1#a-model']

const EngineView = Type.Object({
  line: nullable(
    Type.String({
      description: '`dialect+URL#model?options`, `embedded` or `off`; null: the operator’s setting',
      examples,
    }),
  ),
  has_key: Type.Boolean({ description: 'Whether a key is stored; the key is never returned' }),
  on: Type.Boolean(),
  source: oneOf(['company', 'operator'] as const),
  external: Type.Boolean({ description: 'Whether audio or transcripts of calls leave this installation' }),
  engine: nullable(Type.String({ description: 'The engine in use; null: none' })),
  explanation: Type.String({ description: 'The engine in use, or what is missing, in plain English' }),
})
const EnginesView = Type.Object({
  external_allowed: Type.Boolean({
    description: 'Allow external AI providers: while false, no audio or transcript leaves this installation',
  }),
  engines: Type.Object({ stt: EngineView, llm: EngineView, tts: EngineView }),
  live_languages: nullable(
    Type.Array(oneOf(languages), {
      description: 'Languages with live transcription, which AI agents need on SIP trunks; null: no limit, empty: none',
    }),
  ),
  models: Type.Array(Type.Object({ task: oneOf(llmTasks), model: Type.String() }), {
    description: 'Tasks that use another model than the one in `line`',
  }),
})
const reply = { status: 200 as const, body: Type.Object({ settings: EnginesView }) }

const EngineInput = Type.Optional(
  Type.Object({
    line: Type.Optional(nullable(text(1_000, { description: 'Null: the operator’s setting', examples }))),
    key: Type.Optional(
      nullable(
        Type.String({
          maxLength: 4_096,
          pattern: '^[!-~]+$',
          description: 'Left out: keep the stored key. Null: remove it',
        }),
      ),
    ),
  }),
)
const EnginesInput = Type.Object({
  external_allowed: Type.Optional(Type.Boolean()),
  engines: Type.Optional(Type.Object({ stt: EngineInput, llm: EngineInput, tts: EngineInput })),
  models: Type.Optional(
    Type.Array(Type.Object({ task: oneOf(llmTasks), model: text(255) }), { maxItems: llmTasks.length }),
  ),
})

type Keys = Partial<Record<EngineKind, string>>

const keysOf = ({ vault }: Services, { keysSealed }: CompanyEngines): Keys =>
  keysSealed === null ? {} : ofKnownKinds(JSON.parse(vault.open(keysSealed)))

async function view(services: Services, companyId: number): Promise<Static<typeof reply.body>> {
  const set = await enginesOf(services.db, companyId)
  const keys = keysOf(services, set)
  const states = await services.ai.state(companyId)
  const one = (kind: EngineKind): Static<typeof EngineView> => {
    const state = states.find((known) => known.kind === kind)
    const { on = false, source = 'operator', external = false, engine = null, explanation = '' } = state ?? {}
    return {
      line: set.lines[kind] ?? null,
      has_key: keys[kind] !== undefined,
      on,
      source,
      external,
      engine,
      explanation,
    }
  }
  return {
    settings: {
      external_allowed: set.externalAllowed,
      engines: { stt: one('stt'), llm: one('llm'), tts: one('tts') },
      live_languages: liveLanguagesOf(await services.ai.stt(companyId)),
      models: modelsView(set.models),
    },
  }
}

function liveLanguagesOf(stt: SttEngine | undefined): Language[] | null {
  const known = stt ? (stt.liveLanguages ?? stt.languages) : []
  return known === 'any' ? null : [...known]
}

/** The settings alone, without the state of the engines. */
async function editedEngines({ db }: Services, companyId: number) {
  const { externalAllowed, lines, models } = await enginesOf(db, companyId)
  const one = (kind: EngineKind) => ({ line: lines[kind] ?? null })
  return {
    external_allowed: externalAllowed,
    engines: { stt: one('stt'), llm: one('llm'), tts: one('tts') },
    models: modelsView(models),
  }
}

const modelsView = (models: CompanyEngines['models']) =>
  llmTasks.flatMap((task) => (models[task] === undefined ? [] : [{ task, model: models[task] }]))

const getEngines = route({
  method: 'GET',
  path: '/v1/intelligence/engines',
  summary: 'Retrieve the speech-to-text, LLM and text-to-speech engines',
  tag,
  access: 'app',
  roles: admins,
  feature,
  reply,
  handle: ({ caller, services }) => view(services, caller.companyId),
})

const putEngines = route({
  method: 'PUT',
  path: '/v1/intelligence/engines',
  summary: 'Update the speech-to-text, LLM and text-to-speech engines',
  description: 'Fields that are left out stay unchanged. `models` is replaced as a whole.',
  tag,
  access: 'app',
  roles: admins,
  feature,
  edits: { object: 'engines', view: ({ caller, services }) => editedEngines(services, caller.companyId) },
  body: EnginesInput,
  errors: [{ status: 400, when: 'a `line` is invalid, or its address is not allowed' }],
  reply,
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const wanted = requestedEngine(services, await enginesOf(tx, companyId), body)
      await writeEngines(tx, companyId, wanted, services.clock.now())
      const { externalAllowed, lines } = wanted
      await audit(services, tx, companyId, auditEntry(caller, 'engines.changed', { externalAllowed, lines }, address))
    })
    return view(services, companyId)
  },
})

function requestedEngine(
  services: Services,
  before: CompanyEngines,
  body: Static<typeof EnginesInput>,
): CompanyEngines {
  const lines = { ...before.lines }
  const keys = keysOf(services, before)
  for (const kind of engineKinds) {
    const { line, key } = body.engines?.[kind] ?? {}
    if (line === null) delete lines[kind]
    else if (line !== undefined) lines[kind] = checkedLine(services, kind, line)
    // A key is valid only for the server it was entered for.
    if (key === null || (line !== undefined && line !== before.lines[kind])) delete keys[kind]
    if (typeof key === 'string') keys[kind] = key
  }
  return {
    externalAllowed: body.external_allowed ?? before.externalAllowed,
    lines,
    models: body.models ? Object.fromEntries(body.models.map(({ task, model }) => [task, model])) : before.models,
    keysSealed: Object.keys(keys).length === 0 ? null : services.vault.seal(JSON.stringify(keys)),
  }
}

function checkedLine({ outbound }: Services, kind: EngineKind, text: string): string {
  const read = readEngineLine(kind, text)
  const issue = 'problem' in read ? read.problem : addressIssue(outbound, read.line)
  if (issue) throw badRequest(`\`engines.${kind}.line\` ${issue}`)
  return text
}

/** Engine addresses follow the rules for webhook URLs: the server's own network is not allowed. */
function addressIssue(outbound: Services['outbound'], line: EngineLine): string | undefined {
  const issue = isExternal(line) ? outbound.urlProblem(line.url.replace(/^ws/, 'http')) : undefined
  return issue && `names an address that ${issue.replace('https://', 'https:// or wss://')}`
}

const testEngine = route({
  method: 'POST',
  path: '/v1/intelligence/engines/test',
  summary: 'Send a small test request to an engine',
  tag,
  access: 'app',
  roles: admins,
  feature,
  body: Type.Object({ kind: oneOf(engineKinds) }),
  reply: {
    status: 200,
    body: Type.Object({
      ok: Type.Boolean(),
      engine: nullable(Type.String()),
      milliseconds: Type.Integer({ description: 'Milliseconds until the result' }),
      explanation: Type.String({ description: 'The result, or the reason for the failure' }),
    }),
  },
  async handle({ body, caller, services, address }) {
    const result = await services.ai.test(caller.companyId, body.kind)
    await auditAlone(services, caller.companyId, auditEntry(caller, 'engines.tested', { kind: body.kind }, address))
    return result
  },
})

const auditEntry = (caller: Caller, action: string, details: object, address: string) => ({
  actor: actorOf(caller),
  action,
  details,
  address,
})

export const engineRoutes = [getEngines, putEngines, testEngine]

import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import {
  type EngineKind,
  type EngineLine,
  engineKinds,
  isExternal,
  readEngineLine,
} from '../../../domain/intelligence/engine-line.ts'
import { llmTasks } from '../../../domain/intelligence/engines.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, auditAlone, lockCompany } from '../../accounts/index.ts'
import { type CompanyEngines, enginesOf, writeEngines } from './store.ts'

// Who listens, reads and speaks. Under /app only: where a company's words go is nothing for third parties.

const tag = 'Conversation intelligence'
const feature = 'assist'
const examples = ['openai+https://llm.example.com/v1#a-model']

const EngineView = Type.Object({
  line: nullable(
    Type.String({
      description: '`dialect+address#model?options`, `embedded` or `off`; null: as the operator has set it',
      examples,
    }),
  ),
  has_key: Type.Boolean({ description: 'Whether a key is kept; itself it is never shown' }),
  on: Type.Boolean(),
  source: oneOf(['company', 'operator'] as const),
  external: Type.Boolean({ description: 'Whether sound or words of calls leave this installation' }),
  engine: nullable(Type.String({ description: 'Who does it; null: nobody' })),
  explanation: Type.String({ description: 'Who does it, or what is missing, for people' }),
})
const EnginesView = Type.Object({
  external_allowed: Type.Boolean({
    description:
      'Whether servers may get the sound and the words of calls. Until then nothing leaves this installation',
  }),
  engines: Type.Object({ stt: EngineView, llm: EngineView, tts: EngineView, agent: EngineView }),
  models: Type.Array(Type.Object({ task: oneOf(llmTasks), model: Type.String() }), {
    description: 'Tasks for which another model is asked than the one of the line',
  }),
})
const reply = { status: 200 as const, body: Type.Object({ settings: EnginesView }) }

const EngineInput = Type.Optional(
  Type.Object({
    line: Type.Optional(nullable(text(1_000, { description: 'Null: as the operator has set it', examples }))),
    key: Type.Optional(
      nullable(
        Type.String({
          maxLength: 4_096,
          pattern: '^[!-~]+$',
          description: 'Left out: the one that is kept. Null: none',
        }),
      ),
    ),
  }),
)
const EnginesInput = Type.Object({
  external_allowed: Type.Optional(Type.Boolean()),
  engines: Type.Optional(Type.Object({ stt: EngineInput, llm: EngineInput, tts: EngineInput, agent: EngineInput })),
  models: Type.Optional(
    Type.Array(Type.Object({ task: oneOf(llmTasks), model: text(255) }), { maxItems: llmTasks.length }),
  ),
})

type Keys = Partial<Record<EngineKind, string>>

const keysOf = ({ vault }: Services, { keysSealed }: CompanyEngines): Keys =>
  keysSealed === null ? {} : JSON.parse(vault.open(keysSealed))

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
  const models = llmTasks.flatMap((task) => (set.models[task] === undefined ? [] : [{ task, model: set.models[task] }]))
  return {
    settings: {
      external_allowed: set.externalAllowed,
      engines: { stt: one('stt'), llm: one('llm'), tts: one('tts'), agent: one('agent') },
      models,
    },
  }
}

const getEngines = route({
  method: 'GET',
  path: '/v1/intelligence/engines',
  summary: 'Who listens to calls, reads what was said, and speaks',
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
  summary: 'Set who listens, reads and speaks for the company',
  description: 'What is not named stays. `models` is replaced as a whole.',
  tag,
  access: 'app',
  roles: admins,
  feature,
  body: EnginesInput,
  errors: [{ status: 400, when: 'a line cannot work, or leads to an address that is not allowed' }],
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
    // A key is for the server it was given for.
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
  const flaw = 'flaw' in read ? read.flaw : addressIssue(outbound, read.line)
  if (flaw) throw badRequest(`\`engines.${kind}.line\` ${flaw}`)
  return text
}

/** A company's servers stand where its webhooks may: not in our own network. */
function addressIssue(outbound: Services['outbound'], line: EngineLine): string | undefined {
  const flaw = isExternal(line) ? outbound.flawOf(line.url.replace(/^ws/, 'http')) : undefined
  return flaw && `names an address that ${flaw.replace('https://', 'https:// or wss://')}`
}

const testEngine = route({
  method: 'POST',
  path: '/v1/intelligence/engines/test',
  summary: 'Ask an engine for something small, and see what comes back',
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
      milliseconds: Type.Integer({ description: 'Until that' }),
      explanation: Type.String({ description: 'What came back, or why nothing did' }),
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

import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { languageTags } from '../../../domain/intelligence/transcript.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { lockCompany, numbersById } from '../../accounts/index.ts'
import { type IntelligenceSettings, replaceIntelligenceSettings, settingsByNumber, wholeCompany } from './store.ts'

const tag = 'Conversation intelligence'
const feature = 'assist'
const Language = nullable(oneOf(languageTags, { description: 'Language spoken on the Number; null: detected' }))

const Settings = Type.Object({
  enabled: Type.Boolean({ description: 'Default for Numbers without settings of their own' }),
  language: Language,
  numbers: Type.Array(Type.Object({ number_id: Id, enabled: Type.Boolean(), language: Language }), { maxItems: 1_000 }),
})

const reply = {
  status: 200,
  body: Type.Object({
    settings: Settings,
    transcription_available: Type.Boolean({
      description: 'Whether a speech-to-text engine can transcribe calls over SIP trunks',
    }),
  }),
} as const

function settingsView(settings: ReadonlyMap<number, IntelligenceSettings>) {
  const { enabled, language } = settings.get(wholeCompany) ?? { enabled: false, language: null }
  const own = [...settings].filter(([number]) => number !== wholeCompany)
  return { enabled, language, numbers: own.map(([number_id, one]) => ({ number_id, ...one })) }
}

async function view({ ai }: Services, companyId: number, settings: ReadonlyMap<number, IntelligenceSettings>) {
  return {
    settings: settingsView(settings),
    transcription_available: (await ai.stt(companyId)) !== undefined,
  }
}

const getSettings = route({
  method: 'GET',
  path: '/v1/intelligence/settings',
  summary: 'Retrieve where conversation intelligence is enabled',
  tag,
  access: 'app',
  feature,
  reply,
  async handle({ caller: { companyId }, services }) {
    return view(services, companyId, await settingsByNumber(services.db, companyId))
  },
})

const putSettings = route({
  method: 'PUT',
  path: '/v1/intelligence/settings',
  summary: 'Enable or disable conversation intelligence for the company and for single Numbers',
  description: 'Applies to calls recorded from now on; existing results are kept until their recording is deleted.',
  tag,
  access: 'app',
  feature,
  edits: {
    object: 'intelligence_settings',
    view: async ({ caller, services }) => settingsView(await settingsByNumber(services.db, caller.companyId)),
  },
  body: Settings,
  errors: [{ status: 400, when: 'a Number is unknown or listed twice' }],
  reply,
  async handle({ body, caller: { companyId }, services }) {
    const ids = body.numbers.map(({ number_id }) => number_id)
    if (new Set(ids).size < ids.length) throw badRequest('`numbers` lists a Number twice')
    const known = await numbersById(services.db, companyId, ids)
    if (known.length < ids.length) throw badRequest('`numbers` contains an unknown Number')
    const { enabled, language } = body
    const settings = new Map<number, IntelligenceSettings>([[wholeCompany, { enabled, language }]])
    for (const { number_id, ...own } of body.numbers) settings.set(number_id, own)
    await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      await replaceIntelligenceSettings(tx, companyId, settings)
    })
    return view(services, companyId, settings)
  },
})

export const intelligenceSettingRoutes = [getSettings, putSettings]

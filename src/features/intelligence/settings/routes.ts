import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { languageTags } from '../../../domain/intelligence/transcript.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { lockCompany, numbersById } from '../../accounts/index.ts'
import {
  type IntelligenceSettings,
  replaceIntelligenceSettings,
  settingsByNumber,
  vocabularyOf,
  wholeCompany,
} from './store.ts'

const tag = 'Conversation intelligence'
const feature = 'assist'
const Language = nullable(oneOf(languageTags, { description: 'Language spoken on the Number; null: detected' }))

const maxTerms = 50
const Vocabulary = Type.Array(nameText(60), {
  maxItems: maxTerms,
  description: 'Names and terms that speech-to-text should recognize, most important first',
})

const fields = {
  enabled: Type.Boolean({ description: 'Default for Numbers without settings of their own' }),
  language: Language,
  numbers: Type.Array(Type.Object({ number_id: Id, enabled: Type.Boolean(), language: Language }), { maxItems: 1_000 }),
}
const Settings = Type.Object({ ...fields, vocabulary: Vocabulary })
const SettingsBody = Type.Object({ ...fields, vocabulary: Type.Optional(Vocabulary) })

const reply = {
  status: 200,
  body: Type.Object({
    settings: Settings,
    transcription_available: Type.Boolean({
      description: 'Whether a speech-to-text engine can transcribe calls over SIP trunks',
    }),
  }),
} as const

interface Stored {
  byNumber: ReadonlyMap<number, IntelligenceSettings>
  vocabulary: string[]
}

const storedSettings = async ({ db }: Services, companyId: number): Promise<Stored> => ({
  byNumber: await settingsByNumber(db, companyId),
  vocabulary: await vocabularyOf(db, companyId),
})

function settingsView({ byNumber: settings, vocabulary }: Stored) {
  const { enabled, language } = settings.get(wholeCompany) ?? { enabled: false, language: null }
  const own = [...settings].filter(([number]) => number !== wholeCompany)
  return { enabled, language, numbers: own.map(([number_id, one]) => ({ number_id, ...one })), vocabulary }
}

async function view({ ai }: Services, companyId: number, stored: Stored) {
  return {
    settings: settingsView(stored),
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
    return view(services, companyId, await storedSettings(services, companyId))
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
    view: async ({ caller, services }) => settingsView(await storedSettings(services, caller.companyId)),
  },
  body: SettingsBody,
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
    const vocabulary = await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const terms = [...new Set(body.vocabulary ?? (await vocabularyOf(tx, companyId)))]
      await replaceIntelligenceSettings(tx, companyId, settings, terms)
      return terms
    })
    return view(services, companyId, { byNumber: settings, vocabulary })
  },
})

export const intelligenceSettingRoutes = [getSettings, putSettings]

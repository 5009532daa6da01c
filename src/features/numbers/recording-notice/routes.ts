import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { nullable } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, admins, audit, lockCompany, updateCompany, updateNumber } from '../../accounts/index.ts'
import { findSound } from '../audio/store.ts'
import { load, NumberParams, numbersTag } from '../numbers/route-parts.ts'
import { RecordingNoticeSettings } from './settings.ts'
import { companyNotice, numberNotice } from './store.ts'

// The recording announcement. Under /app only: the API has no such setting.

const companyTag = 'Company'
const OfCompany = Type.Object({ recording_notice: RecordingNoticeSettings })
const OfNumber = Type.Object({
  recording_notice: nullable(RecordingNoticeSettings),
  company: Type.Object(RecordingNoticeSettings.properties, {
    description: 'What applies if `recording_notice` is null',
  }),
})

const invalid = [
  { status: 400 as const, when: 'a prompt is missing, not an audio file of the company, or a language is named twice' },
]

/** Prompts must be known audio of the company: what cannot be played would prevent every recording. */
async function checkPrompts(
  { db }: Services,
  companyId: CompanyId,
  { mode, prompts }: RecordingNoticeSettings,
): Promise<void> {
  if (mode !== 'none' && prompts.length === 0) throw badRequest('`prompts` must contain the announcement')
  const languages = new Set(prompts.map(({ language }) => language))
  if (languages.size < prompts.length) throw badRequest('`prompts` must name each language once')
  for (const { url } of prompts) {
    const sound = await findSound(db, companyId, url)
    if (sound?.state !== 'ready')
      throw badRequest('`prompts` must be audio files of the company that are ready to play')
  }
}

const getCompanyNotice = route({
  method: 'GET',
  path: '/v1/company/recording_notice',
  summary: 'Retrieve the recording announcement of the company',
  tag: companyTag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: OfCompany },
  async handle({ caller: { companyId }, services: { db } }) {
    return { recording_notice: await companyNotice(db, companyId) }
  },
})

const putCompanyNotice = route({
  method: 'PUT',
  path: '/v1/company/recording_notice',
  summary: 'Set the recording announcement of all Numbers that have none of their own',
  tag: companyTag,
  access: 'app',
  roles: admins,
  edits: {
    object: 'recording_notice',
    view: async ({ caller, services }) => ({ recording_notice: await companyNotice(services.db, caller.companyId) }),
  },
  body: OfCompany,
  errors: invalid,
  reply: { status: 200, body: OfCompany },
  async handle({ body: { recording_notice: after }, caller, services, address }) {
    const { companyId } = caller
    await checkPrompts(services, companyId, after)
    await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const before = await companyNotice(tx, companyId)
      await updateCompany(tx, companyId, { recording_notice: JSON.stringify(after) })
      const details = { before: before.mode, after: after.mode }
      await audit(services, tx, companyId, {
        actor: actorOf(caller),
        action: 'recording_notice.changed',
        details,
        address,
      })
    })
    return { recording_notice: after }
  },
})

async function viewOf({ db }: Services, companyId: CompanyId, numberId: number) {
  const found = await numberNotice(db, companyId, numberId)
  if (!found) throw new Error('a Number that was just read must exist')
  return { recording_notice: found.own, company: found.company }
}

const getNumberNotice = route({
  method: 'GET',
  path: '/v1/numbers/:id/recording_notice',
  summary: 'Retrieve the recording announcement of a Number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: OfNumber },
  handle: ({ loaded, caller, services }) => viewOf(services, caller.companyId, loaded.id),
})

const putNumberNotice = route({
  method: 'PUT',
  path: '/v1/numbers/:id/recording_notice',
  summary: 'Set the recording announcement of a Number; null: that of the company',
  tag: numbersTag,
  access: 'app',
  roles: admins,
  params: NumberParams,
  load,
  edits: {
    object: 'number_recording_notice',
    view: ({ loaded, caller, services }) => viewOf(services, caller.companyId, loaded.id),
  },
  body: Type.Object({ recording_notice: nullable(RecordingNoticeSettings) }),
  errors: invalid,
  reply: { status: 200, body: OfNumber },
  async handle({ body: { recording_notice: after }, loaded, caller, services, address }) {
    const { companyId } = caller
    if (after) await checkPrompts(services, companyId, after)
    await transaction(services.db, async (tx) => {
      const before = await numberNotice(tx, companyId, loaded.id)
      await updateNumber(tx, companyId, loaded.id, { recording_notice: after && JSON.stringify(after) })
      const details = { before: before?.own?.mode ?? 'company', after: after?.mode ?? 'company' }
      await audit(services, tx, companyId, {
        actor: actorOf(caller),
        action: 'recording_notice.changed',
        target: `number:${loaded.id}`,
        details,
        address,
      })
    })
    return viewOf(services, companyId, loaded.id)
  },
})

export const recordingNoticeRoutes: Route[] = [getCompanyNotice, putCompanyNotice, getNumberNotice, putNumberNotice]

import type { CompanyId } from '../../../db/tables.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import { sessionsOf } from '../../voice-agents/index.ts'
import { freshSoundUrls } from '../recordings/links.ts'
import { mintShortUrls } from '../recordings/store.ts'
import { loadParts } from './parts.ts'
import type { Call, CallAudioKind } from './store.ts'
import { type CallViewContext, callView, type ViewOptions } from './view.ts'

export interface Flags extends ViewOptions {
  shortUrls: boolean
}

const plain: Flags = { contact: false, shortUrls: false, timeline: false, voiceAgents: false }

/** Calls as the API returns them, with the objects they reference. */
export async function showCalls(
  services: Services,
  companyId: CompanyId,
  calls: readonly Call[],
  flags: Flags = plain,
) {
  const { db, links } = services
  const context = viewContextOf(services)
  const callContext: CallViewContext = {
    links,
    parts: await loadParts(db, companyId, context, calls, { contacts: flags.contact }),
    soundUrl: freshSoundUrls(services),
  }
  if (flags.shortUrls) {
    const minted = await mintShortUrls(db, companyId, links, soundsOf(calls), context.at)
    callContext.shortUrl = ({ id }, sound) => minted.get(`${id}:${sound}`)
  }
  if (flags.voiceAgents) {
    callContext.sessions = await sessionsOf(
      db,
      companyId,
      calls.map(({ id }) => id),
    )
  }
  return calls.map((call) => callView(callContext, call, flags))
}

export async function showCall(services: Services, companyId: CompanyId, call: Call, flags?: Flags) {
  const [view] = await showCalls(services, companyId, [call], flags)
  if (!view) throw new Error('one call must give one view')
  return view
}

const soundsOf = (calls: readonly Call[]) =>
  calls.flatMap((call) =>
    (['recording', 'voicemail'] satisfies CallAudioKind[]).flatMap((kind) =>
      call[kind] === null ? [] : [{ callId: call.id, kind }],
    ),
  )

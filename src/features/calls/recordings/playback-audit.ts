import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import type { PageRequest } from '../../../http/page-at.ts'
import { hour } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { actorOf, auditAlone } from '../../accounts/index.ts'
import type { CallAudioKind } from '../calls/store.ts'

export interface Wanted {
  companyId: CompanyId
  callId: number
  kind: CallAudioKind
}

/** Audits which users opened or played a recording. API keys and anonymous links are not recorded. */
export interface PlaybackAudit {
  /** The page of a recording was opened. */
  opened(caller: Caller, wanted: Wanted, address: string): Promise<void>
  /** The file was requested, as the player in the dashboard does: recorded if the request has a session. */
  loaded(asked: PageRequest, wanted: Wanted): Promise<void>
}

// A player requests one range after the other for as long as the URL is valid.
const onceIn = hour
const maxRemembered = 10_000

export function createPlaybackAudit(services: Services): PlaybackAudit {
  const { clock } = services
  const noted = new Map<string, number>()

  async function note(caller: Caller, { companyId, kind, callId }: Wanted, address: string): Promise<void> {
    noted.set(nameOf(caller, kind, callId), clock.machineNow())
    for (const oldest of noted.keys()) {
      if (noted.size <= maxRemembered) break
      noted.delete(oldest)
    }
    const entry = { actor: actorOf(caller), action: `${kind}.opened`, target: `call:${callId}`, address }
    await auditAlone(services, companyId, entry)
  }

  return {
    async opened(caller, wanted, address) {
      if (caller.via.kind === 'session') await note(caller, wanted, address)
    },
    async loaded(asked, wanted) {
      if (asked.method !== 'GET') return
      const caller = await asked.signedIn()
      if (caller?.companyId !== wanted.companyId) return
      const last = noted.get(nameOf(caller, wanted.kind, wanted.callId))
      if (last === undefined || clock.machineNow() - last >= onceIn) await note(caller, wanted, asked.ip)
    },
  }
}

const nameOf = ({ via }: Caller, kind: CallAudioKind, callId: number) =>
  `${via.kind === 'session' ? via.session : ''} ${kind} ${callId}`

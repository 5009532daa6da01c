import { Type } from 'typebox'
import { route } from '../../../http/route.ts'
import { anyRole } from '../../accounts/index.ts'
import { CallParams, callsTag, loadCall } from '../calls/load.ts'
import { legQualities } from './store.ts'
import { LegQualityView, legQualityView } from './view.ts'

const getQuality = route({
  method: 'GET',
  path: '/v1/calls/:id/quality',
  summary: 'Retrieve the audio quality of each leg of a call',
  description:
    'Hookswitch extension: loss, jitter, round trip and an estimated MOS over time, for audio received from each party and ' +
    'sent to it. Available for calls with media, about a minute after the fact while the call is in progress.',
  tag: callsTag,
  roles: anyRole,
  params: CallParams,
  load: loadCall,
  reply: { status: 200, body: Type.Object({ legs: Type.Array(LegQualityView) }) },
  async handle({ loaded, caller, services }) {
    const legs = await legQualities(services.db, caller.companyId, loaded.id)
    return { legs: legs.map(legQualityView) }
  },
})

export const qualityRoutes = [getQuality]

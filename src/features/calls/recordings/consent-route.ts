import { Type } from 'typebox'
import { recordingConsents } from '../../../domain/call/state.ts'
import { type Route, route } from '../../../http/route.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { anyRole } from '../../accounts/index.ts'
import { CallParams, callsTag } from '../calls/load.ts'
import { loadCall } from '../calls/load-call.ts'
import { recordingConsentOf } from './store.ts'

const getConsent = route({
  method: 'GET',
  path: '/v1/calls/:id/recording_consent',
  summary: 'Retrieve the result of the recording announcement of a call',
  description: 'Null: no announcement was due.',
  tag: callsTag,
  access: 'app',
  roles: anyRole,
  params: CallParams,
  load: loadCall,
  reply: {
    status: 200,
    body: Type.Object({
      recording_consent: nullable(
        oneOf(recordingConsents, {
          description:
            'announced, consented: the call may be recorded · declined · no_response: consent is required and no key was pressed · failed: the announcement could not be played',
        }),
      ),
    }),
  },
  async handle({ loaded, caller, services: { db } }) {
    return { recording_consent: await recordingConsentOf(db, caller.companyId, loaded.id) }
  },
})

export const recordingConsentRoutes: Route[] = [getConsent]

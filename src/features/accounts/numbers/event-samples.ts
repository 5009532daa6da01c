import { starterFlow } from '../../../domain/flow/classic.ts'
import { day } from '../../../lib/clock.ts'
import { sampleIds } from '../../publishing/index.ts'
import type { PhoneNumber } from './store.ts'

/** A flow number with the starter flow. */
export const exampleNumber = (at: number): PhoneNumber => ({
  id: sampleIds.number,
  companyId: sampleIds.company,
  digits: '+14155550132',
  display: '+1 415-555-0132',
  name: 'Main line',
  country: 'US',
  timeZone: 'America/Los_Angeles',
  language: 'en-US',
  recording: true,
  priority: null,
  flowEditor: true,
  validated: true,
  musicOnHold: null,
  ringSimultaneousSeconds: 30,
  ringOneByOneSeconds: 20,
  voicemailEmails: true,
  registrationStatus: 'approved',
  registrationUpdatedAt: at - 60 * day,
  createdAt: at - 60 * day,
  flow: starterFlow(),
})

import { day } from '../../../lib/clock.ts'
import { sampleIds } from '../../publishing/index.ts'
import type { User } from './store.ts'

// Users for sample payloads.

/** At their phone, and available. */
export const exampleUser = (at: number): User => ({
  id: sampleIds.user,
  companyId: sampleIds.company,
  email: 'dario.ortega@example.com',
  firstName: 'Dario',
  lastName: 'Ortega',
  language: 'es-ES',
  timeZone: 'Europe/Madrid',
  wrapUpTime: 30,
  extension: '104',
  status: 'available',
  reason: null,
  unavailableUntil: null,
  resumeStatus: null,
  defaultNumberId: sampleIds.number,
  workingHours: null,
  callSound: 'standard',
  confirmed: true,
  active: true,
  connected: true,
  inCall: false,
  afterCallWork: false,
  createdAt: at - 90 * day,
})

/** Has not followed the invitation yet, so nothing is set up. */
export const invitedUser = (at: number): User => ({
  ...exampleUser(at),
  language: 'en-US',
  timeZone: 'Etc/UTC',
  defaultNumberId: null,
  confirmed: false,
  active: true,
  connected: false,
  createdAt: at,
})

export const disconnectedUser = (at: number): User => ({ ...exampleUser(at), connected: false })

export const userAtLunch = (at: number): User => ({
  ...exampleUser(at),
  status: 'unavailable',
  reason: 'out_for_lunch',
})

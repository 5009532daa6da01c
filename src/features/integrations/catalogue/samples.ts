import { classicFlow, starterFlow } from '../../../domain/flow/classic.ts'
import { alwaysOpen } from '../../../domain/opening-hours.ts'
import { day, hour } from '../../../lib/clock.ts'
import type { User } from '../../accounts/users/store.ts'
import type { Contact } from '../../contacts/contacts/store.ts'
import type { PhoneNumber } from '../../numbers/numbers/store.ts'
import type { DisabledWebhook, FailingWebhook, NamedWebhook } from '../webhooks/view.ts'

// People and things for sample payloads. Addresses and phone numbers are kept free for fiction; and as a sample is also
// sent as a test event, its ids are beyond those of real objects: nobody's user is taken for deleted.
const companyId = 2_000_000_000
const userId = 2_000_000_004
const numberId = 2_000_000_001
const contactId = 2_000_000_007
const detailId = 2_000_000_011

/** At their phone, and available. */
export const exampleUser = (at: number): User => ({
  id: userId,
  companyId,
  email: 'dario.ortega@example.com',
  firstName: 'Dario',
  lastName: 'Ortega',
  language: 'es-ES',
  timeZone: 'Europe/Madrid',
  wrapUpTime: 30,
  extension: '104',
  status: 'available',
  reason: null,
  defaultNumberId: numberId,
  workingHours: null,
  callSound: 'standard',
  confirmed: true,
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
  connected: false,
  createdAt: at,
})

export const disconnectedUser = (at: number): User => ({ ...exampleUser(at), connected: false })

export const userAtLunch = (at: number): User => ({
  ...exampleUser(at),
  status: 'unavailable',
  reason: 'out_for_lunch',
})

/** A flow number that nobody has drawn yet. */
export const exampleNumber = (at: number): PhoneNumber => ({
  id: numberId,
  companyId,
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
  registrationStatus: 'approved',
  registrationUpdatedAt: at - 60 * day,
  createdAt: at - 60 * day,
  flow: starterFlow(),
})

export const newNumber = (at: number): PhoneNumber => ({ ...exampleNumber(at), createdAt: at })

/** A classic number on its hours: whatever the time of the sample, they have just begun or just ended. */
export const classicNumber = (at: number, hours: 'begun' | 'ended'): PhoneNumber => ({
  ...exampleNumber(at),
  flowEditor: false,
  flow: classicFlow({
    hours: hours === 'begun' ? alwaysOpen : {},
    closedDates: [],
    mode: 'custom',
    userIds: [userId],
  }),
})

export const exampleContact = (at: number): Contact => ({
  id: contactId,
  firstName: 'Rosa',
  lastName: 'Lambert',
  companyName: 'Orchard Foods',
  information: 'Prefers to be called in the morning',
  createdAt: at - 30 * day,
  updatedAt: at,
  phones: [{ id: detailId, label: 'Work', value: '+1 415 555 0187' }],
  emails: [{ id: detailId, label: 'Work', value: 'rosa.lambert@example.com' }],
})

export const newContact = (at: number): Contact => ({ ...exampleContact(at), createdAt: at })

export const exampleWebhook: NamedWebhook = {
  id: '3f0c6a52-8d1e-4b7a-9c40-5e2d7f1b6a93',
  customName: 'CRM sync',
  url: 'https://example.com/hook',
}

export const failingWebhook = (at: number): FailingWebhook => ({
  ...exampleWebhook,
  failingSince: at - 24 * hour,
  consecutiveFailures: 61,
  disablesAt: at + 96 * hour,
})

export const disabledWebhook = (at: number): DisabledWebhook => ({
  ...exampleWebhook,
  reason: 'failing',
  disabledAt: at,
})

export const exampleExport = (at: number) => ({
  id: '1f0c2b7a-5d1e-4c3f-9a57-2f6f0a9b8c11',
  name: 'weekly',
  createdAt: at,
  error: null,
})

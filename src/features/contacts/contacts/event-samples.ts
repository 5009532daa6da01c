import { day } from '../../../lib/clock.ts'
import { sampleIds } from '../../publishing/index.ts'
import type { Contact } from './store.ts'

export const exampleContact = (at: number): Contact => ({
  id: sampleIds.contact,
  firstName: 'Rosa',
  lastName: 'Lambert',
  companyName: 'Orchard Foods',
  ownerId: null,
  information: 'Prefers to be called in the morning',
  createdAt: at - 30 * day,
  updatedAt: at,
  phones: [{ id: sampleIds.contactDetail, label: 'Work', value: '+1 415 555 0187' }],
  emails: [{ id: sampleIds.contactDetail, label: 'Work', value: 'rosa.lambert@example.com' }],
})

export const newContact = (at: number): Contact => ({ ...exampleContact(at), createdAt: at })

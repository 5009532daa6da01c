import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { digitsOnly } from '../domain/phone-number.ts'
import { queueMail } from '../features/accounts/emails/queue.ts'
import { wantingVoicemails } from '../features/accounts/me/store.ts'
import { findNumber, type PhoneNumber } from '../features/accounts/numbers/store.ts'
import { type User, usersById } from '../features/accounts/users/store.ts'
import { findNamed } from '../features/calls/calls/parts-store.ts'
import { type Call, findCall } from '../features/calls/calls/store.ts'
import { usersOfNumbers } from '../features/calls/index.ts'
import { speechToTextKey, transcriptKey } from '../features/intelligence/results/speech-jobs.ts'
import { findTranscript } from '../features/intelligence/results/store.ts'
import { enqueue, isWaiting } from '../jobs/queue.ts'
import { minute, second } from '../lib/clock.ts'
import { displayIn } from '../lib/phone-format.ts'
import type { Services } from '../services.ts'

// A voicemail by e-mail: to the users of its Number, unless the user or the Number has it off. The recording is linked, not
// attached: who may listen to it is decided when the link is opened.

/** Speech-to-text of a voicemail usually takes a few seconds. */
const maxWaitMs = 3 * minute
const lookAgainMs = 10 * second

/** Without a mail server no e-mail is written; the sandbox shows it in the email log. */
const canSend = ({ mailServer, rules }: Services) => mailServer !== undefined || rules.sandbox

export async function scheduleVoicemailEmail(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id: callId, voicemail }: Call,
): Promise<void> {
  if (voicemail === null || !canSend(services)) return
  const now = services.clock.now()
  await enqueue(tx, 'voicemail.email', { companyId, callId, until: now + maxWaitMs }, now, `voicemail-email:${callId}`)
}

interface Job {
  companyId: CompanyId
  callId: number
  until: number
}

/** Job: waits for the transcript, if there will be one, and sends the e-mails. */
export function voicemailMailer(services: Services) {
  return (job: Job) =>
    transaction(services.db, async (tx) => {
      const { companyId, callId, until } = job
      const call = await findCall(tx, companyId, callId)
      // Deleted in the meantime.
      if (!call || call.voicemail === null) return
      const now = services.clock.now()
      if (now < until && (await isTranscriptPending(tx, callId))) {
        return enqueue(tx, 'voicemail.email', job, now + lookAgainMs)
      }
      const number = await findNumber(tx, companyId, call.numberId)
      if (!number?.voicemailEmails) return
      const ids = await wantingVoicemails(tx, companyId, [
        ...(await usersOfNumbers(tx, companyId, new Set([number.id]))),
      ])
      if (ids.length === 0) return
      const transcript = await findTranscript(tx, companyId, callId)
      const text = transcript?.utterances.map((one) => one.text).join(' ') ?? ''
      const caller = await callerOf(tx, companyId, call, number)
      for (const user of (await usersById(tx, companyId, ids)).values()) {
        const content = contentOf(services, user, { call, number, caller, transcript: text })
        await queueMail(services, tx, companyId, { userId: user.id, to: user.email, ...content })
      }
    })
}

async function isTranscriptPending(tx: Tx, callId: number): Promise<boolean> {
  return (await isWaiting(tx, speechToTextKey(callId, 'voicemail'))) || (await isWaiting(tx, transcriptKey(callId)))
}

interface CallerText {
  name: string
  /** With the phone number. */
  full: string
}

/** The contact, and the phone number as it is dialled in the country of the Number. */
async function callerOf(tx: Tx, companyId: CompanyId, { external }: Call, number: PhoneNumber): Promise<CallerText> {
  if (!external.startsWith('+')) return { name: 'an anonymous caller', full: 'An anonymous caller' }
  const phone = await displayIn(number.country, external)
  const digits = digitsOnly(external)
  const none = { users: new Set<number>(), teams: new Set<number>(), numbers: new Set<number>() }
  const contact = (await findNamed(tx, companyId, { ...none, digits: new Set([digits]) })).contactOf(
    digits,
    number.country,
  )
  const name = contact && ([contact.firstName, contact.lastName].filter(Boolean).join(' ') || contact.companyName)
  return name ? { name, full: `${name} (${phone})` } : { name: phone, full: phone }
}

interface VoicemailContent {
  call: Call
  number: PhoneNumber
  caller: CallerText
  transcript: string
}

function contentOf({ links }: Services, user: User, { call, number, caller, transcript }: VoicemailContent) {
  const lines = [
    `Hello ${user.firstName},`,
    '',
    `${caller.full} left a voicemail on ${number.name} (${number.display}).`,
    '',
    `Received: ${timeFor(user, call.startedAt)}`,
    `Duration: ${minutes(call.voicemailMs ?? 0)}`,
    ...(transcript === '' ? [] : ['', 'Transcript:', transcript]),
    '',
    'Listen and call back:',
    `${links.dashboard}/phone?call=${call.id}`,
    '',
    'You receive this e-mail because the number rings on your phone. Turn it off in the settings of the phone app.',
    '',
  ]
  return { subject: `Voicemail from ${caller.name} on ${number.name}`, text: lines.join('\n') }
}

/** “Tuesday 17 November 2026 at 14:02 (Europe/Paris)”: in the time zone of the recipient. */
function timeFor({ timeZone, language }: User, at: number): string {
  const locale = language.startsWith('en') ? language : 'en-GB'
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone })
  return `${format.format(at)} (${timeZone})`
}

function minutes(ms: number): string {
  const seconds = Math.round(ms / second)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

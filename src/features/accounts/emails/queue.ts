import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { maskedEmail } from '../../../lib/log.ts'
import type { MailAttachment, MailServer } from '../../../lib/mail.ts'
import type { Services } from '../../../services.ts'
import { findMailToSend, insertMail, markMail } from './store.ts'

export interface Email {
  userId: number | null
  to: string
  subject: string
  text: string
  html?: string | undefined
  attachment?: MailAttachment | undefined
  /** Where the recipient unsubscribes without signing in; also sent as a header. */
  unsubscribeUrl?: string | undefined
  reportRunId?: number | undefined
}

/** Parts of an e-mail besides its text; stored as JSON. */
type Parts = Pick<Email, 'html' | 'attachment' | 'unsubscribeUrl'>

/** Queued in the transaction of the change that causes it. The text may contain sign-in links, so it is stored encrypted. */
export async function queueMail(services: Services, tx: Tx, companyId: CompanyId, email: Email): Promise<void> {
  const at = services.clock.now()
  const { html, attachment, unsubscribeUrl } = email
  const parts: Parts | undefined =
    html || attachment || unsubscribeUrl ? { html, attachment, unsubscribeUrl } : undefined
  const mailId = await insertMail(
    tx,
    companyId,
    {
      userId: email.userId,
      recipient: email.to,
      subject: oneLine(email.subject),
      textSealed: services.vault.seal(email.text),
      partsSealed: parts ? services.vault.seal(JSON.stringify(parts)) : null,
      reportRunId: email.reportRunId ?? null,
    },
    at,
  )
  await enqueue(tx, 'mail.send', { mailId }, at)
}

/** The job that sends an email. Without a mail server the email stays in the email log. */
export function mailSender(services: Services, server: MailServer | undefined) {
  return async ({ mailId }: { mailId: number }): Promise<void> => {
    const mail = await findMailToSend(services.db, mailId)
    if (!mail) return
    const facts = { mailId, to: maskedEmail(mail.recipient), subject: mail.subject }
    if (!server) {
      services.log.info({ event: 'email.kept', ...facts }, 'email not sent: SMTP_URL is not set')
      return
    }
    try {
      const text = services.vault.open(mail.text_sealed)
      const parts: Parts = mail.parts_sealed === null ? {} : JSON.parse(services.vault.open(mail.parts_sealed))
      await server.send({ to: mail.recipient, subject: mail.subject, text, ...parts })
    } catch (error) {
      await markMail(services.db, mailId, { error: error instanceof Error ? error.message.slice(0, 300) : 'unknown' })
      // The server's message may contain the address: it is stored with the email only. The job and the log contain the code.
      throw new Error(`email not sent: ${codeOf(error)}`)
    }
    await markMail(services.db, mailId, { sentAt: services.clock.now() })
    services.log.info({ event: 'email.sent', ...facts }, 'email sent')
  }
}

/** The SMTP reply code such as 550, or a network error code such as ECONNREFUSED. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('responseCode' in error) return String(error.responseCode)
  return 'code' in error ? String(error.code) : 'unknown'
}

/** Line breaks in a name must not start another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
const oneLine = (text: string) => text.replace(/[\x00-\x1f\x7f\u2028\u2029]+/g, ' ').slice(0, 200)

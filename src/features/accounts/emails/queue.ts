import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { maskedEmail } from '../../../lib/log.ts'
import type { MailServer } from '../../../lib/mail.ts'
import type { Services } from '../../../services.ts'
import { findMailToSend, insertMail, markMail } from './store.ts'

export interface Email {
  userId: number | null
  to: string
  subject: string
  text: string
}

/** Put in the outbox with the change that causes it; the text holds links that open accounts, so it is stored sealed. */
export async function queueMail(services: Services, tx: Tx, companyId: CompanyId, email: Email): Promise<void> {
  const at = services.clock.now()
  const mailId = await insertMail(
    tx,
    companyId,
    {
      userId: email.userId,
      recipient: email.to,
      subject: oneLine(email.subject),
      textSealed: services.vault.seal(email.text),
    },
    at,
  )
  await enqueue(tx, 'mail.send', { mailId }, at)
}

/** The job: by the mail server when there is one; otherwise the mail stays in the outbox and the log says so. */
export function mailSender(services: Services, server: MailServer | undefined) {
  return async ({ mailId }: { mailId: number }): Promise<void> => {
    const mail = await findMailToSend(services.db, mailId)
    if (!mail) return
    const facts = { mailId, to: maskedEmail(mail.recipient), subject: mail.subject }
    if (!server) {
      services.log.info(facts, 'mail kept in the outbox: no SMTP_URL is set')
      return
    }
    try {
      await server.send({ to: mail.recipient, subject: mail.subject, text: services.vault.open(mail.text_sealed) })
    } catch (error) {
      await markMail(services.db, mailId, { error: error instanceof Error ? error.message.slice(0, 300) : 'unknown' })
      // The server's words may name the address: they go with the mail; the job and the log get the code.
      throw new Error(`mail not sent: ${codeOf(error)}`)
    }
    await markMail(services.db, mailId, { sentAt: services.clock.now() })
    services.log.info(facts, 'mail sent')
  }
}

/** 550 and the like when the server answered, ECONNREFUSED and the like when it did not. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('responseCode' in error) return String(error.responseCode)
  return 'code' in error ? String(error.code) : 'unknown'
}

/** A name with line breaks must not become a header of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const oneLine = (text: string) => text.replace(/[\x00-\x1f\x7f\u2028\u2029]+/g, ' ').slice(0, 200)

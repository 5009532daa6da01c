import type { Tx } from '../../../db/database.ts'
import type { Services } from '../../../services.ts'
import { queueMail } from '../emails/queue.ts'
import type { User } from '../users/store.ts'

// Emails about the security of an account: the owner of the account learns of a change made by another person.

interface Notice {
  subject: string
  /** What happened, in a sentence. */
  what: string
}

export async function sendSecurityNotice(services: Services, tx: Tx, user: User, notice: Notice): Promise<void> {
  const { links } = services
  await queueMail(services, tx, user.companyId, {
    userId: user.id,
    to: user.email,
    subject: notice.subject,
    text:
      `Hello ${user.firstName},\n\n${notice.what}\n\n` +
      `If this was not you, reset your password now and ask an admin to check the audit log:\n\n${links.dashboard}\n`,
  })
}

export const sendPasswordNotice = (services: Services, tx: Tx, user: User, company: string) =>
  sendSecurityNotice(services, tx, user, {
    subject: `Your password for ${company} was changed`,
    what: `The password of your account at ${company} was changed. All other sessions were signed out.`,
  })

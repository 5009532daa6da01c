import { Type } from 'typebox'
import { forbidden } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nullable } from '../../../http/schemas.ts'
import { maskedEmail } from '../../../lib/log.ts'
import { findCompany } from '../companies/store.ts'
import { admins, userIdOf } from '../credentials/roles.ts'
import { findUser } from '../users/store.ts'

const maxReply = 500

const sendTestEmail = route({
  method: 'POST',
  path: '/v1/mail_test',
  summary: 'Send a test email to your own address; returns the reply or the error of the mail server',
  tag: 'Company',
  access: 'app',
  roles: admins,
  reply: {
    status: 200,
    body: Type.Object({
      to: Type.String(),
      accepted: Type.Boolean({ description: 'The mail server has accepted the email; delivery is not known' }),
      reply: nullable(Type.String({ description: 'Reply or error of the mail server; null without a mail server' })),
    }),
  },
  async handle({ caller, services }) {
    const { companyId } = caller
    const userId = userIdOf(caller)
    const user = userId === null ? undefined : await findUser(services.db, companyId, userId)
    if (!user) throw forbidden('Sign in first')
    const { email: to } = user
    const { mailServer, log } = services
    if (!mailServer) return { to, accepted: false, reply: null }
    const company = await findCompany(services.db, companyId)
    try {
      const reply = await mailServer.send({
        to,
        subject: 'Test email',
        text: `Hello ${user.firstName},\n\nThe phone system of ${company.name} can send email.\n`,
      })
      return { to, accepted: true, reply: reply.slice(0, maxReply) }
    } catch (error) {
      log.warn({ event: 'email.test_failed', companyId, to: maskedEmail(to) }, 'test email not sent')
      return { to, accepted: false, reply: error instanceof Error ? error.message.slice(0, maxReply) : 'unknown error' }
    }
  },
})

export const mailTestRoutes = [sendTestEmail]

import type { Transporter } from 'nodemailer'

export interface MailMessage {
  to: string
  subject: string
  text: string
}

/** Connection to the mail server; undefined without SMTP_URL: e-mails then stay in the outbox. */
export interface MailServer {
  send(message: MailMessage): Promise<void>
  close(): void
}

export function connectMailServer(options: { smtpUrl?: string | undefined; from: string }): MailServer | undefined {
  if (!options.smtpUrl) return undefined
  const { smtpUrl, from } = options
  let transport: Promise<Transporter> | undefined
  // Loaded with the first e-mail: most processes never send one.
  const connect = async () => (await import('nodemailer')).default.createTransport(smtpUrl, { from })
  return {
    async send(message) {
      // Plain text only, and `to` as an object: nodemailer encodes it, so a name cannot inject a header.
      transport ??= connect()
      await (await transport).sendMail({ ...message, to: { name: '', address: message.to } })
    },
    close: () => void transport?.then((open) => open.close()),
  }
}

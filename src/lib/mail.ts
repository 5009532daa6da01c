import type { Transporter } from 'nodemailer'

export interface MailMessage {
  to: string
  subject: string
  text: string
}

/** Connection to the mail server; undefined without SMTP_URL: e-mails then stay in the outbox. */
export interface MailServer {
  /** The reply of the server, such as `250 2.0.0 Ok: queued as 4B1C`. */
  send(message: MailMessage): Promise<string>
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
      const sent = await (await transport).sendMail({ ...message, to: { name: '', address: message.to } })
      return typeof sent.response === 'string' ? sent.response : ''
    },
    close: () => void transport?.then((open) => open.close()),
  }
}

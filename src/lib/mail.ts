import type { Transporter } from 'nodemailer'

export interface MailMessage {
  to: string
  subject: string
  text: string
}

/** The road to the mail server; `undefined` when the installation has none and mails stay in the outbox. */
export interface MailServer {
  send(message: MailMessage): Promise<void>
  close(): void
}

export function connectMailServer(options: { smtpUrl?: string | undefined; from: string }): MailServer | undefined {
  if (!options.smtpUrl) return undefined
  const { smtpUrl, from } = options
  let transport: Promise<Transporter> | undefined
  // Loaded at the first mail: most starts send none.
  const connect = async () => (await import('nodemailer')).default.createTransport(smtpUrl, { from })
  return {
    async send(message) {
      // Plain text only, and `to` as an object: nodemailer then encodes it and no name can add a header.
      transport ??= connect()
      await (await transport).sendMail({ ...message, to: { name: '', address: message.to } })
    },
    close: () => void transport?.then((open) => open.close()),
  }
}

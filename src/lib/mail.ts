import type { Transporter } from 'nodemailer'

export interface MailMessage {
  to: string
  subject: string
  text: string
  html?: string | undefined
  attachment?: MailAttachment | undefined
  unsubscribeUrl?: string | undefined
}

/** A CSV file. */
export interface MailAttachment {
  name: string
  content: string
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
    async send({ to, subject, text, html, attachment, unsubscribeUrl }) {
      transport ??= connect()
      const sent = await (await transport).sendMail({
        // An object: nodemailer encodes it, so a name cannot inject a header.
        to: { name: '', address: to },
        subject,
        text,
        ...(html && { html }),
        ...(attachment && { attachments: [csvFile(attachment)] }),
        ...(unsubscribeUrl && oneClick(unsubscribeUrl)),
      })
      return typeof sent.response === 'string' ? sent.response : ''
    },
    close: () => void transport?.then((open) => open.close()),
  }
}

const csvFile = ({ name, content }: MailAttachment) => ({
  filename: name,
  content,
  contentType: 'text/csv; charset=utf-8',
})

/** RFC 8058: mail clients offer to unsubscribe, and send a POST request to the URL. */
const oneClick = (url: string) => ({
  list: { unsubscribe: { url, comment: 'Unsubscribe' } },
  headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
})

/** Connects, negotiates TLS and signs in, as for an email; throws with the reason of a failure. */
export async function checkMailServer(smtpUrl: string): Promise<void> {
  const { createTransport } = (await import('nodemailer')).default
  const timeouts = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000 }
  const transport = createTransport({ url: smtpUrl, ...timeouts })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface ReceivedMail {
  from: string
  to: string[]
  headers: string
  text: string
  /** As received, all parts. */
  source: string
}

/** A mail server of the network, which keeps what it is given; `refuse` may answer a recipient with an error. */
export async function mailSink(refuse: (address: string) => string | undefined = () => undefined) {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const words = refuse(address)
      done(words ? Object.assign(new Error(words), { responseCode: 550 }) : undefined)
    },
    async onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk)
      const source = Buffer.concat(chunks).toString('utf8')
      const [headers = '', ...body] = source.split('\r\n\r\n')
      const from = envelope.mailFrom ? envelope.mailFrom.address : ''
      const to = envelope.rcptTo.map(({ address }) => address)
      received.push({ from, to, headers, text: plain(headers, body), source })
      done()
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return { received, env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'phones@acme.test' } }
}

function plain(headers: string, body: string[]): string {
  const text = body.join('\r\n\r\n')
  if (!/quoted-printable/i.test(headers)) return text
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

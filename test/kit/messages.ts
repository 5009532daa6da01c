import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { saveLine } from '../../src/features/messages/lines/store.ts'
import { defaultLine } from '../../src/features/messages/lines/view.ts'
import { saveTemplate } from '../../src/features/messages/whatsapp/store.ts'
import type { OpenApp, TestApp, TestCompany, TestOptions } from './app.ts'

export const customer = '+33612345678'
export const friend = '+33612345679'

export interface Shop extends TestApp {
  line: { id: number; digits: string }
  /** Names and statuses of the message events so far. */
  messageEvents(of?: TestCompany): Promise<string[]>
  send(body: object, path?: string): ReturnType<TestCompany['api']>
  writes(from: string, body: string, more?: object): Promise<string>
}

/** A company with one Number with messaging and WhatsApp. */
export async function openShop(open: OpenApp, options?: TestOptions): Promise<Shop> {
  const app = await open(options)
  const { a } = app
  const made = await a.own('POST', '/v1/numbers', { digits: '+33199000101', name: 'Shop' })
  const line = { id: made.json.number.id as number, digits: '+33199000101' }
  await app.db.updateTable('number').set({ validated: 1 }).where('id', '=', line.id).execute()
  const verified = { ...defaultLine(a.id, line.id), wabaId: '123456789', whatsappVerification: 'VERIFIED' }
  await saveLine(app.db, a.id, verified, app.clock.now())
  return {
    ...app,
    line,
    async messageEvents(of = a) {
      const events = await app.events(of)
      return events
        .filter(({ name }) => name.includes('message.'))
        .map(({ name, data }) => `${name} ${data.status}${data.error_code ? ` ${data.error_code}` : ''}`)
    },
    send: (body, path = `/v1/numbers/${line.id}/messages/native/send`) => a.api('POST', path, body),
    async writes(from, body, more = {}) {
      const { json, status } = await a.api('POST', '/sandbox/v1/messages', { from, to: line.digits, body, ...more })
      if (status !== 201) throw new Error(JSON.stringify(json))
      return json.message_id
    },
  }
}

export const approved = {
  wabaId: '123456789',
  name: 'order_confirmation',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' },
    { type: 'FOOTER', text: 'The shop' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://shop.example/track/{{1}}' }] },
  ],
} satisfies Parameters<typeof saveTemplate>[2]

export const addTemplate = ({ db, a, clock }: Shop, template: Parameters<typeof saveTemplate>[2] = approved) =>
  saveTemplate(db, a.id, template, clock.now())

/** A customer's file server. */
export async function fileServer(files: Record<string, { status?: number; bytes?: Buffer }>): Promise<string> {
  const server = createServer((request, response) => {
    const file = files[request.url ?? '']
    response.writeHead(file?.status ?? (file ? 200 : 404)).end(file?.bytes ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

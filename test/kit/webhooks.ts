import { hashOf } from '../../src/lib/secrets.ts'
import { type Answer, basic, type Client, type TestApp, type TestCompany } from './app.ts'

// Webhook registrations, events, and the delivery log, as used by a developer.

export interface Hook {
  id: string
  path: string
  token: string
  secret: string
  /** The log, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: the fields of a delivery
  log(query?: string): Promise<any[]>
  // biome-ignore lint/suspicious/noExplicitAny: the fields of a delivery with its attempts
  detail(deliveryId: string): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: the fields of a health
  health(): Promise<any>
  /** Changes it without its events. */
  put(change: object): Promise<Answer>
}

export async function addHook(client: Client, to: { url: string }, events?: string[], name?: string): Promise<Hook> {
  const body = { url: to.url, ...(events && { events }), ...(name && { custom_name: name }) }
  const made = must(await client('POST', '/v1/webhooks', body), 201)
  const { webhook_id: id, token } = made.json.webhook
  return hookOf(client, { id, token, secret: made.json.signing_secret })
}

/** The same, seen by another client or after a restart. */
export function hookOf(client: Client, { id, token, secret }: Pick<Hook, 'id' | 'token' | 'secret'>): Hook {
  const path = `/v1/webhooks/${id}`
  return {
    id,
    token,
    secret,
    path,
    async log(query = '') {
      const listed = await client('GET', `${path}/deliveries?per_page=50${query && `&${query}`}`)
      return must(listed, 200).json.deliveries
    },
    detail: async (deliveryId) => must(await client('GET', `${path}/deliveries/${deliveryId}`), 200).json.delivery,
    health: async () => must(await client('GET', `${path}/health`), 200).json,
    put: async (change) => must(await client('PUT', `${path}?events_action=add`, change), 200),
  }
}

/** The response if it has one of these statuses. */
export function must(answer: Answer, ...statuses: number[]): Answer {
  if (!statuses.includes(answer.status)) throw new Error(`${answer.status} instead of ${statuses}: ${answer.text}`)
  return answer
}

let lastPhone = 0
const phone = () => ({ label: 'Work', value: `+331763${String(++lastPhone).padStart(5, '0')}` })

/** Creates a contact: one event. */
export async function addContact(client: Client, first_name = 'Ada'): Promise<number> {
  return must(await client('POST', '/v1/contacts', { first_name, phone_numbers: [phone()] }), 200, 201).json.contact.id
}

export async function rename(client: Client, contactId: number, first_name: string): Promise<void> {
  must(await client('PUT', `/v1/contacts/${contactId}`, { first_name }), 200)
}

export const contactEvents = ['contact.created', 'contact.updated', 'contact.deleted']

export interface Mail {
  to: string
  subject: string
  text: string
}

/** E-mails of the company with this subject, oldest first. */
export async function mailsAbout(company: TestCompany, words: string): Promise<Mail[]> {
  const { json } = must(await company.own('GET', '/v1/mail_outbox?per_page=50'), 200)
  return json.mails.filter(({ subject }: Mail) => subject.includes(words))
}

/** Another company, created as by an operator. */
export async function addCompany({ app, as }: TestApp, name: string) {
  const made = (await app.commands['company.create']?.({ name, owner_email: 'owner@example.test' })) as {
    company_id: number
    api_id: string
    api_token: string
  }
  const key = basic(made.api_id, made.api_token)
  return { id: made.company_id, key, api: as(key) }
}

/** A client with an OAuth token of company A, restricted to the given Numbers, if any. */
export async function partner({ db, a, as, clock }: TestApp, token: string, numberIds?: number[]): Promise<Client> {
  const { id } = await db
    .insertInto('oauth_token')
    .values({
      company_id: a.id,
      token_hash: hashOf(token),
      created_at: clock.now(),
      revoked_at: null,
      restricted: numberIds ? 1 : 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const number_id of numberIds ?? []) {
    await db.insertInto('oauth_token_number').values({ token_id: id, number_id, company_id: a.id }).execute()
  }
  return as(`Bearer ${token}`)
}

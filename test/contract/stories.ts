import type { TestApp } from '../kit/app.ts'
import { evaluatedCall } from '../kit/conversations.ts'
import { openShop } from '../kit/messages.ts'
import { codeFor, registerPartner } from '../kit/partner-app.ts'
import { openOffice, ringTo, voicemail } from '../kit/phone.ts'
import type { Group } from './endpoints.ts'

/** Calls an endpoint by its name in the inventory, checks code and root, and gives the body. */
export type Call = (
  name: string,
  parameters: Record<string, string | number>,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
) => Promise<any>

/** One story per group: each endpoint of the group is called once, in an order that makes sense. */
export const stories: Partial<Record<Group, (app: TestApp, call: Call) => Promise<void>>> = {
  async service(_app, call) {
    await call('GET /v1', {})
    await call('GET /v1/ping', {})
  },

  async company(_app, call) {
    await call('GET /v1/company', {})
  },

  async 'users v1'(app, call) {
    const { ada, line, connect } = await openOffice(async () => app)
    const number = await line({ ring: ringTo([{ type: 'user', id: ada }]), box: voicemail })
    await connect(ada)
    const to = '+33199000777'
    await call('POST /v1/users/:id/dial', { id: ada }, { to })
    await call('POST /v1/users/:id/calls', { id: ada }, { number_id: number.id, to })
    const { user } = await call('POST /v1/users', {}, person)
    const { id } = user
    await call('GET /v1/users', {})
    await call('GET /v1/users/:id', { id })
    await call('PUT /v1/users/:id', { id }, { availability_status: 'unavailable', substatus: 'on_a_break' })
    await call('GET /v1/users/availabilities', {})
    await call('GET /v1/users/:id/availability', { id })
    await call('DELETE /v1/users/:id', { id })
  },

  async 'users v2'(_app, call) {
    const { user } = await call('POST /v2/users', {}, person)
    const { id } = user
    await call('GET /v2/users', {})
    await call('GET /v2/users/:id', { id: encodeURIComponent(person.email) })
    await call('PUT /v2/users/:id', { id }, { first_name: 'Noor' })
    await call('GET /v2/users/:id/numbers', { id })
  },

  async teams({ a }, call) {
    const { team } = await call('POST /v1/teams', {}, { name: 'Night shift' })
    const member = { team_id: team.id, user_id: a.ownerId }
    await call('POST /v1/teams/:team_id/users/:user_id', member)
    await call('GET /v1/teams', {})
    await call('GET /v1/teams/:id', { id: team.id })
    await call('DELETE /v1/teams/:team_id/users/:user_id', member)
    await call('DELETE /v1/teams/:id', { id: team.id })
  },

  async intelligence(app, call) {
    const { id } = await evaluatedCall(app)
    const parameters = { call_id: id }
    await call('GET /v1/calls/:call_id/transcription', parameters)
    await call('GET /v1/calls/:call_id/realtime_transcription', parameters)
    await call('GET /v1/calls/:call_id/sentiments', parameters)
    await call('GET /v1/calls/:call_id/topics', parameters)
    await call('GET /v1/calls/:call_id/summary', parameters)
    await call('GET /v1/calls/:call_id/custom_summary_result', parameters)
    await call('GET /v1/calls/:call_id/action_items', parameters)
    await call('GET /v1/calls/:call_id/playbook_result', parameters)
    await call('GET /v1/calls/:call_id/evaluations', parameters)
    await call('GET /v1/calls/:call_id/predicted_csat', parameters)
  },

  async messages(app, call) {
    const { line } = await openShop(async () => app)
    const { id } = line
    const [to, body, lineId] = ['+33612345678', 'Hello', id]
    const participants = [to]
    await call('POST /v1/numbers/:id/messages/configuration', { id }, { callbackUrl: 'https://crm.example.com/' })
    await call('GET /v1/numbers/:id/messages/configuration', { id })
    await call('POST /v1/numbers/:id/messages/native/send', { id }, { to, body })
    await call('POST /v1/numbers/:id/messages/send', { id }, { to, body })
    await call('POST /v1/numbers/:id/messages/group/native/send', { id }, { participants, body })
    await call('POST /v1/numbers/:id/messages/group/send', { id }, { participants, body })
    await call('POST /v1/messages/whatsapp/send', {}, { lineId, to, text: body })
    await call('POST /v1/messages/send/whatsapp/native', {}, { lineId, externalNumber: to, text: body })
    await call('GET /v1/numbers/:id/templates', { id })
    await call('GET /v1/numbers/:id/whatsapp_status', { id })
    await call('GET /v1/sms/templates', {})
    await call('DELETE /v1/numbers/:id/messages/configuration', { id })
  },

  async dialer({ a }, call) {
    const user_id = a.ownerId
    const campaign = 'GET /v1/users/:user_id/dialer_campaign'
    await call('POST /v1/users/:user_id/dialer_campaign', { user_id }, { phone_numbers: ['+33123456789'] })
    await call(campaign, { user_id })
    await call(
      'POST /v1/users/:user_id/dialer_campaign/phone_numbers',
      { user_id },
      { phone_numbers: ['+33123456780'] },
    )
    const { numbers } = await call(`${campaign}/phone_numbers`, { user_id })
    await call('DELETE /v1/users/:user_id/dialer_campaign/phone_numbers/:id', { user_id, id: numbers[0].id })
    await call('DELETE /v1/users/:user_id/dialer_campaign', { user_id })
  },

  async calls(app, call) {
    const { ada, bea, line, connect, does, call: ring } = await openOffice(async () => app)
    const { tag } = (await app.a.api('POST', '/v1/tags', { name: 'Order', color: '#0a7' })).json
    const number = await line(undefined, { recording: true })
    await connect(ada, bea)
    const id = await ring(number)
    await does(ada, { kind: 'answer' })
    await call('GET /v1/calls', {})
    await call('GET /v1/calls/search', {})
    await call('GET /v1/calls/:id', { id })
    await call('GET /v1/calls/:id/participants', { id })
    await call('GET /v1/calls/:id/ivr_options', { id })
    const contents = [{ type: 'title', text: 'Gold customer' }]
    await call('POST /v1/calls/:id/insight_cards', { id }, { contents })
    await call('POST /v1/calls/:id/comments', { id }, { content: 'Rings back' })
    await call('POST /v1/calls/:id/tags', { id }, { tags: [tag.id] })
    await call('PUT /v1/calls/:id/archive', { id })
    await call('PUT /v1/calls/:id/unarchive', { id })
    await call('POST /v1/calls/:id/pause_recording', { id })
    await call('POST /v1/calls/:id/resume_recording', { id })
    await call('POST /v1/calls/:id/transfers', { id }, { user_id: bea })
    await call('DELETE /v1/calls/:id/recording', { id })
    await call('DELETE /v1/calls/:id/voicemail', { id })
  },

  async numbers({ a }, call) {
    const added = await a.own('POST', '/v1/numbers', { digits: '+14155550123', name: 'West coast' })
    const { id } = added.json.number
    await call('GET /v1/numbers', {})
    await call('GET /v1/numbers/:id', { id })
    await call('PUT /v1/numbers/:id', { id }, { name: 'Pacific' })
    await call('GET /v1/numbers/:id/registration_status', { id })
  },

  async contacts(_app, call) {
    const phone = { label: 'Work', value: '+33 1 99 00 02 07' }
    const email = { label: 'Work', value: 'bakery@example.test' }
    const { contact } = await call('POST /v1/contacts', {}, { phone_numbers: [phone], emails: [email] })
    const { id } = contact
    const phone_number_id = contact.phone_numbers[0].id
    const email_id = contact.emails[0].id
    await call('GET /v1/contacts', {})
    await call('GET /v1/contacts/search', {})
    await call('GET /v1/contacts/:id', { id })
    await call('POST /v1/contacts/:id', { id }, { first_name: 'Mira' })
    await call('PUT /v1/contacts/:id', { id }, { last_name: 'Sand' })
    await call('POST /v1/contacts/:id/phone_details', { id }, phone)
    await call('PUT /v1/contacts/:id/phone_details/:phone_number_id', { id, phone_number_id }, { label: 'Old' })
    await call('DELETE /v1/contacts/:id/phone_details/:phone_number_id', { id, phone_number_id })
    await call('POST /v1/contacts/:id/email_details', { id }, email)
    await call('PUT /v1/contacts/:id/email_details/:email_id', { id, email_id }, { label: 'Old' })
    await call('DELETE /v1/contacts/:id/email_details/:email_id', { id, email_id })
    await call('DELETE /v1/contacts/:id', { id })
  },

  async tags(_app, call) {
    const { tag } = await call('POST /v1/tags', {}, { name: 'Follow-up', color: '#0a7' })
    const { id } = tag
    await call('GET /v1/tags', {})
    await call('GET /v1/tags/:id', { id })
    await call('PUT /v1/tags/:id', { id }, { color: '#0a6b5b' })
    await call('DELETE /v1/tags/:id', { id })
  },

  async oauth(app, call) {
    const partner = await registerPartner(app, app.a)
    await call(
      'POST /v1/oauth/token',
      {},
      {
        client_id: partner.clientId,
        client_secret: partner.secret,
        code: await codeFor(app.a, partner),
        redirect_uri: partner.redirectUri,
        grant_type: 'authorization_code',
      },
    )
  },

  async analytics(_app, call) {
    const filter = { timezone: 'Europe/Paris', dateFilter: { relative: 'LAST_WEEK' } }
    const { exportID } = await call(
      'POST /v1/analytics/report/export',
      {},
      { input: { reportName: 'CALLS_HISTORY', filter } },
    )
    await call('GET /v1/analytics/report/export/:export_id', { export_id: exportID })
  },

  async 'voice agents'(app, call) {
    const office = await openOffice(async () => app)
    const number = await office.line()
    const made = await app.a.own('POST', '/v1/ai_voice_agents', {
      name: 'Robin',
      first_message: 'Hello',
      outbound_number_id: number.id,
    })
    const { id } = made.json.ai_voice_agent
    await call('GET /v1/ai_voice_agents', {})
    await call('GET /v1/ai_voice_agents/:id', { id })
    const input = { contact_phone: '+33199000777', idempotency_key: 'once' }
    const queued = await call('POST /v1/outbound-calls/agents/:agent_id', { agent_id: id }, input)
    await call('GET /v1/outbound-calls', {})
    await call('GET /v1/outbound-calls/:id', { id: queued.id })
  },

  async integrations(_app, call) {
    await call('POST /v1/integrations/disable', {})
    await call('POST /v1/integrations/enable', {})
    await call('GET /v1/integrations/me', {})
  },

  async webhooks(_app, call) {
    const { webhook } = await call('POST /v1/webhooks', {}, { url: 'https://example.com/hook' })
    const { webhook_id } = webhook
    await call('GET /v1/webhooks', {})
    await call('GET /v1/webhooks/:webhook_id', { webhook_id })
    await call('PUT /v1/webhooks/:webhook_id', { webhook_id }, { active: false })
    await call('DELETE /v1/webhooks/:webhook_id', { webhook_id })
  },
}

const person = { email: 'noa.lind@example.test', first_name: 'Noa', last_name: 'Lind' }

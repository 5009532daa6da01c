import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { digitsOnly } from '../domain/phone-number.ts'
import type { Component } from '../domain/whatsapp-template.ts'
import { pageOfContacts } from '../features/contacts/contacts/search-store.ts'
import { conversationWith, recordMessage, setUnread } from '../features/messages/inbox/conversations-store.ts'
import { saveLine } from '../features/messages/lines/store.ts'
import { defaultLine } from '../features/messages/lines/view.ts'
import { insertMessage, type NewMessage } from '../features/messages/messages/store.ts'
import { insertSmsTemplate } from '../features/messages/templates/store.ts'
import { saveTemplate } from '../features/messages/whatsapp/store.ts'
import { day, hour, minute, second } from '../lib/clock.ts'
import { describeNumber } from '../lib/phone-format.ts'
import { seededRandom } from '../lib/random.ts'

// Messages of the demo company: an inbox with conversations, Numbers with WhatsApp in every state, and templates.

const wabaId = '102938475610293'

const texts: [name: string, body: string][] = [
  ['Opening hours', 'We are open Monday to Friday from 9 to 18 h.'],
  ['On our way', 'Our technician is on the way and will be with you within the hour.'],
  ['Missed you', 'We tried to reach you just now. When may we call you back?'],
  ['Thank you', 'Thank you for your call! Reply to this message if anything is left open.'],
]

const body = (text: string): Component => ({ type: 'BODY', text })
const templates: {
  name: string
  category: 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
  status?: 'PENDING' | 'REJECTED'
  components: Component[]
}[] = [
  {
    name: 'order_confirmation',
    category: 'UTILITY',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      body('Hello {{1}}, your order {{2}} is on its way.'),
      { type: 'FOOTER', text: 'Demo Company' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://shop.example/track/{{1}}' }] },
    ],
  },
  {
    name: 'appointment_reminder',
    category: 'UTILITY',
    components: [
      body('Hello {{1}}, this is a reminder of your appointment on {{2}}.'),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'I will be there' },
          { type: 'QUICK_REPLY', text: 'Change it' },
        ],
      },
    ],
  },
  { name: 'follow_up', category: 'UTILITY', components: [body('Hello {{1}}, may we help you with anything else?')] },
  { name: 'login_code', category: 'AUTHENTICATION', components: [body('{{1}} is your code.')] },
  {
    name: 'spring_offer',
    category: 'MARKETING',
    components: [{ type: 'HEADER', format: 'IMAGE' }, body('Hello {{1}}, have a look at what is new this spring.')],
  },
  { name: 'summer_offer', category: 'MARKETING', status: 'PENDING', components: [body('Summer begins, {{1}}.')] },
  { name: 'free_money', category: 'MARKETING', status: 'REJECTED', components: [body('Click here now!')] },
]

type Line = [by: 'us' | 'them', text: string]
const conversations: Line[][] = [
  [
    ['them', 'Hello, is my repair ready?'],
    ['us', 'It is! You can pick it up until six today.'],
    ['them', 'Perfect, see you at five.'],
  ],
  [
    ['us', 'We tried to reach you just now. When may we call you back?'],
    ['them', 'After 3 pm please'],
  ],
  [
    ['them', 'Can I move my appointment to Thursday?'],
    ['us', 'Of course. Thursday at ten?'],
    ['them', 'Yes, thank you!'],
    ['us', 'You are booked. See you on Thursday.'],
  ],
  [['them', 'What are your opening hours?']],
  [
    ['us', 'Your invoice was sent to you by e-mail.'],
    ['them', 'I did not get it, can you send it again?'],
  ],
  [
    ['us', 'Thank you for your call! Reply to this message if anything is left open.'],
    ['them', 'All good, thanks'],
  ],
  [
    ['them', 'The part you sent does not fit'],
    ['us', 'Sorry about that. We send the right one today.'],
  ],
  [['them', 'Do you ship to Belgium?']],
]

export async function writeMessages(
  tx: Tx,
  companyId: CompanyId,
  {
    seed,
    at,
    numberIds,
    userIds,
  }: { seed: number; at: number; numberIds: readonly number[]; userIds: readonly number[] },
): Promise<void> {
  for (const [index, [name, words]] of texts.entries()) {
    await insertSmsTemplate(tx, companyId, { name, body: words }, at - 50 * day + index * minute)
  }
  for (const [index, { status = 'APPROVED', ...template }] of templates.entries()) {
    await saveTemplate(tx, companyId, { ...template, status, wabaId, language: 'en' }, at - 40 * day + index * hour)
  }
  const states = ['ONLINE', 'ONLINE', 'OFFLINE', 'BLOCKED'] as const
  for (const [index, whatsappStatus] of states.entries()) {
    const numberId = numberIds[index]
    if (numberId === undefined) continue
    const line = {
      ...defaultLine(companyId, numberId),
      wabaId,
      whatsappStatus,
      whatsappTier: 'TIER_1K',
      whatsappQuality: 'GREEN',
      whatsappVerification: 'VERIFIED',
    } as const
    await saveLine(tx, companyId, line, at)
  }
  await writeConversations(tx, companyId, { seed, at, numberId: numberIds[0] ?? 0, userIds })
}

async function writeConversations(
  tx: Tx,
  companyId: CompanyId,
  { seed, at, numberId, userIds }: { seed: number; at: number; numberId: number; userIds: readonly number[] },
): Promise<void> {
  const random = seededRandom(seed)
  const allContacts = { orderBy: 'created_at', phone: undefined, email: undefined } as const
  const { contacts } = await pageOfContacts(tx, companyId, allContacts, firstPage)
  const phones = contacts.flatMap(({ phones: [phone] }) => (phone ? [`+${digitsOnly(phone.value)}`] : []))
  for (const [index, lines] of conversations.entries()) {
    const external = phones[index * 2]
    if (external === undefined) return
    const { display } = await describeNumber(external)
    const channel = index % 3 === 2 ? ('whatsapp' as const) : null
    let time = at - (conversations.length - index) * 7 * hour - 2 * day
    const conversation = await conversationWith(tx, companyId, numberId, { external }, time)
    for (const [place, [by, words]] of lines.entries()) {
      time += random.integer(40, 900) * second
      const isOurs = by === 'us'
      const row: NewMessage = {
        id: `${time}demo${String(seed % 10_000).padStart(4, '0')}${String(index).padStart(4, '0')}${String(place).padStart(4, '0')}`,
        numberId,
        conversationId: conversation.id,
        mode: 'native',
        channel,
        direction: isOurs ? 'outbound' : 'inbound',
        status: isOurs ? (channel ? 'read' : 'delivered') : 'received',
        external,
        externalDisplay: display,
        participants: null,
        author: null,
        body: words,
        media: [],
        userId: isOurs ? (userIds[index % userIds.length] ?? null) : null,
        parentId: null,
        templateContent: null,
        templateParams: null,
        type: channel ? 'text' : null,
        metadata: null,
        category: null,
        kind: channel && isOurs ? 'free_customer_service' : null,
        country: null,
        queued: 0,
        fetching: false,
        createdAt: time,
      }
      await insertMessage(tx, companyId, row)
      await recordMessage(tx, companyId, conversation.id, { direction: row.direction, body: words, at: time })
    }
    const isAnswered = lines.at(-1)?.[0] === 'us' || index % 2 === 1
    await setUnread(tx, companyId, conversation.id, isAnswered ? 0 : 1)
  }
}

const firstPage = {
  page: 1,
  perPage: 20,
  limit: 20,
  offset: 0,
  order: 'asc',
  from: undefined,
  to: undefined,
  wall: Number.POSITIVE_INFINITY,
} as const

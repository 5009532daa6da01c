import { Directory, plainDigits } from './names.ts'
import { within } from './problems.ts'
import { isFields, listIn, nothingWithoutPlan, picked, type Requests } from './requests.ts'
import type { DocumentSection } from './sections.ts'

const plain = ['texts', 'per_second', 'waba_id', 'phone_number_id']
const carriers = { carrier: 'carrier_id', whatsapp_carrier: 'whatsapp_carrier_id' } as const

/** SMS and WhatsApp of every Number; carriers are named. */
export const messagingSection: DocumentSection = {
  name: 'messaging',
  key: 'digits',
  unique: true,
  fields: ['digits', ...plain, ...Object.keys(carriers)],
  async read({ requests }) {
    const named = await carrierNames(requests)
    return listIn((await requests.ask('GET /v1/message_lines')).message_lines).map((line) => ({
      id: line.number_id as number,
      fields: {
        digits: plainDigits(line.digits),
        ...picked(line, plain),
        carrier: named.nameOf(line.carrier_id),
        whatsapp_carrier: named.nameOf(line.whatsapp_carrier_id),
      },
    }))
  },
  async change({ requests }, { id }, changed) {
    const named = await carrierNames(requests)
    const ids = Object.entries(carriers)
      .filter(([name]) => changed[name] !== undefined)
      .map(([name, field]) => [field, within(name, () => named.idOf(changed[name]))])
    const body = { ...picked(changed, plain), ...Object.fromEntries(ids) }
    await requests.ask('PUT /v1/message_lines/:id', { params: { id }, body })
  },
}

const carrierNames = async (requests: Requests) =>
  new Directory(
    'carrier',
    listIn((await requests.ask('GET /v1/carriers')).carriers).map(({ id, name }) => [id, name] as const),
  )

/** Where conversation intelligence is enabled: the default, and Numbers that differ from it. */
export const intelligenceSection: DocumentSection = {
  name: 'conversation_intelligence',
  key: null,
  fields: ['enabled', 'language', 'numbers', 'vocabulary'],
  shapes: { numbers: 'objects' },
  async read({ requests, names }) {
    const { settings } = await requests.ask('GET /v1/intelligence/settings').catch(nothingWithoutPlan)
    if (!isFields(settings)) return []
    const numbers = listIn(settings.numbers)
      .map(({ number_id, ...own }) => ({ digits: String(names.numbers.nameOf(number_id)), ...own }))
      .toSorted((a, b) => (a.digits < b.digits ? -1 : 1))
    const company = picked(settings, ['enabled', 'language', 'vocabulary'])
    return [{ id: 'conversation_intelligence', fields: { ...company, numbers } }]
  },
  async change({ requests, names }, { fields }, changed) {
    const { numbers, ...rest } = { ...fields, ...changed }
    const own = listIn(numbers).map(({ digits, ...settings }, n) => ({
      language: null,
      ...settings,
      number_id: within(`numbers[${n}].digits`, () => names.numbers.idOf(digits)),
    }))
    await requests.ask('PUT /v1/intelligence/settings', { body: { ...rest, numbers: own } })
  },
}

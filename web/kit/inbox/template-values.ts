import type { WhatsappTemplate } from './data.ts'
import type { TemplateWish } from './model.ts'

// A template of WhatsApp has places: which ones, and the message with what was typed into them.

export interface Field {
  name: string
  label: string
}

const place = /\{\{\s*(\d{1,3})\s*\}\}/g
const placesIn = (text = '') => [...new Set([...text.matchAll(place)].map(([, n]) => n ?? ''))]
const part = ({ components }: WhatsappTemplate, type: string) => components.find((one) => one.type === type)

/** What has to be typed before it can be sent, in the order of the message. */
export function fieldsOf(template: WhatsappTemplate): Field[] {
  const header = part(template, 'HEADER')
  const kind = header?.format ?? 'TEXT'
  const buttons = part(template, 'BUTTONS')?.buttons ?? []
  return [
    ...(header && kind !== 'TEXT' ? [{ name: 'header', label: `Web address of the ${kind.toLowerCase()}` }] : []),
    ...(kind === 'TEXT' ? placesIn(header?.text).map((n) => ({ name: 'header', label: `Heading {{${n}}}` })) : []),
    ...placesIn(part(template, 'BODY')?.text).map((n) => ({ name: `body.${n}`, label: `Text {{${n}}}` })),
    ...buttons.flatMap(({ type, text, url }, index) =>
      type === 'URL' && placesIn(url).length > 0
        ? [{ name: `button.${index}`, label: `End of the address of “${text}”` }]
        : [],
    ),
  ]
}

export type Values = Record<string, string>

export function wishOf(template: WhatsappTemplate, values: Values): TemplateWish {
  const fields = fieldsOf(template)
  const format = part(template, 'HEADER')?.format ?? 'TEXT'
  const type = format.toLowerCase()
  const value = values.header ?? ''
  const header = format === 'TEXT' ? { type, text: value } : { type, mediaUrl: value }
  return {
    id: template.id,
    ...(fields.some(({ name }) => name === 'header') && { header }),
    body: fields
      .filter(({ name }) => name.startsWith('body.'))
      .map(({ name }) => ({ key: `{{${name.slice(5)}}}`, value: values[name] ?? '' })),
    buttons: fields
      .filter(({ name }) => name.startsWith('button.'))
      .map(({ name }) => ({ index: Number(name.slice(7)), type: 'url' as const, value: values[name] ?? '' })),
  }
}

/** As the customer will read it; a place that is still empty shows its number. */
export function previewOf(
  template: WhatsappTemplate,
  values: Values,
): { header: string; body: string; footer: string } {
  const put = (text: string, nameOf: (n: string) => string) =>
    text.replace(place, (whole, n: string) => values[nameOf(n)] || whole)
  return {
    header: put(part(template, 'HEADER')?.text ?? '', () => 'header'),
    body: put(part(template, 'BODY')?.text ?? '', (n) => `body.${n}`),
    footer: part(template, 'FOOTER')?.text ?? '',
  }
}

import { placeholder, placeholdersIn } from '../../../src/domain/whatsapp-template.ts'
import type { WhatsappTemplate } from './data.ts'
import type { TemplateMessage } from './model.ts'

// The placeholders of a WhatsApp template: its fields, the message with their values, and a preview.

export interface Field {
  name: string
  label: string
}

const part = ({ components }: WhatsappTemplate, type: string) => components.find((one) => one.type === type)

/** The values that the user must enter, in the order of the message. */
export function fieldsOf(template: WhatsappTemplate): Field[] {
  const header = part(template, 'HEADER')
  const kind = header?.format ?? 'TEXT'
  const buttons = part(template, 'BUTTONS')?.buttons ?? []
  return [
    ...(header && kind !== 'TEXT' ? [{ name: 'header', label: `URL of the ${kind.toLowerCase()}` }] : []),
    ...(kind === 'TEXT'
      ? placeholdersIn(header?.text ?? '').map((n) => ({ name: 'header', label: `Header {{${n}}}` }))
      : []),
    ...placeholdersIn(part(template, 'BODY')?.text ?? '').map((n) => ({ name: `body.${n}`, label: `Body {{${n}}}` })),
    ...buttons.flatMap(({ type, text, url }, index) =>
      type === 'URL' && placeholdersIn(url ?? '').length > 0
        ? [{ name: `button.${index}`, label: `URL suffix of “${text}”` }]
        : [],
    ),
  ]
}

export type Values = Record<string, string>

export function templateMessage(template: WhatsappTemplate, values: Values): TemplateMessage {
  const fields = fieldsOf(template)
  const format = part(template, 'HEADER')?.format ?? 'TEXT'
  const type = format.toLowerCase() as Lowercase<typeof format>
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

/** The message as the recipient will see it; an empty placeholder shows its number. */
export function previewOf(
  template: WhatsappTemplate,
  values: Values,
): { header: string; body: string; footer: string } {
  const put = (text: string, nameOf: (n: string) => string) =>
    text.replace(placeholder, (whole, n: string) => values[nameOf(n)] || whole)
  return {
    header: put(part(template, 'HEADER')?.text ?? '', () => 'header'),
    body: put(part(template, 'BODY')?.text ?? '', (n) => `body.${n}`),
    footer: part(template, 'FOOTER')?.text ?? '',
  }
}

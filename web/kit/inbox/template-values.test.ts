import { expect, test } from 'vitest'
import type { WhatsappTemplate } from './data.ts'
import { fieldsOf, previewOf, templateMessage } from './template-values.ts'

const order: WhatsappTemplate = {
  id: 7,
  name: 'order',
  language: 'en',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Hello {{1}}, order {{ 2 }} is on its way, {{1}}.' },
    { type: 'FOOTER', text: 'The shop' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Thanks' },
        { type: 'URL', text: 'Track', url: 'https://shop.example/{{1}}' },
      ],
    },
  ],
}

test('each placeholder is one field', () => {
  expect(fieldsOf(order).map(({ name }) => name)).toEqual(['header', 'body.1', 'body.2', 'button.1'])
})

test('the values become the API request and the preview', () => {
  const values = { header: '9', 'body.1': 'Ines', 'body.2': '9', 'button.1': 'x9' }

  expect(templateMessage(order, values)).toEqual({
    id: 7,
    header: { type: 'text', text: '9' },
    body: [
      { key: '{{1}}', value: 'Ines' },
      { key: '{{2}}', value: '9' },
    ],
    buttons: [{ index: 1, type: 'url', value: 'x9' }],
  })
  expect(previewOf(order, { 'body.1': 'Ines' }).body).toBe('Hello Ines, order {{ 2 }} is on its way, Ines.')
})

test('an image header needs a URL; a template without placeholders has no fields', () => {
  const picture: WhatsappTemplate = { ...order, components: [{ type: 'HEADER', format: 'IMAGE' }] }
  const plain: WhatsappTemplate = { ...order, components: [{ type: 'BODY', text: 'Hello' }] }

  expect(templateMessage(picture, { header: 'https://x.example/a.png' }).header).toEqual({
    type: 'image',
    mediaUrl: 'https://x.example/a.png',
  })
  expect([fieldsOf(plain), templateMessage(plain, {})]).toEqual([[], { id: 7, body: [], buttons: [] }])
})

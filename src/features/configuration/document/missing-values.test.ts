import { expect, test } from 'vitest'
import { missingHeaderValues } from './missing-values.ts'

const tool = (headers: object[], url = 'https://orders.example.test/status') => ({ name: 'order_status', url, headers })
const exported = {
  tools: [
    tool([
      { name: 'Authorization', value: null },
      { name: 'X-Shop', value: null },
    ]),
  ],
}

test('an export that is applied to a new AI agent lacks the values of its headers', () => {
  const request = { url: 'https://crm.example.test', headers: [{ name: 'X-Key' }] }

  expect(missingHeaderValues({ ...exported, context_request: request }, undefined)).toEqual([
    'tools.order_status.headers.Authorization',
    'tools.order_status.headers.X-Shop',
    'context_request.headers.X-Key',
  ])
})

test('values that are stored for the same server, or are in the document, are not missing', () => {
  const stored = { tools: [tool([{ name: 'Authorization', value: null }], 'https://orders.example.test/before')] }
  const given = {
    tools: [
      tool([
        { name: 'Authorization', value: null },
        { name: 'X-Shop', value: '7' },
      ]),
    ],
  }

  expect(missingHeaderValues(given, stored)).toEqual([])
  expect(missingHeaderValues({ tools: null, context_request: null }, stored)).toEqual([])
})

test('a stored value is not sent to another server', () => {
  const stored = { tools: [tool([{ name: 'Authorization', value: null }], 'https://elsewhere.example.test')] }

  expect(missingHeaderValues({ tools: [tool([{ name: 'Authorization', value: null }])] }, stored)).toEqual([
    'tools.order_status.headers.Authorization',
  ])
})

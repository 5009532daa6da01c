import { describe, expect, test } from 'vitest'
import { blankCarrier, carrierRequest, headersIn, pairsIn } from './carrier.ts'

describe('the form of a carrier', () => {
  test('words stand on lines, the last equals sign divides them', () => {
    expect(pairsIn('DELIVERED = delivered\n\n a=b = failed ')).toEqual([
      { theirs: 'DELIVERED', ours: 'delivered' },
      { theirs: 'a=b', ours: 'failed' },
    ])
  })

  test('a header without a value keeps the one it has', () => {
    expect(headersIn('Authorization: Bearer a:b\nX-Key:')).toEqual([
      { name: 'Authorization', value: 'Bearer a:b' },
      { name: 'X-Key', value: null },
    ])
  })

  test('secrets are sent only when they were typed', () => {
    const smpp = { ...blankCarrier.smpp, host: 'h', system_id: 's' }

    expect(carrierRequest({ ...blankCarrier, name: 'x', smpp })).not.toHaveProperty('smpp.password')
    expect(carrierRequest({ ...blankCarrier, name: 'x', smpp: { ...smpp, password: 'p' } })).toHaveProperty(
      'smpp.password',
      'p',
    )
  })
})

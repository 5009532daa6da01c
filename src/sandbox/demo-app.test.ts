import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../test/kit/app.ts'
import { openDemo } from '../../test/sandbox/demo.ts'
import { ensureDemoApp } from './demo-app.ts'

onAnyDatabase('the demo app', (open) => {
  test('keeps its credentials over every start and a reset; a lost secret is made anew', async () => {
    const { app, main, seeded, anonymous } = await openDemo(open)
    const { companyId } = seeded.main
    const first = await ensureDemoApp(app.services, companyId, undefined)
    const tryIt = async (client_secret: string) => {
      const { client_id, redirect_uri } = first
      const body = { client_id, client_secret, redirect_uri, code: 'x', grant_type: 'authorization_code' }
      return (await anonymous('POST', '/v1/oauth/token', body)).json.error
    }

    expect(await ensureDemoApp(app.services, companyId, first)).toEqual(first)
    expect((await main('POST', '/sandbox/v1/reset')).status).toBe(204)
    expect(await ensureDemoApp(app.services, companyId, first)).toEqual(first)
    expect(await tryIt(first.client_secret)).toBe('invalid_grant')

    const renewed = await ensureDemoApp(app.services, companyId, undefined)
    expect(renewed).toEqual({ ...first, client_secret: renewed.client_secret })
    expect([await tryIt(first.client_secret), await tryIt(renewed.client_secret)]).toEqual([
      'invalid_client',
      'invalid_grant',
    ])
    expect(first.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:/)
  })
})

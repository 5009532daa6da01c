import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { colleague, password, visitor } from '../../../../test/kit/visitor.ts'

const made = { id: 'AAAA', type: 'public-key', client_data: 'e30', attestation: 'AAAA' }
const signed = { id: 'AAAA', type: 'public-key', client_data: 'e30', authenticator_data: 'AAAA', signature: 'AAAA' }

onAnyDatabase('passkeys', (open) => {
  test('adding one needs the password and a response to the challenge', async () => {
    const app = await open()
    const me = await colleague(app, app.a, 'agent')

    const without = await me.ask('POST', '/v1/session/passkeys/options', {})
    const wrong = await me.ask('POST', '/v1/session/passkeys/options', { password: 'a guess' })
    const right = await me.ask('POST', '/v1/session/passkeys/options', { password })
    const forged = await me.ask('POST', '/v1/session/passkeys', made)

    expect([without.status, wrong.status, right.status, forged.status]).toEqual([400, 400, 200, 400])
    expect(right.json.options).toMatchObject({
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
    expect(right.text).not.toContain(`"${me.id}"`)
    expect((await me.ask('GET', '/v1/session/passkeys')).json).toEqual({ passkeys: [] })
  })

  test('an unknown or forged passkey signs no user in', async () => {
    const app = await open()
    const me = visitor(app)
    await me.ask('POST', '/v1/passkey_sign_in/options')

    const answer = await me.ask('POST', '/v1/passkey_sign_in', signed)

    expect(answer.status).toBe(403)
    expect(answer.headers.get('set-cookie')).toBe(null)
  })
})

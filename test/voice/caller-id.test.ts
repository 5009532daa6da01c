import { expect, test } from 'vitest'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { caller } from '../kit/sip-peer.ts'
import { lineDigits, openVoiceOffice, ringing } from '../kit/voice.ts'

// STIR/SHAKEN: what the carrier reports is shown, nothing is claimed beyond it.

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = { attest: 'B', dest: { tn: ['14155550150'] }, iat: 1_700_000_000, orig: { tn: '14155550199' } }
const identity = `${part({ alg: 'ES256', ppt: 'shaken' })}.${part(claims)}.c2ln;info=<https://c.test/a.pem>;alg=ES256`

onAnyDatabase('the caller ID verification of the carrier', (open) => {
  test.each([
    ['is in the trace and on the ringing phone', ';verstat=TN-Validation-Passed-A', [], 'passed', 'A'],
    ['has the attestation of the signature', ';verstat=TN-Validation-Passed', [`Identity: ${identity}`], 'passed', 'B'],
    ['may have failed', ';verstat=TN-Validation-Failed', [], 'failed', null],
    ['is not claimed for a signature alone', '', [`Identity: ${identity}`], 'none', 'B'],
  ] as const)('%s', async (_, verstat, headers, verification, attestation) => {
    const office = await openVoiceOffice(open)
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })

    const asserted = `P-Asserted-Identity: <sip:+14155550199${verstat}@127.0.0.1;user=phone>`
    office.carrier.send(far.invite({ headers: [asserted, ...headers] }))
    const { call_id } = await phone.first('ring')

    const { trace } = (await office.app.a.own('GET', `/v1/calls/${call_id}/trace`)).json
    expect(trace[0]).toMatchObject({ kind: 'caller_id', verification, attestation })
    const { calls } = await phone.ask({ type: 'calls' })
    expect(calls).toMatchObject([{ caller_id: { verification, attestation } }])
    office.carrier.send(far.ofInvite('CANCEL'))
  })
})

test('a call of a carrier that reports nothing has no such entry', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })

  office.carrier.send(far.invite())
  const { call_id } = await phone.first('ring')

  const { trace } = (await office.app.a.own('GET', `/v1/calls/${call_id}/trace`)).json
  expect(trace.map(({ kind }: { kind: string }) => kind)).not.toContain('caller_id')
  office.carrier.send(far.ofInvite('CANCEL'))
})

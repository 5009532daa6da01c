import { expect, test } from 'vitest'
import { createVoiceAgentCalls } from '../../src/engine/voice-agent-calls.ts'
import { insertOutboundCall, openOutboundCalls } from '../../src/features/voice-agents/outbound-calls/store.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { addAgent } from './agents.ts'

onAnyDatabase('with calls in another process', (open) => {
  test('an outbound call of an AI agent is passed between processes until one starts it', async () => {
    const office = await openOffice(open)
    const { services } = office.app
    const companyId = office.a.id
    const handedOn: number[] = []
    const { serve } = createVoiceAgentCalls({
      services,
      dial: () => Promise.reject(new Error('no line here')),
      handOn: async (company) => void handedOn.push(company),
    })
    const line = await office.line()
    const agentId = await addAgent(office, { name: 'Robin', first_message: 'Hello.' })
    const call = {
      id: '01JZ0Q3V9X5R8M2K7T4N6P1C0A',
      idempotencyKey: 'k',
      agentId,
      numberId: line.id,
      phone: '+33199007001',
      context: {},
      status: 'PENDING' as const,
      failureReason: null,
      callId: null,
      expiresAt: office.clock.now() + 60_000,
      createdAt: office.clock.now(),
    }
    await insertOutboundCall(office.db, companyId, call)

    await serve({ companyId })

    expect(handedOn).toEqual([companyId])
    expect(await openOutboundCalls(office.db, companyId)).toMatchObject([{ status: 'PENDING' }])
    // This process runs calls, and polls on its own.
    await office.pass(30)
    expect((await office.a.api('GET', '/v1/calls')).json.calls).toHaveLength(1)
  })
})

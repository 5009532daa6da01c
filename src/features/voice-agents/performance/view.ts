import { type Static, Type } from 'typebox'
import { usagePurposes } from '../../../domain/intelligence/engines.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { AgentFigures, CountedText } from './performance.ts'
import type { UseSums } from './usage-store.ts'

const Cost = nullable(Type.Number({ description: 'In the currency of the prices; null without a price' }))

const UseView = Type.Object({
  requests: Type.Integer({ description: 'Requests to the LLM, including failed ones' }),
  failed: Type.Integer(),
  input_tokens: Type.Integer({ description: 'As reported by the LLM server' }),
  output_tokens: Type.Integer(),
  cost: Cost,
})

const CountedView = Type.Object({
  text: Type.String(),
  count: Type.Integer(),
  call_ids: Type.Array(Type.Integer(), { description: 'The latest calls' }),
})

const milliseconds = nullable(Type.Number({ description: 'Milliseconds; null without turns' }))

export const PerformanceView = Type.Object({
  agents: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      calls: Type.Integer(),
      contained: Type.Integer({ description: 'Calls that ended without a hand-over to a person' }),
      escalated: Type.Integer(),
      turns: Type.Integer(),
      latency_p50: milliseconds,
      latency_p95: milliseconds,
      use: UseView,
    }),
  ),
  daily: Type.Array(Type.Object({ date: Type.String(), contained: Type.Integer(), escalated: Type.Integer() }), {
    description: 'Calls per day, UTC',
  }),
  escalation_reasons: Type.Array(CountedView),
  misunderstood: Type.Array(CountedView, { description: 'What callers said that was not understood' }),
  purposes: Type.Array(Type.Object({ purpose: oneOf(usagePurposes), use: UseView }), {
    description: 'LLM requests of the company by purpose',
  }),
  is_complete: Type.Boolean({ description: 'False: only the latest calls of the period were evaluated' }),
})

export const useView = ({ requests, failed, inputTokens, outputTokens, cost }: UseSums): Static<typeof UseView> => ({
  requests,
  failed,
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  cost,
})

export const figuresView = ({ p50Ms, p95Ms, ...figures }: AgentFigures) => ({
  ...figures,
  latency_p50: p50Ms,
  latency_p95: p95Ms,
})

export const countedView = ({ text, count, callIds }: CountedText) => ({ text, count, call_ids: callIds })

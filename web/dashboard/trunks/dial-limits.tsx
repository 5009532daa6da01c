import { NumberInput } from '@mantine/core'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { dialLimitsOf, dialRulesOf } from './limits.ts'
import { OutboundRulesForm, type RulesText } from './outbound-rules.tsx'

/** Outbound rules for calls. */
export function DialLimitsForm() {
  const { mode } = useSession()
  return (
    <OutboundRulesForm
      name="dial_limits"
      text={mode === 'sandbox' ? inSandbox : text}
      read={async () => dialRulesOf((await api.get('/v1/dial_limits')).dial_limits)}
      write={(rules, loaded) => api.put('/v1/dial_limits', { body: dialLimitsOf(rules), loaded: dialLimitsOf(loaded) })}
      more={(numbers, set) => (
        <NumberInput
          label="Maximum call duration, in minutes"
          description="Longer calls are ended automatically"
          min={1}
          max={1_440}
          maw={360}
          required
          value={(numbers.max_seconds ?? 0) / 60}
          onChange={(value) => typeof value === 'number' && set({ max_seconds: Math.round(value * 60) })}
        />
      )}
    />
  )
}

const text: RulesText = {
  of: 'calls',
  title: 'Outbound calling rules',
  intro:
    'Protects against toll fraud with stolen credentials. A call that violates one of these rules is rejected, whether a ' +
    'user, an API key, a campaign or a transfer places it. Emergency calls are always allowed.',
  countries: {
    default: 'Default',
    defaultHint: 'The countries of your own numbers',
    none: 'None: no outbound calls can be made',
  },
  caps: {
    hint: 'Outbound calls of the company and per user.',
    max: 100_000,
    fields: [
      { field: 'concurrent', label: 'Concurrent calls' },
      { field: 'concurrent_per_user', label: 'Concurrent calls per user' },
      { field: 'per_minute', label: 'Calls per minute' },
      { field: 'per_minute_per_user', label: 'Calls per minute per user' },
    ],
  },
  rateUnit: 'minute',
  amounts: {
    hint: 'In the currency of the rates, from midnight UTC. When it is reached, calls end and admins receive an email.',
    fields: [{ field: 'daily_spend', label: 'Daily spend limit for calls' }],
  },
}

const inSandbox: RulesText = {
  ...text,
  countries: { ...text.countries, defaultHint: 'In this sandbox: all countries' },
}

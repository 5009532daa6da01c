import { NumberInput } from '@mantine/core'
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
      rulesOf={dialRulesOf}
      limitsOf={dialLimitsOf}
      more={(numbers, set) => (
        <NumberInput
          label="Maximum call duration, in minutes"
          description="A longer call is ended"
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
  title: 'Calls',
  intro:
    'Stolen passwords are used to dial expensive numbers, often at night and many at once. A call that breaks one of these ' +
    'rules is refused, whether a user, an API key, a campaign or a transfer places it. Emergency calls always pass.',
  countries: {
    default: 'Default',
    defaultHint: 'The countries of your own Numbers',
    none: 'None: no outbound calls can be made',
  },
  caps: {
    hint: 'Outbound calls of the company and of one user.',
    max: 100_000,
    fields: [
      { field: 'concurrent', label: 'Concurrent calls' },
      { field: 'concurrent_per_user', label: 'Concurrent calls per user' },
      { field: 'per_minute', label: 'Calls per minute' },
      { field: 'per_minute_per_user', label: 'Calls per minute and user' },
    ],
  },
  rateUnit: 'minute',
  amounts: {
    hint: 'In the currency of the rates, from midnight UTC. Calls end when it is used up, and admins get an email.',
    fields: [{ field: 'daily_spend', label: 'Amount per day for calls' }],
  },
}

const inSandbox: RulesText = {
  ...text,
  countries: { ...text.countries, defaultHint: 'In this sandbox: every country' },
}

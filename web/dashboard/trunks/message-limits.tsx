import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { messageLimitsOf, messageRulesOf } from './limits.ts'
import { OutboundRulesForm, type RulesText } from './outbound-rules.tsx'

/** Outbound rules for SMS, MMS and WhatsApp templates. */
export function MessageLimitsForm() {
  const { mode } = useSession()
  return (
    <OutboundRulesForm
      name="message_limits"
      text={mode === 'sandbox' ? inSandbox : text}
      read={async () => messageRulesOf((await api.get('/v1/message_limits')).message_limits)}
      write={(rules, loaded) =>
        api.put('/v1/message_limits', { body: messageLimitsOf(rules), loaded: messageLimitsOf(loaded) })
      }
    />
  )
}

const text: RulesText = {
  of: 'messages',
  title: 'Outbound messaging rules',
  intro:
    'Protects against SMS fraud with stolen API keys or sign-up forms. A message that violates one of these rules is ' +
    'rejected, whether a user, an API key or an app sends it. Premium-rate numbers and short codes are always rejected. ' +
    'WhatsApp replies within 24 hours are allowed to all countries.',
  countries: {
    default: 'Default',
    defaultHint: 'The allowed countries for calls, except those with frequent SMS fraud',
    none: 'None: no messages can be sent',
  },
  caps: {
    hint: 'Each group recipient counts. Days start at midnight UTC.',
    max: 10_000_000,
    fields: [
      { field: 'per_minute', label: 'Messages per minute' },
      { field: 'per_minute_per_user', label: 'Messages per minute per user' },
      { field: 'per_day', label: 'Messages per day' },
      { field: 'per_day_per_user', label: 'Messages per day per user' },
    ],
  },
  rateUnit: 'message part',
  amounts: {
    hint: 'In the currency of the rates, from midnight UTC.',
    fields: [
      { field: 'daily_spend', label: 'Daily spend limit for messages' },
      { field: 'daily_spend_per_user', label: 'Daily spend limit per user' },
    ],
  },
}

const inSandbox: RulesText = {
  ...text,
  countries: {
    ...text.countries,
    defaultHint: 'In this sandbox: all countries, except those with frequent SMS fraud',
  },
}

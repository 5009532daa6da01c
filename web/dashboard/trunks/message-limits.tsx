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
      rulesOf={messageRulesOf}
      limitsOf={messageLimitsOf}
    />
  )
}

const text: RulesText = {
  of: 'messages',
  title: 'Messages',
  intro:
    'Stolen API keys and sign-up forms are used to send texts to expensive numbers. A message that breaks one of these rules ' +
    'is refused, whether a user, an API key or an app sends it. Premium-rate and short numbers are always refused. WhatsApp ' +
    'answers within 24 hours may go to any country.',
  countries: {
    default: 'Default',
    defaultHint: 'The countries that may be called, without those where fraudulent traffic is common',
    none: 'None: no messages can be sent',
  },
  caps: {
    hint: 'Each recipient of a group counts. Days begin at midnight UTC.',
    max: 10_000_000,
    fields: [
      { field: 'per_minute', label: 'Messages per minute' },
      { field: 'per_minute_per_user', label: 'Messages per minute and user' },
      { field: 'per_day', label: 'Messages per day' },
      { field: 'per_day_per_user', label: 'Messages per day and user' },
    ],
  },
  rateUnit: 'message part',
  amounts: {
    hint: 'In the currency of the rates, from midnight UTC.',
    fields: [
      { field: 'daily_spend', label: 'Amount per day for messages' },
      { field: 'daily_spend_per_user', label: 'Amount per day and user' },
    ],
  },
}

const inSandbox: RulesText = {
  ...text,
  countries: {
    ...text.countries,
    defaultHint: 'In this sandbox: every country, without those where fraudulent traffic is common',
  },
}

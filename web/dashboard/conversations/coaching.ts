import type { ResponseOf } from '../../kit/api.ts'

export type CoachingCall = ResponseOf<'/v1/intelligence/coaching'>['calls'][number]
export type CoachingReason = CoachingCall['reasons'][number]

const minutes = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`

const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

interface Kind {
  label: string
  words: (value: number) => string
  color: string
}

export const kindsOfReasons: Record<CoachingReason['kind'], Kind> = {
  low_score: { label: 'Low score', words: (value) => `Score ${value} %`, color: 'red' },
  negative_sentiment: { label: 'Negative sentiment', words: () => 'Negative sentiment', color: 'red' },
  low_csat: { label: 'Low predicted CSAT', words: (value) => `Predicted CSAT ${value} of 5`, color: 'red' },
  handovers: { label: 'Several handovers', words: (value) => plural(value, 'handover'), color: 'orange' },
  monologue: { label: 'Long monologue', words: (value) => `Monologue of ${minutes(value)}`, color: 'orange' },
  talk_share: { label: 'High talk share', words: (value) => `Agent talks ${value} %`, color: 'orange' },
  open_action_items: {
    label: 'Overdue action items',
    words: (value) => `${plural(value, 'action item')} overdue`,
    color: 'gray',
  },
}

export const coachingWords = ({ kind, value }: CoachingReason): string => kindsOfReasons[kind].words(value ?? 0)

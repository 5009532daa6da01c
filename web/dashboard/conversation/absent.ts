// Explains why a result of conversation intelligence is missing.

export type Output =
  | 'transcription'
  | 'summary'
  | 'topics'
  | 'sentiments'
  | 'action_items'
  | 'custom_summary_result'
  | 'playbook_result'
  | 'predicted_csat'

export interface Facts {
  /** Recording or voicemail. */
  hasSound: boolean
  /** The other party was not to be recorded. */
  isRefused: boolean
  isOver: boolean
  /** Enabled for the number of the call. */
  isOn: boolean
  hasWords: boolean
  /** Of the transcript, for example en-GB. */
  language: string
  /** Undefined for users without admin role. */
  hasModel: boolean | undefined
  /** Speech-to-text is available; undefined for users without admin role. */
  canTranscribe: boolean | undefined
  isSimulated: boolean
  /** Whether a guide of this kind is active. */
  hasPlaybook: boolean
  hasTemplate: boolean
  /** Not included in the plan. */
  isClosed: boolean
}

export interface Reason {
  text: string
  /** Where to change it. */
  link?: { to: string; label: string }
}

export const titles: Record<Output, string> = {
  transcription: 'transcript',
  summary: 'summary',
  topics: 'topics',
  sentiments: 'sentiment',
  action_items: 'action items',
  custom_summary_result: 'template summary',
  playbook_result: 'playbook result',
  predicted_csat: 'predicted CSAT',
}

const base = '/dashboard/intelligence'
const settings = { to: `${base}/settings`, label: 'Settings' }

export function whyAbsent(output: Output, facts: Facts): Reason {
  const no = (why: string, link?: Reason['link']): Reason => ({
    text: `No ${titles[output]}: ${why}.`,
    ...(link && { link }),
  })
  if (facts.isClosed) return no('your plan does not include it')
  if (!facts.isOver) return no('it is generated after the call ends')
  if (output === 'transcription') return whyNoWords(facts, no)
  if (!facts.hasWords) return no('it requires a transcript')
  switch (output) {
    case 'playbook_result':
      if (!facts.hasPlaybook) return no('no playbook is active', { to: `${base}/playbooks`, label: 'Playbooks' })
      break
    case 'custom_summary_result':
      if (!facts.hasTemplate)
        return no('no summary template is active', { to: `${base}/templates`, label: 'Summary templates' })
      if (facts.hasModel === false) return no('without an LLM, the built-in rules must find content for every section')
      break
    case 'predicted_csat':
      if (facts.hasModel === false) return no('it requires an LLM', settings)
      if (facts.hasModel === undefined) return no('it requires an LLM')
      break
    default:
      break
  }
  if (facts.hasModel === undefined) {
    const isNothing = output === 'action_items'
    return no(isNothing ? 'no request or promise was found' : 'the conversation contains no usable content')
  }
  if (facts.hasModel) {
    const isNothing = output === 'action_items'
    return no(isNothing ? 'the LLM found no request or promise' : 'the LLM returned no valid result')
  }
  if (!rulesSupport(output, facts.language))
    return no('the built-in rules do not support this language; an LLM would', settings)
  return no(withoutModel[output] ?? 'the built-in rules found no matching content', settings)
}

/** What the rules need, and what an LLM would add. */
const withoutModel: Partial<Record<Output, string>> = {
  summary: 'the built-in rules found no sentence with the reason of the call; an LLM summarizes any conversation',
  topics:
    'the built-in rules found none of your topics or of the built-in ones; an LLM names topics of any conversation',
  action_items:
    'the built-in rules found no request or promise in clear words; an LLM also finds those that are only implied',
  sentiments: 'the built-in rules cannot tell it from the words of the caller; an LLM judges the whole conversation',
}

const ruleLanguages: Partial<Record<Output, readonly string[]>> = {
  sentiments: ['en', 'fr', 'es', 'de', 'nl', 'it'],
  summary: ['en', 'fr', 'de'],
  action_items: ['en', 'fr', 'de'],
  playbook_result: ['en'],
}

const rulesSupport = (output: Output, language: string) =>
  ruleLanguages[output]?.some((one) => language === one || language.startsWith(`${one}-`)) ?? true

type No = (why: string, link?: Reason['link']) => Reason

function whyNoWords(facts: Facts, no: No): Reason {
  if (!facts.hasSound && facts.isRefused) return no('the other party did not agree to be recorded')
  if (!facts.hasSound) return no('the call has no recording or voicemail')
  if (!facts.isOn) return no('conversation intelligence is off for this number', settings)
  if (facts.canTranscribe === false && !facts.isSimulated) return no('no speech-to-text engine is available', settings)
  return no('no speech was recognized, or it is not ready yet')
}

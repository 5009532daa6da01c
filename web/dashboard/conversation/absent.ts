// Why something was not made of a call. Nothing is invented, so every gap has a reason, and people are told it.

export type Output =
  | 'transcription'
  | 'summary'
  | 'topics'
  | 'sentiments'
  | 'custom_summary_result'
  | 'playbook_result'
  | 'predicted_csat'

export interface Facts {
  /** Recording or voicemail. */
  hasSound: boolean
  isOver: boolean
  /** Switched on for the Number of the call. */
  isOn: boolean
  hasWords: boolean
  isEnglish: boolean
  /** Undefined: only admins are told. */
  hasModel: boolean | undefined
  /** Speech recognition; undefined: only admins are told. */
  hasEar: boolean | undefined
  isSimulated: boolean
  /** Whether one of them is active. */
  hasPlaybook: boolean
  hasTemplate: boolean
  /** The plan has no such package. */
  isClosed: boolean
}

export interface Reason {
  text: string
  /** Where that can be changed. */
  link?: { to: string; label: string }
}

export const titles: Record<Output, string> = {
  transcription: 'transcript',
  summary: 'summary',
  topics: 'topics',
  sentiments: 'mood',
  custom_summary_result: 'summary by template',
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
  if (!facts.isOver) return no('it is made when the call is over')
  if (output === 'transcription') return whyNoWords(facts, no)
  if (!facts.hasWords) return no('there is no transcript to make it from')
  switch (output) {
    case 'playbook_result':
      if (!facts.hasPlaybook) return no('no playbook is in use', { to: `${base}/playbooks`, label: 'Playbooks' })
      break
    case 'custom_summary_result':
      if (!facts.hasTemplate)
        return no('no template is in use', { to: `${base}/templates`, label: 'Summary templates' })
      if (facts.hasModel === false)
        return no('without a language model every section needs something in the call that fills it')
      break
    case 'predicted_csat':
      if (facts.hasModel === false) return no('it needs a language model', settings)
      if (facts.hasModel === undefined) return no('only a language model makes it')
      break
    default:
      break
  }
  if (facts.hasModel === undefined) return no('nothing could be made of what was said')
  if (facts.hasModel) return no('the language model gave no answer that holds')
  if (!facts.isEnglish && output !== 'topics') return no('the built-in rules read English only', settings)
  return no('the built-in rules found nothing to make it from')
}

type No = (why: string, link?: Reason['link']) => Reason

function whyNoWords(facts: Facts, no: No): Reason {
  if (!facts.hasSound) return no('there is neither a recording nor a voicemail')
  if (!facts.isOn) return no('conversation intelligence is off for this Number', settings)
  if (facts.hasEar === false && !facts.isSimulated) return no('no speech-to-text engine is available', settings)
  return no('nothing was said that could be understood, or it is not ready yet')
}

import { expect, test } from 'vitest'
import { type Facts, type Output, whyAbsent } from './absent.ts'

const facts: Facts = {
  hasSound: true,
  isRefused: false,
  isOver: true,
  isOn: true,
  hasWords: true,
  language: 'en-GB',
  hasModel: false,
  canTranscribe: true,
  isSimulated: false,
  hasPlaybook: true,
  hasTemplate: true,
  isClosed: false,
}

test.each<[Output, Partial<Facts>, string]>([
  ['transcription', { isClosed: true }, 'your plan does not include it'],
  ['transcription', { isOver: false }, 'after the call ends'],
  ['transcription', { hasSound: false, isOn: false }, 'no recording or voicemail'],
  ['transcription', { hasSound: false, isRefused: true }, 'did not agree to be recorded'],
  ['transcription', { isOn: false }, 'off for this number'],
  ['transcription', { canTranscribe: false }, 'no speech-to-text engine is available'],
  ['transcription', { canTranscribe: false, isSimulated: true }, 'no speech was recognized'],
  ['summary', { hasWords: false }, 'it requires a transcript'],
  ['summary', {}, 'no sentence with the reason of the call; an LLM'],
  ['summary', { language: 'pl' }, 'do not support this language; an LLM would'],
  ['sentiments', { language: 'fr' }, 'cannot tell it from the words of the caller'],
  ['topics', { language: 'pl' }, 'found none of your topics'],
  ['summary', { hasModel: true }, 'the LLM returned no valid result'],
  ['playbook_result', { hasPlaybook: false }, 'no playbook is active'],
  ['custom_summary_result', { hasTemplate: false }, 'no summary template is active'],
  ['predicted_csat', {}, 'requires an LLM'],
  ['predicted_csat', { hasModel: undefined }, 'requires an LLM'],
  ['custom_summary_result', {}, 'must find content for every section'],
  ['action_items', { hasWords: false }, 'it requires a transcript'],
  ['action_items', {}, 'no request or promise in clear words; an LLM also'],
  ['action_items', { language: 'es' }, 'do not support this language; an LLM would'],
  ['action_items', { hasModel: true }, 'the LLM found no request or promise'],
  ['action_items', { hasModel: undefined }, 'no request or promise was found'],
  ['action_items', { hasSound: false, hasWords: false }, 'it requires a transcript'],
  ['summary', { hasModel: undefined, language: 'pl' }, 'no usable content'],
])('no %s with %j: %s', (output, change, why) => {
  expect(whyAbsent(output, { ...facts, ...change }).text).toContain(why)
})

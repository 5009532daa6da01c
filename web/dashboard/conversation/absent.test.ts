import { expect, test } from 'vitest'
import { type Facts, type Output, whyAbsent } from './absent.ts'

const facts: Facts = {
  hasSound: true,
  isRefused: false,
  isOver: true,
  isOn: true,
  hasWords: true,
  isEnglish: true,
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
  ['summary', {}, 'the built-in rules found no matching content'],
  ['summary', { isEnglish: false }, 'support English only'],
  ['topics', { isEnglish: false }, 'the built-in rules found no matching content'],
  ['summary', { hasModel: true }, 'the LLM returned no valid result'],
  ['playbook_result', { hasPlaybook: false }, 'no playbook is active'],
  ['custom_summary_result', { hasTemplate: false }, 'no summary template is active'],
  ['predicted_csat', {}, 'requires an LLM'],
  ['predicted_csat', { hasModel: undefined }, 'requires an LLM'],
  ['custom_summary_result', {}, 'must find content for every section'],
  ['summary', { hasModel: undefined, isEnglish: false }, 'no usable content'],
])('no %s with %j: %s', (output, change, why) => {
  expect(whyAbsent(output, { ...facts, ...change }).text).toContain(why)
})

import { expect, test } from 'vitest'
import { type Facts, type Output, whyAbsent } from './absent.ts'

const facts: Facts = {
  hasSound: true,
  isOver: true,
  isOn: true,
  hasWords: true,
  isEnglish: true,
  hasModel: false,
  hasEar: true,
  isSimulated: false,
  hasPlaybook: true,
  hasTemplate: true,
  isClosed: false,
}

test.each<[Output, Partial<Facts>, string]>([
  ['transcription', { isClosed: true }, 'your plan does not include it'],
  ['transcription', { isOver: false }, 'when the call is over'],
  ['transcription', { hasSound: false, isOn: false }, 'neither a recording nor a voicemail'],
  ['transcription', { isOn: false }, 'off for this Number'],
  ['transcription', { hasEar: false }, 'no speech-to-text engine is available'],
  ['transcription', { hasEar: false, isSimulated: true }, 'nothing was said'],
  ['summary', { hasWords: false }, 'no transcript to make it from'],
  ['summary', {}, 'the built-in rules found nothing'],
  ['summary', { isEnglish: false }, 'read English only'],
  ['topics', { isEnglish: false }, 'the built-in rules found nothing'],
  ['summary', { hasModel: true }, 'the language model gave no answer'],
  ['playbook_result', { hasPlaybook: false }, 'no playbook is in use'],
  ['custom_summary_result', { hasTemplate: false }, 'no template is in use'],
  ['predicted_csat', {}, 'needs a language model'],
  ['predicted_csat', { hasModel: undefined }, 'only a language model makes it'],
  ['custom_summary_result', {}, 'every section needs something'],
  ['summary', { hasModel: undefined, isEnglish: false }, 'nothing could be made'],
])('no %s with %j: %s', (output, change, why) => {
  expect(whyAbsent(output, { ...facts, ...change }).text).toContain(why)
})

import { expect, test } from 'vitest'
import { isSupported } from './voice-agent-capabilities.ts'

test.each([
  [{ talks: true, thinks: false }, { language: 'fr', brain: 'flow' }, true],
  [{ talks: true, thinks: false, hears: ['en'] }, { language: 'fr', brain: 'flow' }, false],
  [{ talks: true, thinks: false, hears: ['en'] }, { language: 'en', brain: 'llm' }, false],
  [{ talks: true, thinks: true, hears: ['en'] }, { language: 'en', brain: 'llm' }, true],
  [{ talks: false, thinks: false }, { language: 'en', brain: 'flow' }, false],
] as const)('with %j an agent %j is there: %s', (speech, agent, isThere) => {
  expect(isSupported(speech, agent)).toBe(isThere)
})

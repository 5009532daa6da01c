import { expect, test } from 'vitest'
import { auditWords } from './audit-words.ts'

test.each([
  ['Front desk', 'Front desk'],
  [['owner', 'agent'], 'Owner, Agent'],
  [{ from: ['agent'], to: ['owner', 'agent'] }, 'Agent → Owner, Agent'],
  [{ before: null, after: 'FR' }, 'None → FR'],
  [[], 'None'],
  [true, 'Yes'],
  [3, '3'],
  [{ first_name: { from: 'Ada', to: 'Eve' }, active: false }, 'first name Ada → Eve, active No'],
])('%j reads %s', (details, words) => {
  expect(auditWords(details)).toBe(words)
})

import { expect, test } from 'vitest'
import { estimateProblem } from './password-estimate.ts'

test.each([
  [3, null, [], undefined],
  [4, null, [], undefined],
  [0, 'topTen', ['anotherWord'], 'common'],
  [1, 'similarToCommon', ['anotherWord', 'l33t'], 'similar'],
  [1, 'userInputs', ['anotherWord'], 'personal'],
  [2, 'dates', ['anotherWord', 'dates'], 'dated'],
  [2, 'extendedRepeat', ['anotherWord', 'repeated'], 'pattern'],
  [2, null, ['anotherWord', 'l33t'], 'substituted'],
  [2, null, ['anotherWord'], 'weak'],
  [2, 'a key of a later version', [], 'weak'],
])('score %i with %s and %j is refused as %s', (score, warning, suggestions, problem) => {
  expect(estimateProblem({ score, warning, suggestions })).toBe(problem)
})

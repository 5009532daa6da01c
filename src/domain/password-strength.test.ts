import { expect, test } from 'vitest'
import { passwordProblem } from './password-strength.ts'

const own = ['nora.quist@acme.example', 'Nora', 'Quist', 'Acme Phones']

test.each([
  'correct horse battery',
  'the weather in oslo',
  'x7#kQ9vLp2',
  'kQvLpXwZtRbN',
  'mZrTqWxLpA42',
  'langes passwort für nora',
  'пять синих чашек',
])('%s is a password', (password) => {
  expect(passwordProblem(password, own)).toBeUndefined()
})

test.each([
  ['nine char', 'short'],
  ['🦊🦊🦊🦊🦊', 'short'],
  ['terminator', 'guessable'],
  ['California1!', 'guessable'],
  ['Carolina1987!', 'guessable'],
  ['2026 CAROLINA!', 'guessable'],
  ['Password123!', 'guessable'],
  ['P@ssw0rd2026!', 'guessable'],
  ['qwertz12345', 'guessable'],
  ['1q2w3e4r5t6y', 'guessable'],
  ['0179 5551234', 'guessable'],
  ['Summer-2026-!', 'guessable'],
  ['aB3$aB3$aB3$aB3$', 'guessable'],
  ['aaaaaaaaaaaaaaaa', 'guessable'],
  ['nora.quist@acme.example', 'guessable'],
  ['Quist!Acme99', 'guessable'],
  ['monkey dragon love', 'guessable'],
])('%s is %s', (password, problem) => {
  expect(passwordProblem(password, own)).toBe(problem)
})

import { expect, test } from 'vitest'
import { microphoneAdvice, microphoneErrorOf } from './microphone.ts'

test.each([
  ['NotAllowedError', 'denied'],
  ['NotFoundError', 'absent'],
  ['NotReadableError', 'busy'],
  ['TypeError', 'insecure'],
] as const)('%s has advice for the user', (name, why) => {
  const found = microphoneErrorOf(Object.assign(new Error('no'), { name }))

  expect(found).toBe(why)
  expect(microphoneAdvice[found]?.text).toMatch(/\w/)
})

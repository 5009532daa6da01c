import { expect, test } from 'vitest'
import { microphoneAdvice, whyNoMicrophone } from './microphone.ts'

test.each([
  ['NotAllowedError', 'denied'],
  ['NotFoundError', 'absent'],
  ['NotReadableError', 'busy'],
  ['TypeError', 'insecure'],
] as const)('%s: the person is told what to do', (name, why) => {
  const found = whyNoMicrophone(Object.assign(new Error('no'), { name }))

  expect(found).toBe(why)
  expect(microphoneAdvice[found]?.text).toMatch(/\w/)
})

import { expect, test } from 'vitest'
import { eventNames, serviceEventNames } from '../../../src/domain/events.ts'
import { allEvents, everyEvent } from './events.ts'

test('every event of the API is in one group', () => {
  expect([...everyEvent].sort()).toEqual([...eventNames, ...serviceEventNames].sort())
  expect([...allEvents].sort()).toEqual([...eventNames].sort())
})

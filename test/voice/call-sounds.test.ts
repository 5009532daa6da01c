import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { prepareCallSounds } from '../../src/drivers/call-sounds.ts'
import { temporaryFolder } from '../kit/databases.ts'

test('processes that start at the same time on one data folder all have their call sounds', async () => {
  const folder = await temporaryFolder()

  const prepared = await Promise.all(Array.from({ length: 4 }, () => prepareCallSounds(folder, 'en')))

  const files = prepared.flatMap((sounds) => sounds.filesOf('beep') ?? [])
  expect(files).toHaveLength(4)
  expect((await stat(files[0] ?? '')).size).toBeGreaterThan(0)
})

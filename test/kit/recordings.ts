import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { bytesPerSecond } from '../../src/media/g711.ts'
import type { TestApp } from './app.ts'

/** Until that many recordings have so many seconds on the disk. */
export async function recordedFor(
  { dataDir }: Pick<TestApp, 'dataDir'>,
  seconds: number,
  count: number,
): Promise<void> {
  const folder = path.join(dataDir, 'recordings')
  const longEnough = async () => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.part'))
    const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size))
    return sizes.filter((size) => size >= seconds * bytesPerSecond).length
  }
  await expect.poll(longEnough).toBe(count)
}

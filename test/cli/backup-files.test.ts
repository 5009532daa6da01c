import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/databases.ts'
import { emptyStore, newFile, storeOf } from './installation.ts'
import { hookswitch } from './program.ts'

test('recordings are in the backup and come back, wherever they are kept', async () => {
  const [old, fresh] = [await emptyStore('embedded'), await emptyStore('embedded')]
  const [from, to] = [path.join(await temporaryFolder(), 'sounds'), path.join(await temporaryFolder(), 'sounds')]
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  write(from, 'recordings/1/7-a.mp3', 'a recording')
  write(from, 'recordings/1/8-b.mp3', 'another')
  write(from, 'recordings/1/~half', 'not yet whole')
  write(to, 'recordings/2/9-c.mp3', 'of another life')
  await hookswitch(['migrate'], old)
  const file = await newFile()

  const made = await hookswitch(['backup', file, '--json'], { ...storeOf(old), FILES_URL: from })
  const restored = await hookswitch(['restore', file], { ...storeOf(fresh), FILES_URL: to })

  expect([made.code, made.stderr, restored.code, restored.stderr]).toEqual([0, '', 0, ''])
  const names = made.json.members.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['files/recordings/1/7-a.mp3', 'files/recordings/1/8-b.mp3']))
  expect(names.join()).not.toContain('~half')
  expect(readdirSync(to, { recursive: true }).sort()).toEqual([
    'recordings',
    'recordings/1',
    'recordings/1/7-a.mp3',
    'recordings/1/8-b.mp3',
  ])
  expect(readFileSync(path.join(to, 'recordings/1/7-a.mp3'), 'utf8')).toBe('a recording')
})

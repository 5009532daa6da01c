import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/databases.ts'
import { emptyStore, newFile, storeOf } from './installation.ts'
import { hookswitch } from './program.ts'

test('recordings are in the backup and are restored, wherever they are stored', async () => {
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

test('files in a bucket are not in the backup, which reports it; a restore leaves the bucket unchanged', async () => {
  const [old, fresh] = [await emptyStore('embedded'), await emptyStore('embedded')]
  const bucket = { FILES_URL: 's3://key:secret@phone-files/office?endpoint=http://127.0.0.1:9' }
  await hookswitch(['migrate'], old)
  const file = await newFile()

  const made = await hookswitch(['backup', file], { ...storeOf(old), ...bucket })
  const restored = await hookswitch(['restore', file], { ...storeOf(fresh), ...bucket })

  expect([made.code, restored.code]).toEqual([0, 0])
  expect(made.stdout).toContain('recordings, voicemails and uploads are NOT included')
  expect(made.stdout).toContain('the bucket phone-files')
  expect(restored.stdout).toContain('The bucket phone-files was not changed.')
  expect(made.stdout + made.stderr + restored.stdout + restored.stderr).not.toContain('secret@')
})

test('a backup with files is not restored into a bucket', async () => {
  const [old, fresh] = [await emptyStore('embedded'), await emptyStore('embedded')]
  const folder = path.join(await temporaryFolder(), 'sounds')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'a.mp3'), 'a recording')
  await hookswitch(['migrate'], old)
  const file = await newFile()
  await hookswitch(['backup', file], { ...storeOf(old), FILES_URL: folder })

  const refused = await hookswitch(['restore', file], { ...storeOf(fresh), FILES_URL: 's3://key:secret@phone-files' })

  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('restore it with FILES_URL set to a folder')
})

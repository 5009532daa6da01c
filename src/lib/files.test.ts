import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/kit/databases.ts'
import { filesIn } from './files.ts'

async function newStore() {
  const folder = path.join(await temporaryFolder(), 'files')
  return { folder, files: filesIn(folder) }
}

test('what was put is read back, whole or in part, until it is removed', async () => {
  const { files } = await newStore()
  await files.put('recordings/7/1-a.mp3', Buffer.from('first'))

  await files.put('recordings/7/1-a.mp3', Buffer.from('0123456789'))

  expect(await files.size('recordings/7/1-a.mp3')).toBe(10)
  expect((await buffer(files.read('recordings/7/1-a.mp3'))).toString()).toBe('0123456789')
  expect((await buffer(files.read('recordings/7/1-a.mp3', { start: 2, end: 4 }))).toString()).toBe('234')
  await files.remove('recordings/7/1-a.mp3')
  await files.remove('recordings/7/1-a.mp3')
  expect(await files.size('recordings/7/1-a.mp3')).toBeUndefined()
  await expect(buffer(files.read('recordings/7/1-a.mp3'))).rejects.toThrow('ENOENT')
})

test('writers of the same key do not mix, and what fails leaves nothing', async () => {
  const { folder, files } = await newStore()
  const texts = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000))

  await Promise.all(texts.map((text) => files.put('a/one', Buffer.from(text))))
  await expect(files.put('a', Buffer.from('a folder'))).rejects.toThrow()
  await expect(files.put('a/one/two', Buffer.from('below a file'))).rejects.toThrow()

  expect(texts).toContain((await buffer(files.read('a/one'))).toString())
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['a', 'a/one'])
  expect([await files.size('a'), await files.size('a/one/two')]).toEqual([undefined, undefined])
})

test('what is written piece by piece is there when all of it came; what a killed process left is removed', async () => {
  const { folder, files } = await newStore()
  async function* pieces(broken = false) {
    for (let i = 0; i < 100; i++) yield Buffer.alloc(1_000, String(i % 10))
    if (broken) throw new Error('the store is away')
  }

  expect(await files.write('a/one.csv', pieces())).toBe(100_000)
  await expect(files.write('a/two.csv', pieces(true))).rejects.toThrow('the store is away')
  writeFileSync(path.join(folder, 'a', '~three.csv'), 'cut off')
  await files.remove('a/three.csv')

  expect((await buffer(files.read('a/one.csv', { start: 999, end: 1_000 }))).toString()).toBe('01')
  expect(readdirSync(path.join(folder, 'a'))).toEqual(['one.csv'])
})

test('no key leads out of the folder', async () => {
  const { files } = await newStore()
  const keys = ['', '.', '..', '../x', 'a/../../x', 'a/..', '/etc/passwd', 'a//b', 'a/', './a', '%2e%2e/x', '..%2fx']
  for (const key of [...keys, 'a\0b', 'a\\..\\b', 'A', 'ä', 'a b', '.hidden', 'a/.hidden', '~a']) {
    for (const work of [
      () => files.put(key, Buffer.from('x')),
      () => files.write(key, (async function* () {})()),
      () => files.size(key),
      () => buffer(files.read(key)),
      () => files.remove(key),
    ]) {
      await expect(work(), key).rejects.toThrow('not a key')
    }
  }
})

test('a link in the folder is not followed, neither to a file nor through a folder', async () => {
  const { folder, files } = await newStore()
  const outside = await temporaryFolder()
  mkdirSync(folder)
  writeFileSync(path.join(outside, 'secret'), 'secret')
  symlinkSync(path.join(outside, 'secret'), path.join(folder, 'file'))
  symlinkSync(outside, path.join(folder, 'folder'))

  for (const key of ['file', 'folder/secret']) {
    expect(await files.size(key)).toBeUndefined()
    await expect(buffer(files.read(key))).rejects.toThrow('a link')
    await expect(files.put(key, Buffer.from('changed'))).rejects.toThrow('a link')
    await expect(files.remove(key)).rejects.toThrow('a link')
  }

  expect(readdirSync(outside)).toEqual(['secret'])
})

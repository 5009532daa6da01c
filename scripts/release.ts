import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { buildDebianPackage, ownArchitecture } from './deb.ts'
import { releaseNotes, withoutTexts } from './release-notes.ts'

// Releases: `npm run release -- COMMAND`. The signing key belongs to the operator of the release and is never stored here.

const usage = `Usage: npm run release -- COMMAND
  key FILE                      create an ed25519 key: FILE (private) and FILE.pub
  reproduce                     pack the commit twice, in two folders, and compare the hashes
  deb [--out DIR] [--arch amd64|arm64] [--revision N]
                                pack the commit as a Debian package
  notes                         print what the changelog says about this version
  pack --key FILE [--out DIR]   pack the commit, write release.json and its signature release.json.sig
  verify DIR --key FILE.pub     check the signature and the hashes of all files of a release
  released                      after the tag: keep the API of this version as the one that clients rely on`

const manifestName = 'release.json'

interface ReleaseManifest {
  name: string
  version: string
  commit: string
  files: { name: string; bytes: number; sha256: string }[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: 'string' },
    out: { type: 'string' },
    arch: { type: 'string', default: ownArchitecture },
    revision: { type: 'string', default: '1' },
  },
})
const [command, word] = positionals

if (command === 'key' && word) createKey(word)
else if (command === 'reproduce') reproduce()
else if (command === 'deb' && /^[1-9]\d*$/.test(values.revision)) debian(values.out ?? '.', Number(values.revision))
else if (command === 'notes') console.log(notesOfVersion())
else if (command === 'released') keepApi()
else if (command === 'pack' && values.key) pack(values.key, values.out ?? 'release')
else if (command === 'verify' && word && values.key) verifyRelease(word, values.key)
else {
  console.error(usage)
  process.exitCode = 2
}

function createKey(file: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
  writeFileSync(`${file}.pub`, publicKey.export({ type: 'spki', format: 'pem' }), { flag: 'wx' })
  console.log(`${file}: keep it offline. ${file}.pub: publish it.`)
}

function reproduce(): void {
  const [first, second] = [packedCommit(), packedCommit()]
  try {
    const hashes = [first, second].map(({ tarball }) => hashOf(tarball))
    for (const hash of hashes) console.log(`${hash}  ${path.basename(first.tarball)}`)
    if (hashes[0] === hashes[1]) console.log('Both builds are the same, byte for byte.')
    else reportFailure(`The builds differ:\n${differences(first.tarball, second.tarball).join('\n')}`)
  } finally {
    first.remove()
    second.remove()
  }
}

function debian(folder: string, revision: number): void {
  const { arch: architecture } = values
  if (architecture !== 'amd64' && architecture !== 'arm64')
    throw new Error(`${architecture} is neither amd64 nor arm64`)
  mkdirSync(folder, { recursive: true })
  const { tarball, checkout, remove } = packedCommit()
  try {
    const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'))
    const lockFile = path.join(checkout, 'package-lock.json')
    const file = buildDebianPackage({ tarball, lockFile, architecture, revision, epoch, folder })
    console.log(`${hashOf(file)}  ${file}`)
  } finally {
    remove()
  }
}

function pack(keyFile: string, folder: string): void {
  const key = createPrivateKey(readFileSync(keyFile))
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile} is not an ed25519 key`)
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`)
  notesOfVersion()
  const { tarball, checkout, remove } = packedCommit()
  try {
    for (const file of [
      tarball,
      path.join(checkout, 'sbom.cdx.json'),
      path.join(checkout, 'THIRD-PARTY-NOTICES.txt'),
    ]) {
      writeFileSync(path.join(folder, path.basename(file)), readFileSync(file))
    }
  } finally {
    remove()
  }
  const { name, version } = ownPackage()
  const files = readdirSync(folder)
    .sort()
    .map((file) => {
      const at = path.join(folder, file)
      return { name: file, bytes: readFileSync(at).length, sha256: hashOf(at) }
    })
  const manifest: ReleaseManifest = { name, version, commit: git('rev-parse', 'HEAD'), files }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(path.join(folder, manifestName), text)
  writeFileSync(path.join(folder, `${manifestName}.sig`), sign(null, text, key))
  console.log(`${folder}: ${name} ${version}, ${files.length} files, signed`)
}

function ownPackage(): { name: string; version: string } {
  return JSON.parse(readFileSync('package.json', 'utf8'))
}

function notesOfVersion(): string {
  return releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), ownPackage().version)
}

/** `test/contract/breaking-changes.test.ts` compares later documents with it. */
function keepApi(): void {
  const { openapi, info, paths, components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'))
  const file = `docs/api/openapi-${info.version}.json`
  const kept = withoutTexts({ openapi, info: { title: info.title, version: info.version }, paths, components })
  writeFileSync(file, `${JSON.stringify(kept, null, 1)}\n`)
  console.log(file)
}

function verifyRelease(folder: string, keyFile: string): void {
  const text = readFileSync(path.join(folder, manifestName))
  const signature = readFileSync(path.join(folder, `${manifestName}.sig`))
  const isSigned = verify(null, text, createPublicKey(readFileSync(keyFile)), signature)
  const { name, version, files }: ReleaseManifest = JSON.parse(text.toString())
  const wrong = files.filter(({ name: file, sha256 }) => {
    const at = path.join(folder, path.basename(file))
    return !existsSync(at) || hashOf(at) !== sha256
  })
  if (!isSigned) reportFailure(`${manifestName} was not signed with this key`)
  else if (wrong.length > 0) reportFailure(`missing or changed: ${wrong.map((file) => file.name).join(', ')}`)
  else console.log(`${name} ${version}: signature and ${files.length} files are valid`)
}

function reportFailure(reason: string): void {
  console.error(reason)
  process.exitCode = 1
}

/** The committed files in a folder of their own, with the dependencies installed here: changes that are not committed have no part in it. */
function packedCommit(): { tarball: string; checkout: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-release-'))
  const checkout = path.join(folder, 'checkout')
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '.', checkout], { stdio: 'inherit' })
  // A copy: bundlers follow links, and would see two different folders of modules.
  execFileSync('cp', ['-a', path.resolve('node_modules'), path.join(checkout, 'node_modules')])
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack wrote no package')
  return {
    tarball: path.join(folder, tarball),
    checkout,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function differences(first: string, second: string): string[] {
  const [one, other] = [contentsOf(first), contentsOf(second)]
  return [...new Set([...one.keys(), ...other.keys()])].filter((file) => one.get(file) !== other.get(file)).sort()
}

function contentsOf(tarball: string): Map<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-release-'))
  try {
    execFileSync('tar', ['-xzf', tarball, '-C', folder])
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const places = files.map(({ parentPath, name }) => path.join(parentPath, name))
    return new Map(places.map((at) => [path.relative(folder, at), hashOf(at)]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim()
}

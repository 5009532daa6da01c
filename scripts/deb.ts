import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

// The Debian package: the npm package with its production dependencies, the units of deploy/systemd and the files of
// deploy/debian. The same input gives the same bytes.

/** Names of an architecture: Debian's, that of Node.js, and the number in the header of a program. */
const architectures = {
  amd64: { cpu: 'x64', machine: 62 },
  arm64: { cpu: 'arm64', machine: 183 },
} as const

export type Architecture = keyof typeof architectures

export const ownArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'

interface Input {
  /** What `npm pack` wrote. */
  tarball: string
  /** Fixes the versions of the dependencies. */
  lockFile: string
  architecture: Architecture
  /** Of the Debian package, for a new one of the same release. */
  revision: number
  /** Time of all files, in seconds: SOURCE_DATE_EPOCH. */
  epoch: number
  /** Where the package is written. */
  folder: string
}

const library = 'usr/lib/hookswitch'
const documentation = 'usr/share/doc/hookswitch'

/** Returns the path of the package. */
export function buildDebianPackage(input: Input): string {
  const work = mkdtempSync(path.join(tmpdir(), 'hookswitch-deb-'))
  try {
    const root = path.join(work, 'root')
    stageLibrary(root, input)
    const { version }: { version: string } = JSON.parse(readFileSync(path.join(root, library, 'package.json'), 'utf8'))
    // A pre-release of npm sorts before the release in Debian, too.
    const debianVersion = `${version.replaceAll('-', '~')}-${input.revision}`
    stageSystemFiles(root)
    writeControlFiles(root, control(root, input.architecture, debianVersion))
    normalize(root, input.epoch)
    const file = path.join(path.resolve(input.folder), `hookswitch_${debianVersion}_${input.architecture}.deb`)
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(input.epoch) }
    // Not xz: its blocks depend on the number of processors.
    const args = ['--root-owner-group', '-Zgzip', '-z9', '--build', root, file]
    execFileSync('dpkg-deb', args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
    return file
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function stageLibrary(root: string, { tarball, lockFile, architecture }: Input): void {
  const folder = path.join(root, library)
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', path.resolve(tarball), '-C', folder, '--strip-components=1'])
  copyFileSync(lockFile, path.join(folder, 'package-lock.json'))
  const { cpu, machine } = architectures[architecture]
  const platform = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc']
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  execFileSync('npm', ['ci', ...flags, ...platform], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  for (const left of ['package-lock.json', 'node_modules/.package-lock.json', 'node_modules/.bin'])
    rmSync(path.join(folder, left), { recursive: true, force: true })
  for (const file of filesIn(folder).filter((name) => name.endsWith('.node')))
    if (!isFor(machine, readFileSync(file))) rmSync(file)
}

/** Some packages have binaries for all platforms, and others are installed for both C libraries. */
const isFor = (machine: number, binary: Buffer) =>
  binary.toString('latin1', 1, 4) === 'ELF' && binary.readUInt16LE(18) === machine && binary.includes('GLIBC_2.')

function stageSystemFiles(root: string): void {
  const put = (source: string, target: string, mode = 0o644) => {
    const file = path.join(root, target)
    mkdirSync(path.dirname(file), { recursive: true })
    copyFileSync(source, file)
    chmodSync(file, mode)
  }
  put('deploy/debian/hookswitch', 'usr/bin/hookswitch', 0o755)
  put('deploy/debian/hookswitch.env', 'etc/hookswitch/hookswitch.env', 0o640)
  put('deploy/debian/README.Debian', path.join(documentation, 'README.Debian'))
  for (const unit of ['hookswitch.service', 'hookswitch-line-node.service'])
    put(path.join('deploy/systemd', unit), path.join('usr/lib/systemd/system', unit))

  const from = (name: string) => path.join(root, library, name)
  const to = (name: string) => path.join(root, documentation, name)
  renameSync(from('README.md'), to('README.md'))
  renameSync(from('.env.example'), to('settings.example'))
  writeFileSync(to('changelog.gz'), gzipSync(readFileSync(from('CHANGELOG.md')), { level: 9 }))
  rmSync(from('CHANGELOG.md'))
  const licences = ['LICENSE', 'THIRD-PARTY-NOTICES.txt'].map((name) => readFileSync(from(name), 'utf8'))
  writeFileSync(to('copyright'), licences.join(`\n${'='.repeat(100)}\n\n`))

  const completions = path.join(root, 'usr/share/bash-completion/completions')
  mkdirSync(completions, { recursive: true })
  const script = execFileSync(process.execPath, [from('dist/main.js'), 'completion', 'bash'], { cwd: root })
  writeFileSync(path.join(completions, 'hookswitch'), script)
}

function control(root: string, architecture: Architecture, version: string): string {
  const files = filesIn(root)
  const kilobytes = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / 1024), 0)
  const { DEBFULLNAME: name = 'Hookswitch', DEBEMAIL: email = 'hookswitch@localhost' } = process.env
  const libraries = [`libc6 (>= ${newestGlibc(files)})`, 'libgcc-s1']
  return [
    'Package: hookswitch',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${name} <${email}>`,
    'Section: comm',
    'Priority: optional',
    `Installed-Size: ${kilobytes}`,
    `Depends: nodejs (>= 20.19), adduser, ${libraries.join(', ')}`,
    'Suggests: postgresql, nginx | haproxy | caddy, coturn',
    'Description: business phone system with a public REST API and webhooks',
    ' Hookswitch answers and places calls over SIP trunks, in the browser and on',
    ' desk phones, with call flows, queues, recordings, messages and AI agents.',
    ' Everything is available through a REST API with webhooks.',
    '',
  ].join('\n')
}

/** The newest version of the C library that a binary needs: symbols carry the version that introduced them. */
function newestGlibc(files: string[]): string {
  const minors = files
    .filter((file) => file.endsWith('.node'))
    .flatMap((file) => [...readFileSync(file, 'latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)))
  return `2.${Math.max(...minors)}`
}

function writeControlFiles(root: string, text: string): void {
  const sums = filesIn(root)
    .map((file) => ({ file, name: path.relative(root, file) }))
    .filter(({ name }) => !name.startsWith('etc/'))
    .map(({ file, name }) => `${createHash('md5').update(readFileSync(file)).digest('hex')}  ${name}\n`)
  const folder = path.join(root, 'DEBIAN')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'control'), text)
  writeFileSync(path.join(folder, 'conffiles'), '/etc/hookswitch/hookswitch.env\n')
  writeFileSync(path.join(folder, 'md5sums'), sums.join(''))
  for (const script of ['postinst', 'prerm', 'postrm'])
    copyFileSync(path.join('deploy/debian', script), path.join(folder, script))
}

/** One time, and modes that do not depend on the umask. */
function normalize(root: string, epoch: number): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const at = path.join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) chmodSync(at, modeOf(path.relative(root, at), entry.isDirectory()))
    lutimesSync(at, epoch, epoch)
  }
  chmodSync(root, 0o755)
  lutimesSync(root, epoch, epoch)
}

function modeOf(name: string, isFolder: boolean): number {
  if (name === 'etc/hookswitch/hookswitch.env') return 0o640
  return isFolder || name === 'usr/bin/hookswitch' || /^DEBIAN\/p/.test(name) ? 0o755 : 0o644
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

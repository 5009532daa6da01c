// What must exist before our TypeScript can run: the dependencies and dist/. Only `node:` modules here, because nothing
// is installed yet; with nothing to do, the look costs a few milliseconds.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { letShareTurn, takingTurns } from './turns.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const lockFile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const installStamp = join(modules, '.hookswitch-installed')
const dist = join(root, 'dist')
const buildStamp = join(dist, '.built-from')
const turn = join(root, '.prepare-lock')

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  giveUp(`Hookswitch needs Node.js 20.19 or newer, and this is ${process.version}. See https://nodejs.org/`)
}

export async function ensureInstalled() {
  if (isInstalled()) return
  await takingTurns(turn, async () => {
    if (isInstalled()) return
    const why = existsSync(modules) ? 'node_modules does not match package-lock.json' : 'first start only'
    print(`Installing dependencies … (${why})`)
    rmSync(installStamp, { force: true })
    // NODE_ENV=production would leave out the compiler.
    await run(...npm('ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'))
    writeFileSync(installStamp, lockHash())
  })
}

export async function ensureBuilt() {
  if (isBuilt()) return
  await takingTurns(turn, async () => {
    if (isBuilt()) return
    print(`Building … (${existsSync(dist) ? 'sources changed' : 'first start only'})`)
    // Taken before the compiler reads: an edit made meanwhile causes another build, never a stale one.
    const fingerprint = sourceFingerprint()
    rmSync(dist, { recursive: true, force: true })
    await run(process.execPath, [join(modules, 'tsx', 'dist', 'cli.mjs'), join('scripts', 'build.ts')])
    writeFileSync(buildStamp, fingerprint)
  })
}

function isInstalled() {
  const wanted = lockHash()
  if (textOf(installStamp) === wanted) return true
  if (!npmInstalledTheLockFile()) return false
  writeFileSync(installStamp, wanted)
  return true
}

function isBuilt() {
  return textOf(buildStamp) === sourceFingerprint()
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex')
}

/** True after a manual `npm ci` or `npm install`, by npm's own record in node_modules. */
function npmInstalledTheLockFile() {
  const note = textOf(join(modules, '.package-lock.json'))
  if (!note) return false
  const present = JSON.parse(note).packages
  const { '': _project, ...wanted } = JSON.parse(readFileSync(lockFile, 'utf8')).packages
  const isRight = (path) => present[path]?.version === wanted[path].version
  // Optional ones are mostly binaries for other platforms, so they may be absent.
  const mayBeAbsent = (path) => (wanted[path].optional || wanted[path].devOptional) && !present[path]
  return (
    Object.keys(wanted).every((path) => mayBeAbsent(path) || isRight(path)) &&
    Object.keys(present).every((path) => wanted[path])
  )
}

function sourceFingerprint() {
  const configs = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name))
  const lines = [
    ...configs,
    'package-lock.json',
    'scripts/build.ts',
    'scripts/bundle.ts',
    'scripts/bundled-packages.ts',
    'scripts/compress.ts',
    'scripts/docs.ts',
    'docs/glossary.md',
    ...sourcesIn('src'),
    ...sourcesIn('web'),
    ...sourcesIn('docs/pages'),
  ]
    .sort()
    .map((name) => {
      const { mtimeMs, size } = statSync(`${root}/${name}`)
      return `${name} ${mtimeMs} ${size}`
    })
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

// Not the recursive readdir: in Node 20 it stats every file, which doubles the time of a start with nothing to build.
function sourcesIn(folder) {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return sourcesIn(name)
    return /\.test\.tsx?$/.test(name) ? [] : [name]
  })
}

function npm(...args) {
  // The npm that started us, if it was npm: it may not be the one on the PATH.
  const caller = process.env.npm_execpath ?? ''
  return basename(caller) === 'npm-cli.js' ? [process.execPath, [caller, ...args]] : ['npm', args]
}

/** Runs a tool to its end. It is silent when it succeeds; stdout belongs to the program that is started afterwards. */
async function run(command, args) {
  const { spawn } = await import('node:child_process')
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  // If this process is killed, no other one begins before the child has ended too.
  const endShare = letShareTurn(turn, child.pid)
  // Not SIGTERM: npm continues for seconds, and a half-made node_modules is replaced anyway.
  const stopChild = () => child.kill('SIGKILL') && endShare()
  process.prependOnceListener('exit', stopChild)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, how: `could not be started: ${error.message}` }))
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 1, how: `ended with ${signal ?? `exit code ${code}`}` }),
    )
  })
  process.off('exit', stopChild)
  endShare()
  if (end.code === 0) return
  process.stderr.write(output)
  giveUp(`${[basename(command), ...args].join(' ')} ${end.how}`, end.code)
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  }
}

function print(line) {
  process.stderr.write(`${line}\n`)
}

function giveUp(message, code = 1) {
  print(message)
  process.exit(code)
}

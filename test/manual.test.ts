import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readCommandLine } from '../src/cli/commands.ts'
import { readConfig } from '../src/config.ts'
import { emptyStore, newFile, seeded } from './cli/installation.ts'
import { hookswitch, type Ran } from './cli/program.ts'
import { makeCertificate } from './kit/certificate.ts'
import { freePort, temporaryFolder } from './kit/databases.ts'
import { debianProgram } from './kit/debian-program.ts'

// The commands and configurations of the documentation are those of the programs that read them.

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const pages = readdirSync(path.join(root, 'docs/pages')).map((file) => `docs/pages/${file}`)

/** The pages for operators. */
const manual = [
  ...['operating', 'voice', 'reverse-proxy', 'monitoring', 'high-availability', 'capacity', 'backup'],
  ...['configuration-as-code', 'import', 'upgrading', 'troubleshooting', 'compliance', 'trunks'],
].map((name) => `docs/pages/${name}.md`)

interface Block {
  page: string
  language: string
  text: string
}

const blocksOf = (page: string): Block[] =>
  [...read(page).matchAll(/^( *)```(\S*)[^\n]*\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', text = '']) => ({
      page,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )

const blocks = manual.flatMap(blocksOf)

/** The file that a configuration is part of, as its first line names it. */
const fileOf = ({ text }: Block) => /^[#;] (\S+)\n/.exec(text)?.[1] ?? ''
const named = (file: string) => blocks.filter((block) => path.basename(fileOf(block)) === file)

/** Commands as a shell splits them, with the variables before them. */
function commandsIn(text: string): { variables: string[]; words: string[] }[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  const parts = lines.flatMap((line) => line.replace(/(^|\s)#.*$/, '').split(/ (?:\||&&|>) /))
  return parts.flatMap((part) => {
    const words = (part.match(/(?:\$\([^)]*\)|'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) =>
      word.replaceAll(/['"]/g, ''),
    )
    const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
    return first < 0 ? [] : [{ variables: words.slice(0, first), words: words.slice(first) }]
  })
}

/** The words after the name of our program; undefined for other commands. */
function ours(words: string[]): string[] | undefined {
  const own = words[0]?.endsWith('npx') ? words.slice(1) : words
  return own[0] === 'hookswitch' ? own.slice(1) : undefined
}

const settings = new Set([...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name))

/** The problem of a command line; an example in a sentence may leave arguments out. */
function problemOf(words: string[], mayBeIncomplete: boolean): string | undefined {
  try {
    const { found } = readCommandLine(words.map((word) => word.replaceAll(/[[\]]/g, '')))
    return found || mayBeIncomplete ? undefined : 'incomplete'
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    return mayBeIncomplete && message.startsWith('Missing ') ? undefined : message
  }
}

describe('commands', () => {
  test.each([...pages, 'README.md', 'deploy/README.md'])('of %s exist, with their options', (page) => {
    const lines = blocksOf(page).flatMap(({ language, text }) =>
      ['sh', 'bash', ''].includes(language) ? commandsIn(text) : [],
    )
    const units = blocksOf(page).flatMap(({ text }) => [...text.matchAll(/^ExecStart=(.*)$/gm)])
    const spans = [
      ...read(page)
        .replaceAll(/```[\s\S]*?```/g, '')
        .matchAll(/`((?:npx )?hookswitch [^`]+)`/g),
    ]
    const sentences = spans.flatMap(([, text = '']) => commandsIn(text.replaceAll(/ …/g, '')))
    const started = units.flatMap(([, text = '']) => commandsIn(text))

    const problems = [...lines, ...started].flatMap(({ words }) => {
      const own = ours(words)
      return own ? (problemOf(own, false) ?? []) : []
    })
    problems.push(...sentences.flatMap(({ words }) => problemOf(ours(words) ?? [], true) ?? []))
    const unknown = lines.flatMap(({ words, variables }) =>
      ours(words) ? variables.map((one) => one.split('=')[0] ?? '').filter((name) => !settings.has(name)) : [],
    )

    expect(problems).toEqual([])
    expect(unknown).toEqual([])
  })

  test('the commands of the recovery drill restore a backup into an empty folder', async () => {
    const env = await seeded('embedded')
    const file = await newFile()
    const { DATA_DIR = '' } = await emptyStore('embedded')
    const drill = blocks
      .filter(({ page }) => page.endsWith('/backup.md'))
      .flatMap(({ text }) => commandsIn(text))
      .filter(({ variables }) => variables.includes('DATA_DIR=/tmp/drill'))
      .map(({ words }) => (ours(words) ?? []).map((word) => (word.startsWith('/backups/') ? file : word)))
    expect(await hookswitch(['backup', file], env)).toMatchObject({ code: 0 })

    const outcomes: Ran[] = []
    for (const words of drill.filter(([name]) => name !== 'doctor')) {
      outcomes.push(await hookswitch(words, { DATA_DIR }))
    }

    expect(drill.map(([name]) => name)).toEqual(['restore', 'doctor', 'company'])
    expect(outcomes).toMatchObject([{ code: 0 }, { code: 0, stdout: expect.stringContaining('Demo Company') }])
  })
})

describe('configurations', () => {
  test('every block of the manual has a kind that is checked, except for a few', () => {
    const kinds = new Set(['sh', 'nginx', 'json', 'yaml'])
    const files = new Set(['hookswitch.env', 'turnserver.conf', 'pgbouncer.ini', 'hookswitch-line-node.service'])
    const isChecked = (block: Block) => kinds.has(block.language) || files.has(path.basename(fileOf(block)))
    const unchecked = blocks.filter((block) => !isChecked(block))

    expect(unchecked.filter(({ language }) => !['text', ''].includes(language))).toEqual([])
    expect(unchecked.length).toBeLessThanOrEqual(5)
  })

  test('shell blocks have our commands, and those that another test runs', () => {
    const others = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => commandsIn(text))
      .flatMap(({ words }) => (ours(words) ? [] : [words.slice(0, 2).join(' ')]))

    // Steps of the Debian package, which test/deploy/debian.test.ts takes where it can.
    const ofDebian = ['apt install', 'editor /etc/hookswitch/hookswitch.env', 'systemctl enable', 'journalctl -u']
    // Of test/release.test.ts.
    const ofRelease = ['openssl pkeyutl', 'sha256sum hookswitch-VERSION.tgz']
    expect(others).toEqual([...ofDebian, ...ofRelease, 'promtool check', 'promtool test'])
  })

  test.each(named('hookswitch.env'))('the settings on $page are accepted', ({ text }) => {
    const given = Object.fromEntries(
      text
        .split('\n')
        .flatMap((line) => [/^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []])
        .filter(({ length }) => length > 0),
    )
    const minimum = { PUBLIC_URL: 'https://phone.example.com', TRUSTED_PROXIES: '127.0.0.1' }
    const key = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 37) % 251)).toString('base64')

    expect(Object.keys(given).filter((name) => !settings.has(name))).toEqual([])
    expect(() => readConfig({ ...minimum, HOOKSWITCH_KEY: key, ...given })).not.toThrow()
  })

  test('YAML and JSON can be parsed', () => {
    for (const { language, text } of blocks) {
      if (language === 'json') expect(() => JSON.parse(text), text).not.toThrow()
      if (language === 'yaml') expect(() => parse(text), text).not.toThrow()
    }
  })

  const nginx = debianProgram('nginx', 'nginx', 'the configuration of nginx in the documentation')
  test.skipIf(!nginx)('nginx accepts its configuration', async () => {
    const [block, ...others] = blocks.filter(({ language }) => language === 'nginx')
    expect(others).toEqual([])
    const folder = await temporaryFolder()
    const { cert, key } = await makeCertificate(folder, 'phone')
    const site = (block?.text ?? '').replace('/etc/ssl/phone.pem', cert).replace('/etc/ssl/phone.key', key)
    const file = path.join(folder, 'nginx.conf')
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    await writeFile(file, `pid ${folder}/pid; error_log stderr; events {} http { ${temporary.join(' ')}\n${site}}`)

    expect(await output(nginx, ['-t', '-c', file])).toContain('test is successful')
  })

  const turnserver = debianProgram('turnserver', 'coturn', 'the configuration of coturn in the documentation')
  test.skipIf(!turnserver)('coturn knows each line of its configuration', async () => {
    const [block, ...others] = named('turnserver.conf')
    expect(others).toEqual([])
    const folder = await temporaryFolder()
    const file = path.join(folder, 'turnserver.conf')
    const port = await freePort()
    const where = [
      '--listening-ip=127.0.0.1',
      '--relay-ip=127.0.0.1',
      `--listening-port=${port}`,
      '--no-tls',
      '--no-dtls',
    ]
    const files = ['--log-file=stdout', `--pidfile=${folder}/pid`, `--userdb=${folder}/users`]
    const accepted = async (text: string) => {
      await writeFile(file, text)
      return started(turnserver, ['-c', file, ...where, ...files], /IO method/)
    }

    expect(await accepted(block?.text ?? '')).not.toMatch(/Bad configuration|CONFIG ERROR|ERROR/)
    expect(await accepted(`${block?.text}no-such-line=1\n`)).toContain('Bad configuration')
  })

  const pgbouncer = debianProgram('pgbouncer', 'pgbouncer', 'the configuration of PgBouncer in the documentation')
  test.skipIf(!pgbouncer)('PgBouncer starts with its configuration', async () => {
    const [block, ...others] = named('pgbouncer.ini')
    expect(others).toEqual([])
    const folder = await temporaryFolder()
    await chmod(folder, 0o755)
    const file = path.join(folder, 'pgbouncer.ini')
    await writeFile(path.join(folder, 'userlist.txt'), '"hookswitch" "secret"\n')
    const here = (block?.text ?? '')
      .replace('10.0.0.21', '127.0.0.1')
      .replace('6432', String(await freePort()))
      .replace('/etc/pgbouncer/userlist.txt', path.join(folder, 'userlist.txt'))
    await writeFile(file, `${here}unix_socket_dir =\n`)
    // It refuses to run as root.
    const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []

    expect(await started(pgbouncer, [...asUser, file], /process up|FATAL/)).toContain('process up')
  })

  const analyze = debianProgram('systemd-analyze', 'systemd', 'the unit in the documentation')
  test.skipIf(!analyze)('systemd accepts the unit of the line node', async () => {
    const [block, ...others] = named('hookswitch-line-node.service')
    expect(others).toEqual([])
    const folder = await temporaryFolder()
    const units = path.join(folder, 'lib/systemd/system')
    await mkdir(path.join(folder, 'usr/bin'), { recursive: true })
    await mkdir(units, { recursive: true })
    await writeFile(path.join(folder, 'usr/bin/npx'), '#!/bin/sh\n', { mode: 0o755 })
    await writeFile(path.join(units, 'hookswitch-line-node.service'), block?.text ?? '')
    await cp('/lib/systemd/system', units, { recursive: true, force: false, verbatimSymlinks: true })

    const remarks = await output(analyze, ['verify', `--root=${folder}`, '--man=no', 'hookswitch-line-node.service'])
    expect(remarks.split('\n').filter((line) => line.includes('hookswitch'))).toEqual([])
  })
})

function output(program: string | undefined, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program ?? '', args, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })
}

/** What a server prints until it is running, or until it ends. */
function started(program: string | undefined, args: string[], isRunning: RegExp): Promise<string> {
  const child = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  return new Promise((resolve) => {
    const onText = (part: Buffer) => {
      text += part
      if (isRunning.test(text)) child.kill()
    }
    child.stdout.on('data', onText)
    child.stderr.on('data', onText)
    child.once('close', () => resolve(text))
  })
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

// The rules of ARCHITECTURE.md, read off the imports. Each failure names the file, the line and the rule.

const root = path.resolve(import.meta.dirname, '..')

const order = [
  'lib',
  'domain',
  'media',
  'db',
  'events',
  'jobs',
  'services.ts',
  'http',
  'mcp',
  'features',
  'delivery',
  'retention.ts',
  'sandbox',
  'live',
  'messaging',
  'intelligence',
  'engine',
  'drivers',
  'admin.ts',
  'config',
  'config.ts',
  'app',
  'app.ts',
  'cli',
  'main.ts',
]

/** Programs of their own, beside the line: audio, speech, and the estimate of a new password. Only the folder that starts one imports its protocol. */
const programs: Record<string, string> = {
  'voice-node': 'drivers',
  'line-node': 'drivers',
  'speech-node': 'intelligence',
  'password-worker': 'lib',
  'document-worker': 'lib',
}
const seenByPrograms = ['lib', 'domain', 'media']

const homes: Record<string, RegExp> = {
  '@simplewebauthn/server': /^src\/features\/accounts\/passkeys\/actions\.ts/,
  jose: /^src\/features\/accounts\/sso\/provider\.ts/,
  '@modelcontextprotocol/sdk': /^src\/mcp\/(server|stdio|endpoint)\.ts/,
  fastify: /^src\/(http\/|app\.ts|app\/http\.ts|live\/live-socket\.ts|mcp\/endpoint\.ts)/,
  'find-my-way': /^src\/http\//,
  'fast-json-stringify': /^src\/(http\/|features\/publishing\/payload\.ts)/,
  '@node-rs/argon2': /^src\/lib\/passwords\.ts/,
  '@zxcvbn-ts/core': /^src\/password-worker\/main\.ts/,
  '@zxcvbn-ts/language-common': /^src\/password-worker\/main\.ts/,
  htmlparser2: /^src\/document-worker\/html\.ts/,
  unpdf: /^src\/document-worker\/pdf\.ts/,
  kysely:
    /^src\/(db\/|events\/|jobs\/|engine\/[\w-]*store\.ts|(live|sandbox|sandbox\/reset)\/store\.ts|delivery\/[\w-]+-store\.ts|features\/[\w-]+\/[\w-]+\/([\w-]+-)?store\.ts)/,
  libsql: /^src\/db\//,
  pg: /^src\/db\//,
  pino: /^src\/lib\/log\.ts/,
  'prom-client': /^src\/lib\/(metrics|metric-kit)\.ts/,
  nodemailer: /^src\/lib\/mail\.ts/,
  marked: /^src\/http\/docs/,
  'libphonenumber-js': /^src\/lib\/phone-format\.ts/,
  typebox: /^src\/(http\/|features\/|sandbox\/|mcp\/|cli\/conformance-checks\.ts|live\/phone-requests\.ts)/,
  undici: /^src\/lib\/(safe-fetch|s3-requests|aws-credentials)\.ts/,
  aws4fetch: /^src\/lib\/s3-requests\.ts/,
  'wasm-media-encoders': /^src\/media\/mp3\.ts/,
  'mpg123-decoder': /^src\/media\/read-mp3\.ts/,
  '@evan/opus': /^src\/media\/(opus|opus-decoder|read-ogg)\.ts/,
  '@wasm-audio-decoders/ogg-vorbis': /^src\/media\/vorbis\.ts/,
  'node-datachannel': /^src\/voice-node\/native-transport\.ts/,
  werift: /^src\/voice-node\/pure-transport\.ts/,
  'tar-stream': /^src\/cli\/tar\.ts/,
  yaml: /^src\/lib\/yaml-source\.ts/,
  // Speech servers speak WebSocket too; the connection under it is opened by lib/safe-fetch.ts.
  ws: /^src\/(live\/(live-socket|phone-connection|dashboard-connection)|intelligence\/web-socket)\.ts/,
}

interface Source {
  file: string
  lines: string[]
  imports: { line: number; target: string; typeOnly: boolean }[]
}

const files = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))

const importWords =
  /^(?:import|export)\s(?:(type)\s)?.*?from '([^']+)'|^\} from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/

function read(file: string): Source {
  const lines = readFileSync(path.join(root, file), 'utf8').split('\n')
  const imports = lines.flatMap((text, index) => {
    const found = importWords.exec(text)
    const target = found?.[2] ?? found?.[3] ?? found?.[4] ?? found?.[5]
    if (!target) return []
    return [{ line: index + 1, target: resolved(file, target), typeOnly: found?.[1] === 'type' }]
  })
  return { file, lines, imports }
}

const resolved = (file: string, target: string) =>
  target.startsWith('.') ? path.join(path.dirname(file), target) : target

const all = files('src')
  .filter((file) => file.endsWith('.ts'))
  .map(read)
const sources = all.filter(({ file }) => !file.endsWith('.test.ts'))

const part = (file: string) => file.split('/')[1] ?? ''

/** The context that a file of features/ belongs to. */
const contextOf = (file: string) => /^src\/features\/([\w-]+)\//.exec(file)?.[1]

function mayImport(file: string, target: string): boolean {
  const from = part(file)
  const to = part(target)
  if (from === 'domain') return target.startsWith('src/domain/')
  if (!target.startsWith('src/')) return true
  if (from in programs) return from === to || seenByPrograms.includes(to) || (from === 'line-node' && to === 'drivers')
  if (to in programs) return from === programs[to] && target.endsWith('/protocol.ts')
  if (order.indexOf(to) > order.indexOf(from)) return false
  const [mine, theirs] = [contextOf(file), contextOf(target)]
  if (mine && theirs && mine !== theirs && target !== `src/features/${theirs}/index.ts`) return false
  return !target.endsWith('/routes.ts') || /^src\/(features|sandbox)\/index\.ts$/.test(file)
}

/** Lines that hold a word they must not, comments aside. */
function offences(pattern: RegExp, allowed: RegExp): string[] {
  return sources.flatMap(({ file, lines }) =>
    allowed.test(file)
      ? []
      : lines.flatMap((text, index) =>
          pattern.test(text.replace(/\/\/.*|^\s*\*.*|\/\*.*/, '')) ? [`${file}:${index + 1} ${text.trim()}`] : [],
        ),
  )
}

describe('the order of folders', () => {
  test('every source file lives in a folder of the line', () => {
    const misplaced = sources
      .map(({ file }) => file)
      .filter((file) => !order.includes(part(file)) && !(part(file) in programs))

    expect(misplaced).toEqual([])
  })

  test('a file imports from its own folder and from folders to its left (rule 2)', () => {
    const wrong = sources.flatMap(({ file, imports }) =>
      imports.filter(({ target }) => !mayImport(file, target)).map(({ line, target }) => `${file}:${line} ${target}`),
    )

    expect(wrong).toEqual([])
  })

  test('there is no import cycle, neither in the server nor in the web apps', () => {
    const ofWeb = files('web').filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file))
    const edges = new Map(
      [...sources, ...ofWeb.map(read)].map(({ file, imports }) => [
        file,
        imports.filter((i) => !i.typeOnly).map((i) => i.target),
      ]),
    )
    const state = new Map<string, 'open' | 'done'>()
    const cycles: string[] = []
    const visit = (file: string, trail: string[]) => {
      if (state.get(file) === 'done') return
      if (state.get(file) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
        return
      }
      state.set(file, 'open')
      for (const target of edges.get(file) ?? []) if (edges.has(target)) visit(target, [...trail, file])
      state.set(file, 'done')
    }
    for (const file of edges.keys()) visit(file, [])

    expect(cycles).toEqual([])
  })
})

test('ARCHITECTURE.md names only files that exist', () => {
  const named =
    readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8').match(
      /[\w-]+(\/[\w.-]+)*\/[\w-]+(\.test)?\.(tsx?|md)\b/g,
    ) ?? []
  const missing = named.filter((file) => ![file, `src/${file}`].some((place) => existsSync(path.join(root, place))))
  expect(named.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})

describe('contexts', () => {
  test('nothing lies beside the contexts but the router', () => {
    const loose = all.map(({ file }) => file).filter((file) => /^src\/features\/[^/]+$/.test(file))

    expect(loose).toEqual(['src/features/index.ts'])
  })

  test('no two contexts depend on each other, directly or through others', () => {
    const needs = new Map<string, Set<string>>()
    for (const { file, imports } of sources) {
      const from = contextOf(file)
      if (!from) continue
      const set = needs.get(from) ?? new Set()
      needs.set(from, set)
      for (const { target } of imports) {
        const to = contextOf(target)
        if (to && to !== from) set.add(to)
      }
    }
    const free: string[] = []
    for (;;) {
      const next = [...needs].find(([name, set]) => !free.includes(name) && [...set].every((one) => free.includes(one)))
      if (!next) break
      free.push(next[0])
    }

    expect([...needs.keys()].filter((name) => !free.includes(name))).toEqual([])
  })

  test('no folder of a context contains only a store', () => {
    const folders = new Map<string, string[]>()
    for (const { file } of sources.filter(({ file }) => contextOf(file))) {
      const folder = path.dirname(file)
      folders.set(folder, [...(folders.get(folder) ?? []), path.basename(file)])
    }
    const alone = [...folders].filter(([, names]) => names.every((name) => /(^|-)store\.ts$/.test(name)))

    expect(alone.map(([folder]) => folder)).toEqual([])
  })
})

describe('every strong package has one home', () => {
  test('packages are imported only where they live, and only known ones are imported', () => {
    const wrong = sources.flatMap(({ file, imports }) =>
      imports
        .filter(({ target }) => !target.startsWith('src/') && !target.startsWith('node:'))
        .filter(({ target }) => !(homes[packageOf(target)]?.test(file) ?? false))
        .map(({ line, target }) => `${file}:${line} ${target}`),
    )

    expect(wrong).toEqual([])
  })
})

const packageOf = (target: string) =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')

describe('what is not there', () => {
  test('only lib/clock.ts reads or waits for time', () => {
    const pattern = /Date\.now|new Date\(\)|\bsetTimeout\(|\bsetInterval\(|performance\.now/

    // The script of the docs pages is text that runs in a browser.
    // The ticker is what makes 20 ms of sound out of time.
    expect(offences(pattern, /^src\/(lib\/clock|voice-node\/ticker|http\/docs\/script)\.ts$/)).toEqual([])
  })

  test('audio arrives by sockets of the media program only, and no other file starts a program', () => {
    expect(
      offences(
        /node:dgram/,
        /^src\/(voice-node\/trunk-leg|drivers\/sip\/.*|lib\/port-problem|lib\/turn-allocation)\.ts$/,
      ),
    ).toEqual([])
    expect(offences(/\bfork\(/, /^src\/lib\/child-supervisor\.ts$/)).toEqual([])
  })

  test('only seeded or secret chance exists', () => {
    expect(offences(/Math\.random/, /^$/)).toEqual([])
  })

  test('SQL and the names of databases stay in db/ and the stores', () => {
    const sql = /\bsql<|\bsql`|\.selectFrom\(|\.insertInto\(|\.updateTable\(|\.deleteFrom\(/
    const stores = /^src\/(db|events|jobs)\/|[/-]store\.ts$/

    expect(offences(sql, stores)).toEqual([])
    expect(offences(/\b(sqlite|libsql|pg_notify|postgresql?:)/i, /^src\/(db\/|config\.ts|config\/|cli\/)/)).toEqual([])
  })

  test('only config.ts reads the environment', () => {
    expect(offences(/process\.env/, /^src\/config\.ts$/)).toEqual([])
  })

  test('the SIP stack opens sockets in its transport only', () => {
    const socket =
      /node:(dgram|tls|http)|\b(createSocket|createServer|connect)\(|import .*\bconnect\b.* from 'node:net'/

    expect(offences(socket, /^src\/(?!drivers\/sip\/)|^src\/drivers\/sip\/transport(\.ts$|\/)/)).toEqual([])
  })

  test('no file disables the type checker', () => {
    expect(offences(/\bas any\b|: any\b|@ts-ignore|@ts-nocheck|<any>/, /^$/)).toEqual([])
  })

  test('no outbound HTTP exists beside lib/safe-fetch.ts', () => {
    expect(
      offences(/\bfetch\(|https?\.request\(|https?\.get\(/, /^src\/(lib\/safe-fetch\.ts|cli\/|http\/docs)/),
    ).toEqual([])
  })
})

describe('stores', () => {
  // Look-ups that identify the company, and workers that read a row before its company is known.
  const exceptions = new Set([
    // A condition for queries that name the company themselves.
    'narrowedBy',
    // Runs once for all companies, after an upgrade.
    'indexSomeTranscripts',
    'companiesWithSso',
    'passkeyByCredential',
    'insertChallenge',
    'takeChallenge',
    'deleteOldChallenges',
    'takeSsoRequest',
    'deleteOldSsoRequests',
    'credentialLookups',
    // the engine: a dialled number names no company, and a process that is gone leaves rows of all
    'owners',
    // the keys of the installation
    'vapidKeys',
    'isRecovering',
    'orphans',
    'overlooked',
    'ownerOf',
    'numberByDigits',
    'commandsFor',
    'takeRelayedMessages',
    'deleteSetting',
    'socketSessions',
    // figures of the whole installation for the operator
    'countSessions',
    'countPhoneSessions',
    'rateStore',
    'insertCompany',
    'listCompanies',
    'findMailToSend',
    'markMail',
    'readSetting',
    'writeSetting',
    'storeAnswers',
    'subscriptions',
    'entitlementsOf',
    'settingOfAll',
    'companyOfDigits',
    // reads a document, no rows
    'parsedFlow',
    'webhooksAtStart',
    'expireSome',
    'activeWithHeld',
    'deleteOldEvents',
    'deleteOldReplays',
    'findShortUrl',
    'deleteRelayedMessages',
    'deleteExpiredShortUrls',
    'deleteExpiredKeys',
    // an email address and a mailed link identify the account
    'accountsOf',
    'findLink',
    'useLink',
    'companyOfSession',
    // failed sign-ins are counted before the company is known
    'signInAttempts',
    'countAttempt',
    'deleteAttempts',
    'uncountAttempt',
    'deleteOldAttempts',
    // a client and its code identify the company; an app is removed from every company that has it
    'findClient',
    'useCode',
    'tokenOfCode',
    'tokenOfRepeat',
    'installationsOf',
    'deleteOldCodes',
    // read before the company of the page is known
    'embedOrigins',
    // a process carries the calls of all companies
    'allTrunks',
    'allDevices',
    'allContacts',
    'expiredContacts',
    'forgetSetups',
    // the token of a setup link identifies the device
    'useSetup',
    'operatorTrunks',
    'assignedCompanies',
    // and the messages
    'allCarriers',
    'busyLines',
    'linesWithCallbacks',
    'deleteOldCallbacks',
    'deleteOldMails',
    'deleteOldLiveAlerts',
    'deleteOldReportRuns',
    'companiesWithLiveSettings',
    'activeScheduledReports',
    'deleteFailedJobs',
    'deleteOldBulkChanges',
    'deleteOldCallbackRequests',
    'deleteCalledNumbers',
    'deleteOldOutboundCalls',
    'deleteOldArrivals',
    // the identifiers of calls and messages are unique in the installation
    'isUuidTaken',
    'isMessageIdTaken',
    // row mappers and query fragments that several stores of a feature share; the company is in the statement around them
    'toUser',
    'contactParts',
    'toContact',
    'found',
    'filtered',
    'callsOf',
    'countOf',
    'remembered',
    // after an upgrade the contacts of every company are indexed
    'indexSomeNames',
  ])

  test('every exported function of a store takes db and then companyId', () => {
    const wrong = sources
      .filter(({ file }) => /^src\/features\/.*[/-]store\.ts$|^src\/(?!delivery\/).*\/store\.ts$/.test(file))
      .flatMap(({ file, lines }) => {
        const text = lines.join('\n')
        const signature =
          /^export (?:async )?(?:function |const )(\w+)(?: =)?(?: async)?\s*(?:<[^(]*>)?\(([\s\S]*?)\)/gm
        return [...text.matchAll(signature)]
          .filter(
            ([, name = '', parameters = '']) =>
              !exceptions.has(name) && !/^\s*db: Db,\s*companyId: CompanyId/.test(parameters),
          )
          .map(([, name]) => `${file} ${name}`)
      })

    expect(wrong).toEqual([])
  })
})

describe('the package', () => {
  const lock: {
    packages: Record<string, { resolved?: string; integrity?: string; hasInstallScript?: boolean; link?: boolean }>
  } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  const entries = Object.entries(lock.packages).filter(([name]) => name !== '')

  test('the lock file names no host, and every package has its integrity', () => {
    expect(readFileSync(path.join(root, '.npmrc'), 'utf8')).toContain('omit-lockfile-registry-resolved=true')
    expect(entries.filter(([, entry]) => entry.resolved).map(([name]) => name)).toEqual([])
    expect(entries.filter(([, entry]) => !entry.integrity && !entry.link).map(([name]) => name)).toEqual([])
  })

  test('no dependency needs its install script', () => {
    // esbuild's script only checks the binary that its platform package has already brought.
    const provenWithout = ['node_modules/esbuild', 'node_modules/fsevents']
    const scripted = entries.filter(([, entry]) => entry.hasInstallScript).map(([name]) => name)

    expect(scripted.filter((name) => !provenWithout.includes(name))).toEqual([])
  })

  test('the only JavaScript files are the entries that run before dependencies exist, and they import node: only', () => {
    const javascript = ['src', 'test', 'bench', 'scripts'].flatMap(files).filter((file) => /\.(m|c)?js$/.test(file))
    const wrong = javascript.flatMap((file) =>
      read(file)
        .imports.filter(({ target }) => !/^(node:|scripts\/|dist\/main\.js$)/.test(target))
        .map(({ target }) => `${file} ${target}`),
    )

    expect(javascript.filter((file) => !/^scripts\/[\w-]+\.mjs$/.test(file))).toEqual([])
    expect(wrong).toEqual([])
  })
})

// bench/ judges speed: figures as ratios to a baseline of the same run, never inside a test.
import { printTable, type Row } from './kit.ts'

const benches: Record<string, { about: string; load: () => Promise<{ bench: () => Promise<Row[]> }> }> = {
  api: { about: 'reading and writing contacts, start, memory, rate limit', load: () => import('./api.ts') },
  calls: {
    about: 'calls per second, a long queue, the list and the search among a million calls; [--quick]',
    load: () => import('./calls.ts'),
  },
  exports: {
    about: 'a million calls as a report and as a bulk export, on both stores; [--quick]',
    load: () => import('./exports.ts'),
  },
  fleet: {
    about: 'adoption of calls after a crash, call set-ups per second, conversations on one and two line nodes',
    load: () => import('./fleet.ts'),
  },
  growth: {
    about:
      'every list, filter pair and search with 10,000 and 1,000,000 rows, on both databases; [--store sqlite|postgres]',
    load: () => import('./growth.ts'),
  },
  import: { about: 'share of the rate limit of a source that an import uses', load: () => import('./import.ts') },
  intelligence: {
    about:
      'understanding speech: CPU per second of sound, how late live words are, and calls beside it; ' +
      '[--words all|en|fr|de|es] word error rates of Whisper alone',
    load: () => import('./intelligence.ts'),
  },
  messages: {
    about: 'messages accepted, handed over, delivered and published, against a plain write',
    load: () => import('./messages.ts'),
  },
  platform: {
    about: 'idempotency keys and compressed lists in pairs, the reference in Chromium, the size of the client package',
    load: () => import('./platform.ts'),
  },
  security: {
    about: 'what timing tells, worst inputs, slow clients, sign-in under stuffing',
    load: () => import('./security.ts'),
  },
  sound: {
    about: 'intelligibility over networks with losses and jitter: Opus against G.711',
    load: () => import('./sound.ts'),
  },
  voice: {
    about: 'real calls through the media program, rtpengine and Janus: share of a core, lag, set-up; [SOAK=minutes]',
    load: () => import('./voice.ts'),
  },
  web: {
    about:
      'what the web apps load and how soon, 500 live rows, the palette among a million calls, rings; ' +
      '[--only sizes|pages|live|palette|rings] [--store sqlite|postgres]',
    load: () => import('./web.ts'),
  },
  webhooks: {
    about: 'event delivery: latency, throughput, isolation, replay; [--store sqlite|postgres] [--quick]',
    load: () => import('./webhooks.ts'),
  },
}

const [name = ''] = process.argv.slice(2)
const chosen = Object.hasOwn(benches, name) ? benches[name] : undefined
if (!chosen) {
  console.log('npm run bench -- NAME\n')
  for (const [known, { about }] of Object.entries(benches)) console.log(`  ${known.padEnd(13)} ${about}`)
  process.exit(name === '' ? 0 : 1)
}
const { bench } = await chosen.load()
printTable(await bench())

import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isFullRun } from './test/kit/depth.ts'

/** Tests that speech is recognised in: that takes all processors, and the audio of another test would arrive late. */
const recognition = ['test/speech/**/*.test.ts', 'test/voice/{agent-recovery,agent-speech,agents,realtime}.test.ts']

/** Tests with real audio: sender, receiver and browser keep up with real time only if others leave them processor time. */
const realTime = [
  'test/voice/**/*.test.ts',
  'test/sip/{dns,ipv6,reliable,sipp}.test.ts',
  'test/browser/{phone-sound,real-call,sip-phone}.test.ts',
]

/** The longest tests of what shorter ones cover in part. `npm test` leaves them to the full run, which CI makes. */
const long = [
  'src/voice-node/clock-drift.test.ts',
  // Of the browser tests, `npm test` keeps those of the dashboard, the home page, the phone app and sign-in.
  'test/browser/!(dashboard|home|phone|sign-in).test.ts',
  'test/browser/{dashboard-keyboard,phone-embed,phone-sound,phone-workspace}.test.ts',
  'test/ai-agents/campaigns.test.ts',
  'test/analytics/scheduled-reports.test.ts',
  'test/calls/role-splits.test.ts',
  'test/chaos/{call-crash,campaign-crash,delivery-crash,export-crash,graceful-stop,message-crash,takeover,zombie}.test.ts',
  'test/cli/{administer,backup,backup-deliveries,calls,damaged-backup,doctor,doctor-ports,doctor-speech,listen,node-versions}.test.ts',
  'test/cli/{package,replay,rotate-installation,start,test-flows}.test.ts',
  'test/contract/openapi-lint.test.ts',
  'test/delivery/{contact-erasure,isolation}.test.ts',
  'test/deploy/{debian,proxies}.test.ts',
  'test/http/{configuration,rate-limit,values}.test.ts',
  'test/imports/{faults,import,kill}.test.ts',
  'test/sandbox/{reset,scenarios,seed}.test.ts',
  'test/speech/{after-the-call,real-line}.test.ts',
  'test/upgrades/every-version.test.ts',
  'test/voice/{agent-recovery,agent-speech,agents,conformance,device-recovery,disk-full,embedded,engine-kills,failover,kamailio,kill,line-nodes}.test.ts',
  'test/voice/{outbound-progress,role-splits,rtp-timeout,together,upgrade,weak-network}.test.ts',
]
/**
 * Short files that take long begin first: the largest file is next, and the last one of a group would otherwise run alone.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/test\/chaos\/|\/(engine-kills|kill|rtp-timeout)\.test\.ts$/.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** What is named is run. */
const isPart = process.argv.some((arg) => /^(\.\/)?(src|test|web|packages)(\/|$)/.test(arg))
const leftOut = isFullRun || isPart ? [] : long

export default defineConfig({
  test: {
    // A test has no time limit of its own; these only end a run that hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    pool: 'forks',
    // Loading the app for each of the files anew would take longer than the tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/kit/global-setup.ts'],
    setupFiles: ['test/kit/end-with-run.ts', 'test/kit/programs.ts', 'test/kit/watch.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts', 'packages/**/*.test.ts'],
          exclude: [...realTime, ...recognition, ...leftOut],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'real time',
          // Two cores carry the audio of two tests in real time, not of three.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          include: realTime,
          exclude: [...recognition, ...leftOut],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'recognition',
          include: recognition,
          exclude: leftOut,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'

/** Tests with real audio: sender, receiver and browser keep up with real time only if they have the processors to themselves. */
const realTime = [
  'test/voice/**/*.test.ts',
  'test/speech/**/*.test.ts',
  'test/sip/sipp.test.ts',
  'test/browser/{phone-sound,real-call,sip-phone}.test.ts',
]

export default defineConfig({
  test: {
    // A test has no time limit of its own; these only end a run that hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 600_000 } },
    pool: 'forks',
    // Loading the app for each of the files anew would take longer than the tests.
    isolate: false,
    globalSetup: ['test/kit/global-setup.ts'],
    setupFiles: ['test/kit/end-with-run.ts', 'test/kit/watch.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
          exclude: realTime,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'real time', include: realTime, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})

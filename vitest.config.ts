import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
    // A test has no time limit of its own; these only end a run that hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: 'forks',
    // Loading the app for each of the files anew would take longer than the tests.
    isolate: false,
    globalSetup: ['test/kit/global-setup.ts'],
    setupFiles: ['test/kit/end-with-run.ts', 'test/kit/watch.ts'],
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a busy machine real sockets and real sound can be too late once; `second-tries.ts` names whoever needed it.
    retry: 1,
    pool: 'forks',
    // Loading the app for each of the files anew would take longer than the tests.
    isolate: false,
    globalSetup: ['test/kit/global-setup.ts'],
    setupFiles: ['test/kit/end-with-run.ts', 'test/kit/watch.ts'],
  },
})

// `npm test`: everything vitest finds, or what its arguments name. The last line is always the plain count of tests.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureModels } from './models.mjs'
import { ensureBuilt, ensureInstalled, requireNode, root } from './prepare.mjs'

let count = { passed: 0, failed: 0, skipped: 0 }
process.on('exit', () => console.log(inOneLine(count)))

requireNode()
await ensureInstalled()
await ensureBuilt()
await ensureModels(process.argv.slice(2))

const folder = mkdtempSync(join(tmpdir(), 'hookswitch-test-'))
const report = join(folder, 'report.json')
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const exitCode = await runVitest(process.argv.slice(2))
if (existsSync(report)) {
  const results = JSON.parse(readFileSync(report, 'utf8'))
  count = countOf(results)
  printFailures(results)
}
if (exitCode !== 0 && count.failed === 0) console.error(`No test failed, but vitest ended with exit code ${exitCode}.`)
if (process.argv.length === 2 && (process.env.TEST_DEPTH ?? 'quick') === 'quick') {
  console.log('The longest tests were left out: TEST_DEPTH=full npm test runs them, too.')
}
process.exitCode = exitCode || (count.failed === 0 && count.passed > 0 ? 0 : 1)

async function runVitest(args) {
  const isGiven = (option) => args.some((arg) => arg === option || arg.startsWith(`${option}=`))
  const child = spawn(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...(isGiven('--reporter') ? [] : ['--reporter=default']),
      // Tests wait for databases, browsers and other processes. Those with real audio have fewer workers.
      ...(isGiven('--maxWorkers') ? [] : [`--maxWorkers=${Math.max(3, availableParallelism())}`]),
      ...args,
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { cwd: root, stdio: 'inherit' },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

function countOf({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  // A file that cannot be loaded, or whose beforeAll throws, has no failed test to show for it: it counts as one.
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  // Feature tests whose statements other tests run on PostgreSQL; see test/kit/statements.ts.
  const covered = testResults.flatMap((file) => file.assertionResults).filter((test) => test.meta?.isCovered).length
  return {
    passed: numPassedTests,
    failed: numFailedTests + brokenFiles.length,
    skipped: numPendingTests + numTodoTests - covered,
  }
}

/** The failed tests once more, in short: their details may be far up or cut off. */
function printFailures({ testResults }) {
  const short = (text) =>
    text
      .replace(/[^\x20-\x7e\n]+/g, ' ')
      .split('\n')
      .slice(0, 12)
      .join('\n')
      .slice(0, 1200)
  for (const file of testResults.filter(({ status }) => status === 'failed')) {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed')
    const name = file.name.replace(`${root}/`, '')
    if (failed.length === 0) console.error(`failed: ${name}\n${short(file.message ?? '')}`)
    for (const test of failed) {
      console.error(`failed: ${name} > ${test.fullName}\n${short(test.failureMessages?.join('\n') ?? '')}`)
    }
  }
}

function inOneLine({ passed, failed, skipped }) {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../../../../test/kit/app.ts'
import { colleague, linkMailedTo, password, visitor } from '../../../../test/kit/visitor.ts'
import { passwordAdvice } from '../../../domain/password-strength.ts'
import type { PasswordEstimate } from '../../../lib/password-estimator.ts'

/** Passes the rules of the browser, and derives from a leaked password. */
const derived = 'Dr4g0nb4ll!12'

async function invited(app: TestApp) {
  const body = { email: 'nora@example.test', first_name: 'Nora', last_name: 'Quist' }
  await app.a.api('POST', '/v2/users', body)
  const token = await linkMailedTo(app, body.email, 'invitation')
  const nora = visitor(app)
  return { ...nora, use: (password: string) => nora.ask('POST', '/v1/account_links/use', { token, password }) }
}

test('an invitation refuses a derived password with a reason, and the link stays valid', async () => {
  const app = await testApp()
  const { use } = await invited(app)

  const refused = [await use(derived), await use('golfingchauncey'), await use('Company A 10')]
  const accepted = await use('correct horse')

  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
  expect(refused[0]?.json).toEqual({ error: 'Bad Request', troubleshoot: passwordAdvice.substituted, success: false })
  expect(refused[1]?.json.troubleshoot).toBe(passwordAdvice.weak)
  expect(accepted.status).toBe(200)
  expect(app.logged()).not.toContain('password.not_estimated')
})

test('a reset link refuses a derived password', async () => {
  const app = await testApp()
  const { email } = await colleague(app, app.a, 'agent')
  await visitor(app).ask('POST', '/v1/password_resets', { email })
  const token = await linkMailedTo(app, email, 'password')
  const use = (password: string) => visitor(app).ask('POST', '/v1/account_links/use', { token, password })

  const answers = [await use(derived), await use('another long password')]

  expect(answers.map(({ status }) => status)).toEqual([400, 200])
  expect(answers[0]?.json.troubleshoot).toBe(passwordAdvice.substituted)
})

test('a change refuses a derived password, after the current one has been verified', async () => {
  const app = await testApp()
  const me = await colleague(app, app.a, 'agent')
  const change = (old: string) => me.ask('PUT', '/v1/session/password', { password: old, new_password: derived })

  const [guessed, refused] = [await change('wrong'), await change(password)]

  expect(guessed.json.troubleshoot).toBe('`password` is not your current password')
  expect([refused.status, refused.json.troubleshoot]).toEqual([400, passwordAdvice.substituted])
  expect((await visitor(app).signIn(me.email, password)).status).toBe(200)
})

test.each<PasswordEstimate>([
  { kind: 'unavailable', reason: 'timeout' },
  { kind: 'unavailable', reason: 'busy' },
  { kind: 'unavailable', reason: 'failed', error: new Error('out of memory') },
])('without an estimate ($reason) the rules decide, and a warning is logged', async (estimate) => {
  const app = await testApp()
  const { services } = app.app
  services.passwordEstimator = { ...services.passwordEstimator, check: async () => estimate }
  const { use } = await invited(app)

  const answers = [await use('Password123!'), await use(derived)]

  expect(answers.map(({ status }) => status)).toEqual([400, 200])
  const warnings = app
    .logged()
    .split('\n')
    .filter((line) => line.includes('"event":"password.not_estimated"'))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(new RegExp(`^warn .*"reason":"${estimate.kind === 'unavailable' && estimate.reason}"`))
  expect(app.logged()).not.toContain(derived)
})

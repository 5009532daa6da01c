import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { findNumberByDigits } from '../features/accounts/numbers/store.ts'
import { lockUser } from '../features/accounts/users/store.ts'
import { findCampaign, insertCampaign, insertNumbers, queuedAmong } from '../features/calls/dialer/store.ts'
import { ApiError, badRequest } from '../http/errors.ts'
import type { JobPayloads } from '../jobs/payloads.ts'
import { enqueue } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import { seededRandom } from '../lib/random.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import { performAction } from './actions.ts'
import { officeIn } from './office.ts'
import type { ParameterValues, Scenario, ScenarioStep } from './scenarios/plan.ts'
import { calleesOf, setAutopilot, setCallees } from './settings.ts'

/** Plans the whole run and schedules each step as a job, so that a run survives a restart. */
export async function startScenario(
  services: Services,
  companyId: CompanyId,
  scenario: Scenario,
  given: ParameterValues,
): Promise<string> {
  const office = await officeIn(services.db, companyId, services.clock.now())
  const plan = scenario.plan(office, given, seededRandom(given('seed')))
  if ('lacks' in plan) throw badRequest(`The company needs ${plan.lacks} for this scenario`)
  const runId = `run_${randomId()}`
  await transaction(services.db, async (tx) => {
    for (const { after, ...step } of plan) {
      const payload = { companyId, runId, step: JSON.stringify(step) }
      await enqueue(tx, 'sandbox.step', payload, office.at + Math.round(after * second))
    }
  })
  return runId
}

/** Job: runs a step. A step that is not possible at that moment is skipped. */
export function scenarioStepJob(services: Services) {
  return async (payload: JobPayloads['sandbox.step']): Promise<void> => {
    const { companyId, runId } = payload
    const step = 'step' in payload ? payload.step : payload.deed
    try {
      await runStep(services, companyId, JSON.parse(step))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      services.log.debug(
        { event: 'sandbox.step_skipped', companyId, runId, step, reason: error.message },
        'skipped a scenario step',
      )
    }
  }
}

async function runStep(services: Services, companyId: CompanyId, step: ScenarioStep): Promise<void> {
  const { db, sandbox } = services
  switch (step.do) {
    case 'call': {
      const { from, to, script, patience } = step
      if (!(await findNumberByDigits(db, companyId, to))) return
      await sandbox?.network.call({ from, to, script, patienceSeconds: patience })
      return
    }
    case 'act':
      return performAction(services, companyId, step.userId, step.wish)
    case 'autopilot':
      return setAutopilot(db, companyId, step.userId, step.autopilot)
    case 'callees': {
      const before = await calleesOf(db, companyId)
      return setCallees(db, companyId, { ...before, numbers: { ...before.numbers, ...step.numbers } })
    }
    case 'campaign':
      return addToCampaign(services, companyId, step.userId, step.numbers)
  }
}

async function addToCampaign(
  { db, clock, liveHub }: Services,
  companyId: CompanyId,
  userId: number,
  numbers: string[],
) {
  await transaction(db, async (tx) => {
    const user = await lockUser(tx, companyId, userId)
    if (!user) return
    const campaign = await findCampaign(tx, companyId, userId)
    const queued = campaign ? await queuedAmong(tx, companyId, campaign.id, numbers) : new Set<string>()
    const id = campaign?.id ?? (await insertCampaign(tx, companyId, user, clock.now()))
    const added = numbers.filter((number) => !queued.has(number))
    await insertNumbers(tx, companyId, id, added, clock.now())
  })
  liveHub.send(companyId, userId, { kind: 'dialer_campaign' })
}

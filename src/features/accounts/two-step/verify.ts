import { randomBytes } from 'node:crypto'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { ApiError, forbidden, tooManyRequests } from '../../../http/errors.ts'
import type { Vault } from '../../../lib/secrets.ts'
import { stepOfCode, toBase32 } from '../../../lib/totp.ts'
import type { Services } from '../../../services.ts'
import { audit, unknownActor } from '../audit/record.ts'
import { findCompany } from '../companies/store.ts'
import { sendSecurityNotice } from '../sign-in/notices.ts'
import { findUser } from '../users/store.ts'
import { findTwoStep, spendRecoveryCode, spendStep } from './store.ts'

interface Attempt {
  companyId: CompanyId
  userId: number
  code: string | undefined
  /** IP address of the request. */
  address: string
}

const codeMissing = () =>
  new ApiError(
    409,
    'Send the code of your authenticator app, or a recovery code, as `code`',
    {},
    { two_step: ['code'] },
  )

/**
 * The second step of a sign-in; without effect for users who have not enabled it. The password is correct when it runs, so
 * ten wrong codes an hour are the limit from all networks together, and the last of them is reported to the user.
 */
export async function requireSecondStep(services: Services, attempt: Attempt): Promise<void> {
  const { db, signIns } = services
  const { companyId, userId, code } = attempt
  const twoStep = await findTwoStep(db, companyId, userId)
  if (!twoStep?.isEnabled) return
  if (code === undefined) throw codeMissing()
  const counted = await signIns.codeTried(userId)
  if ('wait' in counted) throw tooManyRequests('Too many wrong codes; wait before the next try', counted.wait)
  if (await spendCode(services, companyId, { userId, secret: services.vault.open(twoStep.secretSealed), code })) {
    return signIns.codeSucceeded(userId)
  }
  await noteWrongCode(services, attempt, counted.left === 0)
  throw forbidden('The `code` is incorrect, or has been used already; wait for the next one')
}

/** Whether the code is valid; then it is used up. */
async function spendCode(
  { db, clock, vault }: Services,
  companyId: CompanyId,
  { userId, secret, code }: { userId: number; secret: string; code: string },
): Promise<boolean> {
  const plain = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(plain)) {
    const hashes = vault.deriveOverTime.map((derive) => recoveryHashBy(derive, userId, plain))
    return spendRecoveryCode(db, companyId, { userId, hashes, at: clock.now() })
  }
  const step = stepOfCode(secret, plain, clock.machineNow())
  return step !== undefined && (await spendStep(db, companyId, userId, step))
}

async function noteWrongCode(services: Services, { companyId, userId, address }: Attempt, isLast: boolean) {
  await transaction(services.db, async (tx) => {
    const user = isLast ? await findUser(tx, companyId, userId) : undefined
    if (user) {
      const { name } = await findCompany(tx, companyId)
      await sendSecurityNotice(services, tx, user, {
        subject: `Wrong verification codes for your account at ${name}`,
        what: `Ten wrong verification codes were entered for your account at ${name} after your correct password. Further codes are refused for up to an hour.`,
      })
    }
    const entry = { actor: unknownActor, action: 'two_step.failed', target: `user:${userId}`, address }
    await audit(services, tx, companyId, entry)
  })
}

/** Keyed with the installation key: the short codes cannot be guessed from a copy of the database. */
export const recoveryHash = ({ vault }: Pick<Services, 'vault'>, userId: number, code: string) =>
  recoveryHashBy(vault.derive, userId, code)

const recoveryHashBy = (derive: Vault['derive'], userId: number, code: string) =>
  derive(`recovery code ${userId} ${code.toLowerCase()}`).toString('hex')

/** 50 random bits each, as two groups of five letters and digits. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: 10 }, () => {
    const text = toBase32(randomBytes(7)).slice(0, 10).toLowerCase()
    return `${text.slice(0, 5)}-${text.slice(5)}`
  })
}

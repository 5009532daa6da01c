import type { Client, TestApp } from '../kit/app.ts'

export interface Target {
  companyId: number
  api: Client
}

/** A new company without data, but its owner. */
export async function newCompany({ app, as }: TestApp): Promise<Target> {
  const made = (await app.commands['company.create']?.({ name: 'Imported', owner_email: 'owner@imported.test' })) as {
    company_id: number
    api_id: string
    api_token: string
  }
  const companyId = made.company_id
  await app.commands['company.set']?.({ company: companyId, plan: 'custom', ai_package: 'assist-pro' })
  return { companyId, api: as(`Basic ${Buffer.from(`${made.api_id}:${made.api_token}`).toString('base64')}`) }
}

// biome-ignore lint/suspicious/noExplicitAny: the report
export async function importInto(app: TestApp, target: Target, source: object): Promise<any> {
  const run = (await app.app.commands['import.start']?.({ company: target.companyId, ...source })) as { id: number }
  await app.app.commands['import.run']?.({ company: target.companyId, id: run.id })
  return app.app.commands['import.show']?.({ company: target.companyId, id: run.id })
}

import type { CompanyId } from '../db/tables.ts'
import type { DashboardConnection } from './dashboard-connection.ts'
import type { PhoneConnection } from './hub.ts'
import type { SessionRef } from './phone-sessions.ts'

/** Phone apps and dashboards connected to this process. */
export interface ConnectedApps {
  addPhone(phone: PhoneConnection): void
  removePhone(phone: PhoneConnection): void
  phonesOf(companyId: CompanyId, userId: number): readonly PhoneConnection[]
  phoneAt(ref: SessionRef): PhoneConnection | undefined
  addDashboard(dashboard: DashboardConnection): void
  removeDashboard(dashboard: DashboardConnection): void
  dashboardsOf(companyId: CompanyId, userId: number): readonly DashboardConnection[]
  hasAny(companyId: CompanyId): boolean
  counts(): { phones: number; dashboards: number }
  /** Sends to the users concerned, and to dashboards that see everything. */
  sendToUsers(companyId: CompanyId, concerned: ReadonlySet<number>, text: string): void
  /** The user has signed out elsewhere or has lost permissions. */
  recheck(companyId: CompanyId, userId: number): void
}

export function createConnectedApps(): ConnectedApps {
  const phones = new Map<number, PhoneConnection[]>()
  const dashboards = new Set<DashboardConnection>()

  const phonesOf = (companyId: CompanyId, userId: number) =>
    (phones.get(userId) ?? []).filter((phone) => phone.companyId === companyId)

  const dashboardsOf = (companyId: CompanyId, userId: number) =>
    [...dashboards].filter((one) => one.companyId === companyId && one.userId === userId)

  return {
    addPhone: (phone) => void phones.set(phone.userId, [...(phones.get(phone.userId) ?? []), phone]),
    removePhone(phone) {
      const others = (phones.get(phone.userId) ?? []).filter((one) => one !== phone)
      if (others.length > 0) phones.set(phone.userId, others)
      else phones.delete(phone.userId)
    },
    phonesOf,
    phoneAt: ({ companyId, userId, session }) => phonesOf(companyId, userId).find((phone) => phone.session === session),
    addDashboard: (dashboard) => void dashboards.add(dashboard),
    removeDashboard: (dashboard) => void dashboards.delete(dashboard),
    dashboardsOf,
    hasAny: (companyId) =>
      [...phones.values()].some(([phone]) => phone?.companyId === companyId) ||
      [...dashboards].some((dashboard) => dashboard.companyId === companyId),
    counts: () => ({ phones: [...phones.values()].flat().length, dashboards: dashboards.size }),
    sendToUsers(companyId, concerned, text) {
      for (const userId of concerned) for (const phone of phonesOf(companyId, userId)) void phone.send(text)
      for (const dashboard of dashboards) {
        if (dashboard.companyId !== companyId) continue
        if (dashboard.seesAll || concerned.has(dashboard.userId)) dashboard.send(text)
      }
    },
    recheck(companyId, userId) {
      for (const phone of phonesOf(companyId, userId)) phone.recheck()
      for (const dashboard of dashboardsOf(companyId, userId)) dashboard.recheck()
    },
  }
}

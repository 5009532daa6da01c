import type { CompanyId, MessageLineTable } from '../db/tables.ts'
import { linesOf, type MessageLine } from '../features/messages/lines/store.ts'
import {
  type LineFacts,
  type SyncedTemplate,
  saveLineFacts,
  saveTemplates,
} from '../features/messages/whatsapp/sync-store.ts'
import type { CarrierSync, Services } from '../services.ts'
import type { Graph } from './whatsapp-graph.ts'

// Templates and sending limits are managed by WhatsApp; they are synchronized daily, when WhatsApp reports a change, and
// on request.

interface Needs {
  services: Pick<Services, 'db' | 'clock'>
  graph: Graph
  companyId: CompanyId
  carrierId: number
}

const maxPages = 50

export async function syncWhatsapp({
  services: { db, clock },
  graph,
  companyId,
  carrierId,
}: Needs): Promise<CarrierSync> {
  const lines = (await linesOf(db, companyId)).filter((line) => line.whatsappCarrierId === carrierId)
  const troubles: string[] = []
  let templates = 0
  let leftOut = 0
  for (const wabaId of new Set(lines.flatMap(({ wabaId }) => wabaId ?? []))) {
    const found = await templatesOf(graph, wabaId)
    if (typeof found === 'string') troubles.push(found)
    else {
      const fit = found.flatMap((item) => templateOf(item) ?? [])
      leftOut += found.length - fit.length
      templates += fit.length
      await saveTemplates(db, companyId, wabaId, fit, clock.now())
    }
  }
  for (const line of lines) {
    const facts = await factsOf(graph, line)
    if (typeof facts === 'string') troubles.push(facts)
    else await saveLineFacts(db, companyId, line.numberId, facts, clock.now())
  }
  return { lines: lines.length, templates, leftOut, trouble: troubles[0] ?? null }
}

async function templatesOf(graph: Graph, wabaId: string): Promise<Record<string, unknown>[] | string> {
  const found: Record<string, unknown>[] = []
  let after = ''
  for (let page = 0; page < maxPages; page++) {
    const fields = 'name,language,status,category,components,parameter_format'
    const answer = await graph.get(`${wabaId}/message_templates?limit=100&fields=${fields}${after}`)
    if (!answer.ok) return `The templates of ${wabaId} cannot be read: ${answer.why}`
    const { data, paging } = answer.value as {
      data?: unknown
      paging?: { cursors?: { after?: string }; next?: string }
    }
    if (Array.isArray(data)) found.push(...data)
    if (!paging?.next || !paging.cursors?.after) break
    after = `&after=${encodeURIComponent(paging.cursors.after)}`
  }
  return found
}

const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const
const statuses: Record<string, SyncedTemplate['status']> = {
  APPROVED: 'APPROVED',
  PENDING: 'PENDING',
  REJECTED: 'REJECTED',
  IN_APPEAL: 'REJECTED',
  PAUSED: 'PAUSED',
  DISABLED: 'DISABLED',
  PENDING_DELETION: 'DISABLED',
  LIMIT_EXCEEDED: 'DISABLED',
}

/** Undefined for features that this API does not support: named variables, location headers, flow buttons. */
function templateOf(item: Record<string, unknown>): SyncedTemplate | undefined {
  const { name, language, parameter_format } = item
  const category = categories.find((one) => one === item.category)
  const status = statuses[String(item.status)]
  const components = Array.isArray(item.components) ? item.components.map(componentOf) : []
  const isWhole = components.every((component) => component !== undefined)
  if (typeof name !== 'string' || typeof language !== 'string' || !category || !status) return undefined
  if (parameter_format === 'NAMED' || !isWhole) return undefined
  return { name, language, category, status, components }
}

const formats = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT']

function componentOf(item: Record<string, unknown>): object | undefined {
  const { type, text, format } = item
  if (type === 'HEADER') {
    if (!formats.includes(String(format))) return undefined
    return { type, format, ...(typeof text === 'string' && { text }) }
  }
  if (type === 'BODY' || type === 'FOOTER') return { type, text: typeof text === 'string' ? text : '' }
  if (type !== 'BUTTONS' || !Array.isArray(item.buttons)) return undefined
  const buttons = item.buttons.map(buttonOf)
  return buttons.every((button) => button !== undefined) ? { type, buttons } : undefined
}

function buttonOf({ type, text, url, phone_number }: Record<string, unknown>): object | undefined {
  if (typeof text !== 'string') return undefined
  if (type === 'QUICK_REPLY') return { type, text }
  if (type === 'URL' && typeof url === 'string') return { type, text, url }
  return type === 'PHONE_NUMBER' && typeof phone_number === 'string' ? { type, text, phone_number } : undefined
}

async function factsOf(graph: Graph, { phoneNumberId, wabaId }: MessageLine): Promise<LineFacts | string> {
  if (phoneNumberId === null) return {}
  const number = await graph.get(`${phoneNumberId}?fields=status,quality_rating,messaging_limit_tier`)
  if (!number.ok) return `The phone number ${phoneNumberId} cannot be read: ${number.why}`
  const account = wabaId === null ? undefined : await graph.get(`${wabaId}?fields=business_verification_status`)
  const { status, quality_rating, messaging_limit_tier } = number.value
  const verification = account?.ok ? account.value.business_verification_status : undefined
  const tier = tierOf(messaging_limit_tier)
  return {
    ...(typeof status === 'string' && { whatsapp_status: statusOf(status) }),
    ...(tier !== undefined && { whatsapp_tier: tier }),
    whatsapp_quality: qualities.find((one) => one === quality_rating) ?? 'UNKNOWN',
    ...(typeof verification === 'string' && { whatsapp_verification: verification.toUpperCase() }),
  }
}

const qualities = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const

function statusOf(status: string): MessageLineTable['whatsapp_status'] {
  // Flagged and limited lines may still send.
  if (['CONNECTED', 'FLAGGED', 'RATE_LIMITED'].includes(status)) return 'ONLINE'
  return ['BANNED', 'RESTRICTED'].includes(status) ? 'BLOCKED' : 'OFFLINE'
}

const tiers = ['TIER_50', 'TIER_250', 'TIER_1K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED']

/** An unknown tier maps to the next lower one, so that the limit is never overstated. */
function tierOf(tier: unknown): string | undefined {
  if (typeof tier !== 'string') return undefined
  return tiers.includes(tier) ? tier : tier === 'TIER_2K' ? 'TIER_1K' : undefined
}

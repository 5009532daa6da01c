import type { LoggedEvent } from '../features/integrations/events/store.ts'

interface Person {
  id: number
}

/** Users in a call event: who has it, on whose phone it rings, who transferred it, and its participants. */
interface CallData {
  user?: Person | null
  assigned_to?: Person | null
  transferred_by?: Person | null
  transferred_to?: Person | null
  participants?: { type: string; id?: number }[]
}

/**
 * The users whose phone apps receive the event. Depends on the event alone, so that a resumed session gets the same
 * events.
 */
export function recipientsOf({ resource, resource_key, data }: LoggedEvent): ReadonlySet<number> {
  if (resource === 'user') return new Set([Number(resource_key.slice('user:'.length))])
  if (resource !== 'call') return new Set()
  const call: CallData = JSON.parse(data)
  const people = [call.user, call.assigned_to, call.transferred_by, call.transferred_to]
  const parties = call.participants?.filter(({ type }) => type === 'user') ?? []
  return new Set([...people, ...parties].flatMap((person) => person?.id ?? []))
}

/** The Number of an unanswered call or a voicemail; undefined for all other events. */
export function toDoNumberOf({ resource, data }: LoggedEvent): number | undefined {
  if (resource !== 'call') return undefined
  const call: Partial<Record<'missed_call_reason' | 'voicemail', string | null>> & { number?: { id: number } | null } =
    JSON.parse(data)
  return call.missed_call_reason || call.voicemail ? call.number?.id : undefined
}

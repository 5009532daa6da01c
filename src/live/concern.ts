import type { LoggedEvent } from '../features/integrations/events/store.ts'

interface Person {
  id: number
}

/** The people in an event about a call: who has it, whom it rings on, who gave it away, and its parties. */
interface CallData {
  user?: Person | null
  assigned_to?: Person | null
  transferred_by?: Person | null
  transferred_to?: Person | null
  participants?: { type: string; id?: number }[]
}

/** Whose phone app is told of the event. What it says alone decides, so whoever comes back is told the same. */
export function usersConcerned({ resource, resource_key, data }: LoggedEvent): ReadonlySet<number> {
  if (resource === 'user') return new Set([Number(resource_key.slice('user:'.length))])
  if (resource !== 'call') return new Set()
  const call: CallData = JSON.parse(data)
  const people = [call.user, call.assigned_to, call.transferred_by, call.transferred_to]
  const parties = call.participants?.filter(({ type }) => type === 'user') ?? []
  return new Set([...people, ...parties].flatMap((person) => person?.id ?? []))
}

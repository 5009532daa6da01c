/** A part of the running process. Parts start in the order of their list and stop in reverse order. */
export interface ProcessPart {
  name: string
  start?(): Promise<void> | void
  /** Also called if the part was not started. */
  stop?(): Promise<void> | void
}

/** For a part that stops elsewhere in the list: the entry where it starts. */
export const startOf = ({ name, start }: ProcessPart): ProcessPart => ({ name, ...(start && { start }) })

/** The other entry of such a part. */
export const stopOf = ({ name, stop }: ProcessPart): ProcessPart => ({ name, ...(stop && { stop }) })

/** Fails with the first part that fails; the caller then stops all parts. */
export async function startAll(parts: readonly ProcessPart[]): Promise<void> {
  for (const part of parts) await part.start?.()
}

export async function stopAll(parts: readonly ProcessPart[]): Promise<void> {
  for (const part of parts.toReversed()) await part.stop?.()
}

/** Other engine processes that have disconnected from a node. */
export function createLostSessions(own: string) {
  const sessions = new Set<string>()
  const listeners: (() => void)[] = []
  return {
    add(session: string): void {
      if (session === own) return
      sessions.add(session)
      for (const listener of listeners) listener()
    },
    delete: (session: string) => sessions.delete(session),
    all: () => [...sessions],
    on: (listener: () => void) => void listeners.push(listener),
  }
}

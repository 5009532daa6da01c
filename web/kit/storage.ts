// Web storage of the browser. Inside an iframe of another site the browser may deny access; values are then kept in memory
// until the page is reloaded.

export interface KeyValueStorage {
  read(key: string): string | null
  write(key: string, text: string): void
  remove(key: string): void
}

function withFallback(storage: () => Storage): KeyValueStorage {
  const memory = new Map<string, string>()
  const attempt = <T>(run: () => T, otherwise: () => T): T => {
    try {
      return run()
    } catch {
      return otherwise()
    }
  }
  return {
    read: (key) =>
      attempt(
        () => storage().getItem(key),
        () => memory.get(key) ?? null,
      ),
    write: (key, text) =>
      attempt(
        () => storage().setItem(key, text),
        () => void memory.set(key, text),
      ),
    remove: (key) =>
      attempt(
        () => storage().removeItem(key),
        () => void memory.delete(key),
      ),
  }
}

export const tabStorage = withFallback(() => window.sessionStorage)
export const browserStorage = withFallback(() => window.localStorage)

// What a browser keeps for us. Inside a page of somebody else it may refuse, and then it is kept until the reload.

export interface Drawer {
  read(key: string): string | null
  write(key: string, text: string): void
  remove(key: string): void
}

function drawer(storage: () => Storage): Drawer {
  const spare = new Map<string, string>()
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
        () => spare.get(key) ?? null,
      ),
    write: (key, text) =>
      attempt(
        () => storage().setItem(key, text),
        () => void spare.set(key, text),
      ),
    remove: (key) =>
      attempt(
        () => storage().removeItem(key),
        () => void spare.delete(key),
      ),
  }
}

/** Of this tab. */
export const tabDrawer = drawer(() => window.sessionStorage)
/** Of this browser. */
export const browserDrawer = drawer(() => window.localStorage)

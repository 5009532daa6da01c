import { tabStorage } from '../kit/storage.ts'

/** The calls whose audio belongs to this tab, kept over a reload. */
export interface OwnedCalls {
  readonly keys: ReadonlySet<string>
  set(key: string, isOwned: boolean): void
}

const storageKey = 'hookswitch.phone.sound'

export function createOwnedCalls(): OwnedCalls {
  const keys = new Set<string>(JSON.parse(tabStorage.read(storageKey) ?? '[]'))
  return {
    keys,
    set(key, isOwned) {
      if (keys.has(key) === isOwned) return
      if (isOwned) keys.add(key)
      else keys.delete(key)
      tabStorage.write(storageKey, JSON.stringify([...keys]))
    },
  }
}

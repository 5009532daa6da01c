/** The event with which Chrome and Edge offer to install a page. */
export interface InstallPrompt extends Event {
  prompt(): Promise<unknown>
}

let offered: InstallPrompt | undefined
const listeners = new Set<() => void>()

function set(prompt: InstallPrompt | undefined): void {
  offered = prompt
  for (const listener of listeners) listener()
}

// Offered once, soon after the page has loaded: before a screen may want it.
window.addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  set(event as InstallPrompt)
})
window.addEventListener('appinstalled', () => set(undefined))

export const installOffer = {
  get: () => offered,
  watch(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  /** The browser accepts each offer once. */
  async accept(): Promise<void> {
    const prompt = offered
    set(undefined)
    await prompt?.prompt()
  },
}

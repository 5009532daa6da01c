/** Runs one pass at a time; a request during a pass triggers another one. */
export interface Passes {
  ask(): void
  /** Resolves when no pass is running; true if one was. */
  idle(): Promise<boolean>
}

export function inPasses(pass: () => Promise<void>, failed: (error: unknown) => void): Passes {
  let running: Promise<void> | undefined
  let again = false

  function ask(): void {
    if (running) again = true
    else running = pass().catch(failed).finally(ended)
  }

  function ended(): void {
    running = undefined
    if (!again) return
    again = false
    ask()
  }

  return {
    ask,
    async idle() {
      const wasBusy = running !== undefined
      while (running) await running
      return wasBusy
    },
  }
}

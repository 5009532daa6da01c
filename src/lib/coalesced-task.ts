/** Runs one at a time; a trigger during a run causes another run. */
export interface CoalescedTask {
  trigger(): void
  /** Resolves when no run is in progress; true if one was. */
  idle(): Promise<boolean>
}

export function createCoalescedTask(run: () => Promise<void>, onError: (error: unknown) => void): CoalescedTask {
  let running: Promise<void> | undefined
  let again = false

  function trigger(): void {
    if (running) again = true
    else running = run().catch(onError).finally(ended)
  }

  function ended(): void {
    running = undefined
    if (!again) return
    again = false
    trigger()
  }

  return {
    trigger,
    async idle() {
      const wasBusy = running !== undefined
      while (running) await running
      return wasBusy
    },
  }
}
